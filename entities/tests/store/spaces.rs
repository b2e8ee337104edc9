//! Tests of deleting spaces.

use domain::{ScanStatus, SpaceId, Stage, layout, space::NewSpace};
use entities::{
    Db, Tenant,
    outbox::{self, Kind},
    scans::{self, CreateOutcome},
    spaces::{self, DeleteOutcome},
    testing::{self, NOON, new_scan, on_each_database, video_input},
};
use tokio::task::JoinSet;

async fn delete(db: &Db, tenant: &Tenant, id: &SpaceId) -> DeleteOutcome {
    db.write(async |txn| spaces::delete(&txn, tenant, id, NOON).await).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting_a_space_cancels_scans_and_enqueues_purge() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await;
        let scan = testing::scan(&db, &tenant, &space.id, video_input()).await;
        assert_eq!(delete(&db, &tenant, &space.id).await, DeleteOutcome::Deleted);
        assert_eq!(delete(&db, &tenant, &space.id).await, DeleteOutcome::NotFound);
        assert!(spaces::find(&db, &tenant, &space.id).await.unwrap().is_none());
        let page = spaces::list(&db, &tenant, &Default::default(), &Default::default()).await.unwrap();
        assert!(page.rows.is_empty());
        let scan = scans::find(&db, &tenant, &scan.id).await.unwrap().unwrap();
        assert_eq!(scan.status.0, ScanStatus::Cancelled);
        assert!(outbox::is_pending(&db, Kind::Purge, &layout::scan_prefix(&scan.id)).await.unwrap());
        assert!(outbox::is_pending(&db, Kind::PurgeAgain, &layout::scan_prefix(&scan.id)).await.unwrap());
        let refused = new_scan(&tenant, &space.id, video_input());
        let outcome = db.write(async |txn| scans::create(&txn, &refused, NOON).await).await.unwrap();
        assert_eq!(outcome, CreateOutcome::SpaceNotFound);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn space_is_busy_while_a_scan_is_in_progress() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await;
        let scan = testing::scan(&db, &tenant, &space.id, video_input()).await;
        for status in [ScanStatus::Queued, ScanStatus::Processing] {
            let stage = Some(Stage::Ingesting);
            db.write(async |txn| scans::transition(&txn, &scan.id, status, stage, NOON).await).await.unwrap();
            assert_eq!(delete(&db, &tenant, &space.id).await, DeleteOutcome::Busy);
        }
        db.write(async |txn| scans::transition(&txn, &scan.id, ScanStatus::Complete, None, NOON).await)
            .await
            .unwrap();
        assert_eq!(delete(&db, &tenant, &space.id).await, DeleteOutcome::Deleted);
        let scan = scans::find(&db, &tenant, &scan.id).await.unwrap().unwrap();
        assert_eq!(scan.status.0, ScanStatus::Complete, "the deletion changed a complete scan");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_to_delete_a_space_of_another_source() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let new = NewSpace { name: "S".into(), space_type: "s".into(), external_id: None, description: None };
        let space = db
            .write(async |txn| spaces::insert_from(&txn, &tenant, "import", &new, NOON).await)
            .await
            .unwrap();
        assert_eq!(delete(&db, &tenant, &space.id).await, DeleteOutcome::NotDeletable);
        assert!(spaces::find(&db, &tenant, &space.id).await.unwrap().is_some());
    })
    .await;
}

/// In either order, no scan is left awaiting uploads in a deleted space.
#[tokio::test(flavor = "multi_thread")]
async fn racing_creation_and_deletion_leave_no_orphan() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        for _ in 0..10 {
            let space = testing::space(&db, &tenant).await.id.0;
            let mut all = JoinSet::new();
            for n in 0..4 {
                let (db, tenant, space) = (db.clone(), tenant.clone(), space.clone());
                all.spawn(async move {
                    if n == 1 {
                        delete(&db, &tenant, &space).await;
                    } else {
                        let new = new_scan(&tenant, &space, video_input());
                        db.write(async |txn| scans::create(&txn, &new, NOON).await).await.unwrap();
                    }
                });
            }
            all.join_all().await;
            let remaining = scans::list_of_space(&db, &tenant, &space, &Default::default()).await.unwrap();
            assert!(remaining.rows.iter().all(|scan| scan.status.0 == ScanStatus::Cancelled));
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting_a_space_with_many_scans_ends_each_of_them() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await;
        let mut ids = Vec::new();
        for _ in 0..450 {
            ids.push(testing::scan(&db, &tenant, &space.id, testing::frames_input(1)).await.id.0);
        }
        assert_eq!(delete(&db, &tenant, &space.id).await, DeleteOutcome::Deleted);
        for id in ids {
            let scan = scans::find(&db, &tenant, &id).await.unwrap().unwrap();
            assert_eq!(scan.status.0, ScanStatus::Cancelled);
            assert!(outbox::is_pending(&db, Kind::Purge, &layout::scan_prefix(&id)).await.unwrap());
        }
    })
    .await;
}
