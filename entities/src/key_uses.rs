//! Number of requests of each API key by day (UTC).

use std::collections::HashMap;

use domain::{KeyId, Timestamp};
use sea_orm::{ConnectionTrait, QueryOrder, QuerySelect, Statement, entity::prelude::*};

use crate::{Millis, Reader, Result, Text, WriteTxn};

/// Requests of a key on one day.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "key_uses")]
pub struct Model {
    /// The key.
    #[sea_orm(primary_key, auto_increment = false)]
    pub key_id: Text<KeyId>,
    /// The day, for example `2026-11-22`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub day: String,
    /// Time at which the number was last increased.
    pub counted_at: Millis,
    /// Number of requests.
    pub requests: i64,
}

no_relations!();

/// Counts by key and day.
pub type Counts = HashMap<(KeyId, String), i64>;

/// Adds requests to the days of keys. Keys of closed accounts are skipped.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn add(txn: &WriteTxn, counts: &Counts, now: Timestamp) -> Result<()> {
    // In one order, so that two processes cannot deadlock.
    let mut sorted: Vec<_> = counts.iter().collect();
    sorted.sort_by(|((a, one), _), ((b, other), _)| (a.as_str(), one).cmp(&(b.as_str(), other)));
    let backend = txn.conn().get_database_backend();
    for ((key, day), requests) in sorted {
        let values = [key.as_str().into(), day.as_str().into(), now.as_millis().into(), (*requests).into()];
        txn.conn().execute_raw(Statement::from_sql_and_values(backend, ADD, values)).await?;
    }
    Ok(())
}

const ADD: &str = "INSERT INTO key_uses (key_id, day, counted_at, requests) \
    SELECT api_keys.id, $2, CAST($3 AS BIGINT), CAST($4 AS BIGINT) FROM api_keys \
    JOIN accounts ON accounts.id = api_keys.account_id \
    WHERE api_keys.id = $1 AND accounts.closed_at IS NULL \
    ON CONFLICT (key_id, day) DO UPDATE SET \
    requests = key_uses.requests + excluded.requests, counted_at = excluded.counted_at";

/// Returns the last `limit` days with requests of a key, newest first. The caller has found the key
/// for its tenant.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn list(reader: &impl Reader, key: &KeyId, limit: u64) -> Result<Vec<Model>> {
    let days = Entity::find().filter(Column::KeyId.eq(key.as_str())).order_by_desc(Column::Day);
    Ok(days.limit(limit).all(reader.conn()).await?)
}
