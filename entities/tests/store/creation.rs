//! Tests of creating scans: once for each idempotency key, also under concurrency.

use domain::{ScanStatus, SpaceId, Timestamp};
use entities::{
    Db, Reader, ScanRow, idempotency_keys,
    outbox::{self, Kind},
    retention,
    scans::{self, CreateOutcome, Idempotency, NewScan},
    testing::{self, NOON, new_scan, on_each_database, video_input},
};
use sea_orm::{EntityTrait, PaginatorTrait};
use tokio::task::JoinSet;

fn with_key(mut new: NewScan, key: &str, hash: &str) -> NewScan {
    new.idempotency = Some(Idempotency { key: key.into(), request_hash: hash.into() });
    new
}

async fn create(db: &Db, new: &NewScan) -> CreateOutcome {
    db.write(async |txn| scans::create(&txn, new, NOON).await).await.unwrap()
}

fn row(outcome: CreateOutcome) -> ScanRow {
    match outcome {
        CreateOutcome::Created(scan) | CreateOutcome::Replayed(scan) => scan,
        other => panic!("{other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_64_requests_creates_and_63_replay() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await;
        let new = with_key(new_scan(&tenant, &space.id, video_input()), "idem-0001", "hash");
        let mut requests = JoinSet::new();
        for _ in 0..64 {
            let (db, new) = (db.clone(), new.clone());
            requests.spawn(async move { create(&db, &new).await });
        }
        let outcomes = requests.join_all().await;
        let created: Vec<_> = outcomes.iter().filter(|o| matches!(o, CreateOutcome::Created(_))).collect();
        assert_eq!(created.len(), 1);
        let scan = row(created[0].clone());
        let replayed = outcomes.iter().filter(|o| **o == CreateOutcome::Replayed(scan.clone())).count();
        assert_eq!(replayed, 63);
        assert_eq!(scans::Entity::find().count(db.conn()).await.unwrap(), 1);
        assert_eq!(entities::scan_transitions::Entity::find().count(db.conn()).await.unwrap(), 1);
        assert_eq!(outbox::Entity::find().count(db.conn()).await.unwrap(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn idempotency_key_is_bound_to_body_space_account_and_mode() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await;
        let new = with_key(new_scan(&tenant, &space.id, video_input()), "idem-0001", "hash");
        let first = row(create(&db, &new).await);
        assert_eq!(create(&db, &new).await, CreateOutcome::Replayed(first.clone()));

        let other_body = with_key(new_scan(&tenant, &space.id, video_input()), "idem-0001", "other");
        assert_eq!(create(&db, &other_body).await, CreateOutcome::KeyReused);
        let elsewhere = testing::space(&db, &tenant).await;
        let other_space = with_key(new_scan(&tenant, &elsewhere.id, video_input()), "idem-0001", "hash");
        assert_eq!(create(&db, &other_space).await, CreateOutcome::KeyReused);

        for stranger in [testing::account(&db).await, testing::other_mode(&tenant)] {
            let space = testing::space(&db, &stranger).await;
            let new = with_key(new_scan(&stranger, &space.id, video_input()), "idem-0001", "hash");
            assert!(matches!(create(&db, &new).await, CreateOutcome::Created(_)));
        }
        let another = with_key(new_scan(&tenant, &space.id, video_input()), "idem-0002", "hash");
        assert!(matches!(create(&db, &another).await, CreateOutcome::Created(_)));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn creation_writes_first_transition_and_outbox_entry() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await;
        let scan = row(create(&db, &new_scan(&tenant, &space.id, video_input())).await);
        let view = scans::view(&db, &scan).await.unwrap();
        assert_eq!(view.status, ScanStatus::AwaitingUpload);
        assert_eq!(view.timeline.len(), 1);
        assert!(view.charge.is_none() && view.started_at.is_none() && view.stage.is_none());
        assert_eq!(scan.deadline_at.0, NOON.plus(domain::scan::START_WINDOW));
        let entry = outbox::find(&db, Kind::ScanWorkflow, scan.id.as_str()).await.unwrap().unwrap();
        assert!(entry.next_attempt_at.0 > NOON, "the relay would race with the request");
        assert!(outbox::is_pending(&db, Kind::ScanWorkflow, scan.id.as_str()).await.unwrap());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_scan_of_a_missing_space_without_a_trace() {
    on_each_database(async |db| {
        let (tenant, stranger) = (testing::account(&db).await, testing::account(&db).await);
        let theirs = testing::space(&db, &stranger).await;
        for space in [SpaceId::new(), theirs.id.0] {
            let new = with_key(new_scan(&tenant, &space, video_input()), "idem-0001", "hash");
            assert_eq!(create(&db, &new).await, CreateOutcome::SpaceNotFound);
        }
        assert!(idempotency_keys::find(&db, &tenant, "idem-0001").await.unwrap().is_none());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn deletes_old_keys_and_keeps_scans() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await;
        let new = with_key(new_scan(&tenant, &space.id, video_input()), "idem-0001", "hash");
        let first = row(create(&db, &new).await);
        let purge = async |before: Timestamp| {
            db.write(async |txn| retention::IDEMPOTENCY_KEYS.delete_batch(&txn, before, 10).await)
                .await
                .unwrap()
        };
        assert_eq!(purge(NOON).await, 0);
        assert_eq!(purge(NOON.plus(std::time::Duration::from_millis(1))).await, 1);
        let second = row(create(&db, &new).await);
        assert_ne!(first.id, second.id);
        assert!(scans::find(&db, &tenant, &first.id).await.unwrap().is_some());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dropped_or_failed_transaction_writes_nothing() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await;
        let new = with_key(new_scan(&tenant, &space.id, video_input()), "idem-0001", "hash");

        let txn = db.begin_write().await.unwrap();
        scans::create(&txn, &new, NOON).await.unwrap();
        drop(txn);

        let failed: Result<(), _> = db
            .write(async |txn| {
                scans::create(&txn, &new, NOON).await?;
                Err(entities::Error::corrupt("on purpose"))
            })
            .await;
        assert!(failed.is_err());
        assert_eq!(scans::Entity::find().count(db.conn()).await.unwrap(), 0);
        assert!(matches!(create(&db, &new).await, CreateOutcome::Created(_)));
    })
    .await;
}
