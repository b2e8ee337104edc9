//! Files that a stage writes into its work folder.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use image::RgbImage;
use image::codecs::jpeg::JpegEncoder;
use sha2::{Digest, Sha256};

use crate::{CancelFlag, PerceptionError};

/// Files written by a stage. They are removed on drop unless [`WorkFiles::keep`] was called.
pub(super) struct WorkFiles {
    folder: PathBuf,
    written: Vec<String>,
}

impl WorkFiles {
    pub(super) fn new(folder: &Path) -> WorkFiles {
        WorkFiles { folder: folder.to_owned(), written: Vec::new() }
    }

    /// Returns the path for a file that other code writes, and registers it for removal.
    pub(super) fn reserve(&mut self, name: &str) -> PathBuf {
        self.written.push(name.to_owned());
        self.folder.join(name)
    }

    /// Writes a picture as JPEG.
    pub(super) fn jpeg(
        &mut self,
        name: &str,
        picture: &RgbImage,
        quality: u8,
    ) -> Result<(), PerceptionError> {
        let path = self.reserve(name);
        let failed = |e: std::io::Error| PerceptionError::internal(format!("writing {}", path.display()), e);
        let mut out = BufWriter::new(File::create(&path).map_err(failed)?);
        JpegEncoder::new_with_quality(&mut out, quality)
            .encode_image(picture)
            .map_err(|e| failed(std::io::Error::other(e)))?;
        out.flush().map_err(failed)
    }

    /// Removes a file that is no longer needed.
    pub(super) fn remove(&mut self, name: &str) {
        self.written.retain(|written| written != name);
        let _ = std::fs::remove_file(self.folder.join(name));
    }

    /// Renames a file.
    pub(super) fn rename(&mut self, from: &str, to: &str) -> Result<(), PerceptionError> {
        let target = self.reserve(to);
        std::fs::rename(self.folder.join(from), &target)
            .map_err(|e| PerceptionError::internal(format!("renaming to {}", target.display()), e))?;
        self.written.retain(|written| written != from);
        Ok(())
    }

    /// Keeps the files in the work folder.
    pub(super) fn keep(mut self) {
        self.written.clear();
    }
}

impl Drop for WorkFiles {
    fn drop(&mut self) {
        for name in &self.written {
            let _ = std::fs::remove_file(self.folder.join(name));
        }
    }
}

/// Returns the SHA-256 (hex) and the size of a file. Calls `heartbeat` after every MiB.
pub(super) fn sha256_and_size(
    path: &Path,
    cancel: &CancelFlag,
    heartbeat: &dyn Fn(),
) -> Result<(String, u64), PerceptionError> {
    let failed = |e| PerceptionError::internal(format!("reading {}", path.display()), e);
    let mut file = File::open(path).map_err(failed)?;
    let (mut hash, mut size) = (Sha256::new(), 0);
    let mut buffer = vec![0; 1 << 20];
    loop {
        let read = file.read(&mut buffer).map_err(failed)?;
        if read == 0 {
            return Ok((hex::encode(hash.finalize()), size));
        }
        hash.update(&buffer[..read]);
        size += read as u64;
        cancel.check()?;
        heartbeat();
    }
}
