//! Activities that export an account: build a ZIP archive of all its data, and delete it later.
//!
//! Both are idempotent: a repeated build overwrites the archive at the same key. The archive is built
//! on disk from pages of rows, so that the memory does not grow with the account.
#![allow(missing_docs, reason = "the macro generates undocumented constants")]

use std::{
    fs::File,
    io::{self, Write},
    path::Path,
    sync::Arc,
    time::Duration,
};

use domain::{AccountId, ExportId, ExportState, Timestamp, layout};
use entities::{Db, account_exports, erasure};
use futures::StreamExt;
use media::{ObjectStore, scratch::ScratchRoot};
use serde_json::Value;
use temporalio_macros::activities;
use temporalio_sdk::activities::{ActivityContext, ActivityError};
use workflows::contract::{self, ExportActivityInput, ExportOutput};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use crate::{
    Dependencies,
    error::{database, disk, storage},
    failpoint,
    heartbeat::with_heartbeats,
};

/// Number of scans read from the database at a time.
const BATCH: u64 = 100;

/// Implements `workflows::contract::Exports`.
pub struct ExportActivities {
    pub(crate) deps: Arc<Dependencies>,
}

#[activities]
impl ExportActivities {
    /// Builds the archive and stores it at the export's key.
    #[activity(definition = contract::ExportAccount)]
    pub async fn export_account(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: ExportActivityInput,
    ) -> Result<ExportOutput, ActivityError> {
        let retention = Duration::from_secs(self.deps.scans.keep_exports_hours * 60 * 60);
        let Dependencies { db, store, scratch, .. } = self.deps.as_ref();
        failpoint::around("export_account", input.export_id.as_str(), async {
            let exporting = export(db, store, scratch, &input.export_id, retention);
            let exists = with_heartbeats(&ctx, exporting).await??;
            Ok(ExportOutput { keep_ms: u64::try_from(retention.as_millis()).ok().filter(|_| exists) })
        })
        .await
    }

    /// Deletes the archive.
    #[activity(definition = contract::DropExport)]
    pub async fn drop_export(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: ExportActivityInput,
    ) -> Result<(), ActivityError> {
        failpoint::around("drop_export", input.export_id.as_str(), async {
            with_heartbeats(&ctx, drop_export(&self.deps.db, &self.deps.store, &input.export_id)).await?
        })
        .await
    }
}

/// Builds the archive of a pending export, and records it. Returns whether the export exists. Does
/// nothing for an export that is done.
///
/// # Errors
/// Returns an error if the database, storage or the disk fails.
pub async fn export(
    db: &Db,
    store: &ObjectStore,
    scratch: &ScratchRoot,
    id: &ExportId,
    retention: Duration,
) -> Result<bool, ActivityError> {
    let find = async || account_exports::system::find(db, id).await.map_err(database);
    let Some(pending) = find().await? else { return Ok(false) };
    if pending.state.0 != ExportState::Pending {
        return Ok(true);
    }
    let bytes = archive(db, store, scratch, &pending).await?;
    entities::failpoint::trigger();
    let now = Timestamp::now();
    let finished = db
        .write(async |txn| account_exports::system::finish(&txn, id, bytes, now, now.plus(retention)).await);
    finished.await.map_err(database)?;
    if find().await?.is_some() {
        return Ok(true);
    }
    // The account was erased while this attempt was running. No workflow would delete this archive.
    store.delete(&layout::account_export(&pending.account_id, id)).await.map_err(storage)?;
    Ok(false)
}

/// Deletes the archive of an export.
///
/// # Errors
/// Returns an error if the database or storage fails.
pub async fn drop_export(db: &Db, store: &ObjectStore, id: &ExportId) -> Result<(), ActivityError> {
    let Some(export) = account_exports::system::find(db, id).await.map_err(database)? else { return Ok(()) };
    store.delete(&layout::account_export(&export.account_id, id)).await.map_err(storage)?;
    entities::failpoint::trigger();
    db.write(async |txn| account_exports::system::expire(&txn, id).await).await.map_err(database)
}

/// Builds and stores an archive. Returns its size in bytes.
async fn archive(
    db: &Db,
    store: &ObjectStore,
    scratch: &ScratchRoot,
    export: &account_exports::Model,
) -> Result<i64, ActivityError> {
    let account = &export.account_id.0;
    let folder = scratch.folder("export").map_err(disk)?;
    let path = folder.file("archive.zip");
    let mut archive = Archive { zip: ZipWriter::new(File::create(&path).map_err(disk)?) };
    for name in account_exports::files() {
        archive = add_rows(db, archive, name, account).await?;
    }
    archive = add_objects(db, store, archive, account, &folder.file("object")).await?;
    archive.finish().await?;
    entities::failpoint::trigger();
    let key = layout::account_export(account, &export.id);
    let stored = store.put_file(&key, "application/zip", &path).await.map_err(storage)?;
    Ok(i64::try_from(stored.bytes).unwrap_or(i64::MAX))
}

/// Adds the rows of one file. Holds one page of them in memory.
async fn add_rows(
    db: &Db,
    mut archive: Archive,
    name: &str,
    account: &AccountId,
) -> Result<Archive, ActivityError> {
    let mut pages = account_exports::pages(db, name, account).await.map_err(database)?;
    archive = archive.begin_rows(name).await?;
    let mut is_first = true;
    while let Some(page) = pages.next().await {
        archive = archive.add_page(page.map_err(database)?, is_first).await?;
        is_first = false;
    }
    archive.end_rows().await
}

/// Adds documents, frames and media of every scan. Skips objects that are deleted in the meantime.
async fn add_objects(
    db: &Db,
    store: &ObjectStore,
    mut archive: Archive,
    account: &AccountId,
    file: &Path,
) -> Result<Archive, ActivityError> {
    let mut last = None;
    loop {
        let scans = erasure::scans_after(db, account, last.as_ref(), BATCH).await.map_err(database)?;
        for scan in &scans {
            let work = layout::work_prefix(scan);
            let objects = store.list(&layout::scan_prefix(scan)).await.map_err(storage)?;
            for object in objects.iter().filter(|object| !object.key.starts_with(&work)) {
                match store.get_to_file(&object.key, file, u64::MAX).await {
                    Ok(_) => archive = archive.add_file(object.key.clone(), file).await?,
                    Err(media::objects::Error::NotFound { .. }) => {}
                    Err(error) => return Err(storage(error)),
                }
            }
        }
        let Some(newest) = scans.into_iter().next_back() else { return Ok(archive) };
        last = Some(newest);
    }
}

/// An archive that is being written. Each write runs on a blocking thread.
struct Archive {
    zip: ZipWriter<File>,
}

impl Archive {
    /// Begins a file with a JSON array.
    async fn begin_rows(self, name: &str) -> Result<Self, ActivityError> {
        let name = format!("{name}.json");
        self.on_blocking_thread(move |zip| {
            // The size is unknown and may exceed the 4 GiB limit of plain ZIP entries.
            zip.start_file(name, SimpleFileOptions::default().large_file(true))?;
            zip.write_all(b"[")
        })
        .await
    }

    /// Adds elements to the JSON array.
    async fn add_page(self, rows: Vec<Value>, is_first: bool) -> Result<Self, ActivityError> {
        self.on_blocking_thread(move |zip| {
            for (position, row) in rows.iter().enumerate() {
                let separator = if is_first && position == 0 { "\n" } else { ",\n" };
                zip.write_all(separator.as_bytes())?;
                serde_json::to_writer_pretty(&mut *zip, row)?;
            }
            Ok(())
        })
        .await
    }

    /// Ends the JSON array.
    async fn end_rows(self) -> Result<Self, ActivityError> {
        self.on_blocking_thread(|zip| zip.write_all(b"\n]\n")).await
    }

    async fn add_file(self, name: String, file: &Path) -> Result<Self, ActivityError> {
        let file = file.to_owned();
        self.on_blocking_thread(move |zip| {
            // Media are compressed already, and may exceed the 4 GiB limit of plain ZIP entries.
            let options =
                SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(true);
            zip.start_file(name, options)?;
            io::copy(&mut File::open(file)?, zip).map(drop)
        })
        .await
    }

    async fn finish(self) -> Result<(), ActivityError> {
        let finished = tokio::task::spawn_blocking(move || self.zip.finish()?.sync_all());
        finished.await.map_err(io::Error::other).flatten().map_err(disk)
    }

    async fn on_blocking_thread(
        mut self,
        work: impl FnOnce(&mut ZipWriter<File>) -> io::Result<()> + Send + 'static,
    ) -> Result<Self, ActivityError> {
        let outcome = tokio::task::spawn_blocking(move || work(&mut self.zip).map(|()| self));
        outcome.await.map_err(io::Error::other).flatten().map_err(disk)
    }
}
