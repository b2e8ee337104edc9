//! Tests of starting scans: each outcome, idempotency and concurrency.

use std::time::Duration;

use domain::{
    ScanId, ScanStatus, Timestamp,
    money::{Charge, ChargeKind, Prices},
    scan::{CancelOutcome, StartOutcome},
};
use entities::{
    ledger_transactions::{self, TransactionKind},
    outbox::{self, Kind},
    scans,
    testing::{self, NOON, frames_input, video_input},
};
use ledger::StartRequest;
use tokio::task::JoinSet;

use crate::fixture::{Owner, VIDEO, on_each_database};

const FREE: Charge = Charge { kind: ChargeKind::FreeScan, price_cents: 0, refunded: false };

fn paid(price_cents: i64) -> Charge {
    Charge { kind: ChargeKind::ScanCharge, price_cents, refunded: false }
}

fn is_started(outcome: &StartOutcome) -> bool {
    matches!(outcome, StartOutcome::Started { .. })
}

#[tokio::test(flavor = "multi_thread")]
async fn start_charges_queues_and_enqueues_once() {
    on_each_database(async |db| {
        let owner = Owner::new(&db, 1000, 0).await;
        let scan = owner.ready_video().await;
        assert_eq!(owner.start(&scan).await, StartOutcome::Started { charge: paid(VIDEO) });
        for _ in 0..2 {
            assert_eq!(owner.start(&scan).await, StartOutcome::AlreadyStarted { charge: paid(VIDEO) });
        }
        assert_eq!(owner.money().await, (1000 - VIDEO, 0));
        let row = owner.scan(&scan).await;
        assert_eq!((row.status.0, row.started_at.unwrap().0), (ScanStatus::Queued, NOON));
        assert_eq!(row.charge(), Some(paid(VIDEO)));
        let entry = outbox::find(&db, Kind::ScanStart, scan.as_str()).await.unwrap().unwrap();
        assert!(entry.done_at.is_none() && entry.next_attempt_at.0 > NOON);
        assert_eq!(scans::view(&db, &row).await.unwrap().timeline.len(), 2);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn uses_free_scans_first_and_prices_by_kind() {
    on_each_database(async |db| {
        let owner = Owner::new(&db, 1000, 2).await;
        let mut charges = Vec::new();
        for input in [video_input(), frames_input(2), frames_input(2), video_input()] {
            let scan = owner.ready(input).await;
            let StartOutcome::Started { charge } = owner.start(&scan).await else { panic!() };
            charges.push(charge);
            owner.complete(&scan).await;
        }
        assert_eq!(charges, [FREE, FREE, paid(100), paid(150)]);
        assert_eq!(owner.money().await, (750, 0));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refusals_come_in_order_and_change_nothing() {
    on_each_database(async |db| {
        // This scan violates every condition; they are corrected one by one.
        let owner = Owner::new(&db, 0, 0).await;
        owner.credit(3 * VIDEO).await;
        let mut running: Vec<ScanId> = Vec::new();
        for _ in 0..3 {
            let scan = owner.ready_video().await;
            assert!(is_started(&owner.start(&scan).await));
            running.push(scan);
        }
        let (key, _) = testing::key(&db, &owner.tenant, Some(VIDEO - 1)).await;
        let scan = testing::scan(&db, &owner.tenant, &owner.space, video_input()).await;
        let start = async || owner.start_with(&scan.id, &key.id, NOON).await;

        assert_eq!(start().await, StartOutcome::UploadIncomplete { missing: 1 });
        testing::upload_all(&db, &scan).await;
        assert_eq!(start().await, StartOutcome::ScansInProgress { limit: 3 });
        owner.complete(&running[0]).await;
        assert_eq!(start().await, StartOutcome::SpendingCapReached);
        db.write(async |txn| {
            entities::api_keys::set_monthly_cap(&txn, &owner.tenant, &key.id, Some(VIDEO)).await
        })
        .await
        .unwrap();
        let refusal = StartOutcome::InsufficientFunds { balance_cents: 0, price_cents: VIDEO };
        assert_eq!(start().await, refusal);

        let row = owner.scan(&scan.id).await;
        assert_eq!(row.status.0, ScanStatus::AwaitingUpload);
        assert!(row.charge().is_none() && row.started_at.is_none());
        assert!(outbox::find(&db, Kind::ScanStart, scan.id.as_str()).await.unwrap().is_none());

        owner.credit(VIDEO).await;
        assert_eq!(start().await, StartOutcome::Started { charge: paid(VIDEO) });
        assert_eq!(owner.money().await, (0, 0));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_start_of_cancelled_expired_or_unknown_scan() {
    on_each_database(async |db| {
        let owner = Owner::new(&db, 1000, 3).await;
        assert_eq!(owner.start(&ScanId::new()).await, StartOutcome::NotFound);

        let cancelled = owner.ready_video().await;
        let outcome = db.write(async |txn| scans::cancel(&txn, &cancelled, NOON).await).await.unwrap();
        assert_eq!(outcome, CancelOutcome::Cancelled);
        assert_eq!(owner.start(&cancelled).await, StartOutcome::Cancelled);

        let overdue = owner.ready_video().await;
        let deadline = owner.scan(&overdue).await.deadline_at.0;
        let at = |now: Timestamp| StartRequest { now, ..owner.request(&overdue, None) };
        let late = ledger::start_scan(&db, &at(deadline)).await.unwrap();
        assert_eq!(late, StartOutcome::Cancelled);
        let just_in_time = at(deadline.minus(Duration::from_millis(1)));
        assert!(is_started(&ledger::start_scan(&db, &just_in_time).await.unwrap()));
        // The deadline does not matter once the scan is started.
        let much_later = ledger::start_scan(&db, &at(deadline.plus(Duration::from_secs(9)))).await.unwrap();
        assert_eq!(much_later, StartOutcome::AlreadyStarted { charge: FREE });
        assert_eq!(owner.money().await, (1000, 2));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_start_in_a_deleted_space() {
    on_each_database(async |db| {
        let owner = Owner::new(&db, 1000, 0).await;
        let scan = owner.ready_video().await;
        db.write(async |txn| entities::spaces::delete(&txn, &owner.tenant, &owner.space, NOON).await)
            .await
            .unwrap();
        assert_eq!(owner.start(&scan).await, StartOutcome::Cancelled);
        assert_eq!(owner.money().await, (1000, 0));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn money_for_20_of_40_starts_allows_exactly_20() {
    on_each_database(async |db| {
        let owner = Owner::new(&db, 20 * VIDEO + VIDEO - 1, 0).await;
        let mut starts = JoinSet::new();
        for _ in 0..40 {
            let scan = owner.ready_video().await;
            let request = StartRequest { max_in_progress: 1000, ..owner.request(&scan, None) };
            let db = db.clone();
            starts.spawn(async move { ledger::start_scan(&db, &request).await.unwrap() });
        }
        let outcomes = starts.join_all().await;
        assert_eq!(outcomes.iter().filter(|outcome| is_started(outcome)).count(), 20);
        let refusal = StartOutcome::InsufficientFunds { balance_cents: VIDEO - 1, price_cents: VIDEO };
        assert_eq!(outcomes.iter().filter(|outcome| **outcome == refusal).count(), 20);
        assert_eq!(owner.money().await, (VIDEO - 1, 0));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn three_of_12_concurrent_starts_succeed_in_each_mode() {
    on_each_database(async |db| {
        let test = Owner::new(&db, 0, 12).await;
        let tenant = testing::other_mode(&test.tenant);
        let space = testing::space(&db, &tenant).await.id.0;
        let live = Owner { db: db.clone(), tenant, space };
        let mut starts = JoinSet::new();
        for owner in [&test, &live] {
            for _ in 0..12 {
                let request = owner.request(&owner.ready_video().await, None);
                let db = db.clone();
                starts.spawn(async move { ledger::start_scan(&db, &request).await.unwrap() });
            }
        }
        let outcomes = starts.join_all().await;
        assert_eq!(outcomes.iter().filter(|outcome| is_started(outcome)).count(), 6);
        let refusal = StartOutcome::ScansInProgress { limit: 3 };
        assert_eq!(outcomes.iter().filter(|outcome| **outcome == refusal).count(), 18);
        for owner in [&test, &live] {
            assert_eq!(scans::count_in_progress(&db, &owner.tenant).await.unwrap(), 3);
            assert_eq!(owner.money().await, (0, 9));
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_starts_of_one_scan_charge_once() {
    on_each_database(async |db| {
        let owner = Owner::new(&db, 1000, 0).await;
        let request = owner.request(&owner.ready_video().await, None);
        let mut starts = JoinSet::new();
        for _ in 0..20 {
            let (db, request) = (db.clone(), request.clone());
            starts.spawn(async move { ledger::start_scan(&db, &request).await.unwrap() });
        }
        let outcomes = starts.join_all().await;
        assert_eq!(outcomes.iter().filter(|outcome| is_started(outcome)).count(), 1);
        let again = StartOutcome::AlreadyStarted { charge: paid(VIDEO) };
        assert_eq!(outcomes.iter().filter(|outcome| **outcome == again).count(), 19);
        assert_eq!(owner.money().await, (1000 - VIDEO, 0));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cap_holds_under_concurrency_and_only_for_its_key() {
    on_each_database(async |db| {
        let owner = Owner::new(&db, 100_000, 0).await;
        let (capped, _) = testing::key(&db, &owner.tenant, Some(5 * VIDEO)).await;
        let (uncapped, _) = testing::key(&db, &owner.tenant, None).await;
        let mut starts = JoinSet::new();
        for key in [&capped.id, &uncapped.id] {
            for _ in 0..12 {
                let scan = owner.ready_video().await;
                let request = StartRequest { max_in_progress: 1000, ..owner.request(&scan, Some(key)) };
                let db = db.clone();
                starts.spawn(async move { ledger::start_scan(&db, &request).await.unwrap() });
            }
        }
        let outcomes = starts.join_all().await;
        assert_eq!(outcomes.iter().filter(|outcome| is_started(outcome)).count(), 5 + 12);
        let capped_out = |outcome: &&StartOutcome| **outcome == StartOutcome::SpendingCapReached;
        assert_eq!(outcomes.iter().filter(capped_out).count(), 7);
        let spent = ledger::spent_by_key(&db, &owner.tenant, &capped.id, NOON).await.unwrap();
        assert_eq!(spent, 5 * VIDEO);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cap_counts_months_and_refunds_but_not_free_scans() {
    on_each_database(async |db| {
        let owner = Owner::new(&db, 100_000, 1).await;
        let (key, _) = testing::key(&db, &owner.tenant, Some(VIDEO)).await;
        let november: Timestamp = "2026-11-30T23:59:59.999Z".parse().unwrap();
        let december = november.plus(Duration::from_millis(1));
        let start = async |now| {
            let scan = testing::scan(&db, &owner.tenant, &owner.space, video_input()).await;
            // Removes the deadline, because the starts are weeks after the creation.
            testing::upload_all(&db, &scan).await;
            let open = entities::scans::Column::DeadlineAt;
            use entities::Reader;
            use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};
            scans::Entity::update_many()
                .col_expr(open, Expr::value(i64::MAX))
                .filter(scans::Column::Id.eq(scan.id.as_str()))
                .exec(db.conn())
                .await
                .unwrap();
            (scan.id.0.clone(), owner.start_with(&scan.id, &key.id, now).await)
        };
        assert_eq!(start(november).await.1, StartOutcome::Started { charge: FREE });
        let (in_november, outcome) = start(november).await;
        assert!(is_started(&outcome));
        assert_eq!(start(november).await.1, StartOutcome::SpendingCapReached);
        let (in_december, outcome) = start(december).await;
        assert!(is_started(&outcome), "a new month begins with nothing spent");
        owner.complete(&in_december).await;

        // A refund in December reduces November's spending, not December's.
        ledger::fail_scan(&db, &in_november, &crate::fixture::failure(), december).await.unwrap();
        assert_eq!(start(december).await.1, StartOutcome::SpendingCapReached);
        assert!(is_started(&start(november).await.1));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_start_with_a_key_of_another_account() {
    on_each_database(async |db| {
        let (owner, stranger) = (Owner::new(&db, 1000, 0).await, Owner::new(&db, 1000, 0).await);
        let (key, _) = testing::key(&db, &stranger.tenant, None).await;
        let scan = owner.ready_video().await;
        assert!(ledger::start_scan(&db, &owner.request(&scan, Some(&key.id))).await.is_err());
        assert_eq!(owner.money().await, (1000, 0));
        assert_eq!(owner.scan(&scan).await.status.0, ScanStatus::AwaitingUpload);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn records_a_scan_that_costs_nothing() {
    on_each_database(async |db| {
        let owner = Owner::new(&db, 0, 0).await;
        let scan = owner.ready_video().await;
        let prices = Prices { video_cents: 0, frames_cents: 0 };
        let request = StartRequest { prices, ..owner.request(&scan, None) };
        let outcome = ledger::start_scan(&db, &request).await.unwrap();
        assert_eq!(outcome, StartOutcome::Started { charge: paid(0) });
        let charge =
            ledger_transactions::find_by_scan(&db, &owner.tenant, TransactionKind::Charge, &scan).await;
        assert_eq!(charge.unwrap().unwrap().amount_cents, 0);
    })
    .await;
}
