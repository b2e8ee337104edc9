//! Activities that erase an account. Each is idempotent.
#![allow(missing_docs, reason = "the macro generates undocumented constants")]

use std::sync::Arc;

use domain::{AccountId, Timestamp, layout};
use entities::{Db, erasure};
use media::ObjectStore;
use temporalio_macros::activities;
use temporalio_sdk::activities::{ActivityContext, ActivityError};
use workflows::contract::{self, EraseObjectsOutput, ErasureInput, SettleOutput};

use crate::{
    Dependencies,
    error::{database, storage},
    failpoint,
    heartbeat::with_heartbeats,
};

/// Number of scans read from the database at a time.
const BATCH: u64 = 100;

/// Implements `workflows::contract::Accounts`.
pub struct AccountActivities {
    pub(crate) deps: Arc<Dependencies>,
}

#[activities]
impl AccountActivities {
    /// Cancels scans that were never started, and counts running scans and open payments.
    #[activity(definition = contract::SettleAccount)]
    pub async fn settle_account(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: ErasureInput,
    ) -> Result<SettleOutput, ActivityError> {
        let (account, now) = (&input.account_id, Timestamp::now());
        failpoint::around("settle_account", account.as_str(), async {
            let settling = self.deps.db.write(async |txn| erasure::settle(&txn, account, now).await);
            let under_way = with_heartbeats(&ctx, settling).await?.map_err(database)?;
            Ok(SettleOutput { under_way })
        })
        .await
    }

    /// Deletes every object of every scan of the account.
    #[activity(definition = contract::EraseObjects)]
    pub async fn erase_objects(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: ErasureInput,
    ) -> Result<EraseObjectsOutput, ActivityError> {
        let Dependencies { db, store, .. } = self.deps.as_ref();
        failpoint::around("erase_objects", input.account_id.as_str(), async {
            let objects = with_heartbeats(&ctx, delete_objects(db, store, &input.account_id)).await??;
            Ok(EraseObjectsOutput { objects })
        })
        .await
    }

    /// Erases the account's records, except the ledger, in one transaction.
    #[activity(definition = contract::EraseRecords)]
    pub async fn erase_records(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: ErasureInput,
    ) -> Result<(), ActivityError> {
        let (account, now) = (&input.account_id, Timestamp::now());
        failpoint::around("erase_records", account.as_str(), async {
            let erasing = self.deps.db.write(async |txn| erasure::erase(&txn, account, now).await);
            let newly_erased = with_heartbeats(&ctx, erasing).await?.map_err(database)?;
            tracing::info!(%account, newly_erased, "erased the records of an account");
            Ok(())
        })
        .await
    }
}

/// Deletes every object of an account: archives and all objects of its scans. Returns their number.
///
/// # Errors
/// Returns an error if the database or storage is unavailable. A repeat deletes the rest.
pub async fn delete_objects(db: &Db, store: &ObjectStore, account: &AccountId) -> Result<u64, ActivityError> {
    let archives = layout::account_export_prefix(account);
    let (mut objects, mut last) = (store.delete_prefix(&archives).await.map_err(storage)?, None);
    loop {
        let scans = erasure::scans_after(db, account, last.as_ref(), BATCH).await.map_err(database)?;
        for scan in &scans {
            entities::failpoint::trigger();
            objects += store.delete_prefix(&layout::scan_prefix(scan)).await.map_err(storage)?;
        }
        let Some(newest) = scans.into_iter().next_back() else { return Ok(objects) };
        last = Some(newest);
    }
}
