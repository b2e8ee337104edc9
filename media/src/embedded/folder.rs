//! Stores objects as files: `<root>/<bucket>/<key>`. All functions block; the service calls them on
//! blocking threads.

use std::{
    fs::{self, File, TryLockError},
    io,
    path::{Path, PathBuf},
    sync::{
        PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
};

use super::format::{self, Description};

/// Folder in which objects are written before they are published. No bucket name starts with a dot.
const DRAFTS: &str = ".drafts";
/// Lock file that is held while a server serves the folder.
const LOCK: &str = ".lock";
/// Maximum length of a file name on common file systems.
const MAX_NAME_BYTES: usize = 255;

/// A folder of buckets, locked exclusively.
#[derive(Debug)]
pub(super) struct Folder {
    root: PathBuf,
    drafts: AtomicU64,
    /// Read-locked while an object is renamed into place, so that nobody deletes its parent folders
    /// meanwhile.
    tree: RwLock<()>,
    _lock: File,
}

/// A file that isn't published yet. Deleted on drop unless [`Folder::publish`] was called.
#[derive(Debug)]
pub(super) struct Draft(PathBuf);

impl Drop for Draft {
    fn drop(&mut self) {
        // Fails for a published draft, which was renamed.
        let _ = fs::remove_file(&self.0);
    }
}

/// Reason why an object was not copied.
#[derive(Debug)]
pub(super) enum CopyError {
    /// The source has another version than expected.
    Changed,
    /// The file system failed. The kind is `NotFound` if there is no source.
    Io(io::Error),
}

impl From<io::Error> for CopyError {
    fn from(error: io::Error) -> Self {
        CopyError::Io(error)
    }
}

impl Folder {
    /// Locks the folder, creates it if it doesn't exist, and deletes the drafts of a dead server.
    ///
    /// # Errors
    /// Returns `ResourceBusy` if another server has the folder, and other errors if the file system
    /// fails.
    pub(super) fn open(root: &Path) -> io::Result<Self> {
        fs::create_dir_all(root)?;
        let root = root.canonicalize()?;
        let lock = File::options().create(true).truncate(false).write(true).open(root.join(LOCK))?;
        match lock.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::ResourceBusy.into()),
            Err(TryLockError::Error(error)) => return Err(error),
        }
        let drafts = root.join(DRAFTS);
        match fs::remove_dir_all(&drafts) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => fs::create_dir(&drafts)?,
        }
        Ok(Self { root, drafts: AtomicU64::new(0), tree: RwLock::default(), _lock: lock })
    }

    /// Returns the folder of a bucket, or `None` for an invalid bucket name.
    pub(super) fn bucket(&self, bucket: &str) -> Option<PathBuf> {
        s3s::path::check_bucket_name(bucket).then(|| self.root.join(bucket))
    }

    /// Returns the file of an object, or `None` for a key that isn't supported.
    pub(super) fn object(&self, bucket: &str, key: &str) -> Option<PathBuf> {
        let mut path = self.bucket(bucket)?;
        for part in key.split('/') {
            let plain = !part.is_empty() && part != "." && part != ".." && !part.contains(char::is_control);
            if !plain || part.len() > MAX_NAME_BYTES {
                return None;
            }
            path.push(part);
        }
        Some(path)
    }

    /// Creates a draft to write an object to.
    ///
    /// # Errors
    /// Returns an error if the file system fails.
    pub(super) fn draft(&self) -> io::Result<(Draft, File)> {
        let draft = self.draft_name();
        let file = File::create_new(&draft.0)?;
        Ok((draft, file))
    }

    fn draft_name(&self) -> Draft {
        let number = self.drafts.fetch_add(1, Ordering::Relaxed);
        Draft(self.root.join(DRAFTS).join(number.to_string()))
    }

    /// Completes a draft and publishes it as the object at `path`. Replaces an existing object.
    ///
    /// # Errors
    /// Returns `NotADirectory` or `IsADirectory` if the key conflicts with an existing one.
    pub(super) fn publish(
        &self,
        draft: Draft,
        mut file: File,
        description: &Description,
        path: &Path,
    ) -> io::Result<()> {
        format::append_description(&mut file, description)?;
        // Without the sync, a power failure could keep the rename and lose the bytes.
        file.sync_data()?;
        drop(file);
        self.rename_into_place(&draft, path)
    }

    /// Copies the object at `from` to `to` if `expected` accepts its description. Both share the
    /// bytes, because objects are never modified.
    ///
    /// # Errors
    /// Returns [`CopyError`].
    pub(super) fn copy(
        &self,
        from: &Path,
        to: &Path,
        expected: impl FnOnce(&Description) -> bool,
    ) -> Result<Description, CopyError> {
        if !fs::symlink_metadata(from).map_err(not_found)?.is_file() {
            return Err(CopyError::Io(io::ErrorKind::NotFound.into()));
        }
        // Links before comparing, so that the compared bytes are the copied bytes.
        let draft = self.draft_name();
        match fs::hard_link(from, &draft.0) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(error.into()),
            // The file system supports no hard links, or no more of them.
            Err(_) => {
                fs::copy(from, &draft.0)?;
                File::open(&draft.0)?.sync_data()?;
            }
        }
        let description = format::read(&mut File::open(&draft.0)?)?;
        if !expected(&description) {
            return Err(CopyError::Changed);
        }
        self.rename_into_place(&draft, to)?;
        Ok(description)
    }

    /// Renames a draft to its final path.
    fn rename_into_place(&self, draft: &Draft, path: &Path) -> io::Result<()> {
        let _guard = self.tree.read().unwrap_or_else(PoisonError::into_inner);
        fs::create_dir_all(path.parent().unwrap_or(path))?;
        fs::rename(&draft.0, path)
    }

    /// Deletes an object, if it exists, and the folders that become empty, up to the bucket.
    ///
    /// # Errors
    /// Returns an error if the file system fails.
    pub(super) fn remove(&self, path: &Path, bucket: &Path) -> io::Result<()> {
        match fs::symlink_metadata(path).map_err(not_found) {
            Ok(found) if found.is_file() => {}
            Ok(_) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(error),
        }
        match fs::remove_file(path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let _guard = self.tree.write().unwrap_or_else(PoisonError::into_inner);
        for folder in path.ancestors().skip(1).take_while(|folder| *folder != bucket) {
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }
}

/// Opens an object for reading, positioned at its first byte.
///
/// # Errors
/// Returns `NotFound` if there is no such object.
pub(super) fn open(path: &Path) -> io::Result<(File, Description)> {
    let mut file = File::open(path).map_err(not_found)?;
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::NotFound.into());
    }
    let description = format::read(&mut file)?;
    Ok((file, description))
}

/// Maps `NotADirectory` to `NotFound`: there is no key below an object.
fn not_found(error: io::Error) -> io::Error {
    match error.kind() {
        io::ErrorKind::NotADirectory => io::ErrorKind::NotFound.into(),
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_never_leave_their_bucket() {
        let home = tempfile::tempdir().unwrap();
        let folder = Folder::open(home.path()).unwrap();
        let inside = folder.object("bucket", "a/b.c/…d").unwrap();
        assert!(inside.starts_with(folder.bucket("bucket").unwrap()));
        for key in ["", "/", "a/", "/a", "a//b", ".", "..", "a/../b", "../x", "a/.", "a\0b", "a\nb"] {
            assert_eq!(folder.object("bucket", key), None, "{key:?}");
        }
        assert_eq!(folder.object("bucket", &"x".repeat(300)), None);
        for bucket in ["..", ".drafts", "", "a/b", "Upper"] {
            assert_eq!(folder.object(bucket, "key"), None, "{bucket:?}");
        }
    }

    #[test]
    fn opening_locks_the_folder_and_deletes_old_drafts() {
        let home = tempfile::tempdir().unwrap();
        let folder = Folder::open(home.path()).unwrap();
        assert_eq!(Folder::open(home.path()).unwrap_err().kind(), io::ErrorKind::ResourceBusy);
        let old_draft = home.path().join(DRAFTS).join("7");
        fs::write(&old_draft, "half of an object").unwrap();
        drop(folder);
        Folder::open(home.path()).unwrap();
        assert!(!old_draft.exists());
    }

    #[test]
    fn publishing_survives_concurrent_removal_of_its_folder() {
        let home = tempfile::tempdir().unwrap();
        let folder = Folder::open(home.path()).unwrap();
        let bucket = folder.bucket("bucket").unwrap();
        fs::create_dir(&bucket).unwrap();
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let (folder, bucket) = (&folder, &bucket);
                scope.spawn(move || {
                    let path = folder.object("bucket", &format!("deep/er/{writer}")).unwrap();
                    for _round in 0..500 {
                        let (draft, _) = folder.draft().unwrap();
                        folder.rename_into_place(&draft, &path).unwrap();
                        folder.remove(&path, bucket).unwrap();
                    }
                });
            }
        });
        assert_eq!(fs::read_dir(&bucket).unwrap().count(), 0, "empty folders are deleted");
    }
}
