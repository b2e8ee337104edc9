//! `scan doctor` names every defect that a test makes, repairs what can be repaired, and then finds
//! nothing more.

use std::{
    collections::BTreeSet,
    fs::File,
    path::Path,
    time::{Duration, SystemTime},
};

use domain::{AccountId, Mode, ScanId, SpaceId, Timestamp, media::InputKind};
use entities::{
    Db, Reader,
    outbox::{self, Kind},
};
use harness::{Receiver, Service, ServiceOptions, api_client::id, clips::Clip, until};
use sea_orm::ConnectionTrait;
use serde_json::Value;
use workflows::{ScanSeed, client::Engine, contract::UpkeepTask};

use crate::SCAN_TIMEOUT;

/// Intervals that end in no test: only the doctor repairs.
const NEVER: u64 = 1_000_000_000;
/// An age of orphan objects that the doctor deletes.
const TWO_DAYS: Duration = Duration::from_secs(2 * 24 * 60 * 60);

fn options() -> ServiceOptions {
    ServiceOptions::default()
        .set("RECONCILER__EVERY_SECONDS", NEVER)
        .set("RECONCILER__FULL_EVERY_SECONDS", NEVER)
        .set("RECONCILER__SETTLED_AFTER_SECONDS", 1)
        .set("RECONCILER__STALLED_AFTER_SECONDS", 1)
}

/// Returns the findings as problem and subject.
fn named(findings: &[Value]) -> BTreeSet<(String, String)> {
    let text = |finding: &Value, field: &str| finding[field].as_str().unwrap().to_owned();
    findings.iter().map(|finding| (text(finding, "problem"), text(finding, "subject"))).collect()
}

/// Waits until the doctor names exactly these problems. It leaves out what changed within the last
/// second.
async fn await_findings(service: &Service, expected: &[(&str, &str)]) {
    let expected: BTreeSet<_> =
        expected.iter().map(|(name, subject)| ((*name).to_owned(), (*subject).to_owned())).collect();
    until(&format!("the doctor to find {expected:?}"), SCAN_TIMEOUT, async || {
        let (findings, is_clean) = service.doctor(&[]).unwrap();
        assert_eq!(is_clean, findings.is_empty(), "{findings:?}");
        let found = named(&findings);
        eprintln!("the doctor finds {found:?}");
        (found == expected).then_some(())
    })
    .await;
}

/// Repairs everything, and checks that the next run finds nothing.
async fn fix(service: &Service, expected: usize) {
    let (findings, is_clean) = service.doctor(&["--fix"]).unwrap();
    assert_eq!(findings.len(), expected, "{findings:?}");
    assert!(is_clean && findings.iter().all(|finding| finding["repair"].is_string()), "{findings:?}");
    await_findings(service, &[]).await;
}

async fn execute(db: &Db, statement: &str) {
    db.conn().execute_unprepared(statement).await.unwrap();
}

/// Returns the file of an object in the embedded storage.
fn object_file(service: &Service, key: &str) -> std::path::PathBuf {
    let buckets = std::fs::read_dir(service.folder().join("objects")).unwrap();
    let buckets = buckets.map(|entry| entry.unwrap().path());
    let found = buckets.map(|bucket| bucket.join(key)).find(|file| file.is_file());
    found.unwrap_or_else(|| panic!("no object {key}"))
}

fn make_old(file: &Path) {
    File::options().write(true).open(file).unwrap().set_modified(SystemTime::now() - TWO_DAYS).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_repairs_scans_and_workflows_that_disagree() {
    let service = Service::start(options(), None).await.unwrap();
    let (engine, db) = (service.engine(), service.database().await.unwrap());
    let caller = service.client(&service.account().unwrap());
    await_findings(&service, &[]).await;

    // Terminated before the start, and after it.
    let clip = Clip::moving(2);
    let waiting = caller.create_uploaded_scan(&clip).await;
    engine.terminate_scan(&id(&waiting).parse().unwrap(), "a test").await.unwrap();
    await_findings(&service, &[("scan_workflow_terminated", id(&waiting))]).await;
    fix(&service, 1).await;
    assert_eq!(caller.scan(&waiting).await["status"], "cancelled");

    let charged = caller.create_uploaded_scan(&clip).await;
    let scan: ScanId = id(&charged).parse().unwrap();
    charge_without_start(&db, &scan).await;
    engine.terminate_scan(&scan, "a test").await.unwrap();
    let expected = [("scan_workflow_terminated", scan.as_str()), ("start_unacknowledged", scan.as_str())];
    await_findings(&service, &expected).await;
    fix(&service, 2).await;
    let failed = caller.scan(&charged).await;
    assert_eq!(
        (failed["status"].as_str(), failed["charge"]["refunded"].as_bool()),
        (Some("failed"), Some(true))
    );

    // Charged, and the workflow does not know it.
    let unknown = caller.create_uploaded_scan(&clip).await;
    let scan: ScanId = id(&unknown).parse().unwrap();
    charge_without_start(&db, &scan).await;
    let expected = [("scan_start_unknown", scan.as_str()), ("start_unacknowledged", scan.as_str())];
    await_findings(&service, &expected).await;
    service.doctor(&["--fix"]).unwrap();
    caller.await_status(&unknown, "complete", SCAN_TIMEOUT).await;
    await_findings(&service, &[]).await;

    // No workflow, and no scan.
    let lost = caller.create_uploaded_scan(&clip).await;
    let scan: ScanId = id(&lost).parse().unwrap();
    delete_workflow(&engine, &scan).await;
    await_findings(&service, &[("scan_workflow_missing", scan.as_str())]).await;
    fix(&service, 1).await;
    caller.start(&lost).await.expect(202);
    caller.await_status(&lost, "complete", SCAN_TIMEOUT).await;
    let now = Timestamp::now();
    let nobodys = ScanSeed {
        scan_id: ScanId::new(),
        account_id: AccountId::new(),
        space_id: SpaceId::new(),
        mode: Mode::Test,
        kind: InputKind::Video,
        created_at: now,
        deadline_at: now.plus(TWO_DAYS),
    };
    engine.ensure_scan(&nobodys).await.unwrap();
    let workflow = format!("scan:{}", nobodys.scan_id);
    await_findings(&service, &[("workflow_without_scan", workflow.as_str())]).await;
    fix(&service, 1).await;
}

/// Charges a scan as a start does, without the update to its workflow. The relay's attempts are put
/// off.
async fn charge_without_start(db: &Db, scan: &ScanId) {
    let now = Timestamp::now();
    let request = ledger::StartRequest {
        scan_id: scan.clone(),
        key_id: None,
        now,
        prices: Default::default(),
        max_in_progress: 10,
    };
    ledger::start_scan(db, &request).await.unwrap();
    let later = now.plus(TWO_DAYS).as_millis();
    execute(
        db,
        &format!(
            "UPDATE outbox SET next_attempt_at = {later} WHERE kind = 'scan_start' AND subject = '{scan}'"
        ),
    )
    .await;
}

async fn delete_workflow(engine: &Engine, scan: &ScanId) {
    let listed = async || engine.list_running(&[format!("scan:{scan}")]).await.ok()?.pop();
    let workflow = until("the engine's index", SCAN_TIMEOUT, listed).await;
    engine.delete_run(&workflow).await.unwrap();
    until("the workflow to be deleted", SCAN_TIMEOUT, async || {
        let state = engine.scan_state(scan).await.ok()?;
        (state == workflows::client::WorkflowState::Missing).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_finds_objects_and_outbox_entries_and_schedules() {
    let receiver = Receiver::start().await.unwrap();
    let service = Service::start(options(), Some(&receiver)).await.unwrap();
    let (engine, db) = (service.engine(), service.database().await.unwrap());
    let caller = service.client(&service.account().unwrap());
    let scan = caller.create_uploaded_scan(&Clip::moving(2)).await;
    caller.start(&scan).await.expect(202);
    caller.await_status(&scan, "complete", SCAN_TIMEOUT).await;
    await_findings(&service, &[]).await;

    // An orphan object: a copy of an object under the id of a scan that does not exist.
    let document = format!("scans/{}/document.json", id(&scan));
    let file = object_file(&service, &document);
    for age in ["young", "old"] {
        let orphan = ScanId::new();
        let key = format!("scans/{orphan}/upload/video");
        let copy = file.parent().unwrap().parent().unwrap().join(orphan.as_str()).join("upload/video");
        std::fs::create_dir_all(copy.parent().unwrap()).unwrap();
        std::fs::copy(&file, &copy).unwrap();
        if age == "old" {
            make_old(&copy);
            await_findings(&service, &[("orphan_object", key.as_str())]).await;
            fix(&service, 1).await;
        } else {
            await_findings(&service, &[]).await;
        }
        assert_eq!(copy.exists(), age == "young");
    }

    // A missing object cannot be repaired: an operator must restore it.
    let elsewhere = service.folder().join("document");
    std::fs::rename(&file, &elsewhere).unwrap();
    await_findings(&service, &[("missing_object", document.as_str())]).await;
    let (findings, is_clean) = service.doctor(&["--fix"]).unwrap();
    assert!(!is_clean && findings[0]["repair"].is_null(), "{findings:?}");
    std::fs::rename(&elsewhere, &file).unwrap();
    await_findings(&service, &[]).await;

    // An event whose relay gave up, and one whose next attempt is far away.
    let event = format!("evt_{}", id(&scan));
    let now = Timestamp::now();
    let old = now.minus(TWO_DAYS);
    for (kind, subject, parked, expected) in [
        (Kind::Event, "evt_late", "NULL", ("event_not_handed_over", "evt_late")),
        (
            Kind::RechargeMail,
            event.as_str(),
            "1",
            ("outbox_entry_parked", &*format!("recharge_mail {event}")),
        ),
    ] {
        let far = now.plus(TWO_DAYS);
        let payload = serde_json::json!({});
        db.write(async |txn| outbox::enqueue(&txn, kind, subject, &payload, old, far).await).await.unwrap();
        execute(&db, &format!("UPDATE outbox SET parked_at = {parked} WHERE subject = '{subject}'")).await;
        await_findings(&service, &[expected]).await;
        let (findings, is_clean) = service.doctor(&["--fix"]).unwrap();
        assert!(is_clean, "{findings:?}");
        if kind == Kind::Event {
            await_findings(&service, &[]).await;
        } else {
            // Its subject is no payment, so it is parked again.
            await_findings(&service, &[expected]).await;
            execute(&db, &format!("DELETE FROM outbox WHERE subject = '{subject}'")).await;
        }
    }

    // Schedules. A worker creates a missing one within a minute, too.
    let client = engine.client().await.unwrap();
    let schedule = client.get_schedule_handle(UpkeepTask::Sweep.schedule_id());
    let name = UpkeepTask::Sweep.schedule_id().to_owned();
    schedule.pause(Some("a test"), Default::default()).await.unwrap();
    await_findings(&service, &[("schedule_paused", name.as_str())]).await;
    fix(&service, 1).await;
    until("the doctor to miss the schedule", SCAN_TIMEOUT, async || {
        // Already deleted is fine.
        let _ = schedule.delete(Default::default()).await;
        let (findings, _) = service.doctor(&[]).unwrap();
        named(&findings).contains(&("schedule_missing".to_owned(), name.clone())).then_some(())
    })
    .await;
    service.doctor(&["--fix"]).unwrap();
    await_findings(&service, &[]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn doctor_finds_a_stuck_scan_an_old_schema_and_a_corrupt_ledger() {
    let service = Service::start(options(), None).await.unwrap();
    let db = service.database().await.unwrap();
    let caller = service.client(&service.account().unwrap());
    let stuck = caller.create_uploaded_scan(&Clip::moving(2)).await;
    let scan: ScanId = id(&stuck).parse().unwrap();
    charge_without_start(&db, &scan).await;
    execute(&db, "UPDATE scans SET progressed_at = progressed_at - 90000000").await;
    await_findings(&service, &[("scan_stuck", scan.as_str()), ("start_unacknowledged", scan.as_str())]).await;
    let (findings, is_clean) = service.doctor(&["--fix"]).unwrap();
    assert!(is_clean, "{findings:?}");
    let failed = caller.scan(&stuck).await;
    assert_eq!(
        (failed["status"].as_str(), failed["charge"]["refunded"].as_bool()),
        (Some("failed"), Some(true))
    );

    execute(&db, "UPDATE wallets SET free_scans = free_scans + 1").await;
    let (findings, is_clean) = service.doctor(&["--fix"]).unwrap();
    let problems: BTreeSet<_> = named(&findings).into_iter().map(|(problem, _)| problem).collect();
    assert!(!is_clean && problems.contains("ledger_defect"), "{findings:?}");
    execute(&db, "UPDATE wallets SET free_scans = free_scans - 1").await;

    execute(&db, "DELETE FROM seaql_migrations WHERE version = 'm0025_scan_progress'").await;
    let (findings, is_clean) = service.doctor(&[]).unwrap();
    assert!(!is_clean, "{findings:?}");
    assert_eq!(named(&findings), [("schema_outdated".to_owned(), "database".to_owned())].into());
    execute(&db, "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m0025_scan_progress', 0)")
        .await;
}
