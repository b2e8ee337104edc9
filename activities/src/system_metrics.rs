//! Metrics of the whole installation: what waits in the database and in the engine's task queues.
//!
//! Every process shows the same values, so that any one of them can be scraped and none is special; a
//! query takes their maximum. They are read when they are scraped, at most once in [`FRESH`], with a
//! time limit, and statements of bounded cost ([`entities::backlog`]). While the database or the engine
//! does not respond, its gauges are absent rather than old, and `scan_source_up` is 0.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use domain::Timestamp;
use entities::{Db, backlog, checks};
use prometheus::{GaugeVec, IntGaugeVec, Opts, Registry};
use tokio::{sync::Mutex, time::timeout};
use workflows::client::{Engine, QueueStats};

/// Time for which values are shared by all scrapes.
const FRESH: Duration = Duration::from_secs(5);
/// Maximum time to read the database, and to ask the engine.
const TIMEOUT: Duration = Duration::from_secs(3);

/// Gauges of the whole installation. Cheap to clone.
#[derive(Clone)]
pub struct SystemMetrics {
    inner: Arc<Inner>,
}

struct Inner {
    db: Db,
    engine: Engine,
    gauges: Gauges,
    /// Time of the last read.
    read_at: Mutex<Option<Instant>>,
}

struct Gauges {
    source_up: IntGaugeVec,
    outbox_entries: IntGaugeVec,
    outbox_parked: IntGaugeVec,
    outbox_oldest: GaugeVec,
    scans: IntGaugeVec,
    scans_oldest: GaugeVec,
    scans_idle: GaugeVec,
    deliveries_pending: IntGaugeVec,
    mismatches: IntGaugeVec,
    check_age: GaugeVec,
    queue_backlog: IntGaugeVec,
    queue_backlog_age: GaugeVec,
    queue_add_rate: GaugeVec,
    queue_dispatch_rate: GaugeVec,
    queue_pollers: IntGaugeVec,
}

impl SystemMetrics {
    /// Registers the gauges.
    ///
    /// # Errors
    /// Returns an error if the registry already has metrics with these names.
    pub fn new(db: Db, engine: Engine, registry: &Registry) -> prometheus::Result<Self> {
        let gauges = Gauges::new(registry)?;
        Ok(Self { inner: Arc::new(Inner { db, engine, gauges, read_at: Mutex::new(None) }) })
    }

    /// Reads the values, unless they are fresh. Concurrent calls read them once.
    pub async fn refresh(&self) {
        let Inner { db, engine, gauges, read_at } = self.inner.as_ref();
        let mut read_at = read_at.lock().await;
        if read_at.is_some_and(|at| at.elapsed() < FRESH) {
            return;
        }
        let (database, queues) =
            tokio::join!(timeout(TIMEOUT, read_database(db)), timeout(TIMEOUT, engine.queue_stats()));
        gauges.show_database(database.ok().and_then(Result::ok));
        gauges.show_queues(queues.ok().and_then(Result::ok));
        *read_at = Some(Instant::now());
    }
}

/// What the database says.
struct DatabaseBacklog {
    outbox: Vec<backlog::OutboxBacklog>,
    scans: Vec<backlog::ScanBacklog>,
    pending_deliveries: u64,
    checks: Vec<checks::CheckResult>,
}

async fn read_database(db: &Db) -> entities::Result<DatabaseBacklog> {
    Ok(DatabaseBacklog {
        outbox: backlog::outbox(db).await?,
        scans: backlog::scans(db).await?,
        pending_deliveries: backlog::pending_deliveries(db).await?,
        checks: checks::results(db).await?,
    })
}

/// Registers gauges.
struct Registrar<'a>(&'a Registry);

impl Registrar<'_> {
    fn integers(&self, name: &str, help: &str, labels: &[&str]) -> prometheus::Result<IntGaugeVec> {
        let gauges = IntGaugeVec::new(Opts::new(name, help), labels)?;
        self.0.register(Box::new(gauges.clone()))?;
        Ok(gauges)
    }

    fn numbers(&self, name: &str, help: &str, labels: &[&str]) -> prometheus::Result<GaugeVec> {
        let gauges = GaugeVec::new(Opts::new(name, help), labels)?;
        self.0.register(Box::new(gauges.clone()))?;
        Ok(gauges)
    }
}

impl Gauges {
    fn new(registry: &Registry) -> prometheus::Result<Self> {
        let new = Registrar(registry);
        let of_queue: &[&str] = &["queue", "task_type"];
        Ok(Self {
            source_up: new.integers(
                "scan_source_up",
                "Whether the source of the installation's metrics responded: database, engine.",
                &["source"],
            )?,
            outbox_entries: new.integers(
                "scan_outbox_entries",
                "Outbox entries that are neither done nor parked, by kind; 10000 means 10000 or more.",
                &["kind"],
            )?,
            outbox_parked: new.integers(
                "scan_outbox_parked_entries",
                "Outbox entries that are parked until an operator retries them, by kind.",
                &["kind"],
            )?,
            outbox_oldest: new.numbers(
                "scan_outbox_oldest_seconds",
                "Age of the oldest outbox entry that is neither done nor parked, by kind; 0 without one.",
                &["kind"],
            )?,
            scans: new.integers(
                "scan_scans_in_progress",
                "Charged scans by stage, `queued` before the first; 10000 means 10000 or more.",
                &["stage"],
            )?,
            scans_oldest: new.numbers(
                "scan_oldest_scan_seconds",
                "Time since the start of the charged scan that started first, by stage; 0 without one.",
                &["stage"],
            )?,
            scans_idle: new.numbers(
                "scan_oldest_progress_seconds",
                "Time since the last progress of the charged scan that waits longest, by stage.",
                &["stage"],
            )?,
            deliveries_pending: new.integers(
                "scan_webhook_deliveries_pending",
                "Webhook deliveries that have not ended; 10000 means 10000 or more.",
                &[],
            )?,
            mismatches: new.integers(
                "scan_check_mismatches",
                "Mismatches that the newest check found, by check: bank, ledger.",
                &["check"],
            )?,
            check_age: new.numbers(
                "scan_check_age_seconds",
                "Time since the newest check, by check: bank, ledger.",
                &["check"],
            )?,
            queue_backlog: new.integers(
                "scan_queue_backlog",
                "Approximate number of tasks that wait in a task queue of the engine.",
                of_queue,
            )?,
            queue_backlog_age: new.numbers(
                "scan_queue_backlog_age_seconds",
                "Approximate age of the oldest task that waits in a task queue.",
                of_queue,
            )?,
            queue_add_rate: new.numbers(
                "scan_queue_tasks_added_per_second",
                "Tasks added to a task queue in the last 30 s, per second.",
                of_queue,
            )?,
            queue_dispatch_rate: new.numbers(
                "scan_queue_tasks_dispatched_per_second",
                "Tasks dispatched from a task queue in the last 30 s, per second.",
                of_queue,
            )?,
            queue_pollers: new.integers(
                "scan_queue_pollers",
                "Workers that asked for tasks of a task queue in the last minutes.",
                of_queue,
            )?,
        })
    }

    fn show_database(&self, read: Option<DatabaseBacklog>) {
        for gauges in [&self.outbox_entries, &self.outbox_parked, &self.scans, &self.mismatches] {
            gauges.reset();
        }
        self.deliveries_pending.reset();
        for gauges in [&self.outbox_oldest, &self.scans_oldest, &self.scans_idle, &self.check_age] {
            gauges.reset();
        }
        self.source_up.with_label_values(&["database"]).set(read.is_some().into());
        let Some(read) = read else { return };
        let now = Timestamp::now();
        let age = |since: Option<Timestamp>| since.map_or(0.0, |since| now.since(since).as_secs_f64());
        for outbox in &read.outbox {
            let kind = &[outbox.kind.as_str()];
            self.outbox_entries.with_label_values(kind).set(integer(outbox.open));
            self.outbox_parked.with_label_values(kind).set(integer(outbox.parked));
            self.outbox_oldest.with_label_values(kind).set(age(outbox.oldest_at));
        }
        let stages = domain::Stage::ALL.map(domain::Stage::as_str);
        for stage in stages.into_iter().chain(["queued"]) {
            let scans = read.scans.iter().find(|scans| scans.stage == stage);
            self.scans.with_label_values(&[stage]).set(scans.map_or(0, |scans| integer(scans.scans)));
            let oldest = scans.and_then(|scans| scans.oldest_started_at);
            self.scans_oldest.with_label_values(&[stage]).set(age(oldest));
            let idle = scans.and_then(|scans| scans.oldest_progress_at);
            self.scans_idle.with_label_values(&[stage]).set(age(idle));
        }
        self.deliveries_pending.with_label_values::<&str>(&[]).set(integer(read.pending_deliveries));
        for result in &read.checks {
            let check = &[result.check.as_str()];
            self.mismatches.with_label_values(check).set(integer(result.mismatches));
            self.check_age.with_label_values(check).set(age(Some(result.checked_at)));
        }
    }

    fn show_queues(&self, read: Option<Vec<QueueStats>>) {
        self.queue_backlog.reset();
        self.queue_pollers.reset();
        for gauges in [&self.queue_backlog_age, &self.queue_add_rate, &self.queue_dispatch_rate] {
            gauges.reset();
        }
        self.source_up.with_label_values(&["engine"]).set(read.is_some().into());
        for stats in read.into_iter().flatten() {
            let labels = &[stats.queue, stats.task_type.as_str()];
            self.queue_backlog.with_label_values(labels).set(integer(stats.backlog));
            self.queue_backlog_age.with_label_values(labels).set(stats.backlog_age.as_secs_f64());
            self.queue_add_rate.with_label_values(labels).set(stats.added_per_second);
            self.queue_dispatch_rate.with_label_values(labels).set(stats.dispatched_per_second);
            self.queue_pollers.with_label_values(labels).set(integer(stats.pollers));
        }
    }
}

fn integer(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use entities::{checks::Check, outbox, outbox::Kind, testing::on_each_database};
    use prometheus::TextEncoder;

    use super::*;

    #[tokio::test(flavor = "multi_thread")]
    async fn gauges_of_a_source_that_does_not_respond_are_absent() {
        on_each_database(async |db| {
            let now = Timestamp::now();
            let entry = async |txn| {
                let payload = serde_json::json!({});
                outbox::enqueue(&txn, Kind::AccountMail, "mail", &payload, now, now).await
            };
            db.write(entry).await.unwrap();
            let ledger = checks::CheckResult { check: Check::Ledger, mismatches: 2, checked_at: now };
            db.write(async |txn| checks::record(&txn, ledger).await).await.unwrap();
            // Nothing listens on this port.
            let nowhere = workflows::client::Settings {
                address: "http://127.0.0.1:9".to_owned(),
                ..Default::default()
            };
            let registry = Registry::new();
            let metrics = SystemMetrics::new(db, Engine::new(nowhere, "test"), &registry).unwrap();
            metrics.refresh().await;
            let text = TextEncoder::new().encode_to_string(&registry.gather()).unwrap();
            for line in [
                "scan_source_up{source=\"database\"} 1",
                "scan_source_up{source=\"engine\"} 0",
                "scan_outbox_entries{kind=\"account_mail\"} 1",
                "scan_outbox_entries{kind=\"payment\"} 0",
                "scan_scans_in_progress{stage=\"queued\"} 0",
                "scan_check_mismatches{check=\"ledger\"} 2",
            ] {
                assert!(text.lines().any(|found| found == line), "{line}\n{text}");
            }
            assert!(!text.contains("scan_queue_backlog"), "{text}");
            // No label holds the id of anything, so the number of series is fixed.
            assert!(text.lines().filter(|line| !line.starts_with('#')).count() < 80, "{text}");
        })
        .await;
    }
}
