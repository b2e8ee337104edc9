//! `bench load`: scans per second on the production-like stack, from the creation to the webhook, compared
//! with bare workflows on the same server; the processor time of each process; what others notice of a busy
//! account; and how much a second worker helps.

mod bare;
mod busy;
mod clients;
mod processor_time;
mod two_workers;

use std::{collections::BTreeMap, path::PathBuf, time::Instant};

use anyhow::Context;
use chaos::{
    stack::{NAMESPACE, Options, Programs, Stack},
    workload::{Account, Media},
};
use clap::Args;
use harness::Receiver;
use serde_json::{Value, json};

use self::{clients::Clients, processor_time::ProcessorTime};

/// Number of scans at a time that leaves processor time over on two cores.
const UNSATURATED: usize = 2;

#[derive(Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    programs: Programs,
    /// Number of one-photo scans, and of bare workflows.
    #[arg(long, default_value_t = 60)]
    scans: usize,
    /// Number of scans, and of bare workflows, at a time.
    #[arg(long, default_value_t = 18)]
    concurrency: usize,
    /// Number of scans of the busy account.
    #[arg(long, default_value_t = 1_000)]
    busy_scans: usize,
    /// Long video whose observing stage is measured with one and with two workers.
    #[arg(long)]
    video: PathBuf,
    /// Run with all models. Omits the busy account.
    #[arg(long)]
    models: bool,
    /// Print one line of JSON instead of indented JSON.
    #[arg(long)]
    json: bool,
}

#[tokio::main]
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let (mut stack, clients) = start(arguments, arguments.models).await?;
    let mut line = throughput(&stack, &clients, arguments).await?;
    if arguments.models {
        line["two_workers_time_ratio"] =
            json!(two_workers::time_ratio(&mut stack, &clients, &arguments.video).await?);
    } else {
        let alone = line["webhook_p95_ms"].as_f64().context("no delay")?;
        let (busy, count) = (arguments.busy_scans, arguments.scans);
        let beside = busy::measure(&stack, &clients, busy, count, arguments.concurrency).await?;
        line["webhook_p95_ratio_with_hanging_endpoint"] = json!(beside.webhook_p95_ms / alone);
        line["first_scan_delay_ratio_beside_busy_account"] = json!(beside.scan_delay_ratio);
        line["busy_scans"] = json!(busy);
    }
    crate::print_results(&line, arguments.json)
}

/// Starts the stack and its clients.
async fn start(arguments: &Arguments, models: bool) -> anyhow::Result<(Stack, Clients)> {
    let receiver = Receiver::start().await?;
    let settings = if models { Vec::new() } else { chaos::without_models() };
    let options = Options { settings, ..Options::default() };
    let stack = Stack::start(&arguments.programs, &options, Some(&receiver)).await?;
    // An account for each client, so that no client waits for the limit of scans in progress.
    let accounts = Account::with_free_scans(&stack, &receiver, arguments.concurrency).await?;
    Ok((stack, Clients { accounts, media: Media::make(), receiver }))
}

/// Measures many scans, and as many bare workflows.
async fn throughput(stack: &Stack, clients: &Clients, arguments: &Arguments) -> anyhow::Result<Value> {
    let (count, concurrency) = (arguments.scans, arguments.concurrency);
    // Fills pools and caches, and tells how many activities a scan has.
    let first = clients.scan_many(concurrency, concurrency).await?;
    let dispatches = activities_of(stack, &first[0]).await?;

    let before = ProcessorTime::of(stack)?;
    let began = Instant::now();
    let scans = clients.scan_many(count, concurrency).await?;
    let per_second = count as f64 / began.elapsed().as_secs_f64();
    clients.await_responses(&scans).await;
    let spent = ProcessorTime::of(stack)?.since(&before);

    let few = clients.scan_many(count, UNSATURATED).await?;
    let bare = bare::per_second(stack, dispatches, count, concurrency).await?;
    let per_scan = |ms: f64| (ms / count as f64 * 10.0).round() / 10.0;
    let cpu_ms_per_scan: BTreeMap<_, _> = spent.into_iter().map(|(name, ms)| (name, per_scan(ms))).collect();
    Ok(json!({
        "scans_ratio_to_bare_workflow": per_second / bare,
        "scans_per_second": per_second,
        "bare_workflows_per_second": bare,
        "activities_per_scan": dispatches,
        "cpu_ms_per_scan": cpu_ms_per_scan,
        "webhook_p95_ms": clients.webhook_p95_ms(&scans)?,
        "webhook_p95_ms_unsaturated": clients.webhook_p95_ms(&few)?,
        "scans": count,
        "concurrency": concurrency,
        "models": arguments.models,
        "profile": if cfg!(debug_assertions) { "dev" } else { "release" },
        "cores": std::thread::available_parallelism()?.get(),
    }))
}

/// Returns the number of ordinary activities in the workflow of a scan.
async fn activities_of(stack: &Stack, scan: &str) -> anyhow::Result<usize> {
    let mut show = tokio::process::Command::new(cli::serve::temporal::find_command()?);
    show.args(["workflow", "show", "--workflow-id", &format!("scan:{scan}"), "--output", "json"]);
    show.args(["--namespace", NAMESPACE, "--address", &stack.engine_address()]);
    let output = show.output().await?;
    let history: Value = serde_json::from_slice(&output.stdout)
        .with_context(|| String::from_utf8_lossy(&output.stderr).into_owned())?;
    let events = history["events"].as_array().context("no events")?;
    Ok(events.iter().filter(|event| event["eventType"] == "EVENT_TYPE_ACTIVITY_TASK_SCHEDULED").count())
}
