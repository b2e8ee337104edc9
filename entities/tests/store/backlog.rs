//! Tests of the backlog that operators watch, and of the results of checks.

use std::time::Duration;

use domain::{ScanStatus, Stage};
use entities::{
    Db, backlog,
    checks::{self, Check, CheckResult},
    outbox::{self, Kind},
    scans,
    testing::{self, NOON, on_each_database, video_input},
};

use crate::query_plan::plan;

const MINUTE: Duration = Duration::from_secs(60);

async fn enqueue(db: &Db, kind: Kind, subject: &str, after: Duration) {
    let (payload, at) = (serde_json::json!({}), NOON.plus(after));
    db.write(async |txn| outbox::enqueue(&txn, kind, subject, &payload, at, at).await).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn backlog_of_the_outbox_counts_open_and_parked_entries_by_kind() {
    on_each_database(async |db| {
        for (subject, after) in [("evt_b", MINUTE), ("evt_a", Duration::ZERO), ("evt_c", MINUTE)] {
            enqueue(&db, Kind::Event, subject, after).await;
        }
        outbox::complete(&db, Kind::Event, "evt_c", NOON).await.unwrap();
        enqueue(&db, Kind::Purge, "scans/a/", Duration::ZERO).await;
        let lease = Duration::from_secs(1);
        let claimed = outbox::claim_due(&db, Kind::Purge, 1, NOON, lease).await.unwrap();
        outbox::record_failure(&db, &claimed[0], "malformed", false, NOON).await.unwrap();

        let found = backlog::outbox(&db).await.unwrap();
        assert_eq!(found.len(), Kind::ALL.len(), "each kind has a row");
        let of = |kind| *found.iter().find(|backlog| backlog.kind == kind).unwrap();
        let event = of(Kind::Event);
        assert_eq!((event.open, event.oldest_at, event.parked), (2, Some(NOON), 0));
        let purge = of(Kind::Purge);
        assert_eq!((purge.open, purge.oldest_at, purge.parked), (0, None, 1));
        let mail = of(Kind::AccountMail);
        assert_eq!((mail.open, mail.oldest_at, mail.parked), (0, None, 0));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn backlog_of_scans_shows_the_oldest_of_each_stage() {
    on_each_database(async |db| {
        assert_eq!(backlog::scans(&db).await.unwrap(), []);
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await;
        let mut started = Vec::new();
        for minute in 0..3 {
            let id = testing::scan(&db, &tenant, &space.id, video_input()).await.id.0;
            let at = NOON.plus(MINUTE * minute);
            let queue = async |txn| scans::transition(&txn, &id, ScanStatus::Queued, None, at).await;
            db.write(queue).await.unwrap();
            started.push(id);
        }
        let begun = NOON.plus(MINUTE * 10);
        let begin = async |txn| {
            let stage = Some(Stage::Ingesting);
            scans::transition(&txn, &started[0], ScanStatus::Processing, stage, begun).await
        };
        db.write(begin).await.unwrap();
        // One more scan that waits for its upload is no backlog.
        testing::scan(&db, &tenant, &space.id, video_input()).await;

        let mut found = backlog::scans(&db).await.unwrap();
        found.sort_by(|a, b| a.stage.cmp(&b.stage));
        let stages: Vec<_> = found.iter().map(|backlog| (backlog.stage.as_str(), backlog.scans)).collect();
        assert_eq!(stages, [("ingesting", 1), ("queued", 2)]);
        assert_eq!(found[0].oldest_progress_at, Some(begun));
        assert_eq!(found[1].oldest_progress_at, Some(NOON.plus(MINUTE)));
        assert_eq!(backlog::pending_deliveries(&db).await.unwrap(), 0);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn backlog_is_served_by_indexes() {
    on_each_database(async |db| {
        for statement in backlog::statements() {
            let plan = plan(&db, &statement).await;
            // A subquery is scanned, too, but it holds the rows of an index up to the limit.
            for table in ["outbox", "scans", "webhook_deliveries"] {
                let reads_all = |line: &str| {
                    line.contains(&format!("Seq Scan on {table}"))
                        || line.contains(&format!("SCAN {table}")) && !line.contains(" USING ")
                };
                assert!(!plan.lines().any(reads_all), "{statement}\n{plan}");
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn newest_result_of_a_check_replaces_the_last_one() {
    on_each_database(async |db| {
        let record = async |check, mismatches, at| {
            let result = CheckResult { check, mismatches, checked_at: at };
            db.write(async |txn| checks::record(&txn, result).await).await.unwrap();
        };
        record(Check::Ledger, 3, NOON).await;
        record(Check::Bank, 1, NOON).await;
        record(Check::Ledger, 0, NOON.plus(MINUTE)).await;
        let expected = [
            CheckResult { check: Check::Bank, mismatches: 1, checked_at: NOON },
            CheckResult { check: Check::Ledger, mismatches: 0, checked_at: NOON.plus(MINUTE) },
        ];
        assert_eq!(checks::results(&db).await.unwrap(), expected);
    })
    .await;
}
