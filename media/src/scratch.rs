//! Temporary folders that are deleted when the work is done.
//!
//! Each process creates a folder below the configured root, and each task a folder below that. A
//! folder is deleted when its [`Scratch`] is dropped. The next process that starts in the same root
//! deletes the folders of killed processes. It recognises them by a file lock, which the system
//! releases when a process dies. The lock works across containers too, where process ids don't.

use std::{
    fs::{self, DirBuilder, File, TryLockError},
    io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use tempfile::TempDir;

/// Prefix of process folders. The process id (for humans) and random characters follow.
const PREFIX: &str = "scan-scratch-";
/// Lock file in a process folder, held while the process lives.
const OWNER_LOCK: &str = ".owner";
/// Lock file in the root, held while a process folder is created or abandoned ones are deleted.
const ROOT_LOCK: &str = ".scan-scratch.lock";

/// The scratch folder of this process. Clones share it.
#[derive(Debug, Clone)]
pub struct ScratchRoot {
    process_folder: Arc<ProcessFolder>,
}

/// The folder of a process, with the lock that marks it as alive.
#[derive(Debug)]
struct ProcessFolder {
    folder: TempDir,
    _owner: File,
}

/// A folder for one task.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
    /// Keeps the process folder until the last task in it is done.
    _process_folder: Arc<ProcessFolder>,
}

impl ScratchRoot {
    /// Creates a folder for this process below `root` and deletes the folders of dead processes.
    /// Creates `root` if it doesn't exist. Deletes only folders that this program created.
    ///
    /// # Errors
    /// Returns an error if the file system fails. Failures to delete abandoned folders are only
    /// logged.
    pub fn open(root: &Path) -> io::Result<Self> {
        fs::create_dir_all(root)?;
        let root_lock =
            File::options().create(true).truncate(false).write(true).open(root.join(ROOT_LOCK))?;
        root_lock.lock()?;
        remove_abandoned(root)?;
        let folder =
            tempfile::Builder::new().prefix(&format!("{PREFIX}{}-", std::process::id())).tempdir_in(root)?;
        let owner = File::create_new(folder.path().join(OWNER_LOCK))?;
        owner.lock()?;
        Ok(Self { process_folder: Arc::new(ProcessFolder { folder, _owner: owner }) })
    }

    /// Creates an empty folder that only this user can read. `purpose` becomes part of its name.
    ///
    /// # Errors
    /// Returns an error if the file system fails.
    pub fn folder(&self, purpose: &str) -> io::Result<Scratch> {
        let name: String =
            purpose.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(40).collect();
        let folder = tempfile::Builder::new()
            .prefix(&format!("{name}-"))
            .tempdir_in(self.process_folder.folder.path())?;
        Ok(Scratch { folder, _process_folder: self.process_folder.clone() })
    }

    /// Returns the folder of this process.
    pub fn path(&self) -> &Path {
        self.process_folder.folder.path()
    }
}

impl Scratch {
    /// Returns the path of the folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// Returns the path of a file in the folder.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Creates a folder in this folder.
    ///
    /// # Errors
    /// Returns an error if the file system fails.
    pub fn subfolder(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.file(name);
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(path)
    }
}

/// Deletes the folders of dead processes. The caller holds the root lock, so a folder whose owner
/// lock isn't held cannot be one that is being created.
fn remove_abandoned(root: &Path) -> io::Result<()> {
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        let is_process_folder =
            entry.file_name().to_str().is_some_and(has_process_folder_name) && entry.file_type()?.is_dir();
        if is_process_folder && is_abandoned(&entry.path()) {
            match fs::remove_dir_all(entry.path()) {
                Ok(()) => {
                    tracing::info!(folder = %entry.path().display(), "removed the scratch folder of a dead process")
                }
                Err(error) => {
                    tracing::warn!(folder = %entry.path().display(), %error, "cannot remove the scratch folder of a dead process");
                }
            }
        }
    }
    Ok(())
}

/// Returns whether a name has the form that [`ScratchRoot::open`] creates.
fn has_process_folder_name(name: &str) -> bool {
    let pid = name.strip_prefix(PREFIX).and_then(|rest| rest.split_once('-'));
    pid.is_some_and(|(pid, random)| pid.parse::<u32>().is_ok() && !random.is_empty())
}

fn is_abandoned(folder: &Path) -> bool {
    match File::options().write(true).open(folder.join(OWNER_LOCK)) {
        Ok(owner) => match owner.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
        },
        // The process was killed after it created the folder and before it created the lock.
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_deleted_when_dropped() {
        let root = tempfile::tempdir().unwrap();
        let scratch = ScratchRoot::open(root.path()).unwrap();
        let work = scratch.folder("ingest/../x").unwrap();
        assert_eq!(work.path().parent(), Some(scratch.path()));
        fs::write(work.file("frame.jpg"), "pixels").unwrap();
        fs::write(work.subfolder("deep").unwrap().join("file"), "more").unwrap();
        let (path, process_folder) = (work.path().to_owned(), scratch.path().to_owned());
        drop(scratch);
        assert!(path.exists(), "the task keeps the process folder");
        drop(work);
        assert!(!path.exists() && !process_folder.exists());
    }

    #[test]
    fn deletes_only_folders_of_dead_processes() {
        let root = tempfile::tempdir().unwrap();
        let alive = ScratchRoot::open(root.path()).unwrap();
        let make = |name: &str| {
            let folder = root.path().join(name);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join(OWNER_LOCK), "").unwrap();
            fs::write(folder.join("leftover"), "").unwrap();
            folder
        };
        // The id of a living process: only the lock counts.
        let dead = make(&format!("{PREFIX}{}-abc", std::process::id()));
        let unlocked = root.path().join(format!("{PREFIX}7-def"));
        fs::create_dir(&unlocked).unwrap();
        let foreign = [make("someone-elses"), make(&format!("{PREFIX}x-abc")), make(&format!("{PREFIX}7-"))];
        let file = root.path().join(format!("{PREFIX}8-abc"));
        fs::write(&file, "").unwrap();

        let second = ScratchRoot::open(root.path()).unwrap();
        assert!(!dead.exists() && !unlocked.exists());
        assert!(alive.path().exists() && second.path().exists() && file.exists());
        assert!(foreign.iter().all(|folder| folder.join("leftover").exists()));
    }
}
