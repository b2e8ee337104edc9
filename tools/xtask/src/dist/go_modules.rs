//! The Go modules that the Temporal CLI is built from, and the folders of their sources.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::{
    setup::print_step,
    system::{self, command, output_of},
};

/// A Go module.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Module {
    /// Path and version, for example `go.temporal.io/server@v1.29.1`.
    pub(super) name: String,
    /// Folder of its sources in the module cache. It may be absent.
    pub(super) folder: PathBuf,
}

/// Reads the modules from the build information in a Go program, and downloads their sources where they are
/// absent.
pub(super) fn of_program(program: &Path) -> Result<Vec<Module>> {
    let go =
        system::program("go").context("Go must be on the PATH: it lists the modules of the Temporal CLI")?;
    let cache = output_of(command(&go).args(["env", "GOMODCACHE"]))?;
    let information = output_of(command(&go).args(["version", "-m"]).arg(program))?;
    let modules = modules(&information, Path::new(cache.trim()));
    download(&go, &modules)?;
    Ok(modules)
}

/// Downloads the sources that are absent: the program may come from a package. A module without a version, for
/// example of a build from a working tree, cannot be downloaded.
fn download(go: &Path, modules: &[Module]) -> Result<()> {
    let absent = modules.iter().filter(|module| !module.folder.is_dir() && !module.name.ends_with(')'));
    let names: Vec<&str> = absent.map(|module| module.name.as_str()).collect();
    if names.is_empty() {
        return Ok(());
    }
    print_step("go", &format!("downloading the sources of {} modules, for their licences", names.len()));
    // Outside of any module, whose file would be changed.
    let folder = tempfile::tempdir()?;
    output_of(command(go).args(["mod", "download"]).args(names).current_dir(folder.path()))?;
    Ok(())
}

/// Parses the output of `go version -m`. A replaced module is followed by its replacement.
fn modules(information: &str, cache: &Path) -> Vec<Module> {
    let mut modules = Vec::new();
    for line in information.lines() {
        let mut words = line.split_whitespace();
        let kind = words.next();
        if kind == Some("=>") {
            modules.pop();
        }
        if let (Some("mod" | "dep" | "=>"), Some(path), Some(version)) = (kind, words.next(), words.next()) {
            let name = format!("{path}@{version}");
            let folder = cache.join(escape(&name));
            modules.push(Module { name, folder });
        }
    }
    modules
}

/// Returns the path of a module in the cache, where an upper-case letter is an exclamation mark and the
/// lower-case letter.
fn escape(name: &str) -> String {
    let mut escaped = String::new();
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            escaped.push('!');
        }
        escaped.push(letter.to_ascii_lowercase());
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_and_their_replacements_are_read_from_a_program() {
        let information = "temporal: go1.26\n\tpath\tgithub.com/t/cli/cmd/temporal\n\
                           \tmod\tgithub.com/t/cli\tv1.5.1\th1:x=\n\
                           \tdep\tgithub.com/BurntSushi/toml\tv1.5.0\th1:y=\n\
                           \tdep\texample.com/old\tv1.0.0\n\t=>\texample.com/new\tv1.0.1\th1:z=\n\
                           \tbuild\t-compiler=gc\n";
        let found = modules(information, Path::new("/cache"));
        let folders: Vec<_> = found.iter().map(|module| module.folder.to_str().unwrap()).collect();
        assert_eq!(
            folders,
            [
                "/cache/github.com/t/cli@v1.5.1",
                "/cache/github.com/!burnt!sushi/toml@v1.5.0",
                "/cache/example.com/new@v1.0.1"
            ]
        );
        assert_eq!(found[1].name, "github.com/BurntSushi/toml@v1.5.0");
    }
}
