//! One charge and at most one refund for each scan; a scan is refunded if and only if it failed; wallets,
//! ledger and bank agree, and the ledger sums to zero.

use entities::Db;

use super::violations_of;
use crate::stack::Stack;

/// Descriptions of violations, and queries that return a line for each.
const RULES: [(&str, &str); 3] = [
    (
        "scan with several charges or refunds",
        "SELECT scan_id || ' ' || kind || ' ' || COUNT(*) AS line FROM ledger_transactions
         WHERE kind IN ('charge', 'refund') GROUP BY scan_id, kind HAVING COUNT(*) > 1",
    ),
    (
        "scan that is failed without a refund, or refunded without a failure",
        "SELECT s.id || ' ' || s.status AS line FROM scans s WHERE (s.status = 'failed') <> EXISTS (
         SELECT 1 FROM ledger_transactions t WHERE t.scan_id = s.id AND t.kind = 'refund')",
    ),
    (
        "ledger that does not sum to zero",
        "SELECT commodity || ' ' || SUM(amount) AS line FROM ledger_entries
         GROUP BY commodity HAVING SUM(amount) <> 0",
    ),
];

pub(super) async fn check(stack: &Stack, db: &Db, violations: &mut Vec<String>) -> anyhow::Result<()> {
    for (description, query) in RULES {
        violations_of(db, description, query, violations).await?;
    }
    for defect in ledger::verify(db).await?.defects {
        violations.push(format!("ledger: {defect}"));
    }
    // The command fails if bank and ledger differ.
    if let Err(error) = stack.admin(&["reconcile-bank", "--mode", "test"]).await {
        violations.push(format!("bank and ledger: {error:#}"));
    }
    Ok(())
}
