//! Records of `Idempotency-Key` headers: the scan that the first request with a key created.

use domain::{AccountId, ScanId, Timestamp, mode::Tenant};
use sea_orm::{IntoActiveModel, entity::prelude::*};

use crate::{Millis, Reader, Result, Text, WriteTxn, scans::Idempotency, table, table::TenantOwned};

/// The record of one key. Keys are scoped to an account and mode.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "idempotency_keys")]
pub struct Model {
    /// The account.
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Text<AccountId>,
    /// Whether it belongs to live mode.
    #[sea_orm(primary_key, auto_increment = false)]
    pub livemode: bool,
    /// Value of the header.
    #[sea_orm(primary_key, auto_increment = false)]
    pub key: String,
    /// Hash of the request body.
    pub request_hash: String,
    /// The created scan.
    pub scan_id: Text<ScanId>,
    /// Time of the first request.
    pub created_at: Millis,
}

no_relations!();
tenant_owned!();

/// Returns the record of a key.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find(reader: &impl Reader, tenant: &Tenant, key: &str) -> Result<Option<Model>> {
    Ok(Entity::of(tenant).filter(Column::Key.eq(key)).one(reader.conn()).await?)
}

/// Inserts a record unless the key has one. Waits for a concurrent insert of the same key.
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
