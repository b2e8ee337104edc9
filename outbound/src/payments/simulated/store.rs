//! The state of the simulated bank: named facts in collections, in memory or one file each.
//!
//! A fact is written once and never changed. [`Store::put_new`] is atomic and durable and returns
//! whether this call wrote the fact. No locks are needed, and several processes may share a folder.

use std::{
    collections::BTreeMap,
    fs, io,
    io::Write,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use serde::{Serialize, de::DeserializeOwned};
use tempfile::NamedTempFile;

/// Names of the collections. Only `open` and `detached` contain entries that are deleted again.
const COLLECTIONS: [&str; 9] = [
    "payments",
    "confirmations",
    "authenticated",
    "refunds",
    "disputes",
    "secrets",
    "told",
    "open",
    "detached",
];

type Facts = BTreeMap<(&'static str, String), Vec<u8>>;

#[derive(Clone)]
pub(super) enum Store {
    Memory(Arc<Mutex<Facts>>),
    Folder(Arc<PathBuf>),
}

impl Store {
    pub(super) fn in_memory() -> Self {
        Store::Memory(Arc::default())
    }

    pub(super) fn in_folder(folder: &Path) -> io::Result<Self> {
        for collection in COLLECTIONS {
            fs::create_dir_all(folder.join(collection))?;
        }
        Ok(Store::Folder(Arc::new(folder.to_owned())))
    }

    /// Writes a fact unless it exists. Returns whether this call wrote it.
    pub(super) fn put_new<T: Serialize>(
        &self,
        collection: &'static str,
        name: &str,
        fact: &T,
    ) -> io::Result<bool> {
        let bytes = serde_json::to_vec(fact)?;
        match self {
            Store::Memory(facts) => {
                let mut facts = facts.lock().unwrap_or_else(PoisonError::into_inner);
                let key = (collection, name.to_owned());
                let is_new = !facts.contains_key(&key);
                facts.entry(key).or_insert(bytes);
                Ok(is_new)
            }
            Store::Folder(folder) => {
                let Some(file) = file(folder, collection, name) else {
                    return Err(io::ErrorKind::InvalidInput.into());
                };
                let collection = folder.join(collection);
                let mut temporary = NamedTempFile::new_in(&collection)?;
                temporary.write_all(&bytes)?;
                temporary.as_file().sync_all()?;
                match temporary.persist_noclobber(&file) {
                    Ok(_) => {
                        fs::File::open(&collection)?.sync_all()?;
                        Ok(true)
                    }
                    Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
                    Err(error) => Err(error.error),
                }
            }
        }
    }

    pub(super) fn get<T: DeserializeOwned>(
        &self,
        collection: &'static str,
        name: &str,
    ) -> io::Result<Option<T>> {
        let bytes = match self {
            Store::Memory(facts) => {
                let facts = facts.lock().unwrap_or_else(PoisonError::into_inner);
                facts.get(&(collection, name.to_owned())).cloned()
            }
            Store::Folder(folder) => match file(folder, collection, name).map(fs::read) {
                None => None,
                Some(Ok(bytes)) => Some(bytes),
                Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => None,
                Some(Err(error)) => return Err(error),
            },
        };
        Ok(bytes.map(|bytes| serde_json::from_slice(&bytes)).transpose()?)
    }

    pub(super) fn has(&self, collection: &'static str, name: &str) -> io::Result<bool> {
        Ok(self.get::<serde::de::IgnoredAny>(collection, name)?.is_some())
    }

    pub(super) fn remove(&self, collection: &'static str, name: &str) -> io::Result<()> {
        match self {
            Store::Memory(facts) => {
                let mut facts = facts.lock().unwrap_or_else(PoisonError::into_inner);
                facts.remove(&(collection, name.to_owned()));
                Ok(())
            }
            Store::Folder(folder) => match file(folder, collection, name).map(fs::remove_file) {
                Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            },
        }
    }

    /// Returns the names in a collection, sorted.
    pub(super) fn names(&self, collection: &'static str) -> io::Result<Vec<String>> {
        match self {
            Store::Memory(facts) => {
                let facts = facts.lock().unwrap_or_else(PoisonError::into_inner);
                Ok(facts.keys().filter(|(d, _)| *d == collection).map(|(_, name)| name.clone()).collect())
            }
            Store::Folder(folder) => {
                let mut names = Vec::new();
                for entry in fs::read_dir(folder.join(collection))? {
                    let name = entry?.file_name().to_string_lossy().into_owned();
                    // Temporary files of a crashed writer have another suffix.
                    names.extend(name.strip_suffix(".json").map(str::to_owned));
                }
                names.sort_unstable();
                Ok(names)
            }
        }
    }
}

/// Returns the file of a fact, or `None` for an invalid name, because names may come from outside.
fn file(folder: &Path, collection: &str, name: &str) -> Option<PathBuf> {
    let is_name = !name.is_empty()
        && name.len() <= 128
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b))
        && !name.starts_with('.');
    is_name.then(|| folder.join(collection).join(format!("{name}.json")))
}
