//! What a tenant's money did.

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

/// What a month did to a wallet.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MonthlyStatement {
    /// What the wallet held when the month began.
    pub opening: Movement,
    /// What moved, by kind of transaction.
    pub movements: BTreeMap<&'static str, Movement>,
    /// What the wallet held when the month was over, or holds now.
    pub closing: Movement,
}

/// The statement of a span of time: a calendar month ([`Timestamp::month_span`]). Transactions count when
/// they were written, so that one statement's end is the next one's beginning.
///
/// # Errors
/// Of the database.
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
