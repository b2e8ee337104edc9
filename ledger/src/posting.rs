//! Writes ledger transactions. This is the only place where money moves.

use std::collections::BTreeMap;

use domain::{KeyId, ScanId, Timestamp, TransactionId, mode::Tenant, money::Cents};
use entities::{
    Text, WriteTxn,
    ledger_entries::{self, Commodity},
    ledger_transactions::{self, Model as TransactionRow, TransactionKind},
    wallets,
};

use crate::{Error, Result, names};

/// A transaction to write.
#[derive(Debug, Clone)]
pub(crate) struct Posting {
    pub(crate) tenant: Tenant,
    pub(crate) kind: TransactionKind,
    pub(crate) scan_id: Option<ScanId>,
    pub(crate) key_id: Option<KeyId>,
    pub(crate) month: String,
    pub(crate) amount_cents: Cents,
    pub(crate) reference: Option<String>,
    pub(crate) at: Timestamp,
    entries: Vec<Entry>,
}

#[derive(Debug, Clone)]
struct Entry {
    account: String,
    commodity: Commodity,
    amount: i64,
}

impl Posting {
    /// Builds a transaction without entries.
    pub(crate) fn new(tenant: &Tenant, kind: TransactionKind, at: Timestamp) -> Self {
        Self {
            tenant: tenant.clone(),
            kind,
            scan_id: None,
            key_id: None,
            month: at.month(),
            amount_cents: 0,
            reference: None,
            at,
            entries: Vec::new(),
        }
    }

    /// Moves `amount` cents from one ledger account to another. A zero amount adds no entries.
    pub(crate) fn cents(mut self, from: String, to: String, amount: Cents) -> Self {
        self.amount_cents += amount;
        self.entry(from, Commodity::UsdCents, -amount);
        self.entry(to, Commodity::UsdCents, amount);
        self
    }

    /// Moves `count` free scans from one ledger account to another. A zero count adds no entries.
    pub(crate) fn free_scans(mut self, from: String, to: String, count: i64) -> Self {
        self.entry(from, Commodity::FreeScan, -count);
        self.entry(to, Commodity::FreeScan, count);
        self
    }

    fn entry(&mut self, account: String, commodity: Commodity, amount: i64) {
        if amount != 0 {
            self.entries.push(Entry { account, commodity, amount });
        }
    }

    fn check_balanced(&self) -> Result<()> {
        let mut sums: BTreeMap<Commodity, i64> = BTreeMap::new();
        for entry in &self.entries {
            *sums.entry(entry.commodity).or_default() += entry.amount;
        }
        if sums.values().all(|sum| *sum == 0) {
            return Ok(());
        }
        Err(Error::Unbalanced { kind: self.kind.as_str(), entries: format!("{:?}", self.entries) })
    }

    /// Returns the sum of the entries of one ledger account.
    fn effect(&self, account: &str, commodity: Commodity) -> i64 {
        let affects = |entry: &&Entry| entry.account == account && entry.commodity == commodity;
        self.entries.iter().filter(affects).map(|entry| entry.amount).sum()
    }

    fn row(&self) -> TransactionRow {
        TransactionRow {
            id: TransactionId::new().into(),
            account_id: Text::from(&self.tenant.account_id),
            livemode: self.tenant.mode.livemode(),
            kind: Text(self.kind),
            scan_id: self.scan_id.as_ref().map(Text::from),
            key_id: self.key_id.as_ref().map(Text::from),
            month: self.month.clone(),
            amount_cents: self.amount_cents,
            reference: self.reference.clone(),
            created_at: self.at.into(),
        }
    }
}

/// Writes a transaction, its entries and the new running balance. The caller has locked the wallet.
/// Returns `false` and writes nothing if the scan or the reference already has a transaction of
/// this kind.
pub(crate) async fn post(txn: &WriteTxn, posting: &Posting) -> Result<bool> {
    posting.check_balanced()?;
    let row = posting.row();
    if !ledger_transactions::insert_new(txn, &row).await? {
        return Ok(false);
    }
    for entry in &posting.entries {
        ledger_entries::insert(txn, &row.id, &entry.account, entry.commodity, entry.amount).await?;
    }
    let cents = posting.effect(&names::wallet(&posting.tenant), Commodity::UsdCents);
    let free_scans = posting.effect(&names::free(&posting.tenant), Commodity::FreeScan);
    wallets::add(txn, &posting.tenant, cents, free_scans).await?;
    Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::{AccountId, Mode};

    #[test]
    fn refuses_entries_that_do_not_sum_to_zero() {
        let tenant = Tenant { account_id: AccountId::new(), mode: Mode::Test };
        let mut posting = Posting::new(&tenant, TransactionKind::Charge, Timestamp::from_millis(0)).cents(
            names::wallet(&tenant),
            names::revenue(&tenant),
            150,
        );
        assert!(posting.check_balanced().is_ok());
        // Amounts in different commodities do not balance each other.
        posting.entry(names::free(&tenant), Commodity::FreeScan, 1);
        posting.entry(names::revenue(&tenant), Commodity::UsdCents, -1);
        assert!(matches!(posting.check_balanced(), Err(Error::Unbalanced { .. })));
    }
}
