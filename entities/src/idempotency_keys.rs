//! Records of `Idempotency-Key` headers: which scan the first request with a key made.

use domain::{AccountId, ScanId, Timestamp, mode::Tenant};
use sea_orm::{IntoActiveModel, entity::prelude::*};

use crate::{Millis, Reader, Result, Text, WriteTxn, scans::Idempotency, table, table::TenantOwned};

/// One record. Keys are scoped to an account and mode.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "idempotency_keys")]
pub struct Model {
    /// The account.
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Text<AccountId>,
    /// Live or test.
    #[sea_orm(primary_key, auto_increment = false)]
    pub livemode: bool,
    /// The header's value.
    #[sea_orm(primary_key, auto_increment = false)]
    pub key: String,
    /// A hash of the body it came with.
    pub request_hash: String,
    /// What it made.
    pub scan_id: Text<ScanId>,
    /// When.
    pub created_at: Millis,
}

no_relations!();
tenant_owned!();

/// The record of a key.
///
/// # Errors
/// Of the database.
pub async fn find(reader: &impl Reader, tenant: &Tenant, key: &str) -> Result<Option<Model>> {
    Ok(Entity::of(tenant).filter(Column::Key.eq(key)).one(reader.conn()).await?)
}

/// Writes a record unless the key has one; waits for a request that is about to write it.
pub(crate) async fn insert_new(
    txn: &WriteTxn,
    tenant: &Tenant,
    idempotency: &Idempotency,
    scan: &ScanId,
    now: Timestamp,
) -> Result<bool> {
    let row = Model {
        account_id: Text::from(&tenant.account_id),
        livemode: tenant.mode.livemode(),
        key: idempotency.key.clone(),
        request_hash: idempotency.request_hash.clone(),
        scan_id: Text::from(scan),
        created_at: now.into(),
    };
    table::insert_new(txn, row.into_active_model(), [Column::AccountId, Column::Livemode, Column::Key]).await
}

/// Forgets keys of all tenants that were first used before `before`; answers how many.
///
/// # Errors
/// Of the database.
pub async fn purge_older_than(txn: &WriteTxn, before: Timestamp) -> Result<u64> {
    let old = Entity::delete_many().filter(Column::CreatedAt.lt(before.as_millis()));
    Ok(old.exec(txn.conn()).await?.rows_affected)
}
