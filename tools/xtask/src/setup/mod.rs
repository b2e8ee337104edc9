//! `cargo xtask setup`: installs the tools and model weights that the service and its tests need.
//!
//! Each step first checks what is already installed; on a machine with everything, setup takes a
//! fraction of a second. Requirements that cannot be installed are listed in one error message at
//! the end.

pub(crate) mod archives;
mod checks;
mod clients;
mod console;
mod file_stamps;
mod go;
mod onnxruntime;
mod packages;
pub(crate) mod python;
mod temporal;
mod verifiers;
pub(crate) mod weights;

use std::{
    fs::{self, File},
    path::PathBuf,
};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::system;

pub(crate) use clients::ClientTools;

/// Requirements of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Requirements {
    /// Whether to install the programs that only tests and checks use: PostgreSQL, Redis, curl, jq,
    /// libfaketime, Prometheus, docker-compose (which reads a file and needs no Docker), an S3 server, a Temporal server with its Web UI, stripe-mock, the webhook verifiers,
    /// the tools of the client libraries, Chromium and the tools of the console's tests, typos and cargo-deny.
    pub(crate) tests: bool,
    /// Whether missing weights are an error. Otherwise they are a warning, because the service runs
    /// without them.
    pub(crate) weights_required: bool,
    /// Whether to install onnxruntime, which runs the models faster and which the service does not need.
    pub(crate) onnxruntime: bool,
}

impl Requirements {
    /// Requirements of the demo.
    pub(crate) const DEMO: Self = Self { tests: false, weights_required: false, onnxruntime: false };
    /// Requirements of the tests.
    pub(crate) const TEST: Self = Self { tests: true, weights_required: true, onnxruntime: true };
}

/// Paths of the installed tools.
#[derive(Debug, Clone)]
pub(crate) struct Tools {
    /// The ffmpeg program.
    pub(crate) ffmpeg: PathBuf,
    /// The S3 server, if [`Requirements::tests`] is set.
    pub(crate) versitygw: Option<PathBuf>,
    /// The Temporal server and its companions, if [`Requirements::tests`] is set.
    pub(crate) temporal: Option<TemporalServer>,
    /// The library that shifts the clock of a program, if [`Requirements::tests`] is set.
    pub(crate) faketime: Option<PathBuf>,
    /// The mock of the Stripe API, if [`Requirements::tests`] is set.
    pub(crate) stripe_mock: Option<PathBuf>,
    /// Folder of the webhook verifiers, if [`Requirements::tests`] is set.
    pub(crate) verifiers: Option<PathBuf>,
    /// Generators and test tools of the client libraries, if [`Requirements::tests`] is set.
    pub(crate) clients: Option<ClientTools>,
    /// Folder of the Node modules of the console's tests, if [`Requirements::tests`] is set.
    pub(crate) console_modules: Option<PathBuf>,
    /// The spell checker, if [`Requirements::tests`] is set.
    pub(crate) typos: Option<PathBuf>,
    /// `cargo-deny`, if [`Requirements::tests`] is set.
    pub(crate) cargo_deny: Option<PathBuf>,
    /// Folder of the embedded service's data.
    pub(crate) data_dir: PathBuf,
    /// Folder of tools, weights and samples.
    pub(crate) cache_dir: PathBuf,
}

/// Programs of a Temporal server on PostgreSQL.
#[derive(Debug, Clone)]
pub(crate) struct TemporalServer {
    /// The server.
    pub(crate) server: PathBuf,
    /// The program that creates the tables.
    pub(crate) sql_tool: PathBuf,
    /// The Web UI.
    pub(crate) ui: PathBuf,
}

/// Options of `cargo xtask setup`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Install only what the demo needs: no programs for tests, and missing weights are a warning.
    #[arg(long)]
    demo: bool,
    /// Also install onnxruntime for `perception.models.runtime`. Without `--demo` it is always installed.
    #[arg(long)]
    onnxruntime: bool,
}

/// Runs the command.
///
/// # Errors
/// Returns an error that lists what could not be installed.
pub fn run(arguments: &Arguments) -> Result<()> {
    let demo = Requirements { onnxruntime: arguments.onnxruntime, ..Requirements::DEMO };
    let tools = ensure(if arguments.demo { demo } else { Requirements::TEST })?;
    print_step("ready", &format!("tools and weights in {}", tools.cache_dir.display()));
    Ok(())
}

/// Installs the requirements that are missing and returns the paths of the tools.
///
/// # Errors
/// Returns an error that lists what could not be installed.
pub(crate) fn ensure(requirements: Requirements) -> Result<Tools> {
    let cache_dir = system::cache_folder()?;
    let models_dir = cache_dir.join("models");
    for folder in [&cache_dir.join("bin"), &models_dir] {
        fs::create_dir_all(folder).with_context(|| format!("cannot create {}", folder.display()))?;
    }
    // A second setup that runs at the same time waits for the first.
    let lock = File::create(cache_dir.join("setup.lock"))?;
    lock.lock()?;

    let mut missing = Vec::new();
    packages::ensure(requirements, &mut missing);
    let temporal = temporal::ensure(&cache_dir, &mut missing);
    let mut for_tests =
        |program| requirements.tests.then(|| go::ensure(program, &cache_dir, &mut missing)).flatten();
    let (versitygw, stripe_mock) = (for_tests(&go::VERSITYGW), for_tests(&go::STRIPE_MOCK));
    let servers = [&go::TEMPORAL_SERVER, &go::TEMPORAL_SQL_TOOL, &go::TEMPORAL_UI].map(for_tests);
    let verifiers = if requirements.tests { verifiers::ensure(&cache_dir, &mut missing) } else { None };
    let clients = if requirements.tests { clients::ensure(&cache_dir, &mut missing) } else { None };
    let console_modules = if requirements.tests { console::ensure(&cache_dir, &mut missing) } else { None };
    let typos = if requirements.tests { checks::ensure_typos(&cache_dir, &mut missing) } else { None };
    let cargo_deny =
        if requirements.tests { checks::ensure_cargo_deny(&cache_dir, &mut missing) } else { None };
    if let Err(error) = weights::ensure(&models_dir) {
        if requirements.weights_required {
            missing.push(format!("the model weights: {error:#}"));
        } else {
            print_step(
                "weights",
                &format!("missing, scans will have warnings instead of results: {error:#}"),
            );
        }
    }
    if requirements.onnxruntime {
        onnxruntime::ensure(&cache_dir, &mut missing);
    }
    if !missing.is_empty() {
        bail!("setup is incomplete. Still needed:\n  - {}", missing.join("\n  - "));
    }

    let data_dir =
        std::env::var_os("SCAN_DATA").map_or_else(|| system::workspace().join("data"), PathBuf::from);
    if !data_dir.is_dir() {
        fs::create_dir_all(&data_dir).with_context(|| format!("cannot create {}", data_dir.display()))?;
        print_step("data", &format!("created {}", data_dir.display()));
    }
    let found = |name: &str| system::program(name).with_context(|| format!("{name} is not on the PATH"));
    temporal.context("the Temporal CLI is missing")?;
    for program in ["ffprobe", "espeak-ng"] {
        found(program)?;
    }
    let [server, sql_tool, ui] = servers;
    let temporal_server =
        server.zip(sql_tool).zip(ui).map(|((server, sql_tool), ui)| TemporalServer { server, sql_tool, ui });
    Ok(Tools {
        ffmpeg: found("ffmpeg")?,
        versitygw,
        temporal: temporal_server,
        faketime: packages::faketime_library().filter(|_| requirements.tests),
        stripe_mock,
        verifiers,
        clients,
        console_modules,
        typos,
        cargo_deny,
        data_dir,
        cache_dir,
    })
}

/// Prints a line of progress to the standard error. The standard output is for results.
pub(crate) fn print_step(step: &str, text: &str) {
    eprintln!("{step:>10}  {text}");
}
