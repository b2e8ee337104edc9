//! Payments requested from the bank, with their outcome. Only the ledger changes them, in the
//! transaction that moves the money.

use domain::{
    AccountId, PaymentId, Timestamp,
    mode::Tenant,
    money::Cents,
    page::{Keyset, Page, PageRequest},
    payment::{PaymentKind, PaymentState},
};
use sea_orm::{IntoActiveModel, PaginatorTrait, QueryOrder, QuerySelect, entity::prelude::*};

use crate::{Millis, Reader, Result, Text, WriteTxn, payment_methods, table, table::TenantOwned};

/// A payment. The row fixes the request to the bank, so that a retry sends the same request.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "payments")]
pub struct Model {
    /// Prefix `pay_`; also the idempotency key at the bank.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Text<PaymentId>,
    /// The owning account.
    pub account_id: Text<AccountId>,
    /// Whether it belongs to live mode.
    pub livemode: bool,
    /// Reason for the payment.
    pub kind: Text<PaymentKind>,
    /// Current state.
    pub state: Text<PaymentState>,
    /// Amount in cents.
    pub amount_cents: Cents,
    /// Customer id at the bank.
    pub customer: String,
    /// Id of the charged payment method at the bank.
    pub method: String,
    /// Idempotency key of a requested top-up.
    pub idempotency_key: Option<String>,
    /// Payment id at the bank, once it is known.
    pub reference: Option<String>,
    /// The bank's error code of a failed payment.
    pub reason: Option<String>,
    /// Amount refunded at the bank, in cents.
    pub refunded_cents: Cents,
    /// The bank's status of a dispute; `None` without a dispute.
    pub dispute: Option<String>,
    /// Creation time.
    pub created_at: Millis,
    /// Time of the last change of state.
    pub updated_at: Millis,
}

no_relations!();
tenant_owned!();

impl Model {
    /// Builds a pending payment with a new id. The request to the bank follows through the outbox.
    pub fn new_pending(
        method: payment_methods::Model,
        kind: PaymentKind,
        cents: Cents,
        now: Timestamp,
    ) -> Self {
        Self {
            id: PaymentId::new().into(),
            account_id: method.account_id,
            livemode: method.livemode,
            kind: Text(kind),
            state: Text(PaymentState::Pending),
            amount_cents: cents,
            customer: method.customer,
            method: method.method,
            idempotency_key: None,
            reference: None,
            reason: None,
            refunded_cents: 0,
            dispute: None,
            created_at: now.into(),
            updated_at: now.into(),
        }
    }
}

/// Returns the payment with this id.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find(reader: &impl Reader, tenant: &Tenant, id: &PaymentId) -> Result<Option<Model>> {
    Ok(Entity::of(tenant).filter(Column::Id.eq(id.as_str())).one(reader.conn()).await?)
}

/// Returns the payment with this idempotency key.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find_by_key(reader: &impl Reader, tenant: &Tenant, key: &str) -> Result<Option<Model>> {
    Ok(Entity::of(tenant).filter(Column::IdempotencyKey.eq(key)).one(reader.conn()).await?)
}

/// Returns the pending automatic top-up.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn recharge_in_flight(reader: &impl Reader, tenant: &Tenant) -> Result<Option<Model>> {
    let rows = Entity::of(tenant)
        .filter(Column::Kind.eq(PaymentKind::AutoRecharge.as_str()))
        .filter(Column::State.eq(PaymentState::Pending.as_str()));
    Ok(rows.one(reader.conn()).await?)
}

/// Returns whether a pending payment uses this payment method.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn is_method_in_use(reader: &impl Reader, tenant: &Tenant, method: &str) -> Result<bool> {
    let pending = Entity::of(tenant)
        .filter(Column::Method.eq(method))
        .filter(Column::State.eq(PaymentState::Pending.as_str()));
    Ok(pending.count(reader.conn()).await? > 0)
}

/// Returns the sum of the automatic top-ups created since `since` that were not declined, in cents.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn recharged_since(reader: &impl Reader, tenant: &Tenant, since: Timestamp) -> Result<Cents> {
    // PostgreSQL's SUM of BIGINT is NUMERIC, so the result is cast.
    let sum: Option<Cents> = Entity::of(tenant)
        .select_only()
        .expr(Expr::cust("CAST(COALESCE(SUM(amount_cents), 0) AS BIGINT)"))
        .filter(Column::Kind.eq(PaymentKind::AutoRecharge.as_str()))
        .filter(Column::State.ne(PaymentState::Declined.as_str()))
        .filter(Column::CreatedAt.gt(since.as_millis()))
        .into_tuple()
        .one(reader.conn())
        .await?;
    Ok(sum.unwrap_or(0))
}

/// Returns the payments of a tenant, newest first.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn list(reader: &impl Reader, tenant: &Tenant, request: &PageRequest) -> Result<Page<Model>> {
    table::page(reader, Entity::of(tenant), (Column::CreatedAt, Column::Id), request, |row| {
        Keyset::at(row.created_at.0, &row.id.0)
    })
    .await
}

/// Inserts a payment, unless an automatic top-up is pending or the idempotency key exists. Returns
/// whether it was inserted. Only the ledger calls this, with the wallet locked.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn insert_new(txn: &WriteTxn, payment: &Model) -> Result<bool> {
    // Any of the unique indexes may conflict, so ON CONFLICT names no columns.
    table::insert_new(txn, payment.clone().into_active_model(), []).await
}

/// Functions for callers that have only the id of a payment.
pub mod system {
    use super::{
        Cents, Column, ColumnTrait, Entity, EntityTrait, Expr, Model, PaymentId, PaymentState, QueryFilter,
        QueryOrder, Reader, Result, Timestamp, WriteTxn,
    };

    /// Returns the payment with this id, of any tenant.
    ///
    /// # Errors
    /// Returns an error if the database fails.
    pub async fn find(reader: &impl Reader, id: &PaymentId) -> Result<Option<Model>> {
        Ok(Entity::find().filter(Column::Id.eq(id.as_str())).one(reader.conn()).await?)
    }

    /// Returns the payments of a mode created since `since`, oldest first, for reconciliation.
    ///
    /// # Errors
    /// Returns an error if the database fails.
    pub async fn since(reader: &impl Reader, livemode: bool, since: Timestamp) -> Result<Vec<Model>> {
        let rows = Entity::find()
            .filter(Column::Livemode.eq(livemode))
            .filter(Column::CreatedAt.gte(since.as_millis()))
            .order_by_asc(Column::CreatedAt)
            .order_by_asc(Column::Id);
        Ok(rows.all(reader.conn()).await?)
    }

    /// Returns the payments of a mode that need action by the customer and were created in the
    /// given period, for reconciliation.
    ///
    /// # Errors
    /// Returns an error if the database fails.
    pub async fn needing_action(
        reader: &impl Reader,
        livemode: bool,
        (from, until): (Timestamp, Timestamp),
    ) -> Result<Vec<Model>> {
        let rows = Entity::find()
            .filter(Column::Livemode.eq(livemode))
            .filter(Column::State.eq(PaymentState::NeedsAction.as_str()))
            .filter(Column::CreatedAt.gte(from.as_millis()))
            .filter(Column::CreatedAt.lt(until.as_millis()))
            .order_by_asc(Column::CreatedAt);
        Ok(rows.all(reader.conn()).await?)
    }

    /// Records refunds and disputes of a payment. Only the ledger calls this, with the wallet
    /// locked.
    ///
    /// # Errors
    /// Returns an error if the database fails.
    pub async fn record_reversal(
        txn: &WriteTxn,
        id: &PaymentId,
        refunded_cents: Cents,
        dispute: Option<&str>,
        now: Timestamp,
    ) -> Result<()> {
        Entity::update_many()
            .col_expr(Column::RefundedCents, Expr::value(refunded_cents))
            .col_expr(Column::Dispute, Expr::value(dispute.map(str::to_owned)))
            .col_expr(Column::UpdatedAt, Expr::value(now.as_millis()))
            .filter(Column::Id.eq(id.as_str()))
            .exec(txn.conn())
            .await?;
        Ok(())
    }

    /// Records the state of a payment and keeps the first payment id from the bank. Only the ledger
    /// calls this, with the wallet locked.
    ///
    /// # Errors
    /// Returns an error if the database fails.
    pub async fn mark(
        txn: &WriteTxn,
        id: &PaymentId,
        state: PaymentState,
        reference: Option<&str>,
        reason: Option<&str>,
        now: Timestamp,
    ) -> Result<()> {
        let mut update = Entity::update_many()
            .col_expr(Column::State, Expr::value(state.as_str()))
            .col_expr(Column::Reason, Expr::value(reason.map(str::to_owned)))
            .col_expr(Column::UpdatedAt, Expr::value(now.as_millis()))
            .filter(Column::Id.eq(id.as_str()));
        if let Some(reference) = reference {
            update = update.col_expr(Column::Reference, Expr::value(reference));
        }
        update.exec(txn.conn()).await?;
        Ok(())
    }
}
