//! Archives of everything that an account has. Made twice, the second one takes the place of the first.
#![allow(missing_docs, reason = "the macro makes constants without documentation")]

use std::{fs::File, io, path::Path, sync::Arc, time::Duration};

use domain::{AccountId, ExportState, Timestamp, layout};
use entities::{account_exports, erasure};
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
        let found = account_exports::system::find(&self.parts.db, &input.export_id).await;
        let Some(export) = found.map_err(database)? else { return Ok(ExportOutput { keep_ms: None }) };
        let kept = Duration::from_secs(self.parts.scans.keep_exports_hours * 60 * 60);
        if export.state.0 == ExportState::Pending {
            let bytes = watch::alive(&ctx, self.archive(&export)).await??;
            let now = Timestamp::now();
            let finished = self.parts.db.write(async |txn| {
                account_exports::system::finish(&txn, &export.id, bytes, now, now.plus(kept)).await
            });
            finished.await.map_err(database)?;
        }
        failpoint("export_account").await?;
        Ok(ExportOutput { keep_ms: u64::try_from(kept.as_millis()).ok() })
    }

    /// Deletes the archive.
    #[activity(definition = contract::DropExport)]
    pub async fn drop_export(
        self: Arc<Self>,
        _ctx: ActivityContext,
        input: ExportActivityInput,
    ) -> Result<(), ActivityError> {
        let id = &input.export_id;
        if let Some(export) = account_exports::system::find(&self.parts.db, id).await.map_err(database)? {
            let key = layout::account_export(&export.account_id, id);
            self.parts.store.delete(&key).await.map_err(storage)?;
            let expired = self.parts.db.write(async |txn| account_exports::system::expire(&txn, id).await);
            expired.await.map_err(database)?;
        }
        failpoint("drop_export").await
    }
}

impl ExportActivities {
    /// Makes and stores the archive; answers its size.
    async fn archive(&self, export: &account_exports::Model) -> Result<i64, ActivityError> {
        let account = &export.account_id.0;
        let folder = self.parts.scratch.folder("export").map_err(disk)?;
        let path = folder.file("archive.zip");
        let mut archive = Archive { zip: ZipWriter::new(File::create(&path).map_err(disk)?) };
        for (name, rows) in account_exports::contents(&self.parts.db, account).await.map_err(database)? {
            archive = archive.add_rows(name, rows).await?;
        }
        archive = self.add_objects(archive, account, &folder.file("object")).await?;
        archive.finish().await?;
        let key = layout::account_export(account, &export.id);
        let stored = self.parts.store.put_file(&key, "application/zip", &path).await.map_err(storage)?;
        Ok(i64::try_from(stored.bytes).unwrap_or(i64::MAX))
    }

    /// Documents, frames and media of every scan, as they lie in storage. What is deleted meanwhile is left out.
    async fn add_objects(
        &self,
        mut archive: Archive,
        account: &AccountId,
        file: &Path,
    ) -> Result<Archive, ActivityError> {
        let mut last = None;
        loop {
            let scans = erasure::scans_after(&self.parts.db, account, last.as_ref(), BATCH).await;
            let scans = scans.map_err(database)?;
            for scan in &scans {
                let work = layout::work_prefix(scan);
                let objects = self.parts.store.list(&layout::scan_prefix(scan)).await.map_err(storage)?;
                for object in objects.iter().filter(|object| !object.key.starts_with(&work)) {
                    match self.parts.store.get_to_file(&object.key, file, u64::MAX).await {
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
