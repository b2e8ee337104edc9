//! Objects as files: `<root>/<bucket>/<key>`. Everything here blocks; the service calls it from
//! threads that may.

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

/// Where objects are written before they appear. No bucket name starts with a dot.
const DRAFTS: &str = ".drafts";
/// Held while a server serves the folder.
const LOCK: &str = ".lock";
/// Longest name of a file on the file systems we know.
const MAX_NAME_BYTES: usize = 255;

/// A folder of buckets, held exclusively.
#[derive(Debug)]
pub(super) struct Folder {
    root: PathBuf,
    drafts: AtomicU64,
    /// Shared while an object is placed, so that nobody takes its parent folders away meanwhile.
    tree: RwLock<()>,
    _lock: File,
}

/// A file that is not an object yet. Dropped without [`Folder::publish`], it is gone.
#[derive(Debug)]
pub(super) struct Draft(PathBuf);

impl Drop for Draft {
    fn drop(&mut self) {
        // After a publish there is usually nothing left here.
        let _ = fs::remove_file(&self.0);
    }
}

/// Why a copy was not made.
#[derive(Debug)]
pub(super) enum CopyError {
    /// The source is another version than expected.
    Changed,
    /// The file system failed; `NotFound` when there is no source.
    Io(io::Error),
}

impl From<io::Error> for CopyError {
    fn from(error: io::Error) -> Self {
        CopyError::Io(error)
    }
}

impl Folder {
    /// Takes the folder, creating it if need be, and drops what a dead server was writing.
    ///
    /// # Errors
    /// `ResourceBusy` when another server has it, otherwise as the file system answers.
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

    /// The folder of a bucket, if that is a bucket's name.
    pub(super) fn bucket(&self, bucket: &str) -> Option<PathBuf> {
        s3s::path::check_bucket_name(bucket).then(|| self.root.join(bucket))
    }

    /// The one file that `key` can mean; `None` for a key that we do not keep.
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

    /// Starts writing an object.
    ///
    /// # Errors
    /// As the file system answers.
    pub(super) fn draft(&self) -> io::Result<(Draft, File)> {
        let draft = self.draft_name();
        let file = File::create_new(&draft.0)?;
        Ok((draft, file))
    }

    fn draft_name(&self) -> Draft {
        let number = self.drafts.fetch_add(1, Ordering::Relaxed);
        Draft(self.root.join(DRAFTS).join(number.to_string()))
    }

    /// Completes a draft and makes it the object at `path`, in place of any before it.
    ///
    /// # Errors
    /// `NotADirectory` or `IsADirectory` when the key and another one cannot be kept together.
    pub(super) fn publish(
        &self,
        draft: Draft,
        mut file: File,
        description: &Description,
        path: &Path,
    ) -> io::Result<()> {
        format::append_description(&mut file, description)?;
        // A rename must not survive a power cut that its bytes do not.
        file.sync_data()?;
        drop(file);
        self.rename_into_place(&draft, path)
    }

    /// Makes the object at `from` also the one at `to`, if `expected` agrees to its description. The
    /// bytes are shared: no object is ever written to again.
    ///
    /// # Errors
    /// See [`CopyError`].
    pub(super) fn copy(
        &self,
        from: &Path,
        to: &Path,
        expected: impl FnOnce(&Description) -> bool,
    ) -> Result<Description, CopyError> {
        if !fs::symlink_metadata(from).map_err(not_found)?.is_file() {
            return Err(CopyError::Io(io::ErrorKind::NotFound.into()));
        }
        // The link is taken first: what is compared is then what is copied.
        let draft = self.draft_name();
        match fs::hard_link(from, &draft.0) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(error.into()),
            // A file system without links, or with no more of them.
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

    /// Renames a draft to where it belongs.
    fn rename_into_place(&self, draft: &Draft, path: &Path) -> io::Result<()> {
        let _shared = self.tree.read().unwrap_or_else(PoisonError::into_inner);
        fs::create_dir_all(path.parent().unwrap_or(path))?;
        fs::rename(&draft.0, path)
    }

    /// Removes an object if there is one, and the folders it leaves empty, up to the bucket.
    ///
    /// # Errors
    /// As the file system answers.
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
        let _alone = self.tree.write().unwrap_or_else(PoisonError::into_inner);
        for folder in path.ancestors().skip(1).take_while(|folder| *folder != bucket) {
            if fs::remove_dir(folder).is_err() {
                break;
            }
        }
        Ok(())
    }
}

/// Opens an object for reading, at its first byte.
///
/// # Errors
/// `NotFound` when there is none.
pub(super) fn open(path: &Path) -> io::Result<(File, Description)> {
    let mut file = File::open(path).map_err(not_found)?;
    if !file.metadata()?.is_file() {
        return Err(io::ErrorKind::NotFound.into());
    }
    let description = format::read(&mut file)?;
    Ok((file, description))
}

/// A key below an object is absent like any other.
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
    fn a_key_is_one_path_below_its_bucket_or_none() {
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
    fn one_server_at_a_time_and_no_leftovers() {
        let home = tempfile::tempdir().unwrap();
        let folder = Folder::open(home.path()).unwrap();
        assert_eq!(Folder::open(home.path()).unwrap_err().kind(), io::ErrorKind::ResourceBusy);
        let left = home.path().join(DRAFTS).join("7");
        fs::write(&left, "half of an object").unwrap();
        drop(folder);
        Folder::open(home.path()).unwrap();
        assert!(!left.exists());
    }

    #[test]
    fn placing_survives_the_removal_of_its_folder() {
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
        assert_eq!(fs::read_dir(&bucket).unwrap().count(), 0, "empty folders go");
    }
}
