//! Verifies the invariants of the ledger with SQL queries.

use entities::{Db, Reader};
use sea_orm::{ConnectionTrait, Statement};

use crate::Result;

/// Result of [`verify`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Audit {
    /// One line for each violation. Empty if the ledger is consistent.
    pub defects: Vec<String>,
}

/// An invariant: the description of a violation, and a query that returns one text for each
/// violation.
struct Rule {
    broken: &'static str,
    query: &'static str,
}

const RULES: [Rule; 8] = [
    Rule {
        broken: "transaction whose entries do not sum to zero",
        query: "SELECT transaction_id || ' ' || commodity AS what FROM ledger_entries
                GROUP BY transaction_id, commodity HAVING SUM(amount) <> 0",
    },
    Rule {
        broken: "transaction without entries that states an amount",
        query: "SELECT t.id AS what FROM ledger_transactions t WHERE t.amount_cents <> 0
                AND NOT EXISTS (SELECT 1 FROM ledger_entries e WHERE e.transaction_id = t.id)",
    },
    Rule {
        broken: "wallet whose balance is not the sum of its entries",
        query: "SELECT w.account_id || ' ' || w.livemode AS what FROM wallets w WHERE w.balance_cents <> (
                SELECT COALESCE(SUM(e.amount), 0) FROM ledger_entries e WHERE e.commodity = 'usd_cents' AND
                e.ledger_account = 'wallet:' || w.account_id || CASE WHEN w.livemode THEN ':live' ELSE ':test' END)",
    },
    Rule {
        broken: "wallet whose free scans are not the sum of its entries",
        query: "SELECT w.account_id || ' ' || w.livemode AS what FROM wallets w WHERE w.free_scans <> (
                SELECT COALESCE(SUM(e.amount), 0) FROM ledger_entries e WHERE e.commodity = 'free_scan' AND
                e.ledger_account = 'free:' || w.account_id || CASE WHEN w.livemode THEN ':live' ELSE ':test' END)",
    },
    Rule {
        broken: "scan that was started without a charge, or with a charge of another price",
        query: "SELECT s.id AS what FROM scans s LEFT JOIN ledger_transactions t
                ON t.scan_id = s.id AND t.kind = 'charge'
                WHERE (s.started_at IS NOT NULL) <> (t.id IS NOT NULL) OR t.amount_cents <> s.price_cents",
    },
    Rule {
        broken: "scan whose refund flag contradicts the ledger",
        query: "SELECT s.id AS what FROM scans s LEFT JOIN ledger_transactions t
                ON t.scan_id = s.id AND t.kind = 'refund' WHERE s.refunded <> (t.id IS NOT NULL)",
    },
    Rule {
        broken: "payment that was paid without a credit, or with a different credit",
        query: "SELECT p.id AS what FROM payments p LEFT JOIN ledger_transactions t
                ON t.reference = p.id AND t.kind = 'topup'
                WHERE (p.state = 'succeeded') <> (t.id IS NOT NULL) OR t.amount_cents <> p.amount_cents
                OR t.account_id <> p.account_id OR t.livemode <> p.livemode",
    },
    Rule {
        broken: "refund that differs from its charge",
        query: "SELECT r.id AS what FROM ledger_transactions r LEFT JOIN ledger_transactions c
                ON c.scan_id = r.scan_id AND c.kind = 'charge' WHERE r.kind = 'refund' AND (c.id IS NULL
                OR c.amount_cents <> r.amount_cents OR c.month <> r.month
                OR COALESCE(c.key_id, '') <> COALESCE(r.key_id, '')
                OR c.account_id <> r.account_id OR c.livemode <> r.livemode)",
    },
];

/// Checks the whole ledger: entries sum to zero, running balances are the sums of their entries, and scans
/// and transactions agree on what was charged and refunded.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn verify(db: &Db) -> Result<Audit> {
    let mut audit = Audit::default();
    for rule in &RULES {
        let statement = Statement::from_string(db.backend(), rule.query);
        let rows = db.conn().query_all_raw(statement).await.map_err(entities::Error::from)?;
        for row in rows {
            let what: String = row.try_get("", "what").map_err(entities::Error::from)?;
            audit.defects.push(format!("{}: {what}", rule.broken));
        }
    }
    Ok(audit)
}
