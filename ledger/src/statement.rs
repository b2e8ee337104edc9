//! What a tenant's money did.

use std::collections::HashMap;

use domain::{
    KeyId, Timestamp, TransactionId,
    mode::Tenant,
    money::Cents,
    page::{Page, PageRequest},
};
use entities::{
    Reader,
    ledger_entries::{self, Commodity},
    ledger_transactions::{self, Model as TransactionRow},
};

use crate::{Result, names};

/// One transaction as its tenant sees it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementLine {
    /// The transaction.
    pub transaction: TransactionRow,
    /// What it did to the wallet.
    pub movement: Movement,
}

/// What a transaction did to a wallet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Movement {
    /// Cents; negative when they were taken.
    pub cents: Cents,
    /// Free scans; negative when one was used.
    pub free_scans: i64,
}

/// The transactions of a tenant, newest first, with what each did to the wallet.
///
/// # Errors
/// Of the database.
pub async fn statement(
    reader: &impl Reader,
    tenant: &Tenant,
    request: &PageRequest,
) -> Result<Page<StatementLine>> {
    let page = ledger_transactions::list(reader, tenant, request).await?;
    let ids: Vec<TransactionId> = page.rows.iter().map(|row| row.id.0.clone()).collect();
    let mut movements: HashMap<TransactionId, Movement> = HashMap::new();
    for entry in ledger_entries::of_transactions(reader, &ids).await? {
        let movement = movements.entry(entry.transaction_id.0).or_default();
        match entry.commodity.0 {
            Commodity::UsdCents if entry.ledger_account == names::wallet(tenant) => {
                movement.cents += entry.amount;
            }
            Commodity::FreeScan if entry.ledger_account == names::free(tenant) => {
                movement.free_scans += entry.amount;
            }
            _ => {}
        }
    }
    Ok(page.map(|transaction| {
        let movement = movements.get(&transaction.id.0).copied().unwrap_or_default();
        StatementLine { transaction, movement }
    }))
}

/// What scans started with a key cost in the calendar month (UTC) of `now`, less what was given back.
///
/// # Errors
/// Of the database.
pub async fn spent_by_key(
    reader: &impl Reader,
    tenant: &Tenant,
    key: &KeyId,
    now: Timestamp,
) -> Result<Cents> {
    Ok(ledger_transactions::spent_by_key(reader, tenant, key, &now.month()).await?)
}
