//! One run: a calm scan of each medium, then faults while clients work, then the checks.

use std::{collections::BTreeMap, time::Duration};

use clap::Args;
use harness::Receiver;
use serde::Serialize;

use crate::{
    checks::{self, Baseline, Examined},
    faults::{Durations, Faults},
    plan::{self, SERVICE_DATABASE, TEMPORAL_DATABASE, WORKER_WITH_SMALL_DISK},
    sabotage::Sabotage,
    stack::{Options, Programs, Stack},
    watch::Watch,
    workload::{Account, Behaviour, Media, Medium, Workload, run_scan},
};

/// Pause of a client between two scans, on average.
const CLIENT_PAUSE: Duration = Duration::from_secs(12);
/// Maximum time in which everything settles after the last fault.
const SETTLE_TIME: Duration = Duration::from_secs(300);
/// Divisor of the pauses in a short run.
const SHORT_HURRY: u64 = 3;

/// Options of `chaos run`.
#[derive(Debug, Args)]
pub struct Arguments {
    #[command(flatten)]
    programs: Programs,
    /// Seed of the plan of faults and of the clients.
    #[arg(long)]
    seed: u64,
    /// Number of processes to kill.
    #[arg(long)]
    kills: usize,
    /// Duration of an outage of storage or database, in seconds.
    #[arg(long, default_value_t = 90)]
    outage_seconds: u64,
    /// Duration of every other fault that lasts, in seconds.
    #[arg(long, default_value_t = 20)]
    disturbance_seconds: u64,
    /// Make every fault short, for the test.
    #[arg(long)]
    short: bool,
    /// Break something on purpose. The checks must find it.
    #[arg(long, value_enum)]
    sabotage: Option<Sabotage>,
    /// Keep the folder of the stack, with all logs.
    #[arg(long)]
    keep: bool,
    /// Print the result as one line of JSON.
    #[arg(long)]
    pub json: bool,
}

/// The result of a run.
#[derive(Debug, Serialize)]
pub struct Report {
    /// The seed.
    pub seed: u64,
    /// What the checks found.
    pub violations: Vec<String>,
    /// Number of kills.
    pub kills: usize,
    /// Number of scans that clients created.
    pub scans: usize,
    /// Scans by status at the end.
    pub scans_by_outcome: BTreeMap<String, usize>,
    /// Kills by process.
    pub kills_by_process: BTreeMap<String, usize>,
    /// Kills by the states of the scans that were open then.
    pub kills_by_state: BTreeMap<String, usize>,
    /// Kills while an activity waited at a failpoint, by failpoint.
    pub kills_by_failpoint: BTreeMap<String, usize>,
    /// Other faults by kind.
    pub outages: BTreeMap<String, usize>,
    /// Faults that this machine does not allow.
    pub impossible: Vec<String>,
    /// How much the checks examined.
    pub examined: Examined,
    /// Number of looks at the scans in progress, and the most of one account.
    pub looks: usize,
    /// The largest number of scans of one account in progress.
    pub most_in_progress: i64,
    /// Number of times that Temporal's server ended by itself.
    pub temporal_restarts: usize,
    /// What was broken on purpose.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sabotage: Option<Sabotage>,
}

impl Report {
    /// Returns whether the checks found nothing, or everything that was broken on purpose.
    pub fn is_as_expected(&self) -> bool {
        let found = |part: &&str| self.violations.iter().any(|violation| violation.contains(*part));
        self.sabotage.map_or(self.violations.is_empty(), |sabotage| sabotage.expected().iter().all(found))
    }
}

/// Runs the command and returns its result.
///
/// # Errors
/// Returns an error if the stack cannot be started or does not respond to the checks.
pub async fn run(arguments: &Arguments) -> anyhow::Result<Report> {
    let receiver = Receiver::start().await?;
    let options = Options {
        settings: settings(arguments.sabotage),
        small_disks: vec![WORKER_WITH_SMALL_DISK.to_owned()],
        folder: None,
    };
    let mut stack = Stack::start(&arguments.programs, &options, Some(&receiver)).await?;
    if arguments.keep {
        eprintln!("chaos: folder {}", stack.keep_folder().display());
    }
    let result = on_stack(arguments, &mut stack, &receiver).await;
    if result.as_ref().is_ok_and(|report| !report.is_as_expected()) {
        eprintln!("chaos: logs in {}", stack.keep_folder().display());
    }
    result
}

async fn on_stack(arguments: &Arguments, stack: &mut Stack, receiver: &Receiver) -> anyhow::Result<Report> {
    let accounts = Account::create_all(stack, receiver).await?;
    let workload = Workload::new(accounts, Media::make(), CLIENT_PAUSE);
    let baseline = calm_run(stack, &workload).await?;
    eprintln!("chaos: the calm run is complete");

    let mut processes = stack.process_names();
    processes.retain(|name| name != "temporal-ui");
    processes.extend([SERVICE_DATABASE, TEMPORAL_DATABASE].map(str::to_owned));
    let hurry = if arguments.short { SHORT_HURRY } else { 1 };
    let plan = plan::make(arguments.seed, arguments.kills, hurry, &processes);
    eprintln!("chaos: plan {}", serde_json::to_string(&plan)?);
    let seconds = |seconds| Duration::from_secs(if arguments.short { 2 } else { seconds });
    let durations = Durations {
        outage: seconds(arguments.outage_seconds),
        disturbance: seconds(arguments.disturbance_seconds),
    };
    let watch = Watch::start(stack.database().await?);
    let mut clients = workload.start(arguments.seed);
    let faketime = arguments.programs.faketime.clone();
    let done = Faults::new(stack, receiver, &watch, durations, faketime).run(&plan).await?;

    workload.stop();
    while let Some(client) = clients.join_next().await {
        client?;
    }
    stack.await_ready().await?;
    let db = stack.database().await?;
    eprintln!("chaos: the last fault is over, {} scans", workload.created());
    let open = checks::await_settled(stack, &db, SETTLE_TIME).await?;
    let mut violations: Vec<String> = open.iter().map(|work| format!("{work} did not end")).collect();
    violations.extend(watch.violations());
    for (process, (times, last)) in &done.unexpected_ends {
        violations.push(format!("{process} ended by itself {times} times, at last with: {last}"));
    }
    if let Some(sabotage) = arguments.sabotage {
        sabotage.change_records(stack, &db).await?;
    }
    let (found, examined) = checks::run(stack, &db, &workload, receiver, &baseline).await?;
    violations.extend(found);
    let (looks, most_in_progress) = watch.summary();
    Ok(Report {
        seed: arguments.seed,
        violations,
        kills: done.kills_by_process.values().sum(),
        scans: workload.created(),
        scans_by_outcome: checks::scans_by_status(&db).await?,
        kills_by_process: done.kills_by_process,
        kills_by_state: done.kills_by_state,
        kills_by_failpoint: done.kills_by_failpoint,
        outages: done.outages,
        impossible: done.impossible,
        examined,
        looks,
        most_in_progress,
        temporal_restarts: done.temporal_restarts,
        sabotage: arguments.sabotage,
    })
}

/// Scans each medium once while nothing fails.
async fn calm_run(stack: &mut Stack, workload: &Workload) -> anyhow::Result<BTreeMap<Medium, Baseline>> {
    let mut baseline = BTreeMap::new();
    for medium in [&Medium::READABLE[..], &[Medium::Damaged]].concat() {
        let behaviour = if medium == Medium::Damaged { Behaviour::Damaged } else { Behaviour::Scan };
        run_scan(workload, 0, behaviour, medium, false).await;
        let db = stack.database().await?;
        let open = checks::await_settled(stack, &db, SETTLE_TIME).await?;
        anyhow::ensure!(open.is_empty(), "the calm run did not end: {open:?}");
        let records = workload.records();
        let complaints = workload.complaints();
        let record = records.last().ok_or_else(|| anyhow::anyhow!("no calm scan: {complaints:?}"))?;
        baseline.insert(medium, Baseline::of(stack, &workload.accounts[0].caller, record).await?);
        db.close().await?;
    }
    Ok(baseline)
}

/// Returns the settings of a run: no models, and retries of webhooks that end within the run.
fn settings(sabotage: Option<Sabotage>) -> Vec<(String, String)> {
    let mut settings = crate::without_models();
    let retries = [("FIRST_WAIT_MS", "500"), ("LONGEST_WAIT_MS", "5000"), ("RETRIES", "60")];
    settings.extend(retries.map(|(name, value)| (format!("RETRIES__{name}"), value.to_owned())));
    settings.extend(sabotage.map(Sabotage::settings).unwrap_or_default());
    settings
}
