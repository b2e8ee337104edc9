//! Cancels a scan that was not started.

use domain::{ScanId, ScanStatus, Timestamp, layout, scan::CancelOutcome};

use super::{
    media::{self, Kept},
    system, transition,
};
use crate::{Result, WriteTxn, outbox};

/// Cancels a scan that awaits its upload; nothing was charged. Its uploads are deleted through the
/// outbox, at once and again after all upload URLs have expired.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn cancel(txn: &WriteTxn, id: &ScanId, now: Timestamp) -> Result<CancelOutcome> {
    let Some(scan) = system::lock(txn, id).await? else { return Ok(CancelOutcome::NotFound) };
    match scan.status.0 {
        ScanStatus::Cancelled => Ok(CancelOutcome::Cancelled),
        ScanStatus::AwaitingUpload => {
            transition::change(txn, &scan, ScanStatus::Cancelled, None, now).await?;
            media::end(txn, id, Kept::Nothing, now).await?;
            outbox::enqueue_purge(txn, &layout::upload_prefix(id), now).await?;
            Ok(CancelOutcome::Cancelled)
        }
        status => Ok(CancelOutcome::NotCancellable { status }),
    }
}
