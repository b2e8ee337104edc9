//! Tests of what the reconciler does with charged scans that cannot move.

use std::time::Duration;

use activities::{Defect, Reconciler, ReconcilerSettings, Repair, ScanDefect};
use domain::{ScanStatus, Timestamp, media::UploadSlot};
use entities::{Db, ScanRow, Tenant, scans, testing};
use harness::{Fleet, until};
use ledger::{Credit, StartRequest};
use temporalio_client::WorkflowStartOptions;
use temporalio_common::{UntypedWorkflow, data_converters::RawValue};
use workflows::{RetrySchedule, client::WorkflowState, queues, scan_workflow_id};

const TIMEOUT: Duration = Duration::from_secs(120);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Creates an account with money for scans.
pub(crate) async fn account(db: &Db) -> Tenant {
    let tenant = testing::account(db).await;
    let now = Timestamp::now();
    let opened = db.write(async |txn| ledger::open_wallets(&txn, &tenant.account_id, 0, now).await).await;
    opened.unwrap();
    let reference = "a grant".to_owned();
    let credit = Credit { tenant: tenant.clone(), cents: 1_000_000, free_scans: 0, reference };
    ledger::grant(db, &credit, now).await.unwrap();
    tenant
}

/// Creates a scan that awaits its upload, without a workflow.
pub(crate) async fn open_scan(db: &Db, tenant: &Tenant) -> ScanRow {
    let space = testing::space(db, tenant).await;
    open_scan_in(db, tenant, &space.id).await
}

/// Creates a scan of a space.
pub(crate) async fn open_scan_in(db: &Db, tenant: &Tenant, space: &domain::SpaceId) -> ScanRow {
    let new = testing::new_scan(tenant, space, testing::video_input());
    let now = Timestamp::now();
    let created = db.write(async |txn| scans::create(&txn, &new, now).await).await.unwrap();
    let scans::CreateOutcome::Created(scan) = created else { panic!("{created:?}") };
    scan
}

/// Creates a charged scan whose workflow does not know the start.
pub(crate) async fn charged_scan(db: &Db, tenant: &Tenant) -> ScanRow {
    let scan = open_scan(db, tenant).await;
    let upload = entities::uploads::NewUpload {
        slot: UploadSlot::Video,
        object_key: domain::layout::upload(&scan.id, UploadSlot::Video),
        content_type: "video/mp4".into(),
        bytes: 1000,
        etag: "etag".into(),
        sha256: None,
    };
    let now = Timestamp::now();
    db.write(async |txn| entities::uploads::put(&txn, tenant, &scan.id, &upload, now).await).await.unwrap();
    let request = StartRequest {
        scan_id: scan.id.0.clone(),
        key_id: None,
        now,
        prices: Default::default(),
        max_in_progress: 100,
    };
    ledger::start_scan(db, &request).await.unwrap();
    let charged = find(db, &scan).await;
    assert_eq!(charged.status.0, ScanStatus::Queued);
    charged
}

pub(crate) async fn find(db: &Db, scan: &ScanRow) -> ScanRow {
    scans::system::find(db, &scan.id).await.unwrap().unwrap()
}

/// Starts the workflow of a scan. A new namespace knows its search attributes only after a moment.
pub(crate) async fn start_workflow(fleet: &Fleet, scan: &ScanRow) {
    let seed = scan.seed();
    until("the workflow to start", TIMEOUT, async || fleet.engine.ensure_scan(&seed).await.ok()).await;
}

pub(crate) fn reconciler(fleet: &Fleet) -> Reconciler {
    let settings = ReconcilerSettings { settled_after_seconds: 0, ..ReconcilerSettings::default() };
    Reconciler::new(fleet.db.clone(), fleet.engine.clone(), RetrySchedule::default(), DAY, settings)
}

async fn defects(reconciler: &Reconciler, now: Timestamp) -> Vec<Defect> {
    let (mut walk, mut all) = (reconciler.walk(now), Vec::new());
    while let Some(page) = walk.next().await.unwrap() {
        all.extend(page);
    }
    all
}

fn kinds(defects: &[Defect]) -> Vec<ScanDefect> {
    let kind = |defect: &Defect| match defect {
        Defect::Scan(_, kind) => kind.clone(),
        Defect::Delivery(..) => panic!("{defect:?}"),
    };
    defects.iter().map(kind).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn charged_scan_that_cannot_move_for_a_day_is_refunded() {
    let fleet = Fleet::start().await.unwrap();
    let (db, reconciler) = (&fleet.db, reconciler(&fleet));
    let scan = charged_scan(db, &account(db).await).await;
    start_workflow(&fleet, &scan).await;
    // No worker serves its queue.
    let started = scan.started_at.unwrap().0;
    let almost = started.plus(DAY - Duration::from_secs(60));
    until("the engine's index", TIMEOUT, async || {
        (kinds(&defects(&reconciler, almost).await) == [ScanDefect::StartUnknown]).then_some(())
    })
    .await;
    let before = find(db, &scan).await;
    assert_eq!(before.status.0, ScanStatus::Queued);

    let now = started.plus(DAY);
    assert_eq!(kinds(&defects(&reconciler, now).await), [ScanDefect::Stuck]);
    assert_eq!(reconciler.repair_all(now).await.unwrap(), 1);
    let failed = find(db, &scan).await;
    assert_eq!((failed.status.0, failed.refunded), (ScanStatus::Failed, true));
    assert_eq!(failed.error.unwrap().0.code.as_str(), "PIPELINE_ERROR");
    let state = fleet.engine.scan_state(&scan.id).await.unwrap();
    assert_eq!(state, WorkflowState::Terminated, "the workflow can do nothing any more");
    assert_eq!(reconciler.repair_all(now).await.unwrap(), 0);
    assert!(ledger::verify(db).await.unwrap().defects.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn failing_workflow_task_and_queue_without_worker_are_reported() {
    let fleet = Fleet::start().await.unwrap();
    let (db, reconciler) = (&fleet.db, reconciler(&fleet));
    let tenant = account(db).await;
    // The relay of the worker must not interfere with the prepared scans.
    let (unserved, failing) = (charged_scan(db, &tenant).await, charged_scan(db, &tenant).await);
    let start = async |scan: &ScanRow, queue: &str| {
        // Workers cannot process a workflow of a type that they don't know.
        let workflow = UntypedWorkflow::new("NoSuchWorkflow");
        let options = WorkflowStartOptions::new(queue, scan_workflow_id(&scan.id)).build();
        let client = fleet.engine.client().await.unwrap();
        client.start_workflow(workflow, RawValue::new(vec![]), options).await.unwrap();
    };
    start(&unserved, "nobody").await;
    start(&failing, queues::SCANS).await;
    let later = Timestamp::now().plus(Duration::from_secs(3_600));
    let is_unserved = |kind: &ScanDefect| *kind == ScanDefect::QueueWithoutWorker { queue: queues::SCANS };
    until("the missing worker", TIMEOUT, async || {
        let found = kinds(&defects(&reconciler, later).await);
        (found.len() == 2 && found.iter().all(is_unserved)).then_some(())
    })
    .await;
    let _worker = fleet.worker("scans", "", &[("RECONCILER__FULL_EVERY_SECONDS", "1000000000")]).unwrap();
    let defect = until("the failing task", TIMEOUT, async || {
        let found = defects(&reconciler, later).await;
        found.into_iter().find(|defect| {
            matches!(defect, Defect::Scan(scan, ScanDefect::TaskFailing { .. }) if scan.id == failing.id)
        })
    })
    .await;
    assert_eq!(reconciler.repair(&defect, later).await.unwrap(), Repair::NotPossible);
    assert_eq!(find(db, &failing).await.status.0, ScanStatus::Queued);
}
