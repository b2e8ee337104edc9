//! Accounts: the tenants that own spaces, keys and money.

use domain::{AccountId, Timestamp, UserId};
use sea_orm::{QuerySelect, entity::prelude::*, sea_query::LockType};

use crate::{Error, Millis, Reader, Result, Text, UserRow, WriteTxn, table, users};

/// An account.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "accounts")]
pub struct Model {
    /// Prefix `acc_`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Text<AccountId>,
    /// Name shown in the console.
    pub name: String,
    /// Time of the sign-up.
    pub created_at: Millis,
    /// Time at which its owner closed it.
    pub closed_at: Option<Millis>,
    /// Time at which its data was erased.
    pub erased_at: Option<Millis>,
}

no_relations!();

/// Values of a sign-up.
#[derive(Debug, Clone)]
pub struct NewAccount {
    /// Name shown in the console.
    pub name: String,
    /// Mail address of the first user, stored trimmed and in lower case.
    pub email: String,
    /// Argon2id hash; `None` if the user cannot log in with a password.
    pub password_hash: Option<String>,
    /// Time at which the address was confirmed, if it was.
    pub email_confirmed_at: Option<Timestamp>,
}

/// Creates an account and its first user. Returns `None` if the mail address is taken.
///
/// The ledger creates the wallets, in the same transaction.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn create(txn: &WriteTxn, new: &NewAccount, now: Timestamp) -> Result<Option<(Model, UserRow)>> {
    let account = Model {
        id: AccountId::new().into(),
        name: new.name.clone(),
        created_at: now.into(),
        closed_at: None,
        erased_at: None,
    };
    let user = UserRow {
        id: UserId::new().into(),
        account_id: account.id.clone(),
        email: users::normalize_email(&new.email),
        password_hash: new.password_hash.clone(),
        is_pro: false,
        email_confirmed_at: new.email_confirmed_at.map(Millis),
        created_at: now.into(),
    };
    table::insert(txn, account.clone()).await?;
    if users::insert_if_free(txn, &user).await? {
        return Ok(Some((account, user)));
    }
    Entity::delete_by_id(account.id).exec(txn.conn()).await?;
    Ok(None)
}

/// Returns the account with this id.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find(reader: &impl Reader, id: &AccountId) -> Result<Option<Model>> {
    Ok(Entity::find_by_id(Text::from(id)).one(reader.conn()).await?)
}

/// Requires that the account is open, and keeps it open until the transaction ends. Code that
/// creates anything in an account calls this before it locks anything else, because the account may
/// have been closed after the request was authorized.
///
/// # Errors
/// Returns [`Error::AccountClosed`] for a closed account, or an error if the database fails.
pub async fn require_open(txn: &WriteTxn, id: &AccountId) -> Result<()> {
    if is_open(txn, id, LockType::Share).await? { Ok(()) } else { Err(Error::AccountClosed) }
}

/// Does the same as [`require_open`] with an exclusive lock, so that no other transaction changes a
/// sum over the account's rows.
///
/// # Errors
/// Returns [`Error::AccountClosed`] for a closed account, or an error if the database fails.
pub(crate) async fn lock(txn: &WriteTxn, id: &AccountId) -> Result<()> {
    if is_open(txn, id, LockType::NoKeyUpdate).await? { Ok(()) } else { Err(Error::AccountClosed) }
}

/// Locks the account until the transaction ends and returns whether it is open.
///
/// # Errors
/// Returns an error if the database fails.
pub(crate) async fn is_open(txn: &WriteTxn, id: &AccountId, lock: LockType) -> Result<bool> {
    let found = Entity::find_by_id(Text::from(id)).lock(lock).one(txn.conn()).await?;
    Ok(found.is_some_and(|account| account.closed_at.is_none()))
}
