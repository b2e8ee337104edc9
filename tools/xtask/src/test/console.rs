//! Checks of the console's source: the vendored libraries, and the types.

use std::path::Path;

use anyhow::{Context, Result};

use crate::{
    setup::print_step,
    system::{self, command},
};

/// Compares `console/vendor` with the packages of the lock file, generates the types of the API from
/// `openapi.json`, and checks the modules against them.
///
/// # Errors
/// Returns an error with the output of the check that fails.
pub(super) fn check(modules: &Path) -> Result<()> {
    let node = system::program("node").context("Node is missing")?;
    let tests = system::workspace().join("console/tests");
    let run = |script: &Path, arguments: &[&str]| {
        let mut line = command(&node);
        line.current_dir(&tests).env("CONSOLE_NODE_MODULES", modules);
        super::run_in(line.arg(script).args(arguments))
    };
    print_step("vendor", "the console's libraries are those of the lock file");
    run(&tests.join("vendor.mjs"), &["--check"])?;
    print_step("tsc", "types of the console, against openapi.json");
    let generate = modules.join("openapi-typescript/bin/cli.js");
    run(&generate, &["../../openapi.json", "--output", "../types/api.d.ts"])?;
    run(&modules.join("typescript/bin/tsc"), &["--project", "tsconfig.json"])
}
