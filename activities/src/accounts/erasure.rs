//! The end of an account. Each step may be repeated: what is gone stays gone.
#![allow(missing_docs, reason = "the macro makes constants without documentation")]

use std::sync::Arc;

use domain::{AccountId, Timestamp, layout};
use entities::{Db, erasure, failpoint::line};
use media::ObjectStore;
use temporalio_macros::activities;
use temporalio_sdk::activities::{ActivityContext, ActivityError};
use workflows::contract::{self, EraseObjectsOutput, ErasureInput, SettleOutput};

use crate::{
    Parts,
    error::{database, storage},
    failpoint::failpoint,
    watch,
};

/// Scans whose objects are deleted between two looks at the database.
const BATCH: u64 = 100;

/// Implements `workflows::contract::Accounts`.
pub struct AccountActivities {
    pub(crate) parts: Arc<Parts>,
}

#[activities]
impl AccountActivities {
    /// Cancels scans that were never started, and counts what is still under way.
    #[activity(definition = contract::SettleAccount)]
    pub async fn settle_account(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: ErasureInput,
    ) -> Result<SettleOutput, ActivityError> {
        let (account, now) = (&input.account_id, Timestamp::now());
        let settling = self.parts.db.write(async |txn| erasure::settle(&txn, account, now).await);
        let under_way = watch::alive(&ctx, settling).await?.map_err(database)?;
        failpoint("settle_account").await?;
        Ok(SettleOutput { under_way })
    }

    /// Deletes every object of every scan of the account.
    #[activity(definition = contract::EraseObjects)]
    pub async fn erase_objects(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: ErasureInput,
    ) -> Result<EraseObjectsOutput, ActivityError> {
        let Parts { db, store, .. } = self.parts.as_ref();
        let objects = watch::alive(&ctx, delete_objects(db, store, &input.account_id)).await??;
        failpoint("erase_objects").await?;
        Ok(EraseObjectsOutput { objects })
    }

    /// Erases the account's records but for the ledger, in one transaction.
    #[activity(definition = contract::EraseRecords)]
    pub async fn erase_records(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: ErasureInput,
    ) -> Result<(), ActivityError> {
        let (account, now) = (&input.account_id, Timestamp::now());
        let erasing = self.parts.db.write(async |txn| erasure::erase(&txn, account, now).await);
        let news = watch::alive(&ctx, erasing).await?.map_err(database)?;
        tracing::info!(%account, news, "erased");
        failpoint("erase_records").await
    }
}

/// Deletes every object of an account: archives, and what its scans have. Says how many there were.
///
/// # Errors
/// When database or storage cannot be asked; what was deleted until then is gone.
pub async fn delete_objects(db: &Db, store: &ObjectStore, account: &AccountId) -> Result<u64, ActivityError> {
    let archives = layout::account_export_prefix(account);
    let (mut objects, mut last) = (store.delete_prefix(&archives).await.map_err(storage)?, None);
    loop {
        let scans = erasure::scans_after(db, account, last.as_ref(), BATCH).await.map_err(database)?;
        for scan in &scans {
            line();
            objects += store.delete_prefix(&layout::scan_prefix(scan)).await.map_err(storage)?;
        }
        let Some(newest) = scans.into_iter().next_back() else { return Ok(objects) };
        last = Some(newest);
    }
}
