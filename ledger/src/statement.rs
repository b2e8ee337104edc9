//! Statements of a tenant's wallet.

use std::collections::{BTreeMap, HashMap};

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

/// One transaction of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StatementLine {
    /// The transaction.
    pub transaction: TransactionRow,
    /// Its effect on the wallet.
    pub movement: Movement,
}

/// Effect of a transaction on a wallet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Movement {
    /// Change in cents.
    pub cents: Cents,
    /// Change in free scans.
    pub free_scans: i64,
}

/// Returns the transactions of a tenant, newest first, with their effect on the wallet.
///
/// # Errors
/// Returns an error if the database fails.
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

/// Statement of a wallet over a period.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MonthlyStatement {
    /// Balance at the beginning.
    pub opening: Movement,
    /// Changes by kind of transaction.
    pub movements: BTreeMap<&'static str, Movement>,
    /// Balance at the end, or now.
    pub closing: Movement,
}

/// Returns the statement of a period, for example a calendar month ([`Timestamp::month_span`]).
/// Transactions count at the time they were written, so the opening balance of a period is the
/// closing balance of the previous one.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn monthly_statement(
    reader: &impl Reader,
    tenant: &Tenant,
    (from, until): (Timestamp, Timestamp),
) -> Result<MonthlyStatement> {
    let (wallet, free) = (names::wallet(tenant), names::free(tenant));
    let sums =
        async |from, until| ledger_entries::sums(reader, [wallet.as_str(), free.as_str()], from, until).await;
    let mut statement = MonthlyStatement::default();
    for (_, commodity, amount) in sums(Timestamp::from_millis(0), from).await? {
        statement.opening.add(commodity, amount);
    }
    statement.closing = statement.opening;
    for (kind, commodity, amount) in sums(from, until).await? {
        statement.movements.entry(kind.as_str()).or_default().add(commodity, amount);
        statement.closing.add(commodity, amount);
    }
    Ok(statement)
}

impl Movement {
    fn add(&mut self, commodity: Commodity, amount: i64) {
        match commodity {
            Commodity::UsdCents => self.cents += amount,
            Commodity::FreeScan => self.free_scans += amount,
        }
    }
}

/// Returns the cost of the scans started with a key in the calendar month (UTC) of `now`, minus
/// refunds.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn spent_by_key(
    reader: &impl Reader,
    tenant: &Tenant,
    key: &KeyId,
    now: Timestamp,
) -> Result<Cents> {
    Ok(ledger_transactions::spent_by_key(reader, tenant, key, &now.month()).await?)
}
