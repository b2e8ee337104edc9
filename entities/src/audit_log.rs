//! The audit log: who did what to keys, money and endpoints.

use domain::{AccountId, Timestamp};
use sea_orm::{
    ActiveValue::{NotSet, Set},
    QueryOrder, QuerySelect,
    entity::prelude::*,
};

use crate::{Json, Millis, Reader, Result, Text, WriteTxn};

/// One action.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "audit_log")]
pub struct Model {
    /// In order of writing.
    #[sea_orm(primary_key)]
    pub id: i64,
    /// The account it concerns.
    pub account_id: Text<AccountId>,
    /// Who did it: a user, a key, or `operator`.
    pub actor: String,
    /// What was done, for example `key.revoked`.
    pub action: String,
    /// To what, an id.
    pub subject: String,
    /// What else is worth knowing; never a secret.
    pub detail: Json<serde_json::Value>,
    /// When.
    pub at: Millis,
}

no_relations!();

/// An action to be recorded.
#[derive(Debug, Clone)]
pub struct NewEntry<'a> {
    /// The account it concerns.
    pub account_id: &'a AccountId,
    /// Who did it.
    pub actor: &'a str,
    /// What was done.
    pub action: &'a str,
    /// To what.
    pub subject: &'a str,
    /// What else is worth knowing; never a secret.
    pub detail: serde_json::Value,
}

/// Appends an action, in the transaction that does it.
///
/// # Errors
/// Of the database.
pub async fn append(txn: &WriteTxn, entry: NewEntry<'_>, now: Timestamp) -> Result<()> {
    let row = ActiveModel {
        id: NotSet,
        account_id: Set(Text::from(entry.account_id)),
        actor: Set(entry.actor.to_owned()),
        action: Set(entry.action.to_owned()),
        subject: Set(entry.subject.to_owned()),
        detail: Set(Json(entry.detail)),
        at: Set(now.into()),
    };
    Entity::insert(row).exec_without_returning(txn.conn()).await?;
    Ok(())
}

/// The actions that concern an account, newest first, from before number `before`.
///
/// # Errors
/// Of the database.
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
