//! Remembers which files were already checked, so that big files are hashed once and not at each start.

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

/// What a file looked like when it was last found right.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    value: String,
    size: u64,
    modified_ns: i64,
}

/// A small file beside the files it speaks of.
#[derive(Debug)]
pub(super) struct Stamp {
    file: PathBuf,
    seen: BTreeMap<PathBuf, Seen>,
}

impl Stamp {
    /// Reads the stamp; a missing or damaged one knows nothing, which only costs time.
    pub(super) fn read(file: &Path) -> Self {
        let seen =
            fs::read(file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        Self { file: file.to_owned(), seen }
    }

    /// What was remembered of `path`, if the file has not changed since.
    pub(super) fn get(&self, path: &Path) -> Option<&str> {
        let seen = self.seen.get(path)?;
        let now = fs::metadata(path).ok()?;
        (seen.size == now.len() && seen.modified_ns == modified_ns(&now)).then_some(seen.value.as_str())
    }

    /// Remembers `value` of the file as it is now.
    pub(super) fn set(&mut self, path: &Path, value: &str) -> Result<()> {
        let now = fs::metadata(path).with_context(|| format!("cannot look at {}", path.display()))?;
        let seen = Seen { value: value.to_owned(), size: now.len(), modified_ns: modified_ns(&now) };
        self.seen.insert(path.to_owned(), seen);
        let text = serde_json::to_vec_pretty(&self.seen)?;
        let temporary = self.file.with_extension("new");
        fs::write(&temporary, text)?;
        fs::rename(&temporary, &self.file)?;
        Ok(())
    }
}

fn modified_ns(metadata: &fs::Metadata) -> i64 {
    metadata.mtime().saturating_mul(1_000_000_000).saturating_add(metadata.mtime_nsec())
}

/// The SHA-256 of a file, in hex.
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
    fn a_changed_file_is_no_longer_known() {
        let folder = tempfile::tempdir().unwrap();
        let (file, stamp_file) = (folder.path().join("weights"), folder.path().join("stamp"));
        fs::write(&file, b"abc").unwrap();
        let mut stamp = Stamp::read(&stamp_file);
        assert_eq!(stamp.get(&file), None);
        stamp.set(&file, &sha256(&file).unwrap()).unwrap();

        let again = Stamp::read(&stamp_file);
        let known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(again.get(&file), Some(known));
        fs::write(&file, b"abcd").unwrap();
        assert_eq!(again.get(&file), None);
        fs::write(&stamp_file, b"{ torn").unwrap();
        assert_eq!(Stamp::read(&stamp_file).get(&file), None);
    }
}
