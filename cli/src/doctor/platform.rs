//! Checks of the schema, the clocks, the engine, the schedules and the queues.

use std::time::Duration;

use domain::Timestamp;
use entities::{Reader, clock};
use migration::SchemaError;
use workflows::{client::ScheduleState, contract::UpkeepTask, queues};

use super::{Examination, Finding, Problem};

/// Maximum difference between two clocks.
const MAX_SKEW: Duration = Duration::from_secs(5);

impl Examination<'_> {
    /// Returns whether the other checks of the database can run.
    pub(super) async fn check_schema(&mut self) -> anyhow::Result<bool> {
        match migration::check(self.db.conn()).await {
            Ok(_) => Ok(true),
            Err(SchemaError::Database(error)) => Err(error.into()),
            Err(error @ (SchemaError::Behind(_) | SchemaError::TooNew(_))) => {
                self.add(Finding::new(Problem::SchemaOutdated, "database", error.to_string()));
                Ok(false)
            }
        }
    }

    pub(super) async fn check_database_clock(&mut self) -> anyhow::Result<()> {
        let before = Timestamp::now();
        let theirs = clock::now(&self.db).await?;
        self.findings.extend(skew("database", theirs, (before, Timestamp::now())));
        Ok(())
    }

    pub(super) async fn check_engine_clock(&mut self) -> anyhow::Result<()> {
        let before = Timestamp::now();
        let theirs = self.engine.time().await?;
        self.findings.extend(skew("engine", theirs, (before, Timestamp::now())));
        Ok(())
    }

    pub(super) async fn check_schedules(&mut self) -> anyhow::Result<()> {
        for task in UpkeepTask::ALL {
            let problem = match self.engine.schedule_state(task).await? {
                ScheduleState::Active => continue,
                ScheduleState::Paused => Problem::SchedulePaused,
                ScheduleState::Missing => Problem::ScheduleMissing,
            };
            let mut finding = Finding::new(problem, task.schedule_id(), "");
            if self.fix {
                finding = finding.repaired(self.repair_schedule(problem, task).await);
            }
            self.add(finding);
        }
        Ok(())
    }

    async fn repair_schedule(&self, problem: Problem, task: UpkeepTask) -> anyhow::Result<Option<String>> {
        if problem == Problem::SchedulePaused {
            self.engine.resume_schedule(task).await?;
            return Ok(Some("resumed".into()));
        }
        self.schedules().put(task).await?;
        Ok(Some("created".into()))
    }

    pub(super) async fn check_queues(&mut self) -> anyhow::Result<()> {
        for queue in queues::ALL {
            if !self.engine.has_workers(queue).await? {
                let detail = format!("start `scan worker --queues {queue}`");
                self.add(Finding::new(Problem::QueueWithoutWorker, queue, detail));
            }
        }
        Ok(())
    }
}

/// Compares a clock that was read between two readings of ours.
fn skew(part: &str, theirs: Timestamp, (before, after): (Timestamp, Timestamp)) -> Option<Finding> {
    let skew = before.since(theirs).max(theirs.since(after));
    (skew > MAX_SKEW).then(|| {
        let detail = format!("differs from this machine's clock by {:.1} s", skew.as_secs_f64());
        Finding::new(Problem::ClockSkew, part, detail)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_that_differ_by_more_than_five_seconds_are_found() {
        let at = |seconds: i64| Timestamp::from_millis(1_800_000_000_000 + seconds * 1000);
        // A slow request is no skew.
        for theirs in [-5, 0, 10, 20, 25] {
            assert_eq!(skew("engine", at(theirs), (at(0), at(20))), None, "{theirs}");
        }
        for (theirs, seconds) in [(-6, "6.0 s"), (27, "7.0 s")] {
            let finding = skew("engine", at(theirs), (at(0), at(20))).unwrap();
            assert_eq!((finding.problem, finding.subject.as_str()), (Problem::ClockSkew, "engine"));
            assert!(finding.detail.ends_with(seconds), "{}", finding.detail);
        }
    }
}
