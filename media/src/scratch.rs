//! Folders to work in, which do not outlive the work.
//!
//! Each process has a folder below the configured root, and each piece of work one below that. A folder
//! goes when its [`Scratch`] is dropped. What a killed process left is removed by the next one to start
//! there: a lock that the system holds for the process tells its folder from an abandoned one, also
//! across containers, where process ids of neighbours mean nothing.

use std::{
    fs::{self, DirBuilder, File, TryLockError},
    io,
    os::unix::fs::DirBuilderExt,
    path::{Path, PathBuf},
    sync::Arc,
};

use tempfile::TempDir;

/// Names of process folders start with this; then the process id, for people, and something random.
const PREFIX: &str = "scan-scratch-";
/// Lock within a process folder, held while the process lives.
const OWNER_LOCK: &str = ".owner";
/// Lock within the root, held while a process folder is made and locked, or while some are swept.
const ROOT_LOCK: &str = ".scan-scratch.lock";

/// Where this process works. Clones share it.
#[derive(Debug, Clone)]
pub struct ScratchRoot {
    process_folder: Arc<ProcessFolder>,
}

/// The folder of this process.
#[derive(Debug)]
struct ProcessFolder {
    folder: TempDir,
    _owner: File,
}

/// A folder for one piece of work.
#[derive(Debug)]
pub struct Scratch {
    folder: TempDir,
    /// The process folder stays as long as work goes on in it.
    _home: Arc<ProcessFolder>,
}

impl ScratchRoot {
    /// Makes this process a folder below `root`, which is created if need be, and removes those of dead
    /// processes. Only what this program made is removed.
    ///
    /// # Errors
    /// As the file system answers. A leftover that cannot be removed is logged, not an error.
    pub fn open(root: &Path) -> io::Result<Self> {
        fs::create_dir_all(root)?;
        let gate = File::options().create(true).truncate(false).write(true).open(root.join(ROOT_LOCK))?;
        gate.lock()?;
        remove_abandoned(root)?;
        let folder =
            tempfile::Builder::new().prefix(&format!("{PREFIX}{}-", std::process::id())).tempdir_in(root)?;
        let owner = File::create_new(folder.path().join(OWNER_LOCK))?;
        owner.lock()?;
        Ok(Self { process_folder: Arc::new(ProcessFolder { folder, _owner: owner }) })
    }

    /// A new, empty folder that only this user can read. `purpose` becomes part of its name.
    ///
    /// # Errors
    /// As the file system answers.
    pub fn folder(&self, purpose: &str) -> io::Result<Scratch> {
        let name: String =
            purpose.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(40).collect();
        let folder = tempfile::Builder::new()
            .prefix(&format!("{name}-"))
            .tempdir_in(self.process_folder.folder.path())?;
        Ok(Scratch { folder, _home: self.process_folder.clone() })
    }

    /// The folder of this process.
    pub fn path(&self) -> &Path {
        self.process_folder.folder.path()
    }
}

impl Scratch {
    /// The folder.
    pub fn path(&self) -> &Path {
        self.folder.path()
    }

    /// A file in it.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// A new folder within it.
    ///
    /// # Errors
    /// As the file system answers.
    pub fn subfolder(&self, name: &str) -> io::Result<PathBuf> {
        let path = self.file(name);
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(path)
    }
}

/// Removes the folders of dead processes. The caller holds the gate, so that a folder without a locked
/// owner is not one in the making.
fn remove_abandoned(root: &Path) -> io::Result<()> {
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        let ours = entry.file_name().to_str().is_some_and(is_ours) && entry.file_type()?.is_dir();
        if ours && is_abandoned(&entry.path()) {
            match fs::remove_dir_all(entry.path()) {
                Ok(()) => {
                    tracing::info!(folder = %entry.path().display(), "removed a dead process's scratch")
                }
                Err(error) => {
                    tracing::warn!(folder = %entry.path().display(), %error, "leftover scratch stays");
                }
            }
        }
    }
    Ok(())
}

/// Whether a name has the form that [`ScratchRoot::open`] gives.
fn is_ours(name: &str) -> bool {
    let pid = name.strip_prefix(PREFIX).and_then(|rest| rest.split_once('-'));
    pid.is_some_and(|(pid, random)| pid.parse::<u32>().is_ok() && !random.is_empty())
}

fn is_abandoned(folder: &Path) -> bool {
    match File::options().write(true).open(folder.join(OWNER_LOCK)) {
        Ok(owner) => match owner.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock | TryLockError::Error(_)) => false,
        },
        // Killed between making the folder and its lock.
        Err(error) => error.kind() == io::ErrorKind::NotFound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_leaves_nothing() {
        let root = tempfile::tempdir().unwrap();
        let scratch = ScratchRoot::open(root.path()).unwrap();
        let work = scratch.folder("ingest/../x").unwrap();
        assert_eq!(work.path().parent(), Some(scratch.path()));
        fs::write(work.file("frame.jpg"), "pixels").unwrap();
        fs::write(work.subfolder("deep").unwrap().join("file"), "more").unwrap();
        let (path, process_folder) = (work.path().to_owned(), scratch.path().to_owned());
        drop(scratch);
        assert!(path.exists(), "work goes on although the root was dropped");
        drop(work);
        assert!(!path.exists() && !process_folder.exists());
    }

    #[test]
    fn only_the_dead_are_swept() {
        let root = tempfile::tempdir().unwrap();
        let alive = ScratchRoot::open(root.path()).unwrap();
        let make = |name: &str| {
            let folder = root.path().join(name);
            fs::create_dir(&folder).unwrap();
            fs::write(folder.join(OWNER_LOCK), "").unwrap();
            fs::write(folder.join("leftover"), "").unwrap();
            folder
        };
        // The id of a living process: what counts is the lock.
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
