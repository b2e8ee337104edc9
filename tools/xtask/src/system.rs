//! Small things asked of the machine: where programs are, running one to its end.

use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};

/// The root of the repository this command was built from.
pub fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// The first executable file called `name` on the `PATH`.
pub fn program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|file| is_executable(file))
}

/// Whether `file` is a file that may be executed by someone.
pub fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(file).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// A command whose output is kept apart and shown only when it fails.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null());
    command
}

/// Runs `command` to its end and returns what it wrote to its standard output.
///
/// # Errors
/// When it cannot be started or does not end well; the message carries the end of what it wrote.
pub fn output_of(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("{name} could not be started"))?;
    if !output.status.success() {
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.push_str(&String::from_utf8_lossy(&output.stderr));
        let lines: Vec<&str> = text.lines().collect();
        let end = lines[lines.len().saturating_sub(15)..].join("\n  ");
        bail!("{name} ended with {}:\n  {end}", output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs `cargo` in the workspace, its output shown as it comes.
///
/// # Errors
/// When it fails.
pub fn cargo(arguments: &[&str]) -> Result<()> {
    cargo_with(arguments, &[])
}

/// As [`cargo`], with more environment variables.
///
/// # Errors
/// When it fails.
pub fn cargo_with(arguments: &[&str], variables: &[(&str, String)]) -> Result<()> {
    // The cargo that runs this command, where it does: the same toolchain.
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut line = Command::new(cargo);
    line.args(arguments).current_dir(workspace());
    // What the outer cargo says of this package: build scripts that ask for it (ring's does) would run again, and
    // all that depends on them be built again, each time someone changes between `cargo build` and `cargo xtask`.
    for (name, _) in env::vars_os() {
        if name
            .to_str()
            .is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"))
        {
            line.env_remove(name);
        }
    }
    line.envs(variables.iter().map(|(name, value)| (name, value)));
    let status = line.status().context("cargo could not be started")?;
    if !status.success() {
        bail!("cargo {} ended with {status}", arguments.join(" "));
    }
    Ok(())
}

/// Runs `cargo build`.
///
/// # Errors
/// When it fails.
pub fn build(arguments: &[&str]) -> Result<()> {
    cargo(&[&["build"], arguments].concat())
}

/// How programs are built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Profile {
    /// As tests and the demo have them: built fast.
    Dev,
    /// As people run them who have many callers: optimized throughout.
    Release,
}

/// Builds every program of the workspace: all together, because cargo builds a dependency anew for each
/// choice of packages that wants other features of it.
///
/// # Errors
/// When it fails.
pub fn build_programs(profile: Profile) -> Result<()> {
    let release: &[_] = if profile == Profile::Release { &["--release"] } else { &[] };
    build(&[&["--workspace", "--bins"], release].concat())
}

/// Where a program is that [`build_programs`] built.
///
/// # Errors
/// When it is not there.
pub fn built(profile: Profile, name: &str) -> Result<PathBuf> {
    let here = env::current_exe()?;
    let folder = match profile {
        Profile::Dev => "debug",
        Profile::Release => "release",
    };
    let target = here.parent().and_then(Path::parent).context("this program is in no target folder")?;
    let program = target.join(folder).join(name);
    if !is_executable(&program) {
        bail!("{} is not there: it is built by `cargo build`", program.display());
    }
    Ok(program)
}

/// The folder for tools and weights: `$SCAN_CACHE`, else `$XDG_CACHE_HOME/scan-service`, else
/// `$HOME/.cache/scan-service`.
///
/// # Errors
/// When none of the three variables is set.
pub fn cache_folder() -> Result<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("SCAN_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|home| home.join("scan-service")))
        .or_else(|| set("HOME").map(|home| home.join(".cache/scan-service")))
        .context("set SCAN_CACHE to a folder for tools and weights: HOME is not set")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_command_tells_its_last_lines() {
        let error =
            output_of(command("sh").args(["-c", "echo first; echo the reason >&2; exit 3"])).unwrap_err();
        let text = format!("{error:#}");
        assert!(text.contains("the reason") && text.contains('3'), "{text}");
        assert!(output_of(&mut command("no-such-program-here")).is_err());
    }

    #[test]
    fn programs_are_found_on_the_path_only_when_executable() {
        assert!(program("sh").is_some_and(|p| p.is_absolute()));
        assert_eq!(program("no-such-program-here"), None);
        assert!(!is_executable(Path::new("/etc/passwd")));
    }
}
