//! Reports of the daily bank reconciliation.

use domain::Timestamp;
use sea_orm::{IntoActiveModel, QueryOrder, QuerySelect, entity::prelude::*};

use crate::{Json, Millis, Reader, Result, WriteTxn, table};

/// The report of one day.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "bank_reports")]
pub struct Model {
    /// Calendar day in UTC on which it was created, for example `2026-11-21`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub day: String,
    /// Whether it belongs to live mode.
    #[sea_orm(primary_key, auto_increment = false)]
    pub livemode: bool,
    /// The report as JSON.
    pub report: Json<serde_json::Value>,
    /// Creation time.
    pub created_at: Millis,
}

no_relations!();

/// Returns the report of a day, if it exists.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find(reader: &impl Reader, day: &str, livemode: bool) -> Result<Option<Model>> {
    Ok(Entity::find_by_id((day.to_owned(), livemode)).one(reader.conn()).await?)
}

/// Returns the newest reports, newest first.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn newest(reader: &impl Reader, limit: u64) -> Result<Vec<Model>> {
    let rows = Entity::find().order_by_desc(Column::Day).order_by_desc(Column::Livemode);
    Ok(rows.limit(limit).all(reader.conn()).await?)
}

/// Stores the report of a day unless one exists. Returns whether it was stored.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn insert_new(
    txn: &WriteTxn,
    livemode: bool,
    report: serde_json::Value,
    now: Timestamp,
) -> Result<bool> {
    let row = Model { day: now.day(), livemode, report: Json(report), created_at: now.into() };
    table::insert_new(txn, row.into_active_model(), [Column::Day, Column::Livemode]).await
}
