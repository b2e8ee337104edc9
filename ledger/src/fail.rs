//! Fails a scan and refunds it in the same transaction.

use domain::{
    ScanId, ScanStatus, Timestamp,
    money::ChargeKind,
    scan::{Scan, ScanFailure},
};
use entities::{
    Db, ScanRow, WriteTxn,
    ledger_transactions::{self, Model as TransactionRow, TransactionKind},
    scans,
};

use crate::{
    Error, Result, names,
    posting::{Posting, post},
    wallet,
};

/// Outcome of failing a scan.
#[derive(Debug, Clone, PartialEq)]
pub enum FailOutcome {
    /// Failed and refunded by this call.
    Failed {
        /// The changed scan.
        scan: Box<Scan>,
    },
    /// Failed by an earlier call; nothing changed.
    AlreadyFailed {
        /// The failed scan.
        scan: Box<Scan>,
    },
    /// The scan is neither queued nor processing; nothing changed.
    NotInProgress {
        /// Its current status.
        status: ScanStatus,
    },
    /// The scan does not exist.
    NotFound,
}

/// Fails a queued or processing scan. Refunds its charge, which then no longer counts against the
/// key's cap in the month of the charge, and writes the event `scan.failed` with the outbox entry
/// of its delivery.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn fail_scan(
    db: &Db,
    scan_id: &ScanId,
    failure: &ScanFailure,
    now: Timestamp,
) -> Result<FailOutcome> {
    let (scan_id, failure) = (scan_id.clone(), failure.clone());
    db.write(async |txn| fail(&txn, &scan_id, &failure, now).await).await
}

async fn fail(txn: &WriteTxn, id: &ScanId, failure: &ScanFailure, now: Timestamp) -> Result<FailOutcome> {
    let Some(found) = scans::system::find(txn, id).await? else { return Ok(FailOutcome::NotFound) };
    wallet::lock(txn, &found.tenant()).await?;
    let scan = scans::system::lock(txn, id)
        .await?
        .ok_or_else(|| Error::corrupt(format!("scan {id} does not exist")))?;
    match scan.status.0 {
        ScanStatus::Failed => {
            Ok(FailOutcome::AlreadyFailed { scan: Box::new(scans::view(txn, &scan).await?) })
        }
        status if status.is_in_progress() => {
            let refunded = refund(txn, &scan, now).await?;
            let failed = scans::fail(txn, &scan, failure, refunded, now).await?;
            let scan =
                failed.ok_or_else(|| Error::corrupt(format!("scan {id} cannot fail in status {status}")))?;
            Ok(FailOutcome::Failed { scan: Box::new(scan) })
        }
        status => Ok(FailOutcome::NotInProgress { status }),
    }
}

/// Refunds the charge of a scan. Returns `false` if nothing was charged.
async fn refund(txn: &WriteTxn, scan: &ScanRow, now: Timestamp) -> Result<bool> {
    let tenant = scan.tenant();
    let charged = ledger_transactions::find_by_scan(txn, &tenant, TransactionKind::Charge, &scan.id).await?;
    let (Some(charged), Some(charge)) = (charged, scan.charge()) else { return Ok(false) };
    let posting = match charge.kind {
        ChargeKind::FreeScan => Posting::new(&tenant, TransactionKind::Refund, now).free_scans(
            names::free_used(&tenant),
            names::free(&tenant),
            1,
        ),
        ChargeKind::ScanCharge => Posting::new(&tenant, TransactionKind::Refund, now).cents(
            names::revenue(&tenant),
            names::wallet(&tenant),
            charged.amount_cents,
        ),
    };
    post(txn, &assigned_to(posting, &charged)).await?;
    Ok(true)
}

/// Assigns a refund to the scan, key and month of its charge.
fn assigned_to(mut refund: Posting, charged: &TransactionRow) -> Posting {
    refund.scan_id = charged.scan_id.as_ref().map(|id| id.0.clone());
    refund.key_id = charged.key_id.as_ref().map(|id| id.0.clone());
    refund.month = charged.month.clone();
    refund
}
