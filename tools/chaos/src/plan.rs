//! The plan of a run: which fault happens when. The same seed gives the same plan.

use std::time::Duration;

use rand::{Rng, SeedableRng, rngs::StdRng, seq::SliceRandom};
use serde::Serialize;

use crate::stack::{QUEUES, worker_name};

/// Name of the service's PostgreSQL as a process.
pub const SERVICE_DATABASE: &str = "postgres-service";
/// Name of Temporal's PostgreSQL as a process.
pub const TEMPORAL_DATABASE: &str = "postgres-temporal";
/// Worker whose disk fills up.
pub const WORKER_WITH_SMALL_DISK: &str = "worker-media-1";
/// Maximum shift of a clock.
const MAX_SHIFT_SECONDS: i64 = 5 * 60;
/// Time between two faults.
const PAUSE_MILLISECONDS: std::ops::Range<u64> = 1_500..5_000;

/// A connection that a fault breaks or delays.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Link {
    /// To the service's PostgreSQL.
    Database,
    /// To the S3 server.
    Storage,
    /// To the Temporal frontend.
    Engine,
}

/// How the webhook receiver misbehaves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Misbehaviour {
    /// Connections are refused.
    Gone,
    /// Requests are never answered.
    Hanging,
    /// Answers take long.
    Slow,
    /// Requests are answered with 500.
    Failing,
}

/// A fault.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "fault", rename_all = "snake_case")]
pub enum Fault {
    /// A process is killed (`SIGKILL`) and started again.
    Kill {
        /// The process.
        process: String,
        /// Failpoint of an activity at which it dies, if work arrives there in time.
        #[serde(skip_serializing_if = "Option::is_none")]
        at: Option<&'static str>,
    },
    /// A process is stopped (`SIGSTOP`) for a while.
    Stop {
        /// The process.
        process: String,
    },
    /// The S3 server cannot be reached for a while.
    StorageAway {
        /// Whether connections hang instead of being refused.
        hanging: bool,
    },
    /// The service's PostgreSQL is stopped or dead for a while.
    DatabaseAway {
        /// Whether it is stopped instead of killed.
        hanging: bool,
    },
    /// All connections break at once. New ones work.
    Break {
        /// The connections.
        link: Link,
    },
    /// Everything takes longer for a while.
    Delay {
        /// The connections.
        link: Link,
        /// Additional time for each piece in each direction.
        milliseconds: u64,
    },
    /// The disk of a worker is full for a while.
    FullDisk,
    /// A worker runs with another time for a while.
    ShiftClock {
        /// The process.
        process: String,
        /// Difference to the true time.
        seconds: i64,
    },
    /// The webhook receiver misbehaves for a while.
    Receiver {
        /// How.
        misbehaviour: Misbehaviour,
    },
}

impl Fault {
    /// Returns the name under which the fault is counted, or `None` if it is a kill.
    pub fn outage(&self) -> Option<&'static str> {
        Some(match self {
            Fault::Kill { .. } => return None,
            Fault::Stop { .. } => "process_stopped",
            Fault::StorageAway { .. } => "storage_away",
            Fault::DatabaseAway { .. } => "database_away",
            Fault::Break { .. } => "connections_dropped",
            Fault::Delay { .. } => "connections_delayed",
            Fault::FullDisk => "disk_full",
            Fault::ShiftClock { .. } => "clock_shifted",
            Fault::Receiver { .. } => "receiver_misbehaved",
        })
    }
}

/// A fault and the pause before it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// Pause since the step before.
    pub after_ms: u64,
    /// The fault.
    #[serde(flatten)]
    pub fault: Fault,
}

impl Step {
    /// Returns the pause since the step before.
    pub fn pause(&self) -> Duration {
        Duration::from_millis(self.after_ms)
    }
}

/// Activities at which the workers of a queue die. A name with `before_` is the moment before the work,
/// the others are after its commit and before its end is reported.
fn failpoints_of(queue: &str) -> &'static [&'static str] {
    match queue {
        "scans" => &["charge", "secure_media", "verify_uploads"],
        "media" => &["ingest", "before_ingest"],
        "vision" => &["observe_frames", "before_observe_frames"],
        "fusion" => &["fuse", "enrich", "save", "before_save"],
        "billing" => &["pay"],
        "webhooks" => &["deliver"],
        _ => &[],
    }
}

/// Makes a plan with this number of kills, and every other fault at least once. The processes are killed in
/// a shuffled order that repeats, so that over a few plans each is killed equally often. The pauses are divided
/// by `hurry`.
pub fn make(seed: u64, kills: usize, hurry: u64, processes: &[String]) -> Vec<Step> {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut faults = kill_faults(&mut rng, kills, processes);
    faults.extend(other_faults(&mut rng, processes));
    faults.shuffle(&mut rng);
    let mut pause = || rng.random_range(PAUSE_MILLISECONDS) / hurry;
    faults.into_iter().map(|fault| Step { after_ms: pause(), fault }).collect()
}

fn kill_faults(rng: &mut StdRng, kills: usize, processes: &[String]) -> Vec<Fault> {
    let mut order = processes.to_vec();
    order.shuffle(rng);
    let chosen = order.iter().cycle().take(kills).cloned().collect::<Vec<_>>();
    let mut kill = |process: String| {
        let queue = process.strip_prefix("worker-").and_then(|rest| rest.rsplit_once('-'));
        let points = queue.map_or(&[][..], |(queue, _)| failpoints_of(queue));
        let at = if points.is_empty() { None } else { Some(points[rng.random_range(0..points.len())]) };
        Fault::Kill { process, at }
    };
    chosen.into_iter().map(&mut kill).collect()
}

fn other_faults(rng: &mut StdRng, processes: &[String]) -> Vec<Fault> {
    let worker =
        |rng: &mut StdRng| worker_name(QUEUES[rng.random_range(0..QUEUES.len())], rng.random_range(1..=2));
    let stopped = processes[rng.random_range(0..processes.len())].clone();
    let mut faults = vec![
        Fault::Stop { process: stopped },
        Fault::Stop { process: worker(rng) },
        Fault::StorageAway { hanging: rng.random() },
        Fault::DatabaseAway { hanging: rng.random() },
        Fault::FullDisk,
        Fault::ShiftClock {
            process: worker(rng),
            seconds: rng.random_range(-MAX_SHIFT_SECONDS..=MAX_SHIFT_SECONDS),
        },
    ];
    for link in [Link::Database, Link::Storage, Link::Engine] {
        faults.push(Fault::Break { link });
        faults.push(Fault::Delay { link, milliseconds: rng.random_range(20..300) });
    }
    for misbehaviour in [Misbehaviour::Gone, Misbehaviour::Hanging, Misbehaviour::Slow, Misbehaviour::Failing]
    {
        faults.push(Fault::Receiver { misbehaviour });
    }
    faults
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn processes() -> Vec<String> {
        let mut names: Vec<String> =
            QUEUES.iter().flat_map(|queue| [worker_name(queue, 1), worker_name(queue, 2)]).collect();
        names.extend(["api-1", "api-2", "temporal", "storage", "redis"].map(str::to_owned));
        names.extend([SERVICE_DATABASE, TEMPORAL_DATABASE].map(str::to_owned));
        names
    }

    #[test]
    fn a_seed_repeats_its_plan_and_another_one_differs() {
        assert_eq!(make(7, 20, 1, &processes()), make(7, 20, 1, &processes()));
        assert_ne!(make(7, 20, 1, &processes()), make(8, 20, 1, &processes()));
    }

    #[test]
    fn four_plans_of_20_kills_hit_each_process_at_least_three_times() {
        let mut hits: BTreeMap<String, usize> = BTreeMap::new();
        for seed in 1..=4 {
            let plan = make(seed, 20, 1, &processes());
            let kills = plan.iter().filter_map(|step| match &step.fault {
                Fault::Kill { process, .. } => Some(process.clone()),
                _ => None,
            });
            let kills: Vec<_> = kills.collect();
            assert_eq!(kills.len(), 20);
            kills.into_iter().for_each(|process| *hits.entry(process).or_default() += 1);
        }
        for process in processes() {
            assert!(hits.get(&process).is_some_and(|&count| count >= 3), "{process}: {hits:?}");
        }
    }
}
