//! Payment methods: ids at the bank, and the details by which an owner recognizes a method. Card
//! numbers are never stored.

use domain::{AccountId, Timestamp, mode::Tenant};
use sea_orm::{
    IntoActiveModel,
    entity::prelude::*,
    sea_query::{LockType, OnConflict},
};

use crate::{Millis, Reader, Result, Text, WriteTxn, accounts, detachments, table::TenantOwned, wallets};

/// A payment method. Each tenant has at most one.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "payment_methods")]
pub struct Model {
    /// The owning account.
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Text<AccountId>,
    /// Whether it belongs to live mode.
    #[sea_orm(primary_key, auto_increment = false)]
    pub livemode: bool,
    /// Customer id at the bank.
    pub customer: String,
    /// Payment method id at the bank.
    pub method: String,
    /// `visa`, `mastercard`, …
    pub brand: String,
    /// Last four digits of the card.
    pub last4: String,
    /// Time at which it was set.
    pub updated_at: Millis,
}

no_relations!();
tenant_owned!();

/// A payment method that the bank has saved.
#[derive(Debug, Clone)]
pub struct NewMethod {
    /// Customer id at the bank.
    pub customer: String,
    /// Payment method id at the bank.
    pub method: String,
    /// `visa`, `mastercard`, …
    pub brand: String,
    /// Last four digits of the card.
    pub last4: String,
}

/// Returns the payment method of a tenant.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find(reader: &impl Reader, tenant: &Tenant) -> Result<Option<Model>> {
    Ok(Entity::of(tenant).one(reader.conn()).await?)
}

/// Removes the payment method of a tenant and enqueues its detachment at the bank. Returns whether
/// there was one.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn remove(txn: &WriteTxn, tenant: &Tenant, now: Timestamp) -> Result<bool> {
    let Some(row) = find(txn, tenant).await? else { return Ok(false) };
    detachments::enqueue(txn, &row, now).await?;
    Entity::delete_many().filter(Entity::owned_by(tenant)).exec(txn.conn()).await?;
    Ok(true)
}

/// Outcome of setting a payment method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetOutcome {
    /// The method was set.
    Set,
    /// The method is being detached at the bank after an earlier removal.
    BeingDetached,
    /// The account was closed meanwhile. The method will be detached at the bank.
    AccountClosed,
}

/// Sets the payment method of a tenant. The previous method will be detached at the bank.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn set(txn: &WriteTxn, tenant: &Tenant, new: &NewMethod, now: Timestamp) -> Result<SetOutcome> {
    let row = Model {
        account_id: Text::from(&tenant.account_id),
        livemode: tenant.mode.livemode(),
        customer: new.customer.clone(),
        method: new.method.clone(),
        brand: new.brand.clone(),
        last4: new.last4.clone(),
        updated_at: now.into(),
    };
    if !accounts::is_open(txn, &tenant.account_id, LockType::Share).await? {
        detachments::enqueue(txn, &row, now).await?;
        return Ok(SetOutcome::AccountClosed);
    }
    wallets::lock(txn, tenant).await?;
    if !detachments::cancel(txn, tenant, &new.method).await? {
        return Ok(SetOutcome::BeingDetached);
    }
    let before = find(txn, tenant).await?;
    if let Some(before) = before.filter(|before| before.method != new.method) {
        detachments::enqueue(txn, &before, now).await?;
    }
    let columns = [Column::Customer, Column::Method, Column::Brand, Column::Last4, Column::UpdatedAt];
    Entity::insert(row.into_active_model())
        .on_conflict(
            OnConflict::columns([Column::AccountId, Column::Livemode]).update_columns(columns).to_owned(),
        )
        .exec_without_returning(txn.conn())
        .await?;
    Ok(SetOutcome::Set)
}
