//! Writes a folder as a `.tar.gz`. The same files give the same bytes.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};
use tar::{Builder, HeaderMode};

/// Writes the archive and returns its SHA-256 in hex. Its paths begin with `name`.
pub(super) fn write(folder: &Path, name: &str, archive: &Path) -> Result<String> {
    let out = BufWriter::new(File::create(archive).with_context(|| format!("{}", archive.display()))?);
    // A time in the header would make each archive differ.
    let mut builder = Builder::new(GzBuilder::new().mtime(0).write(out, Compression::default()));
    builder.mode(HeaderMode::Deterministic);
    let mut files = Vec::new();
    list(folder, &mut files)?;
    files.sort();
    for file in files {
        let inside = Path::new(name).join(file.strip_prefix(folder)?);
        builder.append_path_with_name(&file, &inside).with_context(|| format!("{}", file.display()))?;
    }
    builder.into_inner()?.finish()?.flush()?;
    let mut hasher = Sha256::new();
    io::copy(&mut File::open(archive)?, &mut hasher)?;
    Ok(hex::encode(hasher.finalize()))
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() { list(&path, files)? } else { files.push(path) }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_files_give_the_same_archive() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("root");
        fs::create_dir_all(root.join("bin")).unwrap();
        for (name, text) in [("bin/scan", "program"), ("README.md", "text")] {
            fs::write(root.join(name), text).unwrap();
        }
        let first = write(&root, "scan-1", &folder.path().join("1.tar.gz")).unwrap();
        fs::write(root.join("README.md"), "text").unwrap();
        let second = write(&root, "scan-1", &folder.path().join("2.tar.gz")).unwrap();
        assert_eq!(first, second);
        let bytes = File::open(folder.path().join("2.tar.gz")).unwrap();
        let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(bytes));
        let paths: Vec<_> =
            archive.entries().unwrap().map(|entry| entry.unwrap().path().unwrap().into_owned()).collect();
        assert_eq!(paths, [Path::new("scan-1/README.md"), Path::new("scan-1/bin/scan")]);
    }
}
