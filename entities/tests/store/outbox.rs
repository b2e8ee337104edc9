//! Tests of the outbox: no entry is claimed twice at a time, and none is lost.

use std::{collections::BTreeSet, time::Duration};

use entities::{
    Db,
    outbox::{self, Kind},
    testing::{NOON, on_each_database},
};
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
                    let claimed = outbox::claim_due(&db, 3, NOON, LEASE).await.unwrap();
                    if claimed.is_empty() {
                        return mine;
                    }
                    mine.extend(claimed.into_iter().map(|row| row.subject));
                }
            });
        }
        let claimed: Vec<String> = relays.join_all().await.into_iter().flatten().collect();
        // A relay skips rows that another one has locked, so the remaining rows are claimed here.
        let remaining = outbox::claim_due(&db, 100, NOON, LEASE).await.unwrap();
        let all: Vec<String> =
            claimed.into_iter().chain(remaining.into_iter().map(|row| row.subject)).collect();
        assert_eq!(all.len(), 40);
        assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 40);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn entry_of_a_dead_relay_is_due_after_its_lease() {
    on_each_database(async |db| {
        enqueue(&db, "evt_a").await;
        let claim = async |now| outbox::claim_due(&db, 10, now, LEASE).await.unwrap();
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
        let purge =
            async |before| db.write(async |txn| outbox::purge_done(&txn, before).await).await.unwrap();
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
        let mut waits = Vec::new();
        for _ in 0..4 {
            let row = outbox::claim_due(&db, 1, now, LEASE).await.unwrap().remove(0);
            let due = outbox::retry_later(&db, &row, now).await.unwrap();
            waits.push(due.since(now).as_secs());
            assert!(
                outbox::claim_due(&db, 1, due.minus(Duration::from_millis(1)), LEASE)
                    .await
                    .unwrap()
                    .is_empty()
            );
            now = due;
        }
        assert_eq!(waits, [2, 4, 8, 16]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_relay_leaves_entries_of_other_relays() {
    on_each_database(async |db| {
        enqueue(&db, "evt_a").await;
        let slow = outbox::claim_due(&db, 1, NOON, LEASE).await.unwrap().remove(0);
        let later = NOON.plus(LEASE);
        let other = outbox::claim_due(&db, 1, later, LEASE).await.unwrap().remove(0);
        outbox::retry_later(&db, &slow, NOON).await.unwrap();
        let row = outbox::find(&db, Kind::Event, "evt_a").await.unwrap().unwrap();
        assert_eq!(row.next_attempt_at, other.next_attempt_at);
    })
    .await;
}
