//! Tests of uploads: accepted while a scan awaits them, refused once it has started.

use std::time::Duration;

use domain::{ScanId, ScanStatus, Timestamp, layout, media::UploadSlot};
use entities::{
    Db, ScanRow,
    scans::{self, CreateOutcome, NewScan, Transition},
    testing::{self, NOON, frames_input, on_each_database, video_input},
    uploads::{self, NewUpload, PutOutcome, Quota},
};
use tokio::task::JoinSet;

/// The outcome of an upload to an empty slot, or to the same key.
const STORED: PutOutcome = PutOutcome::Stored { replaced: None };

fn upload(scan: &ScanRow, slot: UploadSlot, etag: &str) -> NewUpload {
    NewUpload {
        slot,
        object_key: layout::upload(&scan.id, slot),
        content_type: "image/jpeg".into(),
        bytes: 100,
        etag: etag.into(),
        sha256: None,
    }
}

async fn put(db: &Db, scan: &ScanRow, upload: &NewUpload) -> PutOutcome {
    db.write(async |txn| uploads::put(&txn, &scan.tenant(), &scan.id, upload, NOON).await).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn slot_holds_newest_upload_and_missing_slots_are_listed() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await;
        let scan = testing::scan(&db, &tenant, &space.id, frames_input(12)).await;
        for (index, etag) in [(11, "a"), (2, "b"), (2, "c")] {
            let outcome = put(&db, &scan, &upload(&scan, UploadSlot::Frame(index), etag)).await;
            assert_eq!(outcome, STORED);
        }
        let list = uploads::list(&db, &tenant, &scan.id).await.unwrap();
        let slots: Vec<_> = list.iter().map(|row| (row.slot.0, row.etag.as_str())).collect();
        assert_eq!(slots, [(UploadSlot::Frame(2), "c"), (UploadSlot::Frame(11), "a")]);
        assert_eq!(uploads::missing(&scan.input, &list).len(), 10);
        assert_eq!(uploads::unstarted_bytes(&db, &tenant, Duration::ZERO, NOON).await.unwrap(), 200);
        assert_eq!(
            uploads::unstarted_bytes(&db, &testing::other_mode(&tenant), Duration::ZERO, NOON).await.unwrap(),
            0
        );

        let elsewhere =
            NewUpload { object_key: "elsewhere".into(), ..upload(&scan, UploadSlot::Frame(2), "d") };
        let replaced = Some(layout::upload(&scan.id, UploadSlot::Frame(2)));
        assert_eq!(put(&db, &scan, &elsewhere).await, PutOutcome::Stored { replaced });

        for slot in [UploadSlot::Video, UploadSlot::Frame(12)] {
            assert_eq!(put(&db, &scan, &upload(&scan, slot, "x")).await, PutOutcome::NoSuchSlot);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_uploads_unless_the_scan_awaits_them() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await;
        for status in [ScanStatus::Queued, ScanStatus::Cancelled] {
            let scan = testing::scan(&db, &tenant, &space.id, video_input()).await;
            let video = upload(&scan, UploadSlot::Video, "a");
            assert_eq!(put(&db, &scan, &video).await, STORED);
            db.write(async |txn| scans::transition(&txn, &scan.id, status, None, NOON).await).await.unwrap();
            assert_eq!(put(&db, &scan, &video).await, PutOutcome::Closed { status });
        }
        assert_eq!(uploads::unstarted_bytes(&db, &tenant, Duration::ZERO, NOON).await.unwrap(), 0);

        let scan = testing::scan(&db, &tenant, &space.id, video_input()).await;
        let video = upload(&scan, UploadSlot::Video, "a");
        let late = db
            .write(async |txn| uploads::put(&txn, &tenant, &scan.id, &video, scan.deadline_at.0).await)
            .await;
        assert_eq!(late.unwrap(), PutOutcome::Closed { status: ScanStatus::Cancelled });

        for (stranger, id) in [
            (testing::account(&db).await, scan.id.0.clone()),
            (testing::other_mode(&tenant), scan.id.0.clone()),
            (tenant.clone(), ScanId::new()),
        ] {
            let outcome = db.write(async |txn| uploads::put(&txn, &stranger, &id, &video, NOON).await).await;
            assert_eq!(outcome.unwrap(), PutOutcome::NotFound);
        }
    })
    .await;
}

/// An upload that races with the start is either visible to the start or refused.
#[tokio::test(flavor = "multi_thread")]
async fn refuses_uploads_after_a_start() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await;
        for round in 0..8 {
            let scan = testing::scan(&db, &tenant, &space.id, frames_input(8)).await;
            let mut puts = JoinSet::new();
            for index in 0..8 {
                let (db, scan) = (db.clone(), scan.clone());
                puts.spawn(
                    async move { put(&db, &scan, &upload(&scan, UploadSlot::Frame(index), "a")).await },
                );
            }
            for _ in 0..round {
                tokio::task::yield_now().await;
            }
            let seen = db
                .write(async |txn| {
                    let outcome = scans::transition(&txn, &scan.id, ScanStatus::Queued, None, NOON).await?;
                    assert_eq!(outcome, Transition::Changed);
                    uploads::system::list(&txn, &scan.id).await
                })
                .await
                .unwrap();
            let stored = puts.join_all().await.into_iter().filter(|o| *o == STORED).count();
            let after = uploads::list(&db, &tenant, &scan.id).await.unwrap();
            assert_eq!(
                (after.len(), stored),
                (seen.len(), seen.len()),
                "an upload was stored after the start"
            );
        }
    })
    .await;
}

/// Concurrent uploads never exceed the quota, and an upload that fits is accepted.
#[tokio::test(flavor = "multi_thread")]
async fn tenant_never_exceeds_its_quota() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await;
        let photos = testing::scan(&db, &tenant, &space.id, frames_input(40)).await;
        // The quota fits three videos of 1000 bytes and five photos of 100 bytes.
        let quota = 3500;
        let mut new = testing::new_scan(&tenant, &space.id, video_input());
        new.upload_quota = quota.into();
        let mut videos = JoinSet::new();
        for _ in 0..20 {
            let (db, new) = (db.clone(), new.clone());
            videos.spawn(async move { db.write(async |txn| scans::create(&txn, &new, NOON).await).await });
        }
        let outcomes: Vec<_> = videos.join_all().await.into_iter().map(Result::unwrap).collect();
        let refused = outcomes.iter().filter(|outcome| **outcome == CreateOutcome::OverQuota).count();
        assert_eq!(refused, 17);

        let mut puts = JoinSet::new();
        for index in 0..40 {
            let (db, scan) = (db.clone(), photos.clone());
            puts.spawn(async move { put_within(&db, &scan, index, 100, quota, NOON).await });
        }
        let outcomes = puts.join_all().await;
        assert_eq!(outcomes.iter().filter(|outcome| **outcome == STORED).count(), 5);
        assert_eq!(outcomes.iter().filter(|outcome| **outcome == PutOutcome::OverQuota).count(), 35);
        assert_eq!(uploads::unstarted_bytes(&db, &tenant, Duration::ZERO, NOON).await.unwrap(), 3500);

        // A replacement of the same size fits; one that does not fit leaves the old upload in
        // place.
        let uploaded = uploads::list(&db, &tenant, &photos.id).await.unwrap()[0].slot.0;
        let UploadSlot::Frame(index) = uploaded else { panic!("{uploaded:?}") };
        assert_eq!(put_within(&db, &photos, index, 100, quota, NOON).await, STORED);
        assert_eq!(put_within(&db, &photos, index, 101, quota, NOON).await, PutOutcome::OverQuota);
        assert_eq!(uploads::unstarted_bytes(&db, &tenant, Duration::ZERO, NOON).await.unwrap(), 3500);

        // The other mode has a separate quota, and expired scans don't count.
        let other = testing::other_mode(&tenant);
        let elsewhere = testing::space(&db, &other).await;
        let elsewhere = testing::scan(&db, &other, &elsewhere.id, frames_input(1)).await;
        assert_eq!(put_within(&db, &elsewhere, 0, 3500, quota, NOON).await, STORED);
        assert_eq!(
            uploads::unstarted_bytes(&db, &tenant, Duration::ZERO, photos.deadline_at.0).await.unwrap(),
            0
        );
    })
    .await;
}

async fn put_within(
    db: &Db,
    scan: &ScanRow,
    index: u32,
    bytes: i64,
    quota: u64,
    now: Timestamp,
) -> PutOutcome {
    let upload = NewUpload { bytes, ..upload(scan, UploadSlot::Frame(index), "a") };
    let put = async |txn| uploads::put_within(&txn, &scan.tenant(), &scan.id, &upload, quota, now).await;
    db.write(put).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelled_videos_count_until_their_url_expires() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await;
        let hour = Duration::from_secs(3600);
        let used = async |lifetime, now| uploads::unstarted_bytes(&db, &tenant, lifetime, now).await.unwrap();
        let scan = testing::scan(&db, &tenant, &space.id, video_input()).await;
        assert_eq!(used(hour, NOON).await, 1000);
        db.write(async |txn| scans::cancel(&txn, &scan.id, NOON).await).await.unwrap();
        let expiry = NOON.plus(hour);
        assert_eq!(used(hour, expiry.minus(Duration::from_secs(1))).await, 1000);
        assert_eq!(used(hour, expiry).await, 0);
        assert_eq!(used(Duration::ZERO, NOON).await, 0, "without signed URLs, nothing can be stored");
        let tight = NewScan {
            upload_quota: Quota { bytes: 1999, url_lifetime: hour },
            ..testing::new_scan(&tenant, &space.id, video_input())
        };
        let create = async |now| db.write(async |txn| scans::create(&txn, &tight, now).await).await.unwrap();
        assert_eq!(create(NOON).await, CreateOutcome::OverQuota);
        assert!(matches!(create(expiry).await, CreateOutcome::Created(_)));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_creations_never_exceed_the_bound_of_unstarted_scans() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await;
        let mut creations = JoinSet::new();
        for _ in 0..8 {
            let new = NewScan { max_unstarted: 3, ..testing::new_scan(&tenant, &space.id, frames_input(1)) };
            let db = db.clone();
            creations.spawn(async move { db.write(async |txn| scans::create(&txn, &new, NOON).await).await });
        }
        let outcomes = creations.join_all().await;
        let created = outcomes.iter().filter(|o| matches!(o, Ok(CreateOutcome::Created(_)))).count();
        let refused = outcomes.iter().filter(|o| matches!(o, Ok(CreateOutcome::TooManyUnstarted))).count();
        assert_eq!((created, refused), (3, 5));
    })
    .await;
}
