//! Debian packages: those that are missing, and only those.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Result, bail};

use super::{Needs, say};
use crate::system::{self, command, output_of};

/// How one sees that a package is there without asking the package manager (which is slow).
enum Sign {
    Program(&'static str),
    File(&'static str),
    Postgres,
}

struct Package {
    name: &'static str,
    sign: Sign,
    for_tests_only: bool,
}

const PACKAGES: &[Package] = &[
    Package { name: "ffmpeg", sign: Sign::Program("ffmpeg"), for_tests_only: false },
    Package { name: "espeak-ng", sign: Sign::Program("espeak-ng"), for_tests_only: false },
    Package {
        name: "fonts-dejavu-core",
        sign: Sign::File("/usr/share/fonts/truetype/dejavu/DejaVuSans-Bold.ttf"),
        for_tests_only: false,
    },
    Package { name: "redis-server", sign: Sign::Program("redis-server"), for_tests_only: true },
    Package { name: "postgresql", sign: Sign::Postgres, for_tests_only: true },
];

impl Package {
    fn is_there(&self) -> bool {
        match self.sign {
            Sign::Program(name) => system::program(name).is_some(),
            Sign::File(path) => Path::new(path).is_file(),
            Sign::Postgres => postgres_bin().is_some(),
        }
    }
}

/// The newest folder that holds `initdb` and `postgres`: Debian keeps them off the `PATH`.
pub fn postgres_bin() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut found: Vec<(u32, PathBuf)> = versions
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .filter(|(_, bin)| complete(bin))
        .collect();
    found.sort();
    let on_path = || Some(system::program("initdb")?.parent()?.to_owned()).filter(|bin| complete(bin));
    found.pop().map(|(_, bin)| bin).or_else(on_path)
}

fn complete(bin: &Path) -> bool {
    ["initdb", "postgres", "pg_isready"].iter().all(|name| system::is_executable(&bin.join(name)))
}

/// Installs what is missing; what cannot be installed is added to `missing`.
pub(super) fn ensure(needs: Needs, missing: &mut Vec<String>) {
    let wanted: Vec<&Package> = PACKAGES.iter().filter(|p| needs.tests || !p.for_tests_only).collect();
    let absent = |wanted: &[&Package]| -> Vec<&'static str> {
        wanted.iter().filter(|package| !package.is_there()).map(|package| package.name).collect()
    };
    let names = absent(&wanted);
    if names.is_empty() {
        return;
    }
    say("packages", &format!("installing {}", names.join(" ")));
    if let Err(error) = install(&names) {
        let reason = format!("{error:#}");
        missing.push(format!("the Debian packages {} ({reason})", names.join(" ")));
        return;
    }
    let names = absent(&wanted);
    if !names.is_empty() {
        missing.push(format!("the programs of {}: they were installed but are not found", names.join(" ")));
    }
}

fn install(names: &[&str]) -> Result<()> {
    let Some(apt) = system::program("apt-get") else {
        bail!("this is not Debian: install their like with your system's package manager");
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
    // A stale list still names packages that are gone, so it is always renewed before an install.
    apt_get(&["update", "-q"])?;
    let mut arguments = vec!["install", "-q", "-y", "--no-install-recommends"];
    arguments.extend(names);
    apt_get(&arguments)?;
    Ok(())
}
