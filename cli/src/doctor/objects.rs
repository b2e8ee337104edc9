//! Checks of the objects in storage against the rows of the database, page by page.
//!
//! Objects and scans are both read in the order of the scan's id, and merged: an object whose scan
//! comes later in the database has no row, and a row that comes before the next object has none.

use std::{cmp::Ordering, collections::VecDeque, mem::replace, time::Duration};

use domain::{AccountId, ExportId, ExportState, ScanId, ScanStatus, layout};
use entities::{Db, ScanRow, account_exports, scans, uploads};
use media::{ObjectStore, objects::ListedObject};

use super::{Examination, Finding, Problem};

/// Number of scans that are read at once.
const PAGE: u64 = 500;
/// Folder of the objects of scans.
const SCANS: &str = "scans/";
/// Folder of the archives of accounts.
const EXPORTS: &str = "exports/";
/// Younger objects may belong to a change that is being made.
const MIN_ORPHAN_AGE: Duration = Duration::from_secs(24 * 60 * 60);

impl Examination<'_> {
    pub(super) async fn check_objects(&mut self) -> anyhow::Result<()> {
        self.check_scan_objects().await?;
        self.check_exports().await
    }

    async fn check_scan_objects(&mut self) -> anyhow::Result<()> {
        let mut rows = Rows { db: self.db.clone(), buffer: VecDeque::new(), after: None, is_last: false };
        let mut folders = Folders::new(self.store.clone());
        let (mut row, mut folder) = (rows.next().await?, folders.next().await?);
        loop {
            let order = match (&row, &folder) {
                (None, None) => return Ok(()),
                (Some(scan), Some(folder)) => scan.id.as_str().cmp(folder.scan.as_str()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
            };
            let scan = if order.is_le() { replace(&mut row, rows.next().await?) } else { None };
            let objects = if order.is_ge() { replace(&mut folder, folders.next().await?) } else { None };
            match (scan, objects) {
                (Some(scan), objects) => {
                    let keys: &[ListedObject] = objects.as_ref().map_or(&[], |folder| &folder.keys);
                    self.check_scan(&scan, keys).await?;
                    self.check_leftovers(&scan, objects.as_ref()).await;
                }
                (None, Some(objects)) => self.orphan(&objects, "no such scan").await,
                (None, None) => {}
            }
        }
    }

    /// Checks that the objects that a scan needs exist.
    async fn check_scan(&mut self, scan: &ScanRow, objects: &[ListedObject]) -> anyhow::Result<()> {
        let needed = match scan.status.0 {
            ScanStatus::Complete => vec![layout::document(&scan.id)],
            ScanStatus::AwaitingUpload | ScanStatus::Queued | ScanStatus::Processing => {
                let uploads = uploads::system::list(&self.db, &scan.id).await?;
                uploads.into_iter().map(|upload| upload.object_key).collect()
            }
            ScanStatus::Failed | ScanStatus::Cancelled => Vec::new(),
        };
        for key in needed {
            // The listing may be older than the row, and the row older than now.
            if objects.iter().any(|object| object.key == key) || self.store.head(&key).await?.is_some() {
                continue;
            }
            let current = scans::system::find(&self.db, &scan.id).await?;
            if current.is_some_and(|current| current.status == scan.status) {
                let status = scan.status.0.as_str();
                self.add(Finding::new(Problem::MissingObject, key, format!("of a scan that is {status}")));
            }
        }
        Ok(())
    }

    /// Checks that nothing is left of a scan that keeps nothing. The media of a failed scan are kept for
    /// some days, so they are left out.
    async fn check_leftovers(&mut self, scan: &ScanRow, objects: Option<&Folder>) {
        let is_over = scan.status.0 == ScanStatus::Cancelled
            && scan.finished_at.is_some_and(|at| self.now.since(at.0) > MIN_ORPHAN_AGE);
        if let Some(objects) = objects.filter(|_| is_over) {
            self.orphan(objects, "the scan is cancelled").await;
        }
    }

    /// Reports the old objects of a scan's folder, and deletes them.
    async fn orphan(&mut self, folder: &Folder, reason: &str) {
        for object in &folder.keys {
            if self.now.since(object.modified) > MIN_ORPHAN_AGE {
                self.orphan_object(object, reason).await;
            }
        }
    }

    async fn orphan_object(&mut self, object: &ListedObject, reason: &str) {
        let days = self.now.since(object.modified).as_secs() / (24 * 60 * 60);
        let detail = format!("{} bytes, {days} days old: {reason}", object.bytes);
        let mut finding = Finding::new(Problem::OrphanObject, object.key.clone(), detail);
        if self.fix {
            let deleted = self.store.delete(&object.key).await;
            finding = finding.repaired(deleted.map(|()| Some("deleted".into())).map_err(Into::into));
        }
        self.add(finding);
    }

    async fn check_exports(&mut self) -> anyhow::Result<()> {
        let mut cursor = None;
        loop {
            let (page, next) = self.store.list_page(EXPORTS, cursor).await?;
            for object in page {
                let is_old = self.now.since(object.modified) > MIN_ORPHAN_AGE;
                if is_old && !self.is_kept_export(&object.key).await? {
                    self.orphan_object(&object, "no such export").await;
                }
            }
            cursor = next;
            if cursor.is_none() {
                break;
            }
        }
        for export in account_exports::system::list_ready(&self.db).await? {
            let key = layout::account_export(&export.account_id, &export.id);
            if self.store.head(&key).await?.is_none() {
                self.add(Finding::new(Problem::MissingObject, key, "of an export that is ready"));
            }
        }
        Ok(())
    }

    /// Returns whether the key is that of an export that has not expired.
    async fn is_kept_export(&self, key: &str) -> anyhow::Result<bool> {
        let name = key.strip_prefix(EXPORTS).and_then(|name| name.strip_suffix(".zip"));
        let Some((account, export)) = name.and_then(|name| name.split_once('/')) else { return Ok(false) };
        let (Ok(account), Ok(export)) = (account.parse::<AccountId>(), export.parse::<ExportId>()) else {
            return Ok(false);
        };
        let row = account_exports::find(&self.db, &account, &export).await?;
        Ok(row.is_some_and(|row| row.state.0 != ExportState::Expired))
    }
}

/// All scans in the order of their ids.
struct Rows {
    db: Db,
    buffer: VecDeque<ScanRow>,
    after: Option<ScanId>,
    is_last: bool,
}

impl Rows {
    async fn next(&mut self) -> anyhow::Result<Option<ScanRow>> {
        if self.buffer.is_empty() && !self.is_last {
            let page = scans::system::list_by_id(&self.db, self.after.as_ref(), PAGE).await?;
            self.is_last = (page.len() as u64) < PAGE;
            self.after = page.last().map(|scan| scan.id.0.clone());
            self.buffer = page.into();
        }
        Ok(self.buffer.pop_front())
    }
}

/// The objects of one scan.
struct Folder {
    /// Name of the folder: the id of the scan.
    scan: String,
    keys: Vec<ListedObject>,
}

/// The folders of all scans, in the order of their names.
struct Folders {
    store: ObjectStore,
    buffer: VecDeque<ListedObject>,
    cursor: Option<String>,
    is_last: bool,
}

impl Folders {
    fn new(store: ObjectStore) -> Self {
        Self { store, buffer: VecDeque::new(), cursor: None, is_last: false }
    }

    async fn next(&mut self) -> anyhow::Result<Option<Folder>> {
        let Some(first) = self.next_object().await? else { return Ok(None) };
        let mut folder = Folder { scan: folder_of(&first.key).to_owned(), keys: vec![first] };
        while let Some(object) = self.next_object().await? {
            if folder_of(&object.key) != folder.scan {
                self.buffer.push_front(object);
                break;
            }
            folder.keys.push(object);
        }
        Ok(Some(folder))
    }

    async fn next_object(&mut self) -> anyhow::Result<Option<ListedObject>> {
        while self.buffer.is_empty() && !self.is_last {
            let (page, cursor) = self.store.list_page(SCANS, self.cursor.take()).await?;
            self.is_last = cursor.is_none();
            self.cursor = cursor;
            self.buffer = page.into();
        }
        Ok(self.buffer.pop_front())
    }
}

/// Returns the name of the folder of a key below `scans/`.
fn folder_of(key: &str) -> &str {
    let path = key.strip_prefix(SCANS).unwrap_or(key);
    path.split_once('/').map_or(path, |(folder, _)| folder)
}
