//! Tests of the media of ended scans, and of retrying a scan from them.

use std::time::Duration;

use domain::{
    EventId, FailureCode, ScanId, ScanStatus, Stage, Timestamp, layout,
    media::UploadSlot,
    mode::Tenant,
    scan::{START_WINDOW, ScanFailure},
};
use entities::{
    Db, Reader, ScanRow, events,
    outbox::{self, Kind},
    scans::{self, Completion, Idempotency, NewRetry, RetryOutcome},
    testing::{self, NOON, frames_input, on_each_database, video_input},
    uploads::{self, NewUpload, PutOutcome},
};
use sea_orm::{EntityTrait, PaginatorTrait};
use tokio::task::JoinSet;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

async fn find(db: &Db, id: &ScanId) -> ScanRow {
    scans::system::find(db, id).await.unwrap().unwrap()
}

/// Moves a scan into the pipeline.
async fn begin(db: &Db, id: &ScanId) {
    let begun: entities::Result<()> = db
        .write(async |txn| {
            scans::transition(&txn, id, ScanStatus::Queued, None, NOON).await?;
            scans::begin_stage(&txn, id, Stage::Ingesting, NOON).await?;
            Ok(())
        })
        .await;
    begun.unwrap();
}

async fn fail(db: &Db, id: &ScanId, code: FailureCode) {
    let failure =
        ScanFailure { code, message: code.message().into(), stage: None, retryable: code.retryable() };
    let failed: entities::Result<_> = db
        .write(async |txn| {
            let scan = scans::system::lock(&txn, id).await?.expect("the scan");
            scans::fail(&txn, &scan, &failure, true, NOON).await
        })
        .await;
    assert!(failed.unwrap().is_some());
}

async fn complete(db: &Db, id: &ScanId) {
    let completion = Completion {
        scan_id: id.clone(),
        object_key: layout::document(id),
        sha256: "0".repeat(64),
        bytes: 2,
    };
    db.write(async |txn| scans::complete(&txn, &completion, NOON).await).await.unwrap();
}

/// Creates an uploaded scan of one photo in the pipeline.
async fn running_scan(db: &Db, tenant: &Tenant) -> ScanRow {
    let space = testing::space(db, tenant).await;
    let scan = testing::scan(db, tenant, &space.id, frames_input(1)).await;
    testing::upload_all(db, &scan).await;
    begin(db, &scan.id).await;
    scan
}

/// Creates a scan that failed because of the service.
async fn failed_scan(db: &Db, tenant: &Tenant) -> ScanRow {
    let scan = running_scan(db, tenant).await;
    fail(db, &scan.id, FailureCode::Internal).await;
    find(db, &scan.id).await
}

/// Returns the values that retry a scan.
fn new_retry(failed: &ScanRow) -> NewRetry {
    let media = failed.input.slots().into_iter().map(|slot| NewUpload {
        slot,
        object_key: layout::source(&failed.id, slot),
        content_type: "image/jpeg".into(),
        bytes: 1000,
        etag: "copied".into(),
        sha256: None,
    });
    NewRetry {
        tenant: failed.tenant(),
        scan_id: failed.id.0.clone(),
        key_id: None,
        media: media.collect(),
        start_window: START_WINDOW,
        idempotency: None,
    }
}

fn with_key(mut new: NewRetry, key: &str, hash: &str) -> NewRetry {
    new.idempotency = Some(Idempotency { key: key.into(), request_hash: hash.into() });
    new
}

async fn retry(db: &Db, new: &NewRetry) -> RetryOutcome {
    db.write(async |txn| scans::retry(&txn, new, NOON).await).await.unwrap()
}

async fn create_retry(db: &Db, failed: &ScanRow) -> ScanRow {
    match retry(db, &new_retry(failed)).await {
        RetryOutcome::Created(scan) => scan,
        other => panic!("{other:?}"),
    }
}

async fn expire(db: &Db, status: ScanStatus, before: Timestamp) -> u64 {
    let now = before.plus(DAY);
    db.write(async |txn| scans::delete_expired_media(&txn, status, before, 10, now).await).await.unwrap()
}

async fn has_uploads(db: &Db, id: &ScanId) -> bool {
    !uploads::system::list(db, id).await.unwrap().is_empty()
}

const AFTER_NOON: Timestamp = Timestamp::from_millis(NOON.as_millis() + 1);

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_keeps_its_media_if_the_service_failed() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        for code in FailureCode::ALL {
            let scan = running_scan(&db, &tenant).await;
            fail(&db, &scan.id, *code).await;
            let kept = *code == FailureCode::Internal;
            let prefix = layout::scan_prefix(&scan.id);
            assert_eq!(outbox::is_pending(&db, Kind::PurgeAgain, &prefix).await.unwrap(), !kept, "{code}");
            assert_eq!(has_uploads(&db, &scan.id).await, kept, "{code}");
            assert_eq!(find(&db, &scan.id).await.media_deleted_at.is_none(), kept, "{code}");
        }
        // Only the kept media expire, once.
        assert_eq!(expire(&db, ScanStatus::Failed, NOON).await, 0);
        assert_eq!(expire(&db, ScanStatus::Failed, AFTER_NOON).await, 1);
        assert_eq!(expire(&db, ScanStatus::Failed, AFTER_NOON).await, 0);
        assert_eq!(uploads::Entity::find().count(db.conn()).await.unwrap(), 0);
    })
    .await;
}

/// No activity runs after the transaction, as if the workflow was terminated.
#[tokio::test(flavor = "multi_thread")]
async fn the_completing_transaction_ensures_that_media_are_deleted() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let scan = running_scan(&db, &tenant).await;
        let id = &scan.id.0;
        complete(&db, id).await;
        let due = NOON.plus(outbox::SWEEP_AFTER);
        for obsolete in [layout::upload_prefix(id), layout::work_prefix(id), layout::audio(id)] {
            let entry = outbox::find(&db, Kind::PurgeAgain, &obsolete).await.unwrap();
            assert_eq!(entry.map(|entry| entry.next_attempt_at.0), Some(due), "{obsolete}");
        }
        let source = layout::source_prefix(id);
        assert_eq!(expire(&db, ScanStatus::Complete, NOON).await, 0, "the retention has not ended");
        assert!(!outbox::is_pending(&db, Kind::Purge, &source).await.unwrap());
        assert_eq!(expire(&db, ScanStatus::Complete, AFTER_NOON).await, 1);
        assert!(outbox::is_pending(&db, Kind::Purge, &source).await.unwrap());
        assert!(!has_uploads(&db, id).await);
        assert_eq!(expire(&db, ScanStatus::Complete, AFTER_NOON).await, 0, "once");
        // The document stays.
        assert!(!outbox::is_pending(&db, Kind::Purge, &layout::scan_prefix(id)).await.unwrap());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting_a_space_ends_the_retention_of_its_media() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let failed = failed_scan(&db, &tenant).await;
        let space = failed.space_id.0.clone();
        db.write(async |txn| entities::spaces::delete(&txn, &tenant, &space, NOON).await).await.unwrap();
        assert!(find(&db, &failed.id).await.media_deleted_at.is_some());
        assert_eq!(retry(&db, &new_retry(&failed)).await, RetryOutcome::NotFound);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn retry_creates_a_scan_with_the_media_of_the_failed_one() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let failed = failed_scan(&db, &tenant).await;
        let scan = create_retry(&db, &failed).await;
        assert_eq!(scan.retry_of, Some(failed.id.clone()));
        assert_eq!((&scan.space_id, &scan.input), (&failed.space_id, &failed.input));
        assert!(scan.is_open(NOON) && scan.charge().is_none());
        let view = scans::view(&db, &scan).await.unwrap();
        assert_eq!(view.retry_of, Some(failed.id.0.clone()));
        assert_eq!(view.timeline.len(), 1);
        assert!(outbox::is_pending(&db, Kind::ScanWorkflow, scan.id.as_str()).await.unwrap());
        let media = uploads::list(&db, &tenant, &scan.id).await.unwrap();
        assert!(uploads::missing(&scan.input, &media).is_empty());
        assert_eq!(media[0].object_key, layout::source(&failed.id, UploadSlot::Frame(0)));
        assert_eq!(find(&db, &failed.id).await, failed, "the failed scan is unchanged");
        let event = EventId::scan_completed(&scan.id);
        assert!(events::find(&db, &tenant, &event).await.unwrap().is_none());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn repeated_and_concurrent_retries_create_one_scan() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let failed = failed_scan(&db, &tenant).await;
        let mut requests = JoinSet::new();
        for n in 0..16 {
            let new = new_retry(&failed);
            // With the same key, with different keys, and without one.
            let new = match n % 3 {
                0 => with_key(new, "the-same-key", "hash"),
                1 => with_key(new, &format!("another-key-{n}"), "hash"),
                _ => new,
            };
            let db = db.clone();
            requests.spawn(async move { retry(&db, &new).await });
        }
        let outcomes = requests.join_all().await;
        let created: Vec<_> = outcomes
            .iter()
            .filter_map(|outcome| match outcome {
                RetryOutcome::Created(scan) => Some(scan.id.clone()),
                _ => None,
            })
            .collect();
        assert_eq!(created.len(), 1, "{outcomes:?}");
        for outcome in outcomes {
            let (RetryOutcome::Created(scan) | RetryOutcome::Existing(scan)) = outcome else {
                panic!("{outcome:?}")
            };
            assert_eq!(scan.id, created[0]);
        }
        assert_eq!(scans::Entity::find().count(db.conn()).await.unwrap(), 2);

        // A key refers to its request.
        let other = failed_scan(&db, &tenant).await;
        let reused = with_key(new_retry(&other), "the-same-key", "hash");
        assert_eq!(retry(&db, &reused).await, RetryOutcome::KeyReused);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scan_can_be_retried_again_only_if_its_retry_failed_or_was_cancelled() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let failed = failed_scan(&db, &tenant).await;
        let first = create_retry(&db, &failed).await;
        db.write(async |txn| scans::cancel(&txn, &first.id, NOON).await).await.unwrap();
        let second = create_retry(&db, &failed).await;
        assert_ne!(second.id, first.id);
        begin(&db, &second.id).await;
        fail(&db, &second.id, FailureCode::Internal).await;
        // A failed retry can itself be retried.
        let of_second = create_retry(&db, &find(&db, &second.id).await).await;
        assert_eq!(of_second.retry_of, Some(second.id.clone()));
        let third = create_retry(&db, &failed).await;
        begin(&db, &third.id).await;
        complete(&db, &third.id).await;
        let again = retry(&db, &new_retry(&failed)).await;
        assert_eq!(again, RetryOutcome::Existing(find(&db, &third.id).await));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_to_retry_other_scans_and_deleted_media() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let running = running_scan(&db, &tenant).await;
        let refused = RetryOutcome::NotRetryable { status: ScanStatus::Processing, failure: None };
        assert_eq!(retry(&db, &new_retry(&running)).await, refused);
        fail(&db, &running.id, FailureCode::MediaUnreadable).await;
        let failure = Some(FailureCode::MediaUnreadable);
        let refused = RetryOutcome::NotRetryable { status: ScanStatus::Failed, failure };
        assert_eq!(retry(&db, &new_retry(&running)).await, refused);

        let failed = failed_scan(&db, &tenant).await;
        for stranger in [testing::account(&db).await, testing::other_mode(&tenant)] {
            let new = NewRetry { tenant: stranger, ..new_retry(&failed) };
            assert_eq!(retry(&db, &new).await, RetryOutcome::NotFound);
        }
        // Storage has lost an object.
        let incomplete = NewRetry { media: Vec::new(), ..new_retry(&failed) };
        assert_eq!(retry(&db, &incomplete).await, RetryOutcome::MediaDeleted);
        assert_eq!(expire(&db, ScanStatus::Failed, AFTER_NOON).await, 1);
        assert_eq!(
            retry(&db, &with_key(new_retry(&failed), "key-00001", "hash")).await,
            RetryOutcome::MediaDeleted
        );
        assert_eq!(scans::Entity::find().count(db.conn()).await.unwrap(), 2, "no scan was created");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn media_are_kept_while_a_retry_may_need_them() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let failed = failed_scan(&db, &tenant).await;
        let child = create_retry(&db, &failed).await;
        assert_eq!(expire(&db, ScanStatus::Failed, AFTER_NOON).await, 0, "the retry awaits its start");
        begin(&db, &child.id).await;
        fail(&db, &child.id, FailureCode::Internal).await;
        let grandchild = create_retry(&db, &find(&db, &child.id).await).await;
        begin(&db, &grandchild.id).await;
        assert_eq!(expire(&db, ScanStatus::Failed, AFTER_NOON).await, 0, "the retry of the retry is running");
        complete(&db, &grandchild.id).await;
        assert_eq!(expire(&db, ScanStatus::Failed, AFTER_NOON).await, 1);
        assert!(find(&db, &child.id).await.media_deleted_at.is_some());
        assert_eq!(expire(&db, ScanStatus::Failed, AFTER_NOON).await, 1);
        assert!(find(&db, &failed.id).await.media_deleted_at.is_some());
    })
    .await;
}

/// Either the retry is created and the media stay, or the media go and the retry is refused.
#[tokio::test(flavor = "multi_thread")]
async fn a_retry_never_races_with_the_deletion_of_its_media() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        for _ in 0..8 {
            let failed = failed_scan(&db, &tenant).await;
            let new = new_retry(&failed);
            let (outcome, _) = tokio::join!(retry(&db, &new), expire(&db, ScanStatus::Failed, AFTER_NOON));
            let deleted = find(&db, &failed.id).await.media_deleted_at.is_some();
            match outcome {
                RetryOutcome::Created(scan) => {
                    assert!(!deleted);
                    db.write(async |txn| scans::cancel(&txn, &scan.id, NOON).await).await.unwrap();
                    expire(&db, ScanStatus::Failed, AFTER_NOON).await;
                }
                RetryOutcome::MediaDeleted => assert!(deleted),
                other => panic!("{other:?}"),
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn replacing_an_upload_of_a_retry_keeps_the_object_of_the_failed_scan() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let failed = failed_scan(&db, &tenant).await;
        let scan = create_retry(&db, &failed).await;
        let upload = NewUpload {
            object_key: layout::upload(&scan.id, UploadSlot::Frame(0)),
            ..new_retry(&failed).media.remove(0)
        };
        let put = db.write(async |txn| uploads::put(&txn, &tenant, &scan.id, &upload, NOON).await).await;
        assert_eq!(put.unwrap(), PutOutcome::Stored { replaced: None });
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn declared_videos_of_retries_have_their_size() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await;
        let scan = testing::scan(&db, &tenant, &space.id, video_input()).await;
        testing::upload_all(&db, &scan).await;
        begin(&db, &scan.id).await;
        fail(&db, &scan.id, FailureCode::Internal).await;
        let retry = create_retry(&db, &find(&db, &scan.id).await).await;
        assert_eq!(retry.declared_bytes, scan.declared_bytes);
        assert_eq!(
            uploads::unstarted_bytes(&db, &tenant, Duration::ZERO, NOON).await.unwrap(),
            scan.declared_bytes
        );
    })
    .await;
}
