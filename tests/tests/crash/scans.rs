//! Crashes while a scan is created, uploaded or cancelled.

use domain::{ScanStatus, layout, page::PageRequest};
use entities::{
    ScanRow,
    outbox::Kind,
    scans,
    testing::{self, video_input},
    uploads,
};
use harness::{Operation, TestBackend};

use crate::crash_fixture::{CrashFixture, at_every_line};

/// Creates a scan without uploads.
async fn scan_without_upload(fixture: &CrashFixture) -> ScanRow {
    let db = &fixture.backend.db;
    let space = testing::space(db, &fixture.tenant).await;
    let mut new = testing::new_scan(&fixture.tenant, &space.id, video_input());
    new.start_window = std::time::Duration::from_secs(3_600);
    let now = domain::Timestamp::now();
    let created = db.write(async |txn| scans::create(&txn, &new, now).await).await.unwrap();
    let scans::CreateOutcome::Created(row) = created else { panic!("{created:?}") };
    row
}

#[tokio::test(flavor = "multi_thread")]
async fn creating_a_scan_survives_crashes() {
    let set_up = async |backend: &TestBackend| {
        let fixture = CrashFixture::new(backend, 0, 1).await;
        let space = testing::space(&backend.db, &fixture.tenant).await;
        let operation = Operation::Create(fixture.tenant.clone(), space.id.0);
        (fixture, operation)
    };
    let check = async |fixture: &CrashFixture, operation: &Operation| {
        let (db, Operation::Create(tenant, space)) = (&fixture.backend.db, operation) else {
            panic!("{operation:?}")
        };
        let found = scans::list_of_space(db, tenant, space, &PageRequest::default()).await.unwrap().rows;
        assert!(found.len() <= 1, "the idempotency key was used for {} scans", found.len());
        if let Some(scan) = found.first() {
            assert!(fixture.has_outbox_entry(Kind::ScanWorkflow, scan.id.as_str()).await);
            assert_eq!(scans::view(db, scan).await.unwrap().timeline.len(), 1);
        }
        !found.is_empty()
    };
    at_every_line(set_up, check, 5).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn recording_an_upload_survives_crashes() {
    let set_up = async |backend: &TestBackend| {
        let fixture = CrashFixture::new(backend, 0, 1).await;
        let operation = Operation::Upload(scan_without_upload(&fixture).await.id.0);
        (fixture, operation)
    };
    let check = async |fixture: &CrashFixture, operation: &Operation| {
        let Operation::Upload(scan) = operation else { panic!("{operation:?}") };
        let recorded = uploads::list(&fixture.backend.db, &fixture.tenant, scan).await.unwrap();
        assert!(recorded.len() <= 1);
        !recorded.is_empty()
    };
    at_every_line(set_up, check, 4).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_a_scan_survives_crashes() {
    let set_up = async |backend: &TestBackend| {
        let fixture = CrashFixture::new(backend, 0, 1).await;
        let operation = Operation::Cancel(fixture.create_scan().await.id.0);
        (fixture, operation)
    };
    let check = async |fixture: &CrashFixture, operation: &Operation| {
        let (db, Operation::Cancel(scan)) = (&fixture.backend.db, operation) else { panic!("{operation:?}") };
        let row = scans::find(db, &fixture.tenant, scan).await.unwrap().unwrap();
        let done = row.status.0 == ScanStatus::Cancelled;
        assert_eq!(fixture.has_outbox_entry(Kind::Purge, &layout::upload_prefix(scan)).await, done);
        assert_eq!(scans::view(db, &row).await.unwrap().timeline.len(), 1 + usize::from(done));
        done
    };
    at_every_line(set_up, check, 4).await;
}
