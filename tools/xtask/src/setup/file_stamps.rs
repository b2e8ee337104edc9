//! Remembers a value for each file (its hash, its version) until the file changes, so that large
//! files are hashed only once.

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Read},
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The value of a file, with the size and the modification time that the file had.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    value: String,
    size: u64,
    modified_ns: i64,
}

/// The stamps of several files, stored in a JSON file beside them.
#[derive(Debug)]
pub(super) struct FileStamps {
    file: PathBuf,
    stamps: BTreeMap<PathBuf, Stamp>,
}

impl FileStamps {
    /// Reads the stamps from `file`. A missing or damaged file counts as empty, which only costs
    /// time.
    pub(super) fn read(file: &Path) -> Self {
        let stamps =
            fs::read(file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        Self { file: file.to_owned(), stamps }
    }

    /// Returns the value of `path`, unless the file has changed since.
    pub(super) fn get(&self, path: &Path) -> Option<&str> {
        let stamp = self.stamps.get(path)?;
        let now = fs::metadata(path).ok()?;
        (stamp.size == now.len() && stamp.modified_ns == modified_ns(&now)).then_some(stamp.value.as_str())
    }

    /// Remembers the value of the file in its current state.
    pub(super) fn set(&mut self, path: &Path, value: &str) -> Result<()> {
        let now =
            fs::metadata(path).with_context(|| format!("cannot read the metadata of {}", path.display()))?;
        let stamp = Stamp { value: value.to_owned(), size: now.len(), modified_ns: modified_ns(&now) };
        self.stamps.insert(path.to_owned(), stamp);
        let text = serde_json::to_vec_pretty(&self.stamps)?;
        let temporary = self.file.with_extension("new");
        fs::write(&temporary, text)?;
        fs::rename(&temporary, &self.file)?;
        Ok(())
    }
}

fn modified_ns(metadata: &fs::Metadata) -> i64 {
    metadata.mtime().saturating_mul(1_000_000_000).saturating_add(metadata.mtime_nsec())
}

/// Returns the SHA-256 of a file, in hex.
pub(super) fn sha256(path: &Path) -> io::Result<String> {
    let mut file = File::open(path)?;
    let mut hash = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        let read = file.read(&mut buffer)?;
        if read == 0 {
            return Ok(hex::encode(hash.finalize()));
        }
        hash.update(&buffer[..read]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forgets_the_value_of_a_changed_file() {
        let folder = tempfile::tempdir().unwrap();
        let (file, stamp_file) = (folder.path().join("weights"), folder.path().join("stamp"));
        fs::write(&file, b"abc").unwrap();
        let mut stamps = FileStamps::read(&stamp_file);
        assert_eq!(stamps.get(&file), None);
        stamps.set(&file, &sha256(&file).unwrap()).unwrap();

        let again = FileStamps::read(&stamp_file);
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(again.get(&file), Some(known));
        fs::write(&file, b"abcd").unwrap();
        assert_eq!(again.get(&file), None);
        fs::write(&stamp_file, b"{ torn").unwrap();
        assert_eq!(FileStamps::read(&stamp_file).get(&file), None);
    }
}
