//! The built packages of the client libraries, and programs that use them.
//!
//! `SCAN_TEST_CLIENTS` names the folder into which `cargo xtask test` installed them.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// Folder with the installed packages.
fn packages() -> PathBuf {
    std::env::var_os("SCAN_TEST_CLIENTS").expect("`cargo xtask test` sets SCAN_TEST_CLIENTS").into()
}

/// Returns the root of the repository.
pub(crate) fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns a command that runs Python with the built wheel.
pub(crate) fn python() -> Command {
    let mut python = Command::new(packages().join("venv/bin/python"));
    python.env("PYTHONPATH", packages().join("site")).env("PYTHONDONTWRITEBYTECODE", "1");
    python
}

/// Returns a command that runs a module with the built tarball. Node finds packages from the module's
/// folder upwards, so the module is copied beside them.
pub(crate) fn node(module: &Path) -> Command {
    let copy = packages().join(module.file_name().unwrap());
    std::fs::copy(module, &copy).unwrap();
    let mut node = Command::new("node");
    node.arg(copy);
    node
}
