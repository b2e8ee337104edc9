//! Tests of the walks through open scans and overdue deliveries, and of the time since when a scan
//! cannot move.

use std::{collections::BTreeSet, time::Duration};

use domain::{
    ScanId, ScanStatus, Stage, Timestamp,
    scan::{WaitCause, Waiting},
};
use entities::{
    Db, Reader,
    scans::{self, system},
    testing::{self, NOON, TestDatabase, on_each_database, video_input},
};
use sea_orm::{ConnectionTrait, Statement};

const HOUR: Duration = Duration::from_secs(60 * 60);

async fn walk(db: &Db, status: ScanStatus, before: Timestamp, page: u64) -> Vec<ScanId> {
    let (mut seen, mut after) = (Vec::new(), None);
    loop {
        let rows = system::list_open(db, status, before, after.as_ref(), page).await.unwrap();
        after = rows.last().map(system::position_of);
        seen.extend(rows.into_iter().map(|row| row.id.0));
        if after.is_none() {
            return seen;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn walk_visits_each_open_scan_once() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await;
        let mut created = BTreeSet::new();
        // All have the same time of creation.
        for _ in 0..7 {
            created.insert(testing::scan(&db, &tenant, &space.id, video_input()).await.id.0);
        }
        let queued = created.pop_first().unwrap();
        let queue = async |txn| scans::transition(&txn, &queued, ScanStatus::Queued, None, NOON).await;
        db.write(queue).await.unwrap();
        let later = NOON.plus(HOUR);
        for page in [1, 2, 6, 100] {
            let seen = walk(&db, ScanStatus::AwaitingUpload, later, page).await;
            assert!(seen.iter().eq(&created), "pages of {page}: {seen:?}");
            let waiting = walk(&db, ScanStatus::Queued, later, page).await;
            assert_eq!(waiting, std::slice::from_ref(&queued));
        }
        assert!(walk(&db, ScanStatus::AwaitingUpload, NOON, 2).await.is_empty(), "they are too new");
        let ids: Vec<_> = created.iter().cloned().chain([ScanId::new()]).collect();
        assert_eq!(system::find_open(&db, &ids).await.unwrap().len(), created.len());
        let end = async |txn| scans::cancel(&txn, &ids[0], NOON).await;
        db.write(end).await.unwrap();
        assert_eq!(system::find_open(&db, &ids).await.unwrap().len(), created.len() - 1);
        assert_eq!(system::find_each(&db, &ids).await.unwrap().len(), created.len());
        let first = system::list_by_id(&db, None, 3).await.unwrap();
        assert_eq!(first.len(), 3);
        assert_eq!(system::list_by_id(&db, Some(&first[2].id), 100).await.unwrap().len(), 4);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn scan_is_idle_since_its_last_progress_or_the_beginning_of_its_wait() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await;
        let id = testing::scan(&db, &tenant, &space.id, video_input()).await.id.0;
        let hour = |hour: u32| NOON.plus(HOUR * hour);
        let idle = async || system::find(&db, &id).await.unwrap().unwrap().idle_since();
        assert_eq!(idle().await, None, "it is not started");
        db.write(async |txn| scans::transition(&txn, &id, ScanStatus::Queued, None, hour(1)).await)
            .await
            .unwrap();
        assert_eq!(idle().await, Some(hour(1)));
        db.write(async |txn| scans::begin_stage(&txn, &id, Stage::Ingesting, hour(2)).await).await.unwrap();
        assert_eq!(idle().await, Some(hour(2)));
        let progress = async |fraction: f64, at: Timestamp| {
            db.write(async |txn| scans::set_progress(&txn, &id, Stage::Ingesting, fraction, at).await)
                .await
                .unwrap()
        };
        assert!(progress(0.5, hour(3)).await);
        assert_eq!(idle().await, Some(hour(3)));
        assert!(!progress(0.5, hour(4)).await, "no progress");
        assert_eq!(idle().await, Some(hour(3)));
        let waiting = Waiting { cause: WaitCause::StorageUnavailable, since: hour(5) };
        db.write(async |txn| scans::set_waiting(&txn, &id, Some(Stage::Ingesting), waiting).await)
            .await
            .unwrap();
        assert_eq!(idle().await, Some(hour(5)));
        assert!(progress(0.6, hour(6)).await);
        db.write(async |txn| scans::begin_stage(&txn, &id, Stage::Observing, hour(7)).await).await.unwrap();
        assert_eq!(idle().await, Some(hour(7)));
        db.write(async |txn| scans::transition(&txn, &id, ScanStatus::Failed, None, hour(8)).await)
            .await
            .unwrap();
        assert_eq!(idle().await, None);
    })
    .await;
}

/// The conditions as the finders write them, with a parameter for each value.
#[tokio::test]
async fn walks_and_polls_use_their_indexes() {
    let database = TestDatabase::sqlite().await;
    let db = database.db();
    for (query, index) in [
        (
            "SELECT * FROM scans WHERE (status IN ('awaiting_upload', 'queued', 'processing')) \
             AND (status = 'queued') AND created_at < ? AND created_at >= ? \
             AND (created_at > ? OR id > ?) ORDER BY created_at, id LIMIT 200",
            "USING INDEX scans_unfinished",
        ),
        (
            "SELECT * FROM webhook_deliveries WHERE (status = 'pending') AND created_at < ? \
             AND (next_attempt_at IS NULL OR next_attempt_at < ?) AND created_at >= ? \
             ORDER BY created_at, event_id, endpoint_id LIMIT 200",
            "USING INDEX webhook_deliveries_pending",
        ),
        (
            "SELECT * FROM (SELECT kind FROM outbox WHERE kind = 'event' AND done_at IS NULL \
             AND parked_at IS NULL AND next_attempt_at <= ? LIMIT 1)",
            "outbox_due",
        ),
    ] {
        let explain = Statement::from_string(db.backend(), format!("EXPLAIN QUERY PLAN {query}"));
        let plan: Vec<String> = db
            .conn()
            .query_all_raw(explain)
            .await
            .unwrap()
            .iter()
            .map(|row| row.try_get("", "detail").unwrap())
            .collect();
        assert!(plan.iter().any(|step| step.contains(index)), "{query}: {plan:?}");
    }
}
