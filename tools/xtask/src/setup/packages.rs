//! Installs the Debian packages that are missing.

use std::path::{Path, PathBuf};

use anyhow::{Result, bail};

use super::{Requirements, print_step};
use crate::system::{self, command, output_of};

/// Evidence that a package is installed. Querying the package manager would be slow.
enum Evidence {
    Program(&'static str),
    File(&'static str),
    Postgres,
    Faketime,
}

struct Package {
    name: &'static str,
    evidence: Evidence,
    for_tests_only: bool,
}

const PACKAGES: &[Package] = &[
    Package { name: "ffmpeg", evidence: Evidence::Program("ffmpeg"), for_tests_only: false },
    Package { name: "espeak-ng", evidence: Evidence::Program("espeak-ng"), for_tests_only: false },
    Package {
        name: "fonts-dejavu-core",
        evidence: Evidence::File("/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf"),
        for_tests_only: false,
    },
    Package { name: "curl", evidence: Evidence::Program("curl"), for_tests_only: true },
    Package { name: "jq", evidence: Evidence::Program("jq"), for_tests_only: true },
    Package { name: "redis-server", evidence: Evidence::Program("redis-server"), for_tests_only: true },
    Package { name: "libfaketime", evidence: Evidence::Faketime, for_tests_only: true },
    Package { name: "chromium", evidence: Evidence::Program("chromium"), for_tests_only: true },
    Package { name: "prometheus", evidence: Evidence::Program("promtool"), for_tests_only: true },
    Package { name: "docker-compose", evidence: Evidence::Program("docker-compose"), for_tests_only: true },
    Package { name: "postgresql", evidence: Evidence::Postgres, for_tests_only: true },
];

impl Package {
    fn is_installed(&self) -> bool {
        match self.evidence {
            Evidence::Program(name) => system::program(name).is_some(),
            Evidence::File(path) => Path::new(path).is_file(),
            Evidence::Postgres => temporary_postgres::installed().is_some(),
            Evidence::Faketime => faketime_library().is_some(),
        }
    }
}

/// Finds the library that shows a program another time. Debian has a folder for each architecture.
pub(super) fn faketime_library() -> Option<PathBuf> {
    let folders = std::fs::read_dir("/usr/lib").ok()?.flatten();
    let mut files = folders.map(|folder| folder.path().join("faketime/libfaketime.so.1"));
    files.find(|file| file.is_file())
}

/// Installs the missing packages. Adds to `missing` the packages that cannot be installed.
pub(super) fn ensure(requirements: Requirements, missing: &mut Vec<String>) {
    let required: Vec<&Package> =
        PACKAGES.iter().filter(|p| requirements.tests || !p.for_tests_only).collect();
    let missing_of = |required: &[&Package]| -> Vec<&'static str> {
        required.iter().filter(|package| !package.is_installed()).map(|package| package.name).collect()
    };
    let names = missing_of(&required);
    if names.is_empty() {
        return;
    }
    print_step("packages", &format!("installing {}", names.join(" ")));
    if let Err(error) = install(&names) {
        let reason = format!("{error:#}");
        missing.push(format!("the Debian packages {} ({reason})", names.join(" ")));
        return;
    }
    let names = missing_of(&required);
    if !names.is_empty() {
        missing.push(format!(
            "the programs of {}: the packages were installed, but the programs are not found",
            names.join(" ")
        ));
    }
}

fn install(names: &[&str]) -> Result<()> {
    let Some(apt) = system::program("apt-get") else {
        bail!("this is not Debian: install the equivalent packages with your package manager");
    };
    let apt_get = |arguments: &[&str]| {
        let mut line = if nix::unistd::geteuid().is_root() {
            command(&apt)
        } else {
            let mut sudo = command("sudo");
            sudo.arg("-n").arg(&apt);
            sudo
        };
        line.env("DEBIAN_FRONTEND", "noninteractive");
        output_of(line.args(arguments))
    };
    if !nix::unistd::geteuid().is_root() && output_of(command("sudo").args(["-n", "true"])).is_err() {
        bail!("not root, and sudo asks for a password: run `sudo apt-get install {}`", names.join(" "));
    }
    // An outdated list may name package versions that the mirror no longer has.
    apt_get(&["update", "-q"])?;
    let mut arguments = vec!["install", "-q", "-y", "--no-install-recommends"];
    arguments.extend(names);
    apt_get(&arguments)?;
    Ok(())
}
