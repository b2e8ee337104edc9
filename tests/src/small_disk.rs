//! A disk that a test can fill.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// A small file system in memory. It is unmounted when dropped.
#[derive(Debug)]
pub struct SmallDisk(PathBuf);

impl SmallDisk {
    /// Mounts a file system, if the kernel allows it. `size` has the syntax of tmpfs, for example `64m`.
    ///
    /// # Panics
    /// Panics if the folder cannot be created.
    pub fn mount(folder: &Path, size: &str) -> Option<Self> {
        std::fs::create_dir_all(folder).expect("the folder of the disk");
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(folder)
            .output();
        match mounted {
            Ok(output) if output.status.success() => Some(Self(folder.to_owned())),
            Ok(output) => {
                eprintln!("note: no small disk: {}", String::from_utf8_lossy(&output.stderr).trim());
                None
            }
            Err(error) => {
                eprintln!("note: no small disk: {error}");
                None
            }
        }
    }

    /// Returns the folder of the file system.
    pub fn folder(&self) -> &Path {
        &self.0
    }

    /// Fills the disk until this many bytes are left.
    ///
    /// # Panics
    /// Panics if the disk cannot be written for another reason than its size.
    pub fn fill(&self, left: u64) {
        let statistics = nix::sys::statvfs::statvfs(&self.0).expect("a mounted disk");
        let free = statistics.blocks_available() * statistics.fragment_size();
        let filler = vec![0; usize::try_from(free.saturating_sub(left)).expect("a small disk")];
        // The file system may need some of the space itself.
        if let Err(error) = std::fs::write(self.0.join("filler"), filler) {
            assert_eq!(error.kind(), std::io::ErrorKind::StorageFull);
        }
    }

    /// Deletes what [`SmallDisk::fill`] wrote.
    ///
    /// # Panics
    /// Panics if the disk was not filled.
    pub fn empty(&self) {
        std::fs::remove_file(self.0.join("filler")).expect("a filled disk");
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        // Its processes have ended.
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}
