//! WorkFiles of a stage that fails are not left behind.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use image::RgbImage;
use image::codecs::jpeg::JpegEncoder;
use sha2::{Digest, Sha256};

use crate::{CancelFlag, PerceptionError};

/// WorkFiles made in a work folder; removed when dropped, unless they were handed over.
pub(super) struct WorkFiles {
    folder: PathBuf,
    made: Vec<String>,
}

impl WorkFiles {
    pub(super) fn new(folder: &Path) -> WorkFiles {
        WorkFiles { folder: folder.to_owned(), made: Vec::new() }
    }

    /// The path of a file to be made by someone else.
    pub(super) fn reserve(&mut self, name: &str) -> PathBuf {
        self.made.push(name.to_owned());
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

    /// Removes a file that turned out not to be needed.
    pub(super) fn remove(&mut self, name: &str) {
        self.made.retain(|made| made != name);
        let _ = std::fs::remove_file(self.folder.join(name));
    }

    /// Gives a file its final name.
    pub(super) fn rename(&mut self, from: &str, to: &str) -> Result<(), PerceptionError> {
        let target = self.reserve(to);
        std::fs::rename(self.folder.join(from), &target)
            .map_err(|e| PerceptionError::internal(format!("renaming to {}", target.display()), e))?;
        self.made.retain(|made| made != from);
        Ok(())
    }

    /// The files are someone else's now.
    pub(super) fn keep(mut self) {
        self.made.clear();
    }
}

impl Drop for WorkFiles {
    fn drop(&mut self) {
        for name in &self.made {
            let _ = std::fs::remove_file(self.folder.join(name));
        }
    }
}

/// SHA-256 (hex) and size of a file, read in pieces.
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
