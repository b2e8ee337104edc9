//! Tests of failed scans: the charge is refunded once.

use domain::{
    EventId, ScanId, ScanStatus, Stage,
    event::{Event, EventType},
    money::ChargeKind,
    scan::StartOutcome,
};
use entities::{
    events,
    outbox::{self, Kind},
    scans,
    testing::{self, NOON},
};
use ledger::FailOutcome;
use tokio::task::JoinSet;

use crate::fixture::{Owner, VIDEO, check_invariants, failure, on_each_database};

#[tokio::test(flavor = "multi_thread")]
async fn failed_scan_is_refunded_and_reported_once() {
    on_each_database(async |db| {
        for (cents, free_scans, kind) in [(1000, 0, ChargeKind::ScanCharge), (1000, 1, ChargeKind::FreeScan)]
        {
            for processing in [false, true] {
                let owner = Owner::new(&db, cents, free_scans).await;
                let before = owner.money().await;
                let id = owner.ready_video().await;
                owner.start(&id).await;
                assert_ne!(owner.money().await, before);
                if processing {
                    db.write(async |txn| scans::begin_stage(&txn, &id, Stage::Fusing, NOON).await)
                        .await
                        .unwrap();
                }
                let FailOutcome::Failed { scan } = owner.fail(&id).await else { panic!() };
                assert_eq!((scan.status, scan.stage), (ScanStatus::Failed, None));
                assert_eq!(scan.error, Some(failure()));
                let charge = scan.charge.unwrap();
                assert!(charge.refunded && charge.kind == kind);
                assert_eq!(owner.money().await, before);

                for _ in 0..2 {
                    let again = owner.fail(&id).await;
                    assert_eq!(again, FailOutcome::AlreadyFailed { scan: scan.clone() });
                }
                assert_eq!(owner.money().await, before);
                assert_eq!(owner.start(&id).await, StartOutcome::AlreadyStarted { charge });

                let event_id = EventId::scan_failed(&id);
                let event = events::find(&db, &owner.tenant, &event_id).await.unwrap().unwrap();
                assert_eq!(event.event_type.0, EventType::ScanFailed);
                let body: Event = serde_json::from_str(&event.body).unwrap();
                assert_eq!(body, Event::of_scan(*scan, NOON));
                assert!(outbox::is_pending(&db, Kind::Event, event_id.as_str()).await.unwrap());
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn fails_only_scans_in_progress_and_refunds_only_charges() {
    on_each_database(async |db| {
        let owner = Owner::new(&db, 1000, 0).await;
        let waiting = owner.ready_video().await;
        let status = ScanStatus::AwaitingUpload;
        assert_eq!(owner.fail(&waiting).await, FailOutcome::NotInProgress { status });
        let complete = owner.ready_video().await;
        owner.start(&complete).await;
        owner.complete(&complete).await;
        let status = ScanStatus::Complete;
        assert_eq!(owner.fail(&complete).await, FailOutcome::NotInProgress { status });
        assert_eq!(owner.fail(&ScanId::new()).await, FailOutcome::NotFound);
        assert_eq!(owner.money().await, (1000 - VIDEO, 0));
        check_invariants(&db).await;

        // A queued scan without a charge is impossible; even then no money is created.
        let uncharged = owner.ready_video().await;
        db.write(async |txn| scans::transition(&txn, &uncharged, ScanStatus::Queued, None, NOON).await)
            .await
            .unwrap();
        let FailOutcome::Failed { scan } = owner.fail(&uncharged).await else { panic!() };
        assert!(scan.charge.is_none());
        assert_eq!(owner.money().await, (1000 - VIDEO, 0));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_failures_refund_once() {
    on_each_database(async |db| {
        let owner = Owner::new(&db, 1000, 0).await;
        let id = owner.ready_video().await;
        owner.start(&id).await;
        let mut all = JoinSet::new();
        for n in 0..20 {
            let (owner, id) = (owner.clone(), id.clone());
            all.spawn(async move {
                // Some calls repeat the start, as a retry after a crash would.
                if n % 4 == 0 {
                    owner.start(&id).await;
                    false
                } else {
                    matches!(owner.fail(&id).await, FailOutcome::Failed { .. })
                }
            });
        }
        let failed = all.join_all().await.into_iter().filter(|failed| *failed).count();
        assert_eq!(failed, 1);
        assert_eq!(owner.money().await, (1000, 0));
    })
    .await;
}

/// Completion and failure race: one wins, and money and event match the winner.
#[tokio::test(flavor = "multi_thread")]
async fn scan_ends_in_one_way() {
    on_each_database(async |db| {
        let owner = Owner::new(&db, 10_000, 0).await;
        for _ in 0..8 {
            let id = owner.ready_video().await;
            owner.start(&id).await;
            db.write(async |txn| scans::begin_stage(&txn, &id, Stage::Saving, NOON).await).await.unwrap();
            let before = owner.money().await.0;
            let mut all = JoinSet::new();
            for n in 0..6 {
                let (owner, id) = (owner.clone(), id.clone());
                all.spawn(async move {
                    if n % 2 == 0 {
                        owner.complete(&id).await;
                    } else {
                        owner.fail(&id).await;
                    }
                });
            }
            all.join_all().await;
            let failed = owner.scan(&id).await.status.0 == ScanStatus::Failed;
            assert_eq!(owner.money().await.0, before + if failed { VIDEO } else { 0 });
            let has_event =
                async |id: EventId| events::find(&db, &owner.tenant, &id).await.unwrap().is_some();
            assert_eq!(has_event(EventId::scan_failed(&id)).await, failed);
            assert_eq!(has_event(EventId::scan_completed(&id)).await, !failed);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refund_allows_the_next_scan() {
    on_each_database(async |db| {
        let owner = Owner::new(&db, VIDEO, 0).await;
        let (key, _) = testing::key(&db, &owner.tenant, Some(VIDEO)).await;
        for _ in 0..3 {
            let id = owner.ready_video().await;
            let outcome = owner.start_with(&id, &key.id, NOON).await;
            assert!(matches!(outcome, StartOutcome::Started { .. }), "{outcome:?}");
            owner.fail(&id).await;
        }
        assert_eq!(ledger::spent_by_key(&db, &owner.tenant, &key.id, NOON).await.unwrap(), 0);
    })
    .await;
}
