//! How a tenant pays: the bank's names for it, and what its owner recognises it by. Never a card's number.

use domain::{AccountId, Timestamp, mode::Tenant};
use sea_orm::{
    IntoActiveModel,
    entity::prelude::*,
    sea_query::{LockType, OnConflict},
};

use crate::{Millis, Reader, Result, Text, WriteTxn, accounts, detachments, table::TenantOwned, wallets};

/// A payment method; one a tenant.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "payment_methods")]
pub struct Model {
    /// The owning account.
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Text<AccountId>,
    /// Live or test.
    #[sea_orm(primary_key, auto_increment = false)]
    pub livemode: bool,
    /// The bank's name of the account.
    pub customer: String,
    /// The bank's name of the method.
    pub method: String,
    /// `visa`, `mastercard`, …
    pub brand: String,
    /// The last four digits.
    pub last4: String,
    /// When it was set.
    pub updated_at: Millis,
}

no_relations!();
tenant_owned!();

/// A method as a bank has saved it.
#[derive(Debug, Clone)]
pub struct NewMethod {
    /// The bank's name of the account.
    pub customer: String,
    /// The bank's name of the method.
    pub method: String,
    /// `visa`, `mastercard`, …
    pub brand: String,
    /// The last four digits.
    pub last4: String,
}

/// The payment method of a tenant.
///
/// # Errors
/// Of the database.
pub async fn find(reader: &impl Reader, tenant: &Tenant) -> Result<Option<Model>> {
    Ok(Entity::of(tenant).one(reader.conn()).await?)
}

/// Removes the payment method of a tenant, with the promise that the bank will forget it. Says whether there
/// was one.
///
/// # Errors
/// Of the database.
pub async fn remove(txn: &WriteTxn, tenant: &Tenant, now: Timestamp) -> Result<bool> {
    let Some(row) = find(txn, tenant).await? else { return Ok(false) };
    detachments::enqueue(txn, &row, now).await?;
    Entity::delete_many().filter(Entity::owned_by(tenant)).exec(txn.conn()).await?;
    Ok(true)
}

/// What came of setting a payment method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetOutcome {
    /// It pays from now on.
    Set,
    /// The bank is being asked to forget it, after an earlier removal.
    BeingForgotten,
    /// The account was ended meanwhile; the bank, which has saved the method, will forget it.
    AccountClosed,
}

/// Sets the payment method of a tenant, in the place of the one before, which the bank will forget.
///
/// # Errors
/// Of the database.
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
        return Ok(SetOutcome::BeingForgotten);
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
