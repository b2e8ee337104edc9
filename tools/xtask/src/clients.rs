//! `cargo xtask clients`, and the checks of the client libraries.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use clap::Args;
use tempfile::TempDir;

use crate::{
    setup::{self, ClientTools, Requirements, print_step},
    system::{self, command, output_of},
};

/// The generated folders below `clients`.
const GENERATED: [&str; 2] = ["python/src/scan_service/generated", "typescript/src/generated"];

/// Options of `cargo xtask clients`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Run the checks that `cargo xtask test` runs, and generate nothing.
    #[arg(long, conflicts_with = "packages")]
    check: bool,
    /// Build both packages into this folder, as the tests against the service use them, and generate
    /// nothing. `SCAN_TEST_CLIENTS` must name the folder that is printed.
    #[arg(long)]
    packages: Option<PathBuf>,
}

/// Generates the client libraries from `openapi.json` again, checks them, or builds their packages.
///
/// # Errors
/// Returns an error if a tool cannot be installed or fails.
pub fn run(arguments: &Arguments) -> Result<()> {
    let installed = setup::ensure(Requirements::TEST)?;
    let tools = installed.clients.context("the generators are missing")?;
    if arguments.check {
        return check(&tools, &installed.cache_dir);
    }
    if let Some(folder) = &arguments.packages {
        fs::create_dir_all(folder)?;
        let packages = build_packages(&tools, &folder.canonicalize()?)?;
        print_step("clients", &format!("packages in {}", packages.display()));
        return Ok(());
    }
    let clients = system::workspace().join("clients");
    for folder in GENERATED {
        fs::remove_dir_all(clients.join(folder)).or_else(|error| match error.kind() {
            std::io::ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        })?;
    }
    generate(&tools, &clients)?;
    let mut unasync = command(tools.python_program("python"));
    output_of(unasync.arg(clients.join("python/scripts/unasync.py")))?;
    print_step("clients", "generated from openapi.json");
    Ok(())
}

/// Writes the generated folders of both libraries below `clients`.
fn generate(tools: &ClientTools, clients: &Path) -> Result<()> {
    let contract = system::workspace().join("openapi.json");
    let sources = system::workspace().join("clients");
    let mut python = command(tools.python_program("openapi-python-client"));
    python.arg("generate").arg("--path").arg(&contract);
    python.arg("--config").arg(sources.join("python/generator.yaml"));
    python.arg("--custom-template-path").arg(sources.join("python/templates"));
    python.args(["--meta", "none", "--overwrite", "--output-path"]).arg(clients.join(GENERATED[0]));
    output_of(&mut python)?;
    let mut typescript = command(tools.node_modules().join(".bin/openapi-typescript"));
    typescript.arg(&contract).arg("--output").arg(clients.join(GENERATED[1]).join("schema.ts"));
    output_of(&mut typescript)?;
    Ok(())
}

/// Checks that the generated code is up to date, then types and unit tests of both libraries.
///
/// # Errors
/// Returns an error that names the failed check.
pub(crate) fn check(tools: &ClientTools, cache: &Path) -> Result<()> {
    print_step("clients", "the client libraries: generated code, types, unit tests");
    let fresh = tempfile::tempdir()?;
    generate(tools, fresh.path())?;
    let clients = system::workspace().join("clients");
    for folder in GENERATED {
        if files_of(&fresh.path().join(folder))? != files_of(&clients.join(folder))? {
            bail!("clients/{folder} is out of date: run `cargo xtask clients`");
        }
    }
    let python = |arguments: &[&str]| {
        let mut python = command(tools.python_program("python"));
        python.args(arguments).current_dir(clients.join("python"));
        python.env("PYTHONPATH", "src").env("PYTHONDONTWRITEBYTECODE", "1");
        output_of(&mut python)
    };
    python(&["scripts/unasync.py", "--check"])?;
    python(&["-m", "mypy", "--cache-dir", &cache.join("mypy").display().to_string()])?;
    python(&["-m", "pytest"])?;
    let work = typescript_copy(tools)?;
    output_of(command(tools.node_modules().join(".bin/tsc")).current_dir(work.path()))?;
    let mut node = command(system::program("node").context("node is missing")?);
    node.arg("--test").args(["tests/out/tests/requests.test.js", "tests/out/tests/webhooks.test.js"]);
    output_of(node.current_dir(work.path()))?;
    Ok(())
}

/// Builds both packages and installs them into a new folder below `parent`, for the tests against the
/// service: `dist` has the wheel and the tarball, `site` the installed wheel, and `node_modules` the
/// unpacked tarball beside its dependencies. `venv` is the Python environment.
///
/// # Errors
/// Returns an error if a package cannot be built.
pub(crate) fn build_packages(tools: &ClientTools, parent: &Path) -> Result<PathBuf> {
    print_step("clients", "building the packages of the client libraries");
    let folder = tempfile::Builder::new().prefix("clients-").tempdir_in(parent)?.keep();
    let dist = folder.join("dist");
    fs::create_dir(&dist)?;

    let mut wheel = command(tools.python_program("pip"));
    wheel.args(["wheel", "--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir"]);
    output_of(wheel.arg(&dist).arg(system::workspace().join("clients/python")))?;
    let mut install = command(tools.python_program("pip"));
    install.args(["install", "--quiet", "--no-deps", "--no-index", "--target"]).arg(folder.join("site"));
    output_of(install.arg(file_in(&dist, "whl")?))?;
    symlink(tools.python_environment(), folder.join("venv"))?;

    let work = typescript_copy(tools)?;
    let build = ["--project", "tsconfig.build.json"];
    output_of(command(tools.node_modules().join(".bin/tsc")).args(build).current_dir(work.path()))?;
    let mut pack = command(system::program("npm").context("npm is missing")?);
    pack.args(["pack", "--ignore-scripts", "--silent", "--pack-destination"]).arg(&dist);
    output_of(pack.current_dir(work.path()))?;
    let package = folder.join("node_modules/scan-service");
    fs::create_dir_all(&package)?;
    for entry in fs::read_dir(tools.node_modules())? {
        let entry = entry?;
        symlink(entry.path(), folder.join("node_modules").join(entry.file_name()))?;
    }
    let mut unpack = command("tar");
    unpack.arg("xzf").arg(file_in(&dist, "tgz")?).args(["--strip-components", "1", "-C"]).arg(&package);
    output_of(&mut unpack)?;
    Ok(folder)
}

/// Returns the file with this extension in a folder.
fn file_in(folder: &Path, extension: &str) -> Result<PathBuf> {
    let mut paths = fs::read_dir(folder)?.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let found = paths.find(|path| path.extension().is_some_and(|found| found == extension));
    found.with_context(|| format!("no .{extension} file in {}", folder.display()))
}

/// Copies the TypeScript package beside its installed dependencies, so that nothing is written into
/// the work tree.
fn typescript_copy(tools: &ClientTools) -> Result<TempDir> {
    let (copy, source) = (tempfile::tempdir()?, system::workspace().join("clients/typescript"));
    for (file, bytes) in files_of(&source)? {
        let top = file.iter().next().and_then(|name| name.to_str()).unwrap_or_default();
        if !["node_modules", "dist"].contains(&top) && !file.starts_with("tests/out") {
            let target = copy.path().join(&file);
            fs::create_dir_all(target.parent().context("a file has a folder")?)?;
            fs::write(target, bytes)?;
        }
    }
    symlink(tools.node_modules(), copy.path().join("node_modules"))?;
    Ok(copy)
}

/// Returns the files below a folder with their contents. Leaves out links, dependencies and caches.
fn files_of(folder: &Path) -> Result<BTreeMap<PathBuf, Vec<u8>>> {
    let mut files = BTreeMap::new();
    let mut folders = vec![PathBuf::new()];
    while let Some(below) = folders.pop() {
        let path = folder.join(&below);
        for entry in fs::read_dir(&path).with_context(|| format!("cannot read {}", path.display()))? {
            let entry = entry?;
            let (name, kind) = (below.join(entry.file_name()), entry.file_type()?);
            let skipped = ["node_modules", "__pycache__"].iter().any(|skipped| name.ends_with(skipped));
            if kind.is_dir() && !skipped {
                folders.push(name);
            } else if kind.is_file() {
                files.insert(name, fs::read(entry.path())?);
            }
        }
    }
    Ok(files)
}
