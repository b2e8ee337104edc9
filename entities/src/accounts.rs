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
    /// Shown in the console.
    pub name: String,
    /// When it signed up.
    pub created_at: Millis,
    /// When its owner ended it.
    pub closed_at: Option<Millis>,
    /// When what it had was gone.
    pub erased_at: Option<Millis>,
}

no_relations!();

/// What a sign-up gives.
#[derive(Debug, Clone)]
pub struct NewAccount {
    /// Shown in the console.
    pub name: String,
    /// Of the first user; stored trimmed and in lower case.
    pub email: String,
    /// Argon2id hash; `None` when the user cannot log in with a password.
    pub password_hash: Option<String>,
    /// When the address was confirmed, if it was.
    pub email_confirmed_at: Option<Timestamp>,
}

/// Makes an account and its first user. `None` when the email address is taken.
///
/// The wallets are opened by the ledger, in the same transaction.
///
/// # Errors
/// Of the database.
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
        email: users::normal_email(&new.email),
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

/// The account with this id.
///
/// # Errors
/// Of the database.
pub async fn find(reader: &impl Reader, id: &AccountId) -> Result<Option<Model>> {
    Ok(Entity::find_by_id(Text::from(id)).one(reader.conn()).await?)
}

/// Goes on only in an account that is open, and keeps it open until the transaction ends. Whoever makes
/// something in an account calls this before it locks anything else: the request may have been let in just
/// before the account was ended.
///
/// # Errors
/// [`Error::AccountClosed`]; of the database.
pub async fn require_open(txn: &WriteTxn, id: &AccountId) -> Result<()> {
    if is_open(txn, id, LockType::Share).await? { Ok(()) } else { Err(Error::AccountClosed) }
}

/// As [`require_open`], and holds the account for one transaction alone, so that a sum over what it has stays
/// as it is.
///
/// # Errors
/// [`Error::AccountClosed`]; of the database.
pub(crate) async fn lock(txn: &WriteTxn, id: &AccountId) -> Result<()> {
    if is_open(txn, id, LockType::NoKeyUpdate).await? { Ok(()) } else { Err(Error::AccountClosed) }
}

/// Holds the account until the transaction ends; says whether it is open.
///
/// # Errors
/// Of the database.
pub(crate) async fn is_open(txn: &WriteTxn, id: &AccountId, lock: LockType) -> Result<bool> {
    let found = Entity::find_by_id(Text::from(id)).lock(lock).one(txn.conn()).await?;
    Ok(found.is_some_and(|account| account.closed_at.is_none()))
}
