//! Tests of the reconciler beside many open scans.

use std::time::{Duration, Instant};

use domain::{ScanStatus, Timestamp};
use entities::{Db, ScanRow, outbox, testing};
use futures::{StreamExt, stream};
use harness::{Fleet, until};
use workflows::{client::Engine, scan_workflow_id};

use crate::charged_scans::{account, charged_scan, find, open_scan_in, reconciler, start_workflow};

/// Maximum time from the termination of a workflow to the refund of its scan.
const REFUND_TIMEOUT: Duration = Duration::from_secs(60);
/// Maximum time to prepare the scans of a test.
const TIMEOUT: Duration = Duration::from_secs(1_800);

/// Number of open scans beside the terminated one. More than three pages of the reconciler. Set the
/// variable to measure with another number: with 10,000, most still wait for their first task.
fn open_scans() -> usize {
    std::env::var("SCAN_TEST_OPEN_SCANS").ok().and_then(|n| n.parse().ok()).unwrap_or(450)
}

/// Creates open scans whose start of a workflow is left to the caller.
async fn create_open_scans(db: &Db, count: usize) -> Vec<ScanRow> {
    let tenant = testing::account(db).await;
    let space = testing::space(db, &tenant).await;
    let mut scans = Vec::with_capacity(count);
    for _ in 0..count {
        let scan = open_scan_in(db, &tenant, &space.id).await;
        outbox::complete(db, outbox::Kind::ScanWorkflow, scan.id.as_str(), Timestamp::now()).await.unwrap();
        scans.push(scan);
    }
    scans
}

async fn running(engine: &Engine, scans: &[ScanRow]) -> usize {
    let ids: Vec<String> = scans.iter().map(|scan| scan_workflow_id(&scan.id)).collect();
    let mut count = 0;
    for ids in ids.chunks(200) {
        count += engine.list_running(ids).await.unwrap().len();
    }
    count
}

#[tokio::test(flavor = "multi_thread")]
async fn full_comparison_starts_every_missing_workflow() {
    let fleet = Fleet::start().await.unwrap();
    let (count, reconciler) = (450, reconciler(&fleet));
    let scans = create_open_scans(&fleet.db, count).await;
    start_workflow(&fleet, &scans[0]).await;
    let now = || Timestamp::now().plus(Duration::from_secs(1));
    assert_eq!(reconciler.repair_all(now()).await.unwrap(), count as u64 - 1);
    until("the engine's index", TIMEOUT, async || {
        (running(&fleet.engine, &scans).await == count).then_some(())
    })
    .await;
    assert_eq!(reconciler.repair_all(now()).await.unwrap(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn terminated_scan_is_refunded_within_a_minute_beside_many_open_scans() {
    let fleet = Fleet::start().await.unwrap();
    let (db, engine) = (&fleet.db, &fleet.engine);
    let _worker = fleet.worker("scans", "", &[]).unwrap();
    let scans = create_open_scans(db, open_scans()).await;
    let started = Instant::now();
    stream::iter(&scans).for_each_concurrent(16, |scan| start_workflow(&fleet, scan)).await;
    until("the open workflows", TIMEOUT, async || {
        (running(engine, &scans).await == scans.len()).then_some(())
    })
    .await;
    eprintln!("started {} workflows in {:?}", scans.len(), started.elapsed());

    let scan = charged_scan(db, &account(db).await).await;
    start_workflow(&fleet, &scan).await;
    let terminated = Instant::now();
    engine.terminate_scan(&scan.id, "by an operator").await.unwrap();
    let failed = until("the refund", REFUND_TIMEOUT, async || {
        let scan = find(db, &scan).await;
        (scan.status.0 == ScanStatus::Failed).then_some(scan)
    })
    .await;
    eprintln!("refunded after {:?}", terminated.elapsed());
    assert!(failed.refunded);
    assert_eq!(failed.error.unwrap().0.code.as_str(), "CANCELLED_BY_OPERATOR");

    let full = Instant::now();
    assert_eq!(reconciler(&fleet).repair_all(Timestamp::now()).await.unwrap(), 0);
    eprintln!("compared {} open scans in {:?}", scans.len(), full.elapsed());
    let recent = Instant::now();
    reconciler(&fleet).repair_recent(Timestamp::now()).await.unwrap();
    eprintln!("looked at the recently ended workflows in {:?}", recent.elapsed());
    assert!(ledger::verify(db).await.unwrap().defects.is_empty());
}
