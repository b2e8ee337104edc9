//! `scan doctor`: compares database, engine, storage and bank with each other, and repairs what can
//! be repaired with `--fix`.
//!
//! Without `--fix` it changes nothing. It may run beside the service at any time: every check leaves
//! out what changed a moment ago, and every repair checks again in its transaction.
#![allow(clippy::print_stdout, reason = "the command prints its result")]

mod finding;
mod money;
mod objects;
mod outbox;
mod platform;
mod scans;

use std::path::PathBuf;

use activities::{Reconciler, UpkeepSchedules};
use anyhow::{Context as _, bail};
use clap::Args;
use domain::Timestamp;
use entities::Db;
use media::{ObjectStore, ffmpeg::Isolation};
use outbound::payments::PaymentProviders;
use serde_json::json;
use workflows::client::{self, Engine, EngineError};

pub use finding::{Finding, Problem};

use crate::{admin, config::Config};

/// Least time for one call of the engine, in milliseconds.
const MIN_TIMEOUT_MS: u64 = 30_000;

/// Compare database, engine, storage and bank with each other, and repair differences.
#[derive(Debug, Args)]
pub struct DoctorArgs {
    /// Data folder of a running `scan up`. Without it, the configured services are checked.
    #[arg(long, env = "SCAN_DATA")]
    data: Option<PathBuf>,
    /// Configuration file (TOML).
    #[arg(long, env = "SCAN_CONFIG")]
    config: Option<PathBuf>,
    /// Repair what can be repaired, and delete orphan objects older than a day.
    #[arg(long)]
    fix: bool,
    /// Print the findings as JSON.
    #[arg(long)]
    json: bool,
}

/// What the checks need.
struct Examination<'a> {
    config: &'a Config,
    db: Db,
    store: ObjectStore,
    engine: Engine,
    banks: PaymentProviders,
    now: Timestamp,
    /// Whether findings are repaired.
    fix: bool,
    findings: Vec<Finding>,
}

/// Runs the command and prints the findings.
///
/// # Errors
/// Returns an error if the configuration is invalid, the database cannot be reached, or a finding
/// remains that was not repaired.
pub async fn run(args: DoctorArgs) -> anyhow::Result<()> {
    let config = admin::load_config(args.data.as_deref(), args.config.as_deref())?;
    let findings = examine(&config, args.fix).await?;
    // `None` on a machine without a decoder.
    let isolation = media::ffmpeg::isolation(&config.perception.ffmpeg).ok();
    if args.json {
        println!("{}", json!({ "findings": findings, "decoder_isolation": isolation }));
    } else {
        print(&findings);
        print_isolation(isolation);
    }
    let remaining = findings.iter().filter(|finding| finding.repair.is_none()).count();
    match remaining {
        0 => Ok(()),
        1 => bail!("1 finding"),
        _ => bail!("{remaining} findings"),
    }
}

/// Examines an installation, and repairs what it finds if `fix` is set.
///
/// # Errors
/// Returns an error if the configuration is invalid or the database cannot be reached.
pub async fn examine(config: &Config, fix: bool) -> anyhow::Result<Vec<Finding>> {
    let db = Db::connect(&config.database).await.context("cannot connect to the database")?;
    let mut examination = Examination {
        db,
        store: ObjectStore::new(&config.storage)?,
        engine: engine_for_checks(&config.engine),
        banks: PaymentProviders::open(&config.outbound.payments)?,
        now: Timestamp::now(),
        config,
        fix,
        findings: Vec::new(),
    };
    examination.run().await?;
    examination.findings.sort_by(|a, b| (a.problem, &a.subject).cmp(&(b.problem, &b.subject)));
    Ok(examination.findings)
}

/// Returns a handle on the engine that waits longer than a request of the API may: an engine that is
/// slow is no finding.
fn engine_for_checks(settings: &client::Settings) -> Engine {
    let answer_within_ms = settings.answer_within_ms.max(MIN_TIMEOUT_MS);
    let settings = client::Settings { answer_within_ms, ..settings.clone() };
    Engine::new(settings, format!("scan-doctor@{}", std::process::id()))
}

impl Examination<'_> {
    async fn run(&mut self) -> anyhow::Result<()> {
        if !self.check_schema().await? {
            // The other checks may read columns that do not exist.
            return Ok(());
        }
        self.check_database_clock().await?;
        if let Err(error) = self.check_engine_and_scans().await {
            let detail = error.downcast::<EngineError>()?.to_string();
            self.add(Finding::new(Problem::EngineUnavailable, self.config.engine.address.clone(), detail));
        }
        self.check_outbox().await?;
        if let Err(error) = self.check_objects().await {
            let error = error.downcast::<media::objects::Error>()?;
            let detail = error.to_string();
            self.add(Finding::new(Problem::StorageUnavailable, self.config.storage.endpoint.clone(), detail));
        }
        self.check_money().await
    }

    /// Makes the checks that need the engine. If it stops responding in the middle, what was found
    /// until then is kept.
    async fn check_engine_and_scans(&mut self) -> anyhow::Result<()> {
        self.check_engine_clock().await?;
        self.check_schedules().await?;
        self.check_queues().await?;
        self.check_scans().await?;
        self.check_workflows().await
    }

    fn add(&mut self, finding: Finding) {
        self.findings.push(finding);
    }

    fn reconciler(&self) -> Reconciler {
        let Config { retries, scans, reconciler, .. } = self.config;
        Reconciler::new(self.db.clone(), self.engine.clone(), *retries, scans.max_outage(), *reconciler)
    }

    fn schedules(&self) -> UpkeepSchedules {
        UpkeepSchedules::new(self.engine.clone(), self.config.reconciler, self.config.upkeep)
    }
}

fn print(findings: &[Finding]) {
    for Finding { problem, subject, detail, repair } in findings {
        let detail = if detail.is_empty() { String::new() } else { format!(": {detail}") };
        let repair = repair.as_ref().map(|repair| format!(" [{repair}]")).unwrap_or_default();
        println!("{} {subject}{detail}{repair}", problem.as_str());
    }
    if findings.is_empty() {
        println!("no findings");
    }
}

fn print_isolation(isolation: Option<Isolation>) {
    let Some(Isolation { namespaces, files, processes, system_calls }) = isolation else {
        println!("decoders: none on this machine");
        return;
    };
    let parts = [
        (namespaces, "namespaces of their own"),
        (files, "only their own files"),
        (processes, "no signals to other processes"),
        (system_calls, "no sockets and no new processes"),
    ];
    for (is_in_force, part) in parts {
        println!("decoders on this machine have {part}: {}", if is_in_force { "yes" } else { "no" });
    }
}
