//! Wallets: the running balance of a tenant, and the row that is locked while money moves. Only the
//! ledger changes them.

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
    /// Live or test.
    #[sea_orm(primary_key, auto_increment = false)]
    pub livemode: bool,
    /// The balance, in cents.
    pub balance_cents: Cents,
    /// Free scans left.
    pub free_scans: i64,
    /// When and by how much it tops itself up; `None` when it does not.
    pub auto_recharge: Option<Json<AutoRecharge>>,
}

no_relations!();
tenant_owned!();

/// How a wallet tops itself up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AutoRecharge {
    /// Whether it does.
    pub enabled: bool,
    /// A scan that leaves less than this in the wallet calls for a top-up, in cents. One that the wallet
    /// cannot pay always does.
    #[serde(default)]
    pub threshold_cents: Cents,
    /// By how much, in cents; by more when a scan costs more.
    pub amount_cents: Cents,
    /// The most that it takes from the bank in any 24 hours, in cents.
    #[serde(default)]
    pub daily_limit_cents: Cents,
}

/// The wallet of a tenant.
///
/// # Errors
/// Of the database.
pub async fn find(reader: &impl Reader, tenant: &Tenant) -> Result<Option<Model>> {
    Ok(Entity::of(tenant).one(reader.conn()).await?)
}

/// The wallet of a tenant, locked until the transaction ends. Whoever moves money locks this before
/// anything else.
///
/// # Errors
/// Of the database.
pub async fn lock(txn: &WriteTxn, tenant: &Tenant) -> Result<Option<Model>> {
    Ok(Entity::of(tenant).lock(LockType::NoKeyUpdate).one(txn.conn()).await?)
}

/// Sets or removes how a wallet tops itself up. Says whether there is such a wallet.
///
/// # Errors
/// Of the database.
pub async fn set_auto_recharge(txn: &WriteTxn, tenant: &Tenant, how: Option<AutoRecharge>) -> Result<bool> {
    let update = Entity::update_many()
        .col_expr(Column::AutoRecharge, Expr::value(how.map(Json)))
        .filter(Entity::owned_by(tenant));
    Ok(update.exec(txn.conn()).await?.rows_affected > 0)
}

/// Opens an empty wallet unless the tenant has one. Says whether it did. Only the ledger calls this.
///
/// # Errors
/// Of the database.
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

/// Moves the running balance. Only the ledger calls this, beside the entries that say why.
///
/// # Errors
/// Of the database, which lets no wallet have less than no free scans.
pub async fn add(txn: &WriteTxn, tenant: &Tenant, cents: Cents, free_scans: i64) -> Result<()> {
    Entity::update_many()
        .col_expr(Column::BalanceCents, Expr::col(Column::BalanceCents).add(cents))
        .col_expr(Column::FreeScans, Expr::col(Column::FreeScans).add(free_scans))
        .filter(Entity::owned_by(tenant))
        .exec(txn.conn())
        .await?;
    Ok(())
}
