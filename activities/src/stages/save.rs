//! Saving: the document becomes the newest revision of its space, the scan complete, the event written.

use domain::{EventId, FailureCode, ScanStatus, Timestamp, layout};
use entities::{
    ScanRow, scans,
    scans::{CompleteOutcome, Completion},
};
use sha2::{Digest, Sha256};
use temporalio_sdk::activities::ActivityError;
use workflows::contract::SaveOutput;

use super::write::MAX_DOCUMENT;
use crate::{
    Parts,
    error::{database, give_up, storage},
};

pub(super) async fn run(parts: &Parts, scan: &ScanRow) -> Result<SaveOutput, ActivityError> {
    let id = &scan.id.0;
    let key = layout::document(id);
    let bytes = parts.store.get_bytes(&key, MAX_DOCUMENT).await.map_err(storage)?;
    let done = Completion {
        scan_id: id.clone(),
        object_key: key,
        sha256: hex::encode(Sha256::digest(&bytes)),
        bytes: i64::try_from(bytes.len()).unwrap_or(i64::MAX),
    };
    let now = Timestamp::now();
    let outcome =
        parts.db.write(async |txn| scans::complete(&txn, &done, now).await).await.map_err(database)?;
    match outcome {
        CompleteOutcome::Completed { scan } | CompleteOutcome::AlreadyComplete { scan } => Ok(SaveOutput {
            revision: scan.document_revision.unwrap_or(1),
            event_id: EventId::scan_completed(id),
        }),
        // An operator or the reconciler has failed it meanwhile; its money is back.
        CompleteOutcome::NotProcessing { status: ScanStatus::Failed } => Err(ActivityError::cancelled()),
        other => Err(give_up(FailureCode::Internal, format!("the scan cannot be completed: {other:?}"))),
    }
}
