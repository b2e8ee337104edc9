//! Ledger transactions. They are append-only: the database refuses to change or delete them. Only
//! the ledger writes them.

use domain::{AccountId, KeyId, ScanId, TransactionId, mode::Tenant, money::Cents, page::*};
use sea_orm::{IntoActiveModel, QuerySelect, entity::prelude::*};

use crate::{Millis, Reader, Result, Text, WriteTxn, table, table::TenantOwned};

/// Kind of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TransactionKind {
    /// A grant by the service.
    Grant,
    /// A top-up.
    Topup,
    /// The charge of a scan.
    Charge,
    /// The refund of a charge.
    Refund,
    /// A correction by the operator.
    Adjustment,
}

impl TransactionKind {
    /// Every kind.
    pub const ALL: [TransactionKind; 5] =
        [Self::Grant, Self::Topup, Self::Charge, Self::Refund, Self::Adjustment];

    /// Returns the name used in JSON and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Grant => "grant",
            Self::Topup => "topup",
            Self::Charge => "charge",
            Self::Refund => "refund",
            Self::Adjustment => "adjustment",
        }
    }

    /// Parses the result of [`TransactionKind::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// A transaction. Its entries state the amounts by ledger account.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "ledger_transactions")]
pub struct Model {
    /// Prefix `txn_`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Text<TransactionId>,
    /// The owning account.
    pub account_id: Text<AccountId>,
    /// Whether it belongs to live mode.
    pub livemode: bool,
    /// Kind of the transaction.
    pub kind: Text<TransactionKind>,
    /// The charged or refunded scan. Each scan has at most one charge and one refund.
    pub scan_id: Option<Text<ScanId>>,
    /// The API key whose cap it counts against.
    pub key_id: Option<Text<KeyId>>,
    /// Calendar month (UTC) in which it counts, for example `2026-11`. A refund counts in the month
    /// of its charge.
    pub month: String,
    /// Amount in cents, never negative; 0 for a free scan.
    pub amount_cents: Cents,
    /// Reference of the caller, for example the bank's payment id. Unique for each kind of
    /// transaction.
    pub reference: Option<String>,
    /// Time of the transaction.
    pub created_at: Millis,
}

no_relations!();
tenant_owned!();

/// Returns the transactions of a tenant, newest first.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn list(reader: &impl Reader, tenant: &Tenant, request: &PageRequest) -> Result<Page<Model>> {
    let columns = (Column::CreatedAt, Column::Id);
    table::page(reader, Entity::of(tenant), columns, request, |row| Keyset::at(row.created_at.0, &row.id.0))
        .await
}

/// Returns the transaction of this kind for a scan.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find_by_scan(
    reader: &impl Reader,
    tenant: &Tenant,
    kind: TransactionKind,
    scan: &ScanId,
) -> Result<Option<Model>> {
    let rows =
        Entity::of(tenant).filter(Column::Kind.eq(kind.as_str())).filter(Column::ScanId.eq(scan.as_str()));
    Ok(rows.one(reader.conn()).await?)
}

/// Returns the transaction of this kind with this reference, of any tenant.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find_by_reference(
    reader: &impl Reader,
    kind: TransactionKind,
    reference: &str,
) -> Result<Option<Model>> {
    let rows = Entity::find().filter(Column::Kind.eq(kind.as_str())).filter(Column::Reference.eq(reference));
    Ok(rows.one(reader.conn()).await?)
}

/// Returns the cost of the scans started with a key in a calendar month minus refunds, in cents.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn spent_by_key(reader: &impl Reader, tenant: &Tenant, key: &KeyId, month: &str) -> Result<Cents> {
    // PostgreSQL's SUM of BIGINT is NUMERIC, so the result is cast.
    let spent: Option<Cents> = Entity::of(tenant)
        .select_only()
        .expr(Expr::cust(
            "CAST(COALESCE(SUM(CASE kind WHEN 'charge' THEN amount_cents WHEN 'refund' THEN -amount_cents \
             ELSE 0 END), 0) AS BIGINT)",
        ))
        .filter(Column::KeyId.eq(key.as_str()))
        .filter(Column::Month.eq(month))
        .into_tuple()
        .one(reader.conn())
        .await?;
    Ok(spent.unwrap_or(0))
}

/// Inserts a transaction unless its scan or its reference has one of this kind. Returns whether it
/// was inserted. Only the ledger calls this.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn insert_new(txn: &WriteTxn, transaction: &Model) -> Result<bool> {
    // Any of the unique indexes may conflict, so ON CONFLICT names no columns.
    table::insert_new(txn, transaction.clone().into_active_model(), []).await
}
