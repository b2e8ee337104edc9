//! The audit log: a record of who changed keys, money and endpoints.

use domain::{AccountId, Timestamp};
use sea_orm::{
    ActiveValue::{NotSet, Set},
    QueryOrder, QuerySelect,
    entity::prelude::*,
};

use crate::{Json, Millis, Reader, Result, Text, WriteTxn, client};

/// A recorded action.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "audit_log")]
pub struct Model {
    /// Sequence number, in order of writing.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// The affected account.
    pub account_id: Text<AccountId>,
    /// The actor: a user, a key, or `operator`.
    pub actor: String,
    /// The action, for example `key.revoked`.
    pub action: String,
    /// Id of the affected object.
    pub subject: String,
    /// Further details; never a secret.
    pub detail: Json<serde_json::Value>,
    /// Time of the action.
    pub at: Millis,
    /// IP address of the client that requested it.
    pub client_address: Option<String>,
    /// `User-Agent` of the client that requested it, or the operator's program.
    pub user_agent: Option<String>,
}

no_relations!();

/// An action to record.
#[derive(Debug, Clone)]
pub struct NewEntry<'a> {
    /// The affected account.
    pub account_id: &'a AccountId,
    /// The actor.
    pub actor: &'a str,
    /// The action.
    pub action: &'a str,
    /// Id of the affected object.
    pub subject: &'a str,
    /// Further details; never a secret.
    pub detail: serde_json::Value,
}

/// Appends an action, in the transaction that performs it, with the [`client`] of the current task.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn append(txn: &WriteTxn, entry: NewEntry<'_>, now: Timestamp) -> Result<()> {
    let client = client::current();
    let row = ActiveModel {
        id: NotSet,
        account_id: Set(Text::from(entry.account_id)),
        actor: Set(entry.actor.to_owned()),
        action: Set(entry.action.to_owned()),
        subject: Set(entry.subject.to_owned()),
        detail: Set(Json(entry.detail)),
        at: Set(now.into()),
        client_address: Set(client.address),
        user_agent: Set(client.user_agent),
    };
    Entity::insert(row).exec_without_returning(txn.conn()).await?;
    Ok(())
}

/// Returns the actions of an account with a sequence number below `before`, newest first.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn list(
    reader: &impl Reader,
    account: &AccountId,
    before: Option<i64>,
    limit: u64,
) -> Result<Vec<Model>> {
    let mut rows = Entity::find().filter(Column::AccountId.eq(account.as_str()));
    if let Some(before) = before {
        rows = rows.filter(Column::Id.lt(before));
    }
    Ok(rows.order_by_desc(Column::Id).limit(limit).all(reader.conn()).await?)
}
