//! Archives of everything that an account has. Made twice, the second one takes the place of the first.
#![allow(missing_docs, reason = "the macro makes constants without documentation")]

use std::{fs::File, io, path::Path, sync::Arc, time::Duration};

use domain::{AccountId, ExportId, ExportState, Timestamp, layout};
use entities::{Db, account_exports, erasure, failpoint::line};
use media::{ObjectStore, scratch::ScratchRoot};
use serde_json::Value;
use temporalio_macros::activities;
use temporalio_sdk::activities::{ActivityContext, ActivityError};
use workflows::contract::{self, ExportActivityInput, ExportOutput};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use crate::{
    Parts,
    error::{database, disk, storage},
    failpoint::failpoint,
    watch,
};

/// Scans whose objects are fetched between two looks at the database.
const BATCH: u64 = 100;

/// Implements `workflows::contract::Exports`.
pub struct ExportActivities {
    pub(crate) parts: Arc<Parts>,
}

#[activities]
impl ExportActivities {
    /// Makes the archive and stores it at the export's key.
    #[activity(definition = contract::ExportAccount)]
    pub async fn export_account(
        self: Arc<Self>,
        ctx: ActivityContext,
        input: ExportActivityInput,
    ) -> Result<ExportOutput, ActivityError> {
        let kept = Duration::from_secs(self.parts.scans.keep_exports_hours * 60 * 60);
        let Parts { db, store, scratch, .. } = self.parts.as_ref();
        let made = watch::alive(&ctx, export(db, store, scratch, &input.export_id, kept)).await??;
        failpoint("export_account").await?;
        Ok(ExportOutput { keep_ms: u64::try_from(kept.as_millis()).ok().filter(|_| made) })
    }

    /// Deletes the archive.
    #[activity(definition = contract::DropExport)]
    pub async fn drop_export(
        self: Arc<Self>,
        _ctx: ActivityContext,
        input: ExportActivityInput,
    ) -> Result<(), ActivityError> {
        drop_export(&self.parts.db, &self.parts.store, &input.export_id).await?;
        failpoint("drop_export").await
    }
}

/// Makes the archive of an export that is wanted, and records that it was made. Says whether there is such an
/// export; one that was made is not made again.
///
/// # Errors
/// When database, storage or disk do not do what is asked.
pub async fn export(
    db: &Db,
    store: &ObjectStore,
    scratch: &ScratchRoot,
    id: &ExportId,
    kept: Duration,
) -> Result<bool, ActivityError> {
    let find = async || account_exports::system::find(db, id).await.map_err(database);
    let Some(wanted) = find().await? else { return Ok(false) };
    if wanted.state.0 != ExportState::Pending {
        return Ok(true);
    }
    let bytes = archive(db, store, scratch, &wanted).await?;
    line();
    let now = Timestamp::now();
    let finished =
        db.write(async |txn| account_exports::system::finish(&txn, id, bytes, now, now.plus(kept)).await);
    finished.await.map_err(database)?;
    if find().await?.is_some() {
        return Ok(true);
    }
    // Another attempt was faster, and the account was erased since: nobody would ever delete this one.
    store.delete(&layout::account_export(&wanted.account_id, id)).await.map_err(storage)?;
    Ok(false)
}

/// Deletes the archive of an export.
///
/// # Errors
/// When database or storage do not do what is asked.
pub async fn drop_export(db: &Db, store: &ObjectStore, id: &ExportId) -> Result<(), ActivityError> {
    let Some(export) = account_exports::system::find(db, id).await.map_err(database)? else { return Ok(()) };
    store.delete(&layout::account_export(&export.account_id, id)).await.map_err(storage)?;
    line();
    db.write(async |txn| account_exports::system::expire(&txn, id).await).await.map_err(database)
}

/// Makes and stores an archive; answers its size.
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
    for (name, rows) in account_exports::contents(db, account).await.map_err(database)? {
        archive = archive.add_rows(name, rows).await?;
    }
    archive = add_objects(db, store, archive, account, &folder.file("object")).await?;
    archive.finish().await?;
    line();
    let key = layout::account_export(account, &export.id);
    let stored = store.put_file(&key, "application/zip", &path).await.map_err(storage)?;
    Ok(i64::try_from(stored.bytes).unwrap_or(i64::MAX))
}

/// Documents, frames and media of every scan, as they lie in storage. What is deleted meanwhile is left out.
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

/// An archive that is being written, beside the runtime: files block.
struct Archive {
    zip: ZipWriter<File>,
}

impl Archive {
    async fn add_rows(self, name: &str, rows: Vec<Value>) -> Result<Self, ActivityError> {
        let name = format!("{name}.json");
        self.beside(move |zip| {
            zip.start_file(name, SimpleFileOptions::default())?;
            Ok(serde_json::to_writer_pretty(zip, &rows)?)
        })
        .await
    }

    async fn add_file(self, name: String, file: &Path) -> Result<Self, ActivityError> {
        let file = file.to_owned();
        self.beside(move |zip| {
            // Media are small already, and may be larger than plain zip files hold.
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

    async fn beside(
        mut self,
        work: impl FnOnce(&mut ZipWriter<File>) -> io::Result<()> + Send + 'static,
    ) -> Result<Self, ActivityError> {
        let worked = tokio::task::spawn_blocking(move || work(&mut self.zip).map(|()| self));
        worked.await.map_err(io::Error::other).flatten().map_err(disk)
    }
}
