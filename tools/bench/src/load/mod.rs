//! `bench load`: scans per second on the production-like stack, from the creation to the webhook, compared
//! with bare workflows on the same server, and the processor time of each process.

mod bare;
mod processor_time;

use std::{
    collections::BTreeMap,
    time::{Duration, Instant},
};

use anyhow::Context;
use chaos::{
    stack::{NAMESPACE, Options, Programs, Stack},
    workload::{Account, Funds, Media, Medium, Request},
};
use clap::Args;
use domain::Timestamp;
use futures::stream::{StreamExt, TryStreamExt};
use harness::{Receiver, until};
use serde_json::{Value, json};

use self::processor_time::ProcessorTime;

/// Maximum time until everything that was started has arrived at the receiver.
const WEBHOOK_TIMEOUT: Duration = Duration::from_secs(300);

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
    /// Run with all models.
    #[arg(long)]
    models: bool,
    /// Print one line of JSON instead of indented JSON.
    #[arg(long)]
    json: bool,
}

/// Clients, and the receiver of their webhooks.
struct Load {
    accounts: Vec<Account>,
    media: Media,
    receiver: Receiver,
}

#[tokio::main]
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let receiver = Receiver::start().await?;
    let mut settings = if arguments.models { Vec::new() } else { chaos::without_models() };
    // A few accounts stand for many.
    settings.push(("SCANS__MAX_IN_PROGRESS".to_owned(), "1000".to_owned()));
    let options = Options { settings, ..Options::default() };
    let stack = Stack::start(&arguments.programs, &options, Some(&receiver)).await?;
    let mut accounts = Account::create_all(&stack, &receiver).await?;
    accounts.retain(|account| account.funds == Funds::FreeScans);
    let load = Load { accounts, media: Media::make(), receiver };

    // Fills pools and caches, and tells how many activities a scan has.
    let first = load.scan(0).await?;
    load.await_webhooks(1).await?;
    let dispatches = activities_of(&stack, &first).await?;

    let before = ProcessorTime::of(&stack)?;
    let began = Instant::now();
    load.scan_many(arguments.scans, arguments.concurrency).await?;
    load.await_webhooks(arguments.scans + 1).await?;
    let seconds = began.elapsed().as_secs_f64();
    let spent = ProcessorTime::of(&stack)?.since(&before);

    let bare = bare::per_second(&stack, dispatches, arguments.scans, arguments.concurrency).await?;
    let per_second = arguments.scans as f64 / seconds;
    let cpu_ms_per_scan: BTreeMap<_, _> = spent
        .into_iter()
        .map(|(name, ms)| (name, (ms / arguments.scans as f64 * 10.0).round() / 10.0))
        .collect();
    let line = json!({
        "scans_ratio_to_bare_workflow": per_second / bare,
        "scans_per_second": per_second,
        "bare_workflows_per_second": bare,
        "activities_per_scan": dispatches,
        "cpu_ms_per_scan": cpu_ms_per_scan,
        "webhook_p95_ms": load.webhook_delays_ms()?.percentile(0.95),
        "scans": arguments.scans,
        "concurrency": arguments.concurrency,
        "models": arguments.models,
        "profile": if cfg!(debug_assertions) { "dev" } else { "release" },
        "cores": std::thread::available_parallelism()?.get(),
    });
    crate::print_results(&line, arguments.json)
}

impl Load {
    async fn scan_many(&self, count: usize, concurrency: usize) -> anyhow::Result<()> {
        let scans = (0..count).map(|number| self.scan(number));
        futures::stream::iter(scans).buffer_unordered(concurrency).try_collect::<Vec<_>>().await?;
        Ok(())
    }

    /// Runs one scan until its webhook, and returns its id.
    async fn scan(&self, number: usize) -> anyhow::Result<String> {
        let account = &self.accounts[number % self.accounts.len()];
        let call = async |request: Request| {
            let response = account.caller.insist(&request).await.context("no response")?;
            anyhow::ensure!(response.status.is_success(), "{}: {}", request.describe(), response.body);
            anyhow::Ok(response.body)
        };
        let space = call(Request::post("/spaces", json!({ "name": "A", "space_type": "other" }))).await?;
        let path = format!("/spaces/{}/scans", space["id"].as_str().context("no id")?);
        let scan = call(Request::post(&path, self.media.declaration(Medium::OnePhoto))).await?;
        for (url, content_type, bytes) in self.media.uploads(Medium::OnePhoto, &scan) {
            call(Request::put(&url, content_type, bytes)).await?;
        }
        let id = scan["id"].as_str().context("no id")?.to_owned();
        call(Request::post(&format!("/scans/{id}/start"), json!({}))).await?;
        let event = format!("evt_{id}_completed");
        self.receiver.await_request(WEBHOOK_TIMEOUT, |received| received.event_id == event).await;
        Ok(id)
    }

    async fn await_webhooks(&self, count: usize) -> anyhow::Result<()> {
        until("the webhooks", WEBHOOK_TIMEOUT, async || {
            (self.receiver.received().len() >= count).then_some(())
        })
        .await;
        Ok(())
    }

    /// Returns the times from the end of each scan to the first attempt of its webhook.
    fn webhook_delays_ms(&self) -> anyhow::Result<Delays> {
        let mut delays = Vec::new();
        for received in self.receiver.received() {
            let created: Timestamp = serde_json::from_value(received.json()["created_at"].clone())?;
            delays.push(received.at.since(created).as_secs_f64() * 1_000.0);
        }
        delays.sort_by(f64::total_cmp);
        Ok(Delays(delays))
    }
}

/// Sorted times in milliseconds.
struct Delays(Vec<f64>);

impl Delays {
    /// Returns the smallest time that at least this share of the times does not exceed.
    fn percentile(&self, share: f64) -> f64 {
        let position = (self.0.len() as f64 * share).ceil() as usize;
        self.0.get(position.saturating_sub(1)).copied().unwrap_or_default()
    }
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

#[cfg(test)]
mod tests {
    use super::Delays;

    #[test]
    fn percentile_is_one_of_the_times() {
        let delays = Delays((1..=20).map(f64::from).collect());
        assert!((delays.percentile(0.95) - 19.0).abs() < f64::EPSILON);
        assert!((delays.percentile(1.0) - 20.0).abs() < f64::EPSILON);
    }
}
