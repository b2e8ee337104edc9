//! Reports of the daily comparison of bank and ledger.

use domain::Timestamp;
use sea_orm::{IntoActiveModel, QueryOrder, QuerySelect, entity::prelude::*};

use crate::{Json, Millis, Reader, Result, WriteTxn, table};

/// What the comparison of a day found.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "bank_reports")]
pub struct Model {
    /// The calendar day in UTC on which it was made, `2026-11-21`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub day: String,
    /// Live or test.
    #[sea_orm(primary_key, auto_increment = false)]
    pub livemode: bool,
    /// What was found.
    pub report: Json<serde_json::Value>,
    /// When.
    pub created_at: Millis,
}

no_relations!();

/// The report of a day, if it was made.
///
/// # Errors
/// Of the database.
pub async fn find(reader: &impl Reader, day: &str, livemode: bool) -> Result<Option<Model>> {
    Ok(Entity::find_by_id((day.to_owned(), livemode)).one(reader.conn()).await?)
}

/// The newest reports, newest first.
///
/// # Errors
/// Of the database.
pub async fn newest(reader: &impl Reader, limit: u64) -> Result<Vec<Model>> {
    let rows = Entity::find().order_by_desc(Column::Day).order_by_desc(Column::Livemode);
    Ok(rows.limit(limit).all(reader.conn()).await?)
}

/// Keeps the report of a day unless there is one. Says whether it did.
///
/// # Errors
/// Of the database.
pub async fn insert_new(
    txn: &WriteTxn,
    livemode: bool,
    report: serde_json::Value,
    now: Timestamp,
) -> Result<bool> {
    let row = Model { day: now.day(), livemode, report: Json(report), created_at: now.into() };
    table::insert_new(txn, row.into_active_model(), [Column::Day, Column::Livemode]).await
}
