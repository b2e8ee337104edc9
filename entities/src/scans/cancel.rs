//! Cancelling a scan that was not started.

use std::time::Duration;

use domain::{ScanId, ScanStatus, Timestamp, layout, scan::CancelOutcome};

use super::{system, transition};
use crate::{
    Result, WriteTxn,
    outbox::{self, Kind},
};

/// How long after its cancellation the uploads of a scan are swept again: upload links live for an hour,
/// and an upload that began in time may take another.
pub const SWEEP_AFTER: Duration = Duration::from_secs(2 * 60 * 60);

/// Cancels a scan that awaits its upload; nothing was charged. Its uploads will be purged by the outbox,
/// at once and again when no upload link can be alive.
///
/// # Errors
/// Of the database.
pub async fn cancel(txn: &WriteTxn, id: &ScanId, now: Timestamp) -> Result<CancelOutcome> {
    let Some(scan) = system::lock(txn, id).await? else { return Ok(CancelOutcome::NotFound) };
    match scan.status.0 {
        ScanStatus::Cancelled => Ok(CancelOutcome::Cancelled),
        ScanStatus::AwaitingUpload => {
            transition::change(txn, &scan, ScanStatus::Cancelled, None, now).await?;
            let uploads = layout::upload_prefix(id);
            outbox::enqueue_purge(txn, &uploads, now).await?;
            let payload = serde_json::json!({ "prefix": uploads });
            outbox::enqueue(txn, Kind::PurgeAgain, &uploads, &payload, now, now.plus(SWEEP_AFTER)).await?;
            Ok(CancelOutcome::Cancelled)
        }
        status => Ok(CancelOutcome::NotCancellable { status }),
    }
}
