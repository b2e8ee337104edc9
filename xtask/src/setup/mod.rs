//! `cargo xtask setup`: everything the service and its tests need, installed once.
//!
//! Each step looks first, so that a machine where all is done is checked in a fraction of a second.
//! What cannot be installed from here is collected and told in one message at the end.

pub(crate) mod archives;
mod checks;
mod go;
mod packages;
pub mod python;
mod stamp;
mod temporal;
mod verifiers;
mod weights;

use std::{
    fs::{self, File},
    path::PathBuf,
};

use anyhow::{Context, Result, bail};
use clap::Args;

pub use archives::{Archive, Member};
pub use packages::postgres_bin;
pub use weights::WEIGHTS;

use crate::system;

/// What the caller is going to do, and so what must be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Needs {
    /// A PostgreSQL, an S3 server and a stand-in for Stripe to run the tests against, and what else only tests use.
    pub tests: bool,
    /// Whether missing weights are an error; otherwise they are a warning, as the service runs without.
    pub weights_required: bool,
}

impl Needs {
    /// To run the service and show it.
    pub const DEMO: Self = Self { tests: false, weights_required: false };
    /// To run every test.
    pub const TEST: Self = Self { tests: true, weights_required: true };
}

/// Where everything is, once set up.
#[derive(Debug, Clone)]
pub struct Tools {
    /// The Temporal CLI.
    pub temporal: PathBuf,
    /// ffmpeg.
    pub ffmpeg: PathBuf,
    /// ffprobe.
    pub ffprobe: PathBuf,
    /// espeak-ng.
    pub espeak: PathBuf,
    /// The folder of model weights; it exists even when the weights do not.
    pub models_dir: PathBuf,
    /// Whether every weight is there and has its hash.
    pub weights: bool,
    /// The folder with `initdb` and `postgres`, when [`Needs::tests`] asked for it.
    pub postgres_bin: Option<PathBuf>,
    /// An S3 server that is not ours, when [`Needs::tests`] asked for it.
    pub versitygw: Option<PathBuf>,
    /// A stand-in for Stripe, when [`Needs::tests`] asked for it.
    pub stripe_mock: Option<PathBuf>,
    /// Libraries of receivers that verify webhooks, when [`Needs::tests`] asked for them.
    pub verifiers: Option<PathBuf>,
    /// The spell checker, when [`Needs::tests`] asked for it.
    pub typos: Option<PathBuf>,
    /// `cargo-deny`, when [`Needs::tests`] asked for it.
    pub cargo_deny: Option<PathBuf>,
    /// Where the embedded service keeps its data.
    pub data_dir: PathBuf,
    /// The folder of tools and weights.
    pub cache_dir: PathBuf,
}

/// Options of `cargo xtask setup`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// Only what the demo needs: no PostgreSQL, and missing weights are a warning.
    #[arg(long)]
    demo: bool,
}

/// The command.
///
/// # Errors
/// As [`ensure`].
pub fn run(arguments: &Arguments) -> Result<()> {
    let tools = ensure(if arguments.demo { Needs::DEMO } else { Needs::TEST })?;
    say("ready", &format!("tools and weights in {}", tools.cache_dir.display()));
    Ok(())
}

/// Makes sure that what `needs` asks for is there; does nothing where it already is.
///
/// # Errors
/// One message that lists exactly what to install, when something can not be installed from here.
pub fn ensure(needs: Needs) -> Result<Tools> {
    let cache_dir = system::cache_folder()?;
    let models_dir = cache_dir.join("models");
    for folder in [&cache_dir.join("bin"), &models_dir] {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    // Two set-ups at once would install the same thing twice: the second waits for the first.
    let lock = File::create(cache_dir.join("setup.lock"))?;
    lock.lock()?;

    let mut missing = Vec::new();
    packages::ensure(needs, &mut missing);
    let temporal = temporal::ensure(&cache_dir, &mut missing);
    let mut for_tests =
        |program| needs.tests.then(|| go::ensure(program, &cache_dir, &mut missing)).flatten();
    let (versitygw, stripe_mock) = (for_tests(&go::VERSITYGW), for_tests(&go::STRIPE_MOCK));
    let verifiers = if needs.tests { verifiers::ensure(&cache_dir, &mut missing) } else { None };
    let typos = if needs.tests { checks::ensure_typos(&cache_dir, &mut missing) } else { None };
    let cargo_deny = if needs.tests { checks::ensure_cargo_deny(&cache_dir, &mut missing) } else { None };
    let weights = weights::ensure(&models_dir);
    let weights_present = weights.is_ok();
    if let Err(error) = weights {
        if needs.weights_required {
            missing.push(format!("the model weights: {error:#}"));
        } else {
            say("weights", &format!("not there, the service will say what it could not look at: {error:#}"));
        }
    }
    if !missing.is_empty() {
        bail!("not everything could be set up. Still needed:\n  - {}", missing.join("\n  - "));
    }

    let data_dir =
        std::env::var_os("SCAN_DATA").map_or_else(|| system::workspace().join("data"), PathBuf::from);
    if !data_dir.is_dir() {
        fs::create_dir_all(&data_dir).with_context(|| format!("cannot make {}", data_dir.display()))?;
        say("data", &format!("made {}", data_dir.display()));
    }
    let found = |name: &str| system::program(name).with_context(|| format!("{name} is not on the PATH"));
    Ok(Tools {
        temporal: temporal.context("the Temporal CLI is missing")?,
        ffmpeg: found("ffmpeg")?,
        ffprobe: found("ffprobe")?,
        espeak: found("espeak-ng")?,
        models_dir,
        weights: weights_present,
        postgres_bin: packages::postgres_bin(),
        versitygw,
        stripe_mock,
        verifiers,
        typos,
        cargo_deny,
        data_dir,
        cache_dir,
    })
}

/// One line on the standard error: what a step does. (The standard output is for results.)
pub(crate) fn say(step: &str, text: &str) {
    eprintln!("{step:>10}  {text}");
}
