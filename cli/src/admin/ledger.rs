//! Commands on the ledger.

use anyhow::bail;
use domain::{Timestamp, money::Cents};
use entities::{Db, Tenant};
use ledger::{Adjusted, Adjustment, Credit};
use serde_json::{Value, json};

/// Grants an account money or free scans.
pub(super) async fn grant(
    db: &Db,
    tenant: Tenant,
    cents: Cents,
    free_scans: u32,
    reference: String,
) -> anyhow::Result<Value> {
    let credit = Credit { tenant, cents, free_scans, reference };
    let credited = ledger::grant(db, &credit, Timestamp::now()).await?;
    Ok(json!({
        "new": credited.new,
        "balance_cents": credited.balance_cents,
        "free_scans": credited.free_scans,
    }))
}

/// Adjusts the balance of a wallet.
pub(super) async fn adjust(db: &Db, adjustment: &Adjustment) -> anyhow::Result<Value> {
    match ledger::adjust(db, adjustment, Timestamp::now()).await? {
        Adjusted::Done(done) => Ok(json!({ "new": done.new, "balance_cents": done.balance_cents })),
        Adjusted::WouldOverdraw { balance_cents } => bail!(
            "the adjustment would make the balance of {balance_cents} cents negative; \
             use --allow-negative to apply it anyway"
        ),
    }
}

/// Verifies every transaction and balance, and records the result for the metrics.
pub(super) async fn verify(db: &Db) -> anyhow::Result<Value> {
    let defects = activities::verify_ledger(db, Timestamp::now()).await?;
    if !defects.is_empty() {
        bail!("the ledger has defects:\n{}", defects.join("\n"));
    }
    Ok(json!({ "sound": true }))
}
