//! `cargo xtask dist`: builds the release archive, from which `scan up` runs on a machine without Rust,
//! Go and Node.

mod archive;
mod licenses;

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::{
    sbom,
    setup::print_step,
    system::{cargo, command, output_of, workspace},
};

/// Options of `cargo xtask dist`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Folder for the archive and its checksum.
    #[arg(long, default_value = "target/dist")]
    out: PathBuf,
    /// Package this binary instead of building one.
    #[arg(long)]
    binary: Option<PathBuf>,
    /// Leave out the engine and the models (380 MB). They are then needed in `SCAN_CACHE`.
    #[arg(long)]
    slim: bool,
}

/// Starts the program with the engine and the models of the archive.
const LAUNCHER: &str = r#"#!/bin/sh
# Starts scan with the engine and the models of this archive.
here=$(dirname "$(readlink -f "$0")")
[ -d "$here/../share/scan-service/models" ] && : "${SCAN_CACHE:=$here/../share/scan-service}" && export SCAN_CACHE
exec "$here/../libexec/scan" "$@"
"#;

/// Runs the command.
///
/// # Errors
/// Returns an error if the build fails, a file is missing, or the disk is full.
pub fn run(arguments: &Arguments) -> Result<()> {
    let binary = match &arguments.binary {
        Some(binary) => binary.clone(),
        None => build()?,
    };
    let version = output_of(command(&binary).arg("--version"))?;
    let version = version.split_whitespace().nth(1).context("`scan --version` prints no version")?;
    let name = format!("scan-service-{version}-{}-linux", std::env::consts::ARCH);
    let staging = tempfile::tempdir()?;
    let root = staging.path().join(&name);
    stage(&root, &binary, arguments.slim)?;
    fs::create_dir_all(&arguments.out)?;
    let file = arguments.out.join(format!("{name}.tar.gz"));
    let checksum = archive::write(&root, &name, &file)?;
    fs::write(arguments.out.join("SHA256SUMS"), format!("{checksum}  {name}.tar.gz\n"))?;
    let megabytes = fs::metadata(&file)?.len() / 1_000_000;
    print_step("dist", &format!("{}: {megabytes} MB, sha256 {checksum}", file.display()));
    Ok(())
}

fn build() -> Result<PathBuf> {
    cargo(&["build", "--release", "--locked", "--package", "cli"])?;
    let metadata = sbom::metadata()?;
    let target = metadata["target_directory"].as_str().context("`cargo metadata` names no target folder")?;
    Ok(Path::new(target).join("release/scan"))
}

/// Collects the files of the archive in a folder.
fn stage(root: &Path, binary: &Path, slim: bool) -> Result<()> {
    let folder = |name: &str| -> Result<PathBuf> {
        let folder = root.join(name);
        fs::create_dir_all(&folder)?;
        Ok(folder)
    };
    copy(binary, &folder("libexec")?.join("scan"), 0o755)?;
    let launcher = folder("bin")?.join("scan");
    fs::write(&launcher, LAUNCHER)?;
    set_mode(&launcher, 0o755)?;
    for name in ["README.md", "LICENSE", "MODELS.md", "CHANGELOG.md", "scan.example.toml"] {
        copy(&workspace().join(name), &root.join(name), 0o644)?;
    }
    for (shell, path) in [
        ("bash", "share/bash-completion/completions/scan"),
        ("zsh", "share/zsh/site-functions/_scan"),
        ("fish", "share/fish/vendor_completions.d/scan.fish"),
    ] {
        let file = root.join(path);
        fs::create_dir_all(file.parent().context("a completion without a folder")?)?;
        fs::write(file, output_of(command(binary).args(["completions", shell]))?)?;
    }
    output_of(command(binary).args(["man", "--out"]).arg(folder("share/man/man1")?))?;
    let metadata = sbom::metadata()?;
    sbom::write(&metadata, &root.join("scan.cdx.json"))?;
    licenses::copy(&metadata, &folder("licenses")?)?;
    if !slim {
        tools(&folder("share/scan-service")?)?;
    }
    Ok(())
}

/// Copies the engine and the models that `cargo xtask setup` installed.
fn tools(folder: &Path) -> Result<()> {
    let cache = crate::system::cache_folder()?;
    let engine = crate::system::program("temporal").unwrap_or_else(|| cache.join("bin/temporal"));
    ensure!(engine.is_file() && cache.join("models").is_dir(), "run `cargo xtask setup` first");
    fs::create_dir_all(folder.join("bin"))?;
    copy(&engine, &folder.join("bin/temporal"), 0o755)?;
    copy_folder(&cache.join("models"), &folder.join("models"))
}

fn copy_folder(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("{}", from.display()))? {
        let path = entry?.path();
        let target = to.join(path.file_name().context("a path without a name")?);
        if path.is_dir() { copy_folder(&path, &target)? } else { copy(&path, &target, 0o644)? }
    }
    Ok(())
}

fn copy(from: &Path, to: &Path, mode: u32) -> Result<()> {
    fs::copy(from, to).with_context(|| format!("{} to {}", from.display(), to.display()))?;
    set_mode(to, mode)
}

fn set_mode(file: &Path, mode: u32) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(file, fs::Permissions::from_mode(mode))?)
}
