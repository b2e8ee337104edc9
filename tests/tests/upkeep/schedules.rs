//! Tests of the schedules: once for all workers, taken over, updated and created again.

use std::{collections::BTreeSet, time::Duration};

use activities::{ReconcilerSettings, UpkeepSchedules, UpkeepSettings};
use domain::Timestamp;
use futures::TryStreamExt;
use harness::{Fleet, until};
use temporalio_client::{RpcOptions, WorkflowExecution, schedules::ListSchedulesOptions};
use tokio_util::sync::CancellationToken;
use workflows::{client::ScheduleState, contract::UpkeepTask};

const TIMEOUT: Duration = Duration::from_secs(120);
/// Number of rounds of both workers that are looked at.
const ROUNDS: usize = 6;
/// Intervals that end in no test.
const NEVER: &str = "1000000000";

fn every_second() -> [(&'static str, &'static str); 4] {
    [
        ("RECONCILER__EVERY_SECONDS", "1"),
        ("RECONCILER__FULL_EVERY_SECONDS", NEVER),
        ("UPKEEP__SWEEP_EVERY_SECONDS", NEVER),
        ("UPKEEP__DAILY_RECONCILIATION_EVERY_SECONDS", NEVER),
    ]
}

async fn rounds(fleet: &Fleet, status: &str) -> Vec<WorkflowExecution> {
    let query = format!("WorkflowType = 'UpkeepWorkflow' AND ExecutionStatus = '{status}'");
    let client = fleet.engine.client().await.unwrap();
    let mut rounds: Vec<_> = client.list_workflows(query, Default::default()).try_collect().await.unwrap();
    rounds.sort_by_key(WorkflowExecution::start_time);
    rounds
}

#[tokio::test(flavor = "multi_thread")]
async fn rounds_run_once_for_two_workers_and_survive_the_death_of_one() {
    let fleet = Fleet::start().await.unwrap();
    // Its round never ends.
    let doomed = fleet.worker("scans", "run_upkeep=pause", &every_second()).unwrap();
    let begun = until("a round to begin", TIMEOUT, async || {
        let round = rounds(&fleet, "Running").await.pop()?;
        let handle =
            fleet.engine.client().await.ok()?.get_workflow_handle::<workflows::UpkeepWorkflow>(round.id());
        let described = handle.describe(Default::default()).await.ok()?;
        let activity = described.raw().pending_activities.first()?.clone();
        activity.last_started_time.is_some().then(|| round.id().to_owned())
    })
    .await;
    drop(doomed);

    let _first = fleet.worker("scans", "", &every_second()).unwrap();
    let _second = fleet.worker("scans", "", &every_second()).unwrap();
    let completed = until("the rounds", TIMEOUT, async || {
        let completed = rounds(&fleet, "Completed").await;
        let is_taken_over = completed.iter().any(|round| round.id() == begun);
        (is_taken_over && completed.len() > ROUNDS).then_some(completed)
    })
    .await;
    // Each round has the time at which it was due in its id.
    let ids: BTreeSet<_> = completed.iter().map(|round| round.id().to_owned()).collect();
    assert_eq!(ids.len(), completed.len(), "{ids:?}");
    for pair in completed.windows(2) {
        assert!(pair[0].close_time() <= pair[1].start_time(), "rounds overlap: {pair:?}");
    }
    let start = |round: &WorkflowExecution| round.start_time().unwrap();
    let (first, last) = (start(&completed[0]), start(&completed[completed.len() - 1]));
    let seconds = last.duration_since(first).unwrap().as_secs_f64();
    assert!(completed.len() as f64 <= seconds + 2.0, "{} rounds in {seconds} s", completed.len());
    let client = fleet.engine.client().await.unwrap();
    let schedules: Vec<_> = client
        .list_schedules(ListSchedulesOptions::builder().build())
        .try_collect::<Vec<_>>()
        .await
        .unwrap()
        .iter()
        .map(|schedule| schedule.schedule_id().to_owned())
        .collect();
    assert_eq!(schedules.len(), UpkeepTask::ALL.len(), "{schedules:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn schedules_follow_the_settings_and_are_created_again() {
    let fleet = Fleet::start().await.unwrap();
    let schedules = |every_seconds: u64| {
        let reconciler = ReconcilerSettings { every_seconds, ..ReconcilerSettings::default() };
        UpkeepSchedules::new(fleet.engine.clone(), reconciler, UpkeepSettings::default())
    };
    schedules(3_600).put_all().await.unwrap();
    let client = fleet.engine.client().await.unwrap();
    let handle = client.get_schedule_handle(UpkeepTask::Reconcile.schedule_id());
    handle.pause(Some("looking into it"), Default::default()).await.unwrap();
    schedules(7_200).put_all().await.unwrap();
    let description = handle.describe(RpcOptions::default()).await.unwrap();
    let schedule = description.raw().schedule.as_ref().unwrap();
    let interval = schedule.spec.as_ref().unwrap().interval[0].interval.unwrap();
    assert_eq!(interval.seconds, 7_200);
    let policies = schedule.policies.as_ref().unwrap();
    assert_eq!(policies.catchup_window.unwrap().seconds, 10);
    assert_eq!(policies.overlap_policy().as_str_name(), "SCHEDULE_OVERLAP_POLICY_SKIP");
    let state = async |task| fleet.engine.schedule_state(task).await.unwrap();
    assert_eq!(state(UpkeepTask::Reconcile).await, ScheduleState::Paused, "the operator's pause stays");

    let stop = CancellationToken::new();
    let kept = schedules(7_200).checked_every(Duration::from_millis(200)).run(stop.clone());
    let kept = tokio::spawn(kept);
    handle.delete(Default::default()).await.unwrap();
    until("the schedule to be created again", TIMEOUT, async || {
        (state(UpkeepTask::Reconcile).await == ScheduleState::Active).then_some(())
    })
    .await;
    stop.cancel();
    kept.await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn histories_of_finished_rounds_can_be_deleted() {
    let fleet = Fleet::start().await.unwrap();
    let _worker = fleet.worker("scans", "", &every_second()).unwrap();
    until("a round", TIMEOUT, async || rounds(&fleet, "Completed").await.pop()).await;
    let before = Timestamp::now();
    until("the histories to be deleted", TIMEOUT, async || {
        let old = fleet.engine.list_finished_rounds(before).await.unwrap().workflows;
        for round in &old {
            fleet.engine.delete_run(round).await.unwrap();
        }
        old.is_empty().then_some(())
    })
    .await;
}
