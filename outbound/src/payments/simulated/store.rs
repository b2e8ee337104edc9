//! The bank's books: named facts in a few drawers, in memory or one file each.
//!
//! A fact is written once and never changed ([`Store::put_new`] is atomic and durable, and says who
//! came first), so there are no locks, and several processes may share a folder.

use std::{
    collections::BTreeMap,
    fs, io,
    io::Write,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use serde::{Serialize, de::DeserializeOwned};
use tempfile::NamedTempFile;

/// Every drawer there is; `open` and `detached` hold notes that are taken out again.
const DRAWERS: [&str; 9] = [
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
        for drawer in DRAWERS {
            fs::create_dir_all(folder.join(drawer))?;
        }
        Ok(Store::Folder(Arc::new(folder.to_owned())))
    }

    /// Writes a fact unless there is one by that name; whether this call wrote it.
    pub(super) fn put_new<T: Serialize>(
        &self,
        drawer: &'static str,
        name: &str,
        fact: &T,
    ) -> io::Result<bool> {
        let bytes = serde_json::to_vec(fact)?;
        match self {
            Store::Memory(facts) => {
                let mut facts = facts.lock().unwrap_or_else(PoisonError::into_inner);
                let key = (drawer, name.to_owned());
                let is_new = !facts.contains_key(&key);
                facts.entry(key).or_insert(bytes);
                Ok(is_new)
            }
            Store::Folder(folder) => {
                let Some(file) = file(folder, drawer, name) else {
                    return Err(io::ErrorKind::InvalidInput.into());
                };
                let drawer = folder.join(drawer);
                let mut temporary = NamedTempFile::new_in(&drawer)?;
                temporary.write_all(&bytes)?;
                temporary.as_file().sync_all()?;
                match temporary.persist_noclobber(&file) {
                    Ok(_) => {
                        fs::File::open(&drawer)?.sync_all()?;
                        Ok(true)
                    }
                    Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
                    Err(error) => Err(error.error),
                }
            }
        }
    }

    pub(super) fn get<T: DeserializeOwned>(&self, drawer: &'static str, name: &str) -> io::Result<Option<T>> {
        let bytes = match self {
            Store::Memory(facts) => {
                let facts = facts.lock().unwrap_or_else(PoisonError::into_inner);
                facts.get(&(drawer, name.to_owned())).cloned()
            }
            Store::Folder(folder) => match file(folder, drawer, name).map(fs::read) {
                None => None,
                Some(Ok(bytes)) => Some(bytes),
                Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => None,
                Some(Err(error)) => return Err(error),
            },
        };
        Ok(bytes.map(|bytes| serde_json::from_slice(&bytes)).transpose()?)
    }

    pub(super) fn has(&self, drawer: &'static str, name: &str) -> io::Result<bool> {
        Ok(self.get::<serde::de::IgnoredAny>(drawer, name)?.is_some())
    }

    pub(super) fn remove(&self, drawer: &'static str, name: &str) -> io::Result<()> {
        match self {
            Store::Memory(facts) => {
                let mut facts = facts.lock().unwrap_or_else(PoisonError::into_inner);
                facts.remove(&(drawer, name.to_owned()));
                Ok(())
            }
            Store::Folder(folder) => match file(folder, drawer, name).map(fs::remove_file) {
                Some(Err(error)) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            },
        }
    }

    /// The names in a drawer, sorted.
    pub(super) fn names(&self, drawer: &'static str) -> io::Result<Vec<String>> {
        match self {
            Store::Memory(facts) => {
                let facts = facts.lock().unwrap_or_else(PoisonError::into_inner);
                Ok(facts.keys().filter(|(d, _)| *d == drawer).map(|(_, name)| name.clone()).collect())
            }
            Store::Folder(folder) => {
                let mut names = Vec::new();
                for entry in fs::read_dir(folder.join(drawer))? {
                    let name = entry?.file_name().to_string_lossy().into_owned();
                    // What a writer that died left behind ends otherwise.
                    names.extend(name.strip_suffix(".json").map(str::to_owned));
                }
                names.sort_unstable();
                Ok(names)
            }
        }
    }
}

/// The file of a fact; nothing for a name that is not one of ours (it may come from outside).
fn file(folder: &Path, drawer: &str, name: &str) -> Option<PathBuf> {
    let is_name = !name.is_empty()
        && name.len() <= 128
        && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.".contains(&b))
        && !name.starts_with('.');
    is_name.then(|| folder.join(drawer).join(format!("{name}.json")))
}
