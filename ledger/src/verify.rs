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
    violation: &'static str,
    query: &'static str,
}

const RULES: [Rule; 8] = [
    Rule {
        violation: "transaction whose entries do not sum to zero",
        query: "SELECT transaction_id || ' ' || commodity AS row_id FROM ledger_entries
                GROUP BY transaction_id, commodity HAVING SUM(amount) <> 0",
    },
    Rule {
        violation: "transaction without entries that states an amount",
        query: "SELECT t.id AS row_id FROM ledger_transactions t WHERE t.amount_cents <> 0
                AND NOT EXISTS (SELECT 1 FROM ledger_entries e WHERE e.transaction_id = t.id)",
    },
    Rule {
        violation: "wallet whose balance is not the sum of its entries",
        query: "SELECT w.account_id || ' ' || w.livemode AS row_id FROM wallets w WHERE w.balance_cents <> (
                SELECT COALESCE(SUM(e.amount), 0) FROM ledger_entries e WHERE e.commodity = 'usd_cents' AND
                e.ledger_account = 'wallet:' || w.account_id || CASE WHEN w.livemode THEN ':live' ELSE ':test' END)",
    },
    Rule {
        violation: "wallet whose free scans are not the sum of its entries",
        query: "SELECT w.account_id || ' ' || w.livemode AS row_id FROM wallets w WHERE w.free_scans <> (
                SELECT COALESCE(SUM(e.amount), 0) FROM ledger_entries e WHERE e.commodity = 'free_scan' AND
                e.ledger_account = 'free:' || w.account_id || CASE WHEN w.livemode THEN ':live' ELSE ':test' END)",
    },
    Rule {
        violation: "scan that was started without a charge, or with a charge of another price",
        query: "SELECT s.id AS row_id FROM scans s LEFT JOIN ledger_transactions t
                ON t.scan_id = s.id AND t.kind = 'charge'
                WHERE (s.started_at IS NOT NULL) <> (t.id IS NOT NULL) OR t.amount_cents <> s.price_cents",
    },
    Rule {
        violation: "scan whose refund flag contradicts the ledger",
        query: "SELECT s.id AS row_id FROM scans s LEFT JOIN ledger_transactions t
                ON t.scan_id = s.id AND t.kind = 'refund' WHERE s.refunded <> (t.id IS NOT NULL)",
    },
    Rule {
        violation: "payment that was paid without a credit, or with a different credit",
        query: "SELECT p.id AS row_id FROM payments p LEFT JOIN ledger_transactions t
                ON t.reference = p.id AND t.kind = 'topup'
                WHERE (p.state = 'succeeded') <> (t.id IS NOT NULL) OR t.amount_cents <> p.amount_cents
                OR t.account_id <> p.account_id OR t.livemode <> p.livemode",
    },
    Rule {
        violation: "refund that differs from its charge",
        query: "SELECT r.id AS row_id FROM ledger_transactions r LEFT JOIN ledger_transactions c
                ON c.scan_id = r.scan_id AND c.kind = 'charge' WHERE r.kind = 'refund' AND (c.id IS NULL
                OR c.amount_cents <> r.amount_cents OR c.month <> r.month
                OR COALESCE(c.key_id, '') <> COALESCE(r.key_id, '')
                OR c.account_id <> r.account_id OR c.livemode <> r.livemode)",
    },
];

/// Verifies the whole ledger: entries sum to zero, running balances are the sums of their entries,
/// and scans and payments agree with their transactions.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn verify(db: &Db) -> Result<Audit> {
    let mut audit = Audit::default();
    for rule in &RULES {
        let statement = Statement::from_string(db.backend(), rule.query);
        let rows = db.conn().query_all_raw(statement).await.map_err(entities::Error::from)?;
        for row in rows {
            let row_id: String = row.try_get("", "row_id").map_err(entities::Error::from)?;
            audit.defects.push(format!("{}: {row_id}", rule.violation));
        }
    }
    Ok(audit)
}
