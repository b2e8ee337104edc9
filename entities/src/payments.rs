//! Payments: what was asked of a bank, and what became of it. Only the ledger changes them, with the money
//! that they bring.

use domain::{
    AccountId, PaymentId, Timestamp,
    mode::Tenant,
    money::Cents,
    page::{Keyset, Page, PageRequest},
    payment::{PaymentKind, PaymentState},
};
use sea_orm::{IntoActiveModel, PaginatorTrait, QueryOrder, QuerySelect, entity::prelude::*};

use crate::{Millis, Reader, Result, Text, WriteTxn, payment_methods, table, table::TenantOwned};

/// A payment. What is asked of the bank is fixed when the row is written, so that asking again asks for
/// the same.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "payments")]
pub struct Model {
    /// Prefix `pay_`; the bank knows the payment by it too.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Text<PaymentId>,
    /// The owning account.
    pub account_id: Text<AccountId>,
    /// Live or test.
    pub livemode: bool,
    /// Why it is made.
    pub kind: Text<PaymentKind>,
    /// How it stands.
    pub state: Text<PaymentState>,
    /// How much, in cents.
    pub amount_cents: Cents,
    /// The bank's name of the account.
    pub customer: String,
    /// The bank's name of what is charged.
    pub method: String,
    /// The owner's name of a top-up that was asked for.
    pub idempotency_key: Option<String>,
    /// The bank's name of the payment, once it has one.
    pub reference: Option<String>,
    /// Why it was not paid, in the bank's code.
    pub reason: Option<String>,
    /// How much of it went back at the bank, in cents.
    pub refunded_cents: Cents,
    /// The bank's word for how a dispute over it stands; `None` while nobody disputes it.
    pub dispute: Option<String>,
    /// When it was decided on.
    pub created_at: Millis,
    /// When its state last changed.
    pub updated_at: Millis,
}

no_relations!();
tenant_owned!();

impl Model {
    /// A payment with this method that is decided on now, and of which the bank knows nothing yet.
    pub fn decided(method: payment_methods::Model, kind: PaymentKind, cents: Cents, now: Timestamp) -> Self {
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

/// The payment with this id.
///
/// # Errors
/// Of the database.
pub async fn find(reader: &impl Reader, tenant: &Tenant, id: &PaymentId) -> Result<Option<Model>> {
    Ok(Entity::of(tenant).filter(Column::Id.eq(id.as_str())).one(reader.conn()).await?)
}

/// The payment that its owner named so.
///
/// # Errors
/// Of the database.
pub async fn find_by_key(reader: &impl Reader, tenant: &Tenant, key: &str) -> Result<Option<Model>> {
    Ok(Entity::of(tenant).filter(Column::IdempotencyKey.eq(key)).one(reader.conn()).await?)
}

/// The automatic top-up that is under way.
///
/// # Errors
/// Of the database.
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

/// What automatic top-ups decided on since then took, or may still take, in cents.
///
/// # Errors
/// Of the database.
pub async fn recharged_since(reader: &impl Reader, tenant: &Tenant, since: Timestamp) -> Result<Cents> {
    // PostgreSQL sums BIGINT to NUMERIC, hence the cast.
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

/// The payments of a tenant, newest first.
///
/// # Errors
/// Of the database.
pub async fn list(reader: &impl Reader, tenant: &Tenant, request: &PageRequest) -> Result<Page<Model>> {
    table::page(reader, Entity::of(tenant), (Column::CreatedAt, Column::Id), request, |row| Keyset {
        created_at: row.created_at.as_millis(),
        id: row.id.to_string(),
    })
    .await
}

/// Writes a payment, unless an automatic one is under way already or its owner's key is taken. Says
/// whether it wrote. Only the ledger calls this, with the wallet locked.
///
/// # Errors
/// Of the database.
pub async fn insert_new(txn: &WriteTxn, payment: &Model) -> Result<bool> {
    // Any unique index may be the one that has it, so the conflict names none.
    table::insert_new(txn, payment.clone().into_active_model(), []).await
}

/// For those who act on a payment by its id alone.
pub mod system {
    use super::{
        Cents, Column, ColumnTrait, Entity, EntityTrait, Expr, Model, PaymentId, PaymentState, QueryFilter,
        QueryOrder, Reader, Result, Timestamp, WriteTxn,
    };

    /// The payment with this id, of whatever tenant.
    ///
    /// # Errors
    /// Of the database.
    pub async fn find(reader: &impl Reader, id: &PaymentId) -> Result<Option<Model>> {
        Ok(Entity::find().filter(Column::Id.eq(id.as_str())).one(reader.conn()).await?)
    }

    /// Every payment of a mode that was decided on since then, oldest first: for reconciliation.
    ///
    /// # Errors
    /// Of the database.
    pub async fn since(reader: &impl Reader, livemode: bool, since: Timestamp) -> Result<Vec<Model>> {
        let rows = Entity::find()
            .filter(Column::Livemode.eq(livemode))
            .filter(Column::CreatedAt.gte(since.as_millis()))
            .order_by_asc(Column::CreatedAt)
            .order_by_asc(Column::Id);
        Ok(rows.all(reader.conn()).await?)
    }

    /// Every payment of a mode that waits for its owner, decided on in this span of time: for reconciliation.
    ///
    /// # Errors
    /// Of the database.
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

    /// Records what went back of a payment. Only the ledger calls this, with the wallet locked.
    ///
    /// # Errors
    /// Of the database.
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

    /// Records how a payment stands. Only the ledger calls this, with the wallet locked. What the bank
    /// called it once is kept.
    ///
    /// # Errors
    /// Of the database.
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
