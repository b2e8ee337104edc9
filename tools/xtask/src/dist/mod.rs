//! `cargo xtask dist`: builds the release archive, from which `scan up` runs on a machine without Rust,
//! Go and Node. `docs/install.md` explains its use.

mod archive;
mod go_modules;
mod licenses;

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use clap::Args;

use crate::{
    sbom,
    setup::{print_step, weights},
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
    /// Leave out the Temporal CLI and the models. `scan up` then needs them in `SCAN_CACHE`.
    #[arg(long)]
    slim: bool,
    /// Write the files as a folder instead of an archive.
    #[arg(long)]
    unpacked: bool,
}

/// Starts the program with the Temporal CLI and the models of the archive.
const LAUNCHER: &str = r#"#!/bin/sh
# Starts scan with the Temporal CLI and the models of this archive, unless SCAN_CACHE names others.
here=$(dirname "$(readlink -f "$0")")
if [ -d "$here/../share/scan-service/models" ]; then
    export SCAN_CACHE="${SCAN_CACHE:-$here/../share/scan-service}"
fi
exec "$here/../libexec/scan" "$@"
"#;

/// Files of the repository that the archive contains, with their names in it.
const FILES: [(&str, &str); 5] = [
    ("docs/install.md", "README.md"),
    ("LICENSE", "LICENSE"),
    ("MODELS.md", "MODELS.md"),
    ("CHANGELOG.md", "CHANGELOG.md"),
    ("scan.example.toml", "scan.example.toml"),
];

/// Runs the command.
///
/// # Errors
/// Returns an error if the build fails, a file is missing, or the disk is full.
pub fn run(arguments: &Arguments) -> Result<()> {
    let binary = match &arguments.binary {
        Some(binary) => binary.canonicalize().with_context(|| format!("{}", binary.display()))?,
        None => build()?,
    };
    let version = output_of(command(&binary).arg("--version"))?;
    let version = version.split_whitespace().nth(1).context("`scan --version` prints no version")?;
    let slim = if arguments.slim { "-slim" } else { "" };
    let name = format!("scan-service-{version}-{}-linux{slim}", std::env::consts::ARCH);
    fs::create_dir_all(&arguments.out)?;
    // Beside its target, so that an unpacked folder can be renamed.
    let staging = tempfile::tempdir_in(&arguments.out)?;
    let root = staging.path().join(&name);
    stage(&root, &binary, arguments.slim)?;
    if arguments.unpacked {
        let folder = arguments.out.join(&name);
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::rename(&root, &folder)?;
        print_step("dist", &folder.display().to_string());
        return Ok(());
    }
    let file = arguments.out.join(format!("{name}.tar.gz"));
    let checksum = archive::write(&root, &name, &file)?;
    // In the format of `sha256sum --check`.
    fs::write(arguments.out.join(format!("{name}.tar.gz.sha256")), format!("{checksum}  {name}.tar.gz\n"))?;
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
    copy(binary, &root.join("libexec/scan"), 0o755)?;
    let launcher = folder("bin")?.join("scan");
    fs::write(&launcher, LAUNCHER)?;
    set_mode(&launcher, 0o755)?;
    for (source, name) in FILES {
        copy(&workspace().join(source), &root.join(name), 0o644)?;
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
    let licenses = folder("licenses")?;
    licenses::of_binary(&metadata, &licenses)?;
    if !slim {
        let engine = tools(&folder("share/scan-service")?)?;
        licenses::of_tools(&engine, &licenses)?;
    }
    Ok(())
}

/// Copies the Temporal CLI and the models that `cargo xtask setup` installed. Returns the path of the CLI.
fn tools(folder: &Path) -> Result<PathBuf> {
    let cache = crate::system::cache_folder()?;
    let engine = crate::system::program("temporal").unwrap_or_else(|| cache.join("bin/temporal"));
    ensure!(engine.is_file(), "the Temporal CLI is not installed: run `cargo xtask setup` first");
    let models = cache.join("models");
    for file in weights::files()? {
        ensure!(
            models.join(&file).is_file(),
            "the model weights {file} are not in {}: run `cargo xtask setup` first",
            models.display()
        );
        copy(&models.join(&file), &folder.join("models").join(&file), 0o644)?;
    }
    copy(&engine, &folder.join("bin/temporal"), 0o755)?;
    Ok(engine)
}

/// Copies a file to a folder, which is created.
fn copy(from: &Path, to: &Path, mode: u32) -> Result<()> {
    fs::create_dir_all(to.parent().context("a file without a folder")?)?;
    fs::copy(from, to).with_context(|| format!("{} to {}", from.display(), to.display()))?;
    set_mode(to, mode)
}

fn set_mode(file: &Path, mode: u32) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::set_permissions(file, fs::Permissions::from_mode(mode))?)
}
