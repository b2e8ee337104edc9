//! Lists a bucket in key order. Reads only the folders that the page needs.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Parameters of a listing.
#[derive(Debug)]
pub(super) struct Query {
    /// Prefix of the keys.
    pub(super) prefix: String,
    /// Exclusive lower bound of the keys.
    pub(super) after: String,
    /// Whether keys below a further `/` are grouped to one entry.
    pub(super) group_by_folder: bool,
    /// Maximum number of entries.
    pub(super) limit: usize,
}

/// An entry of a listing.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// An object.
    Object {
        /// The key.
        key: String,
        /// The file.
        path: PathBuf,
    },
    /// A group of keys with this common prefix, which ends with `/`.
    Folder(String),
}

/// Returns a page, and whether there are more entries.
pub(super) fn list(bucket: &Path, query: &Query) -> io::Result<(Vec<Entry>, bool)> {
    // All keys with this prefix are below the folder that the prefix names.
    let base = query.prefix.rfind('/').map_or("", |slash| &query.prefix[..=slash]);
    let is_invalid = |part: &str| part.is_empty() || part == "." || part == "..";
    if base.strip_suffix('/').is_some_and(|base| base.split('/').any(is_invalid)) {
        return Ok((Vec::new(), false));
    }
    let mut entries = Vec::new();
    visit(&bucket.join(base), base, query, &mut entries)?;
    let more = entries.len() > query.limit;
    entries.truncate(query.limit);
    Ok((entries, more))
}

/// Adds the entries in `folder`, whose keys start with `base`, until there is one entry more than
/// the limit.
fn visit(folder: &Path, base: &str, query: &Query, entries: &mut Vec<Entry>) -> io::Result<()> {
    let mut names = Vec::new();
    for entry in ignore_deleted(fs::read_dir(folder))?.into_iter().flatten() {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let Some(kind) = ignore_deleted(entry.file_type())? else { continue };
        // With the slash, folder names sort like the keys below them.
        let slash = if kind.is_dir() { "/" } else { "" };
        if kind.is_dir() || kind.is_file() {
            names.push((format!("{base}{name}{slash}"), entry.path()));
        }
    }
    names.sort();
    for (key, path) in names {
        if entries.len() > query.limit {
            break;
        }
        let has_prefix = key.starts_with(&query.prefix);
        if !key.ends_with('/') {
            if has_prefix && key > query.after {
                entries.push(Entry::Object { key, path });
            }
        } else if has_prefix && query.group_by_folder {
            if key > query.after {
                entries.push(Entry::Folder(key));
            }
        } else if (has_prefix || query.prefix.starts_with(&key))
            && (key > query.after || query.after.starts_with(&key))
        {
            visit(&path, &key, query, entries)?;
        }
    }
    Ok(())
}

/// Converts the error of a file or folder that was deleted meanwhile to `None`.
fn ignore_deleted<T>(outcome: io::Result<T>) -> io::Result<Option<T>> {
    match outcome {
        Ok(found) => Ok(Some(found)),
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// Keys of a few characters around `/`, where orders differ most. Files end with `f` so that no
    /// key is also a folder.
    fn keys() -> impl Strategy<Value = BTreeSet<String>> {
        proptest::collection::btree_set("([ab.0-]{1,2}x/){0,2}[ab.0-]{1,2}f", 0..12)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn pages_add_up_to_the_sorted_keys(keys in keys(), prefix in "([ab.0-]{1,2}x/)?[ab.0-]{0,1}", limit in 1_usize..5) {
            let home = tempfile::tempdir().unwrap();
            for key in &keys {
                let path = home.path().join(key);
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::write(path, "").unwrap();
            }
            let mut found = Vec::new();
            let mut after = String::new();
            loop {
                let query = Query { prefix: prefix.clone(), after, group_by_folder: false, limit };
                let (page, more) = list(home.path(), &query).unwrap();
                prop_assert!(page.len() == limit || !more);
                found.extend(page.into_iter().map(|entry| match entry {
                    Entry::Object { key, .. } => key,
                    Entry::Folder(key) => panic!("unexpected folder {key}"),
                }));
                if !more {
                    break;
                }
                after = found.last().unwrap().clone();
            }
            let expected: Vec<_> = keys.iter().filter(|key| key.starts_with(&prefix)).cloned().collect();
            prop_assert_eq!(found, expected);
        }
    }

    #[test]
    fn groups_keys_by_folder() {
        let home = tempfile::tempdir().unwrap();
        for key in ["a/1", "a/2", "b", "c/d/e"] {
            let path = home.path().join(key);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let query = Query { prefix: String::new(), after: "a/".into(), group_by_folder: true, limit: 9 };
        let (page, more) = list(home.path(), &query).unwrap();
        let object = Entry::Object { key: "b".into(), path: home.path().join("b") };
        assert_eq!((page, more), (vec![object, Entry::Folder("c/".into())], false));
    }

    #[test]
    fn prefix_never_leaves_the_bucket() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join("bucket")).unwrap();
        fs::write(home.path().join("secret"), "").unwrap();
        for prefix in ["../", "../s", "./", "/"] {
            let query =
                Query { prefix: prefix.into(), after: String::new(), group_by_folder: false, limit: 9 };
            assert_eq!(list(&home.path().join("bucket"), &query).unwrap().0, vec![], "{prefix}");
        }
    }
}
