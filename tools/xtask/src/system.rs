//! Finds, builds and runs programs.

use std::{
    env,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail};

/// Returns the root of the repository that this program was built from.
pub(crate) fn workspace() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(2).unwrap_or(here).to_owned()
}

/// Finds the first executable file called `name` on the `PATH`.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|file| is_executable(file))
}

/// Returns whether `file` is a regular file that at least one user may execute.
pub(crate) fn is_executable(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(file).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

/// Returns a command without input, for [`output_of`].
pub(crate) fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null());
    command
}

/// Runs `command` and returns its standard output.
///
/// # Errors
/// Returns an error if the command cannot be started or fails. The message has the last lines of
/// its output.
pub(crate) fn output_of(command: &mut Command) -> Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().with_context(|| format!("{name} could not be started"))?;
    if !output.status.success() {
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.push_str(&String::from_utf8_lossy(&output.stderr));
        let lines: Vec<&str> = text.lines().collect();
        let end = lines[lines.len().saturating_sub(15)..].join("\n  ");
        bail!("{name} failed with {}:\n  {end}", output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs `cargo` in the workspace and shows its output.
///
/// # Errors
/// Returns an error if cargo fails.
pub(crate) fn cargo(arguments: &[&str]) -> Result<()> {
    cargo_with_env(arguments, &[])
}

/// Runs `cargo` like [`cargo`], with additional environment variables.
///
/// # Errors
/// Returns an error if cargo fails.
pub(crate) fn cargo_with_env(arguments: &[&str], variables: &[(&str, String)]) -> Result<()> {
    // Cargo sets `CARGO` for the programs it runs; using it keeps the same toolchain.
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(cargo);
    command.args(arguments).current_dir(workspace());
    // The outer cargo sets variables about this package. Build scripts that read them (as ring's
    // does) would run again after each switch between `cargo build` and `cargo xtask`, and rebuild
    // everything above them.
    for (name, _) in env::vars_os() {
        if name
            .to_str()
            .is_some_and(|name| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_"))
        {
            command.env_remove(name);
        }
    }
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    let status = command.status().context("cargo could not be started")?;
    if !status.success() {
        bail!("cargo {} failed with {status}", arguments.join(" "));
    }
    Ok(())
}

/// Runs `cargo build`.
///
/// # Errors
/// Returns an error if the build fails.
pub(crate) fn build(arguments: &[&str]) -> Result<()> {
    cargo(&[&["build"], arguments].concat())
}

/// A cargo profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Profile {
    /// Builds fast; for tests and the demo.
    Dev,
    /// Optimizes everything, as in production.
    Release,
}

/// Builds all programs of the workspace. Building a single package could select other features of
/// its dependencies, and cargo would compile those again.
///
/// # Errors
/// Returns an error if the build fails.
pub(crate) fn build_programs(profile: Profile) -> Result<()> {
    let release: &[_] = if profile == Profile::Release { &["--release"] } else { &[] };
    build(&[&["--workspace", "--bins"], release].concat())
}

/// Builds the programs of the demo: less than [`build_programs`], with the same features of nearly all
/// dependencies, so that a later build of everything continues from there.
///
/// # Errors
/// Returns an error if the build fails.
pub(crate) fn build_demo() -> Result<()> {
    build(&["--package", "cli", "--package", "tests", "--bin", "scan", "--bin", "demo"])
}

/// Returns the path of a program that [`build_programs`] or [`build_demo`] built.
///
/// # Errors
/// Returns an error if the program does not exist.
pub(crate) fn built_program(profile: Profile, name: &str) -> Result<PathBuf> {
    let here = env::current_exe()?;
    let folder = match profile {
        Profile::Dev => "debug",
        Profile::Release => "release",
    };
    let target = here
        .parent()
        .and_then(Path::parent)
        .context("cannot find the target folder: this program is not in one")?;
    let program = target.join(folder).join(name);
    if !is_executable(&program) {
        bail!("{} does not exist; `cargo build` creates it", program.display());
    }
    Ok(program)
}

/// Returns the folder for tools, weights and samples: `$SCAN_CACHE`, else
/// `$XDG_CACHE_HOME/scan-service`, else `$HOME/.cache/scan-service`.
///
/// # Errors
/// Returns an error if none of the three variables is set.
pub(crate) fn cache_folder() -> Result<PathBuf> {
    let set = |name: &str| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("SCAN_CACHE")
        .or_else(|| set("XDG_CACHE_HOME").map(|home| home.join("scan-service")))
        .or_else(|| set("HOME").map(|home| home.join(".cache/scan-service")))
        .context("HOME is not set: set SCAN_CACHE to a folder for tools and weights")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_of_a_failed_command_has_its_last_lines() {
        let error =
            output_of(command("sh").args(["-c", "echo first; echo the reason >&2; exit 3"])).unwrap_err();
        let text = format!("{error:#}");
        assert!(text.contains("the reason") && text.contains('3'), "{text}");
        assert!(output_of(&mut command("no-such-program-here")).is_err());
    }

    #[test]
    fn finds_only_executable_programs_on_the_path() {
        assert!(program("sh").is_some_and(|p| p.is_absolute()));
        assert_eq!(program("no-such-program-here"), None);
        assert!(!is_executable(Path::new("/etc/passwd")));
    }
}
