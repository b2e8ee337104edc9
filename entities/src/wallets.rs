//! Wallets: the running balance of a tenant. The wallet row is locked while money moves. Only the
//! ledger changes it.

use domain::{AccountId, mode::Tenant, money::Cents};
use sea_orm::{ExprTrait, IntoActiveModel, QuerySelect, entity::prelude::*, sea_query::LockType};
use serde::{Deserialize, Serialize};

use crate::{Json, Reader, Result, Text, WriteTxn, table, table::TenantOwned};

/// A wallet.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "wallets")]
pub struct Model {
    /// The owning account.
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Text<AccountId>,
    /// Whether it belongs to live mode.
    #[sea_orm(primary_key, auto_increment = false)]
    pub livemode: bool,
    /// Balance in cents.
    pub balance_cents: Cents,
    /// Remaining free scans.
    pub free_scans: i64,
    /// Settings of automatic top-up; `None` if not configured.
    pub auto_recharge: Option<Json<AutoRecharge>>,
}

no_relations!();
tenant_owned!();

/// Settings of automatic top-up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AutoRecharge {
    /// Whether automatic top-up is on.
    pub enabled: bool,
    /// Threshold in cents. A charge that leaves a lower balance triggers a top-up, and so does a
    /// scan that the wallet cannot pay.
    #[serde(default)]
    pub threshold_cents: Cents,
    /// Amount of a top-up in cents. A top-up is larger if a scan would otherwise not be covered.
    pub amount_cents: Cents,
    /// Maximum amount of top-ups in any 24 hours, in cents.
    #[serde(default)]
    pub daily_limit_cents: Cents,
}

/// Returns the wallet of a tenant.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find(reader: &impl Reader, tenant: &Tenant) -> Result<Option<Model>> {
    Ok(Entity::of(tenant).one(reader.conn()).await?)
}

/// Returns the wallet of a tenant and locks it until the transaction ends. Code that moves money
/// calls this before it locks anything else.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn lock(txn: &WriteTxn, tenant: &Tenant) -> Result<Option<Model>> {
    Ok(Entity::of(tenant).lock(LockType::NoKeyUpdate).one(txn.conn()).await?)
}

/// Sets or removes the automatic top-up of a wallet. Returns whether the wallet exists.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn set_auto_recharge(
    txn: &WriteTxn,
    tenant: &Tenant,
    settings: Option<AutoRecharge>,
) -> Result<bool> {
    let update = Entity::update_many()
        .col_expr(Column::AutoRecharge, Expr::value(settings.map(Json)))
        .filter(Entity::owned_by(tenant));
    Ok(update.exec(txn.conn()).await?.rows_affected > 0)
}

/// Creates an empty wallet unless the tenant has one. Returns whether it was created. Only the
/// ledger calls this.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn open(txn: &WriteTxn, tenant: &Tenant) -> Result<bool> {
    let row = Model {
        account_id: Text::from(&tenant.account_id),
        livemode: tenant.mode.livemode(),
        balance_cents: 0,
        free_scans: 0,
        auto_recharge: None,
    };
    table::insert_new(txn, row.into_active_model(), [Column::AccountId, Column::Livemode]).await
}

/// Changes the running balance. Only the ledger calls this, together with the ledger entries.
///
/// # Errors
/// Returns an error if the database fails, or if the number of free scans would become negative.
pub async fn add(txn: &WriteTxn, tenant: &Tenant, cents: Cents, free_scans: i64) -> Result<()> {
    Entity::update_many()
        .col_expr(Column::BalanceCents, Expr::col(Column::BalanceCents).add(cents))
        .col_expr(Column::FreeScans, Expr::col(Column::FreeScans).add(free_scans))
        .filter(Entity::owned_by(tenant))
        .exec(txn.conn())
        .await?;
    Ok(())
}
