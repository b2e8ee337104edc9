//! Tests of the outbox: no entry is claimed twice at a time, and none is lost.

use std::{collections::BTreeSet, time::Duration};

use entities::{
    Db, Reader,
    outbox::{self, AfterFailure, Kind},
    retention,
    testing::{NOON, TestDatabase, on_each_database},
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};
use tokio::task::JoinSet;

const LEASE: Duration = Duration::from_secs(30);

async fn enqueue(db: &Db, subject: &str) -> bool {
    let payload = serde_json::json!({ "n": 1 });
    db.write(async |txn| outbox::enqueue(&txn, Kind::Event, subject, &payload, NOON, NOON).await)
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn relays_share_entries_without_claiming_twice() {
    on_each_database(async |db| {
        for n in 0..40 {
            assert!(enqueue(&db, &format!("evt_{n}")).await);
        }
        let mut relays = JoinSet::new();
        for _ in 0..6 {
            let db = db.clone();
            relays.spawn(async move {
                let mut mine = Vec::new();
                loop {
                    let claimed = outbox::claim_due(&db, Kind::Event, 3, NOON, LEASE).await.unwrap();
                    if claimed.is_empty() {
                        return mine;
                    }
                    mine.extend(claimed.into_iter().map(|row| row.subject));
                }
            });
        }
        let claimed: Vec<String> = relays.join_all().await.into_iter().flatten().collect();
        // A relay skips rows that another one has locked, so the remaining rows are claimed here.
        let remaining = outbox::claim_due(&db, Kind::Event, 100, NOON, LEASE).await.unwrap();
        let all: Vec<String> =
            claimed.into_iter().chain(remaining.into_iter().map(|row| row.subject)).collect();
        assert_eq!(all.len(), 40);
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 40);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn kinds_due_are_those_with_an_entry_to_claim() {
    on_each_database(async |db| {
        let later = NOON.plus(Duration::from_secs(60));
        let payload = serde_json::json!({});
        for (kind, subject, due) in [
            (Kind::Event, "evt_a", NOON),
            (Kind::Event, "evt_b", NOON),
            (Kind::Payment, "pay_a", later),
            (Kind::Purge, "scans/a/", NOON),
            (Kind::AccountMail, "mail", NOON),
        ] {
            db.write(async |txn| outbox::enqueue(&txn, kind, subject, &payload, NOON, due).await)
                .await
                .unwrap();
        }
        outbox::complete(&db, Kind::AccountMail, "mail", NOON).await.unwrap();
        let [purge] = &outbox::claim_due(&db, Kind::Purge, 1, NOON, LEASE).await.unwrap()[..] else {
            panic!("one entry")
        };
        let parked = outbox::record_failure(&db, purge, "malformed", false, NOON).await.unwrap();
        assert_eq!(parked, AfterFailure::Parked);
        assert_eq!(outbox::kinds_due(&db, NOON).await.unwrap(), [Kind::Event]);
        assert_eq!(outbox::kinds_due(&db, later).await.unwrap(), [Kind::Event, Kind::Payment]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn entry_of_a_dead_relay_is_due_after_its_lease() {
    on_each_database(async |db| {
        enqueue(&db, "evt_a").await;
        let claim = async |now| outbox::claim_due(&db, Kind::Event, 10, now, LEASE).await.unwrap();
        assert_eq!(claim(NOON).await.len(), 1);
        assert!(claim(NOON.plus(LEASE / 2)).await.is_empty());
        let again = claim(NOON.plus(LEASE)).await;
        assert_eq!((again.len(), again[0].attempts), (1, 2));
        assert_eq!(again[0].payload["n"], 1);

        assert!(outbox::complete(&db, Kind::Event, "evt_a", NOON).await.unwrap());
        assert!(!outbox::complete(&db, Kind::Event, "evt_a", NOON).await.unwrap());
        assert!(claim(NOON.plus(LEASE * 100)).await.is_empty());
        assert!(!outbox::is_pending(&db, Kind::Event, "evt_a").await.unwrap());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn enqueues_each_kind_and_subject_once() {
    on_each_database(async |db| {
        assert!(enqueue(&db, "evt_a").await);
        assert!(!enqueue(&db, "evt_a").await);
        outbox::complete(&db, Kind::Event, "evt_a", NOON).await.unwrap();
        assert!(!enqueue(&db, "evt_a").await);
        assert!(!outbox::is_pending(&db, Kind::Event, "evt_a").await.unwrap());
        assert!(!outbox::is_pending(&db, Kind::Purge, "evt_a").await.unwrap());

        enqueue(&db, "evt_b").await;
        let purge = async |before| {
            db.write(async |txn| retention::OUTBOX.delete_batch(&txn, before, 10).await).await.unwrap()
        };
        assert_eq!(purge(NOON).await, 0);
        assert_eq!(purge(NOON.plus(LEASE)).await, 1);
        assert!(outbox::is_pending(&db, Kind::Event, "evt_b").await.unwrap());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_attempts_back_off() {
    on_each_database(async |db| {
        enqueue(&db, "evt_a").await;
        let mut now = NOON;
        for (failures, seconds) in [(1, 2), (2, 4), (3, 8), (4, 16)] {
            let row = outbox::claim_due(&db, Kind::Event, 1, now, LEASE).await.unwrap().remove(0);
            let outcome = outbox::record_failure(&db, &row, "engine", true, now).await.unwrap();
            let AfterFailure::RetryAt(due) = outcome else { panic!("{outcome:?}") };
            let (wait, longest) = (due.since(now), Duration::from_secs(seconds));
            assert!(wait <= longest && wait >= longest.mul_f64(0.74), "{wait:?}");
            let early = due.minus(Duration::from_millis(1));
            assert!(outbox::claim_due(&db, Kind::Event, 1, early, LEASE).await.unwrap().is_empty());
            let row = outbox::find(&db, Kind::Event, "evt_a").await.unwrap().unwrap();
            assert_eq!((row.failures, row.last_error.as_deref()), (failures, Some("engine")));
            now = due;
        }
        // An attempt that succeeds ends the series of failures.
        let row = outbox::claim_due(&db, Kind::Event, 1, now, LEASE).await.unwrap().remove(0);
        outbox::retry_later(&db, &row, now).await.unwrap();
        let row = outbox::find(&db, Kind::Event, "evt_a").await.unwrap().unwrap();
        assert_eq!((row.failures, row.last_error, row.attempts), (0, None, 5));
    })
    .await;
}

/// Sets the number of failures of every entry.
async fn set_failures(db: &Db, failures: i64) {
    let update = outbox::Entity::update_many().col_expr(outbox::Column::Failures, Expr::value(failures));
    update.exec(db.conn()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn entry_that_keeps_failing_is_parked_until_an_operator_retries_it() {
    on_each_database(async |db| {
        enqueue(&db, "evt_a").await;
        set_failures(&db, outbox::MAX_FAILURES - 2).await;
        let claim = async |now| outbox::claim_due(&db, Kind::Event, 1, now, LEASE).await.unwrap();
        let fail = async |now| {
            let row = claim(now).await.remove(0);
            outbox::record_failure(&db, &row, "engine", true, now).await.unwrap()
        };
        assert!(matches!(fail(NOON).await, AfterFailure::RetryAt(_)));
        let later = NOON.plus(LEASE * 10);
        assert_eq!(fail(later).await, AfterFailure::Parked);
        let much_later = later.plus(LEASE * 1000);
        assert_eq!(claim(much_later).await, []);
        assert!(outbox::is_pending(&db, Kind::Event, "evt_a").await.unwrap());
        let [parked] = &outbox::list_pending(&db, true, 10).await.unwrap()[..] else { panic!("one entry") };
        assert_eq!((parked.kind.as_str(), parked.subject.as_str(), parked.attempts), ("event", "evt_a", 2));
        assert_eq!(parked.failures, outbox::MAX_FAILURES);
        assert_eq!((parked.last_error.as_deref(), parked.parked_at), (Some("engine"), Some(later.into())));

        let retry = async |subject: &str| {
            db.write(async |txn| outbox::retry_parked(&txn, Kind::Event, subject, much_later).await)
                .await
                .unwrap()
        };
        assert!(!retry("evt_b").await);
        assert!(retry("evt_a").await);
        assert!(!retry("evt_a").await, "it is no longer parked");
        // It gets a whole new series of attempts, and still counts as attempted.
        assert!(matches!(fail(much_later).await, AfterFailure::RetryAt(_)));
        let row = outbox::find(&db, Kind::Event, "evt_a").await.unwrap().unwrap();
        assert_eq!((row.failures, row.attempts, row.parked_at), (1, 3, None));
        assert_eq!(outbox::list_pending(&db, true, 10).await.unwrap(), []);
        assert_eq!(outbox::list_pending(&db, false, 10).await.unwrap().len(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn only_kinds_that_may_park_are_parked() {
    on_each_database(async |db| {
        let payload = serde_json::json!({});
        for kind in Kind::ALL {
            for (subject, retryable) in [("malformed", false), ("failing", true)] {
                let new = async |txn| outbox::enqueue(&txn, kind, subject, &payload, NOON, NOON).await;
                assert!(db.write(new).await.unwrap());
                set_failures(&db, outbox::MAX_FAILURES - 1).await;
                let row = outbox::claim_due(&db, kind, 1, NOON, LEASE).await.unwrap().remove(0);
                let outcome = outbox::record_failure(&db, &row, "test", retryable, NOON).await.unwrap();
                assert_eq!(outcome == AfterFailure::Parked, kind.may_park(), "{kind:?}");
                let due_again = outbox::claim_due(&db, kind, 1, NOON.plus(LEASE * 10), LEASE).await.unwrap();
                assert_eq!(due_again.len(), usize::from(!kind.may_park()), "{kind:?}");
                outbox::complete(&db, kind, subject, NOON).await.unwrap();
            }
        }
        for kind in [Kind::ScanWorkflow, Kind::ScanStart, Kind::Payment, Kind::Export, Kind::Erasure] {
            assert!(!kind.may_park(), "{kind:?} must not be lost");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn broken_entry_hides_no_other_entry() {
    on_each_database(async |db| {
        enqueue(&db, "evt_broken").await;
        enqueue(&db, "evt_a").await;
        let broken = outbox::Entity::update_many()
            .col_expr(outbox::Column::Payload, Expr::value("{"))
            .filter(outbox::Column::Subject.eq("evt_broken"));
        broken.exec(db.conn()).await.unwrap();
        // Written by a later version.
        let unknown = outbox::Entity::update_many()
            .col_expr(outbox::Column::Kind, Expr::value("later"))
            .filter(outbox::Column::Subject.eq("evt_later"));
        enqueue(&db, "evt_later").await;
        unknown.exec(db.conn()).await.unwrap();
        let claimed = outbox::claim_due(&db, Kind::Event, 10, NOON, LEASE).await.unwrap();
        let subjects: BTreeSet<&str> = claimed.iter().map(|row| row.subject.as_str()).collect();
        assert_eq!(subjects, ["evt_a", "evt_broken"].into());
        let listed = outbox::list_pending(&db, false, 10).await.unwrap();
        assert!(listed.len() == 3 && listed.iter().any(|entry| entry.kind == "later"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn kinds_are_claimed_separately() {
    on_each_database(async |db| {
        enqueue(&db, "evt_a").await;
        db.write(async |txn| outbox::enqueue_purge(&txn, "scans/a/", NOON).await).await.unwrap();
        let claim = async |kind| outbox::claim_due(&db, kind, 10, NOON, LEASE).await.unwrap();
        assert_eq!(claim(Kind::Payment).await, []);
        assert_eq!(claim(Kind::Purge).await[0].subject, "scans/a/");
        assert_eq!(claim(Kind::Event).await[0].subject, "evt_a");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn relay_is_woken_after_the_commit_of_a_due_entry() {
    on_each_database(async |db| {
        let mut events = outbox::subscribe(&db, Kind::Event);
        let mut purges = outbox::subscribe(&db, Kind::Purge);
        let is_woken = |receiver: &mut tokio::sync::watch::Receiver<()>| {
            let changed = receiver.has_changed().unwrap();
            receiver.mark_unchanged();
            changed
        };
        enqueue(&db, "evt_a").await;
        assert!(is_woken(&mut events) && !is_woken(&mut purges));
        enqueue(&db, "evt_a").await;
        assert!(!is_woken(&mut events), "the entry existed");
        let later = async |txn| outbox::enqueue_after_grace(&txn, Kind::Event, "evt_b", NOON).await;
        assert!(db.write(later).await.unwrap());
        assert!(!is_woken(&mut events), "the entry is not due yet");

        let txn = db.begin_write().await.unwrap();
        outbox::enqueue_purge(&txn, "scans/a/", NOON).await.unwrap();
        assert!(!is_woken(&mut purges), "the entry is not committed yet");
        txn.rollback().await.unwrap();
        assert!(!is_woken(&mut purges), "the entry was not committed");
        let txn = db.begin_write().await.unwrap();
        outbox::enqueue_purge(&txn, "scans/a/", NOON).await.unwrap();
        txn.commit().await.unwrap();
        assert!(is_woken(&mut purges));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_relay_leaves_entries_of_other_relays() {
    on_each_database(async |db| {
        enqueue(&db, "evt_a").await;
        let slow = outbox::claim_due(&db, Kind::Event, 1, NOON, LEASE).await.unwrap().remove(0);
        let later = NOON.plus(LEASE);
        let other = outbox::claim_due(&db, Kind::Event, 1, later, LEASE).await.unwrap().remove(0);
        outbox::retry_later(&db, &slow, NOON).await.unwrap();
        let failed = outbox::record_failure(&db, &slow, "malformed", false, NOON).await.unwrap();
        assert_eq!(failed, AfterFailure::Superseded);
        let row = outbox::find(&db, Kind::Event, "evt_a").await.unwrap().unwrap();
        assert_eq!((row.next_attempt_at, row.parked_at), (other.next_attempt_at, None));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn relay_is_woken_by_other_processes_on_postgres() {
    let Some(database) = TestDatabase::postgres().await else { return };
    let db = database.db().clone();
    let mut events = outbox::subscribe(&db, Kind::Event);
    let listener = tokio::spawn(async move { outbox::listen(&db).await });
    let other_process = Db::connect(database.settings()).await.unwrap();
    // The listener may need a moment to connect, and notifications before that are lost.
    let is_woken = async {
        for n in 0.. {
            enqueue(&other_process, &format!("evt_{n}")).await;
            if tokio::time::timeout(Duration::from_millis(200), events.changed()).await.is_ok() {
                return;
            }
        }
    };
    tokio::time::timeout(LEASE, is_woken).await.expect("a notification");
    listener.abort();
    let _ = listener.await;
    other_process.close().await.unwrap();
    database.drop_database().await;
}
