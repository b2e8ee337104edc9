//! The sweeper deletes what is no longer kept.

use std::{collections::BTreeSet, time::Duration};

use activities::{
    Sweeper,
    retention::{KEPT, POLICIES, Policy, Settings},
};
use domain::{
    ExportId, ExportState, FailureCode, ScanId, ScanStatus, Stage, Token, TokenPurpose, layout,
    scan::ScanFailure,
};
use entities::{
    Db, Reader, account_exports,
    outbox::{self, Kind},
    scans::{self, Completion},
    sessions,
    testing::{self, NOON, on_each_database},
    user_tokens, users,
};
use sea_orm::{ConnectionTrait, DbBackend, EntityTrait, PaginatorTrait, Statement};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

#[tokio::test(flavor = "multi_thread")]
async fn sessions_and_tokens_are_deleted_a_week_after_their_end() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let user = users::of_account(&db, &tenant.account_id).await.unwrap().remove(0).id;
        let written: entities::Result<()> = db
            .write(async |txn| {
                for days in [1, 3] {
                    let ended = sessions::open(&txn, &user, &Token::generate(), days * DAY, NOON).await?;
                    // Has the same retention whether it was ended early or expired.
                    sessions::revoke(&txn, &ended.id, NOON).await?;
                    sessions::open(&txn, &user, &Token::generate(), days * DAY, NOON).await?;
                }
                user_tokens::issue(&txn, &user, TokenPurpose::ResetPassword, NOON).await?;
                user_tokens::issue(&txn, &user, TokenPurpose::ConfirmEmail, NOON).await?;
                Ok(())
            })
            .await;
        written.unwrap();
        let count = async || {
            let sessions = sessions::Entity::find().count(db.conn()).await.unwrap();
            (sessions, user_tokens::Entity::find().count(db.conn()).await.unwrap())
        };
        let sweeper = Sweeper::new(db.clone(), Settings::default());
        let minute = Duration::from_secs(60);
        for (after, swept, expected) in [
            (7 * DAY, 0, (4, 2)),
            // The reset token was valid for an hour.
            (7 * DAY + Duration::from_secs(60 * 60) + minute, 1, (4, 1)),
            (8 * DAY + minute, 2, (2, 1)),
            (10 * DAY, 0, (2, 1)),
            (10 * DAY + minute, 3, (0, 0)),
            (100 * DAY, 0, (0, 0)),
        ] {
            assert_eq!(sweeper.run_once(NOON.plus(after)).await.unwrap(), swept, "{after:?} later");
            assert_eq!(count().await, expected, "{after:?} later");
        }
    })
    .await;
}

/// Returns the tables of the live schema.
async fn tables(db: &Db) -> BTreeSet<String> {
    let sql = match db.backend() {
        DbBackend::Sqlite => {
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        }
        _ => "SELECT table_name::text AS name FROM information_schema.tables WHERE table_schema = 'public'",
    };
    let rows = db.conn().query_all_raw(Statement::from_string(db.backend(), sql)).await.unwrap();
    rows.iter().map(|row| row.try_get("", "name").unwrap()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_table_has_a_retention_policy_or_a_reason_to_have_none() {
    on_each_database(async |db| {
        let known: BTreeSet<String> = POLICIES
            .iter()
            .map(Policy::table)
            .chain(KEPT.map(|(table, _)| table))
            .map(str::to_owned)
            .collect();
        assert_eq!(tables(&db).await, known);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn media_of_ended_scans_are_deleted_after_their_retention_without_any_workflow() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await;
        let mut scans = Vec::new();
        for status in [ScanStatus::Complete, ScanStatus::Failed] {
            let scan = testing::scan(&db, &tenant, &space.id, testing::frames_input(2)).await;
            testing::upload_all(&db, &scan).await;
            end(&db, &scan.id, status).await;
            scans.push(scan.id.0);
        }
        let [complete, failed] = &scans[..] else { panic!("two scans") };
        let sweeper = Sweeper::new(db.clone(), Settings::default());
        let source = layout::source_prefix(complete);
        let prefix = layout::scan_prefix(failed);
        let minute = Duration::from_secs(60);
        for (after, source_purged, prefix_purged) in [
            (7 * DAY, false, false),
            (7 * DAY + minute, false, true),
            (30 * DAY, false, true),
            (30 * DAY + minute, true, true),
        ] {
            sweeper.run_once(NOON.plus(after)).await.unwrap();
            let is_pending = async |prefix| outbox::is_pending(&db, Kind::Purge, prefix).await.unwrap();
            assert_eq!(is_pending(&source).await, source_purged, "{after:?} later");
            assert_eq!(is_pending(&prefix).await, prefix_purged, "{after:?} later");
        }
        assert_eq!(entities::uploads::Entity::find().count(db.conn()).await.unwrap(), 0);
    })
    .await;
}

/// Ends a scan at noon.
async fn end(db: &Db, id: &ScanId, status: ScanStatus) {
    let code = FailureCode::Internal;
    let failure = ScanFailure { code, message: String::new(), stage: None, retryable: true };
    let completion = Completion {
        scan_id: id.clone(),
        object_key: layout::document(id),
        sha256: "0".repeat(64),
        bytes: 2,
    };
    let ended: entities::Result<()> = db
        .write(async |txn| {
            scans::transition(&txn, id, ScanStatus::Queued, None, NOON).await?;
            scans::begin_stage(&txn, id, Stage::Saving, NOON).await?;
            let scan = scans::system::lock(&txn, id).await?.expect("the scan");
            match status {
                ScanStatus::Complete => drop(scans::complete(&txn, &completion, NOON).await?),
                _ => drop(scans::fail(&txn, &scan, &failure, false, NOON).await?),
            }
            Ok(())
        })
        .await;
    ended.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn archive_without_a_workflow_is_deleted_after_its_retention() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let account = &tenant.account_id;
        let ready: entities::Result<ExportId> = db
            .write(async |txn| {
                let export = account_exports::begin(&txn, account, NOON).await?;
                let end = NOON.plus(7 * DAY);
                account_exports::system::finish(&txn, &export.id, 5, NOON, end).await?;
                Ok(export.id.0)
            })
            .await;
        let id = ready.unwrap();
        let archive = layout::account_export(account, &id);
        let sweeper = Sweeper::new(db.clone(), Settings::default());
        let hour = Duration::from_secs(60 * 60);
        for (after, deleted) in [(7 * DAY + hour, false), (7 * DAY + 2 * hour, true)] {
            sweeper.run_once(NOON.plus(after)).await.unwrap();
            let row = account_exports::find(&db, account, &id).await.unwrap().unwrap();
            assert_eq!(row.state.0 == ExportState::Expired, deleted);
            assert_eq!(outbox::is_pending(&db, Kind::Purge, &archive).await.unwrap(), deleted);
        }
        // Its record follows.
        sweeper.run_once(NOON.plus(38 * DAY)).await.unwrap();
        assert_eq!(account_exports::find(&db, account, &id).await.unwrap(), None);
    })
    .await;
}
