//! Ledger transactions: append-only; the database refuses to change or delete them. Only the ledger
//! writes them.

use domain::{AccountId, KeyId, ScanId, TransactionId, mode::Tenant, money::Cents, page::*};
use sea_orm::{IntoActiveModel, QuerySelect, entity::prelude::*};

use crate::{Millis, Reader, Result, Text, WriteTxn, table, table::TenantOwned};

/// Why money moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TransactionKind {
    /// Given by the service.
    Grant,
    /// Paid in.
    Topup,
    /// Taken for a scan.
    Charge,
    /// A charge given back.
    Refund,
    /// Set right by the operator.
    Adjustment,
}

impl TransactionKind {
    /// Every kind.
    pub const ALL: [TransactionKind; 5] =
        [Self::Grant, Self::Topup, Self::Charge, Self::Refund, Self::Adjustment];

    /// The name on the wire and in the database.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Grant => "grant",
            Self::Topup => "topup",
            Self::Charge => "charge",
            Self::Refund => "refund",
            Self::Adjustment => "adjustment",
        }
    }

    /// Reads [`TransactionKind::as_str`].
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }
}

/// A transaction. Its entries say what moved where.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "ledger_transactions")]
pub struct Model {
    /// Prefix `txn_`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Text<TransactionId>,
    /// The owning account.
    pub account_id: Text<AccountId>,
    /// Live or test.
    pub livemode: bool,
    /// Why.
    pub kind: Text<TransactionKind>,
    /// The scan it paid for, or that was given back. At most one charge and one refund a scan.
    pub scan_id: Option<Text<ScanId>>,
    /// The key whose cap it counts against.
    pub key_id: Option<Text<KeyId>>,
    /// The calendar month (UTC) it counts in, `2026-11`; a refund counts in its charge's.
    pub month: String,
    /// Cents moved, never negative; 0 for a free scan.
    pub amount_cents: Cents,
    /// Whoever caused it calls it so (a bank's reference); at most one transaction of a kind has it.
    pub reference: Option<String>,
    /// When.
    pub created_at: Millis,
}

no_relations!();
tenant_owned!();

/// The transactions of a tenant, newest first.
///
/// # Errors
/// Of the database.
pub async fn list(reader: &impl Reader, tenant: &Tenant, request: &PageRequest) -> Result<Page<Model>> {
    let columns = (Column::CreatedAt, Column::Id);
    table::page(reader, Entity::of(tenant), columns, request, |row| Keyset {
        created_at: row.created_at.as_millis(),
        id: row.id.to_string(),
    })
    .await
}

/// The transaction of this kind for a scan.
///
/// # Errors
/// Of the database.
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

/// The transaction of this kind with a reference, of whatever tenant.
///
/// # Errors
/// Of the database.
pub async fn find_by_reference(
    reader: &impl Reader,
    kind: TransactionKind,
    reference: &str,
) -> Result<Option<Model>> {
    let rows = Entity::find().filter(Column::Kind.eq(kind.as_str())).filter(Column::Reference.eq(reference));
    Ok(rows.one(reader.conn()).await?)
}

/// What scans started with a key cost in a calendar month, less what was given back, in cents.
///
/// # Errors
/// Of the database.
pub async fn spent_by_key(reader: &impl Reader, tenant: &Tenant, key: &KeyId, month: &str) -> Result<Cents> {
    // PostgreSQL sums BIGINT to NUMERIC, hence the cast.
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

/// Writes a transaction unless its scan or its reference has one of this kind. Says whether it wrote.
/// Only the ledger calls this.
///
/// # Errors
/// Of the database.
pub async fn insert_new(txn: &WriteTxn, transaction: &Model) -> Result<bool> {
    // Any unique index may be the one that has it, so the conflict names none.
    table::insert_new(txn, transaction.clone().into_active_model(), []).await
}
