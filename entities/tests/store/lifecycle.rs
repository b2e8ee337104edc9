//! Tests of the status changes: only legal ones happen, and each happens once.

use domain::{
    EventId, ScanId, ScanStatus, SpaceId, Stage, Timestamp,
    event::{Event, EventType},
    layout,
    mode::Tenant,
    scan::{CancelOutcome, WaitCause, Waiting},
};
use entities::{
    Db, Reader, documents, events,
    outbox::{self, Kind},
    scan_transitions,
    scans::{self, CompleteOutcome, Completion, StageOutcome, Transition},
    testing::{self, NOON, on_each_database, video_input},
};
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use tokio::task::JoinSet;

async fn transition(db: &Db, id: &ScanId, to: ScanStatus) -> Transition {
    db.write(async |txn| scans::transition(&txn, id, to, Some(Stage::Ingesting), NOON).await).await.unwrap()
}

async fn begin(db: &Db, id: &ScanId, stage: Stage) -> StageOutcome {
    db.write(async |txn| scans::begin_stage(&txn, id, stage, NOON).await).await.unwrap()
}

async fn progress(db: &Db, id: &ScanId, stage: Stage, fraction: f64) -> bool {
    db.write(async |txn| scans::set_progress(&txn, id, stage, fraction, NOON).await).await.unwrap()
}

async fn cancel(db: &Db, id: &ScanId) -> CancelOutcome {
    db.write(async |txn| scans::cancel(&txn, id, NOON).await).await.unwrap()
}

async fn complete(db: &Db, id: &ScanId, at: Timestamp) -> CompleteOutcome {
    let completion = Completion {
        scan_id: id.clone(),
        object_key: layout::document(id),
        sha256: "00".repeat(32),
        bytes: 12,
    };
    db.write(async |txn| scans::complete(&txn, &completion, at).await).await.unwrap()
}

/// Creates a scan and brings it to this status.
async fn scan_in(db: &Db, tenant: &Tenant, space: &SpaceId, status: ScanStatus) -> ScanId {
    let id = testing::scan(db, tenant, space, video_input()).await.id.0;
    let path: &[ScanStatus] = match status {
        ScanStatus::AwaitingUpload => &[],
        ScanStatus::Queued => &[ScanStatus::Queued],
        ScanStatus::Processing => &[ScanStatus::Queued, ScanStatus::Processing],
        ScanStatus::Complete => &[ScanStatus::Queued, ScanStatus::Processing, ScanStatus::Complete],
        ScanStatus::Failed => &[ScanStatus::Queued, ScanStatus::Failed],
        ScanStatus::Cancelled => &[ScanStatus::Cancelled],
    };
    for step in path {
        assert_eq!(transition(db, &id, *step).await, Transition::Changed);
    }
    id
}

async fn rows_of(db: &Db, id: &ScanId) -> u64 {
    let rows = scan_transitions::Entity::find().filter(scan_transitions::Column::ScanId.eq(id.as_str()));
    rows.count(db.conn()).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_follow_the_state_table_and_repeats_change_nothing() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await;
        for from in ScanStatus::ALL {
            for to in ScanStatus::ALL {
                let id = scan_in(&db, &tenant, &space.id, from).await;
                let before = rows_of(&db, &id).await;
                let expected = match (from == to, from.may_become(to)) {
                    (true, _) => Transition::AlreadyThere,
                    (_, true) => Transition::Changed,
                    (_, false) => Transition::Refused { from },
                };
                assert_eq!(transition(&db, &id, to).await, expected, "{from} to {to}");
                let now = scans::find(&db, &tenant, &id).await.unwrap().unwrap().status.0;
                assert_eq!(now, if expected == Transition::Changed { to } else { from });
                let added = u64::from(expected == Transition::Changed);
                assert_eq!(rows_of(&db, &id).await, before + added, "{from} to {to}");
                if expected == Transition::Changed {
                    assert_eq!(transition(&db, &id, to).await, Transition::AlreadyThere);
                    assert_eq!(rows_of(&db, &id).await, before + 1);
                }
            }
        }
        assert_eq!(transition(&db, &ScanId::new(), ScanStatus::Queued).await, Transition::NotFound);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_many_concurrent_ends_wins() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await;
        let id = scan_in(&db, &tenant, &space.id, ScanStatus::Processing).await;
        let mut all = JoinSet::new();
        for round in 0..16 {
            let (db, id) = (db.clone(), id.clone());
            all.spawn(async move {
                let to = if round % 2 == 0 { ScanStatus::Complete } else { ScanStatus::Failed };
                transition(&db, &id, to).await
            });
        }
        let outcomes = all.join_all().await;
        assert_eq!(outcomes.iter().filter(|o| **o == Transition::Changed).count(), 1);
        assert_eq!(outcomes.iter().filter(|o| **o == Transition::AlreadyThere).count(), 7);
        assert_eq!(rows_of(&db, &id).await, 4);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn stages_only_advance() {
    on_each_database(async |db| {
        let (tenant, stranger) = (testing::account(&db).await, testing::account(&db).await);
        let space = testing::space(&db, &tenant).await;
        let id = scan_in(&db, &tenant, &space.id, ScanStatus::Queued).await;
        for stage in Stage::ALL {
            assert_eq!(begin(&db, &id, stage).await, StageOutcome::Begun);
            for earlier in Stage::ALL.into_iter().filter(|earlier| *earlier <= stage) {
                assert_eq!(begin(&db, &id, earlier).await, StageOutcome::AlreadyThere);
            }
            let row = scans::find(&db, &tenant, &id).await.unwrap().unwrap();
            let view = scans::view(&db, &row).await.unwrap();
            let requests = [(tenant.clone(), id.clone()), (stranger.clone(), id.clone())];
            let found: Vec<_> = scans::find_views(&db, &requests).await.unwrap().into_iter().collect();
            assert_eq!(found, [(requests[0].clone(), (row, view.clone()))]);
            assert_eq!((view.status, view.stage), (ScanStatus::Processing, Some(stage)));
            assert_eq!(view.progress.unwrap().fraction, 0.0);
            assert!(progress(&db, &id, stage, 0.5).await);
        }
        let row = scans::find(&db, &tenant, &id).await.unwrap().unwrap();
        let timeline = scans::view(&db, &row).await.unwrap().timeline;
        let stages: Vec<_> = timeline.iter().filter_map(|entry| entry.stage).collect();
        assert_eq!(stages, Stage::ALL);
        assert_eq!(timeline.len(), 2 + Stage::ALL.len());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refuses_stages_outside_the_pipeline() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await;
        for status in ScanStatus::ALL.into_iter().filter(|status| !status.is_in_progress()) {
            let id = scan_in(&db, &tenant, &space.id, status).await;
            let before = rows_of(&db, &id).await;
            assert_eq!(begin(&db, &id, Stage::Ingesting).await, StageOutcome::NotProcessing { status });
            assert!(!progress(&db, &id, Stage::Ingesting, 0.5).await);
            assert_eq!(rows_of(&db, &id).await, before);
        }
        assert_eq!(begin(&db, &ScanId::new(), Stage::Ingesting).await, StageOutcome::NotFound);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn progress_never_moves_backwards_and_only_in_its_stage() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await;
        let id = scan_in(&db, &tenant, &space.id, ScanStatus::Queued).await;
        begin(&db, &id, Stage::Observing).await;
        let updates = [
            (Stage::Observing, 0.5, true),
            (Stage::Observing, 0.5, false),
            (Stage::Observing, 0.4, false),
            (Stage::Ingesting, 0.9, false),
            (Stage::Fusing, 0.9, false),
            (Stage::Observing, f64::NAN, false),
            (Stage::Observing, -1.0, false),
            (Stage::Observing, 7.0, true),
        ];
        for (stage, fraction, written) in updates {
            assert_eq!(progress(&db, &id, stage, fraction).await, written, "{stage} {fraction}");
        }
        let row = scans::find(&db, &tenant, &id).await.unwrap().unwrap();
        assert_eq!(row.progress, 1.0);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_once_purges_uploads_twice() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await;
        for status in ScanStatus::ALL {
            let id = scan_in(&db, &tenant, &space.id, status).await;
            let expected = match status {
                ScanStatus::AwaitingUpload | ScanStatus::Cancelled => CancelOutcome::Cancelled,
                status => CancelOutcome::NotCancellable { status },
            };
            for _ in 0..2 {
                assert_eq!(cancel(&db, &id).await, expected);
            }
            let uploads = layout::upload_prefix(&id);
            let purged = outbox::find(&db, Kind::Purge, &uploads).await.unwrap();
            let kept = status == ScanStatus::Complete;
            let swept = if kept { uploads } else { layout::scan_prefix(&id) };
            let again = outbox::find(&db, Kind::PurgeAgain, &swept).await.unwrap();
            assert_eq!(purged.is_some(), status == ScanStatus::AwaitingUpload);
            assert_eq!(again.is_some(), status.is_terminal() || status == ScanStatus::AwaitingUpload);
            if let Some(again) = again {
                assert_eq!(again.next_attempt_at.0, NOON.plus(outbox::SWEEP_AFTER));
                assert_eq!(again.payload["prefix"], swept);
            }
        }
        assert_eq!(cancel(&db, &ScanId::new()).await, CancelOutcome::NotFound);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn completion_writes_document_event_and_outbox_entry_once() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await;
        let id = scan_in(&db, &tenant, &space.id, ScanStatus::Processing).await;
        let CompleteOutcome::Completed { scan } = complete(&db, &id, NOON).await else { panic!() };
        assert_eq!((scan.status, scan.document_revision, scan.stage), (ScanStatus::Complete, Some(1), None));
        assert_eq!(scan.finished_at, Some(NOON));

        let later = NOON.plus(std::time::Duration::from_secs(9));
        let again = complete(&db, &id, later).await;
        assert_eq!(again, CompleteOutcome::AlreadyComplete { scan: scan.clone() });

        let event_id = EventId::scan_completed(&id);
        let event = events::find(&db, &tenant, &event_id).await.unwrap().unwrap();
        let body: Event = serde_json::from_str(&event.body).unwrap();
        assert_eq!(body, Event::of_scan(*scan, NOON));
        assert_eq!(event.event_type.0, EventType::ScanCompleted);
        assert_eq!(events::Entity::find().count(db.conn()).await.unwrap(), 1);
        assert!(outbox::is_pending(&db, Kind::Event, event_id.as_str()).await.unwrap());
        let document = documents::find_by_scan(&db, &tenant, &id).await.unwrap().unwrap();
        assert_eq!((document.revision, &document.space_id), (1, &space.id));

        for status in ScanStatus::ALL {
            if matches!(status, ScanStatus::Processing | ScanStatus::Complete) {
                continue;
            }
            let id = scan_in(&db, &tenant, &space.id, status).await;
            assert_eq!(complete(&db, &id, NOON).await, CompleteOutcome::NotProcessing { status });
            assert!(documents::find_by_scan(&db, &tenant, &id).await.unwrap().is_none());
        }
        assert_eq!(complete(&db, &ScanId::new(), NOON).await, CompleteOutcome::NotFound);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_completions_number_documents_without_gap() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await;
        let mut all = JoinSet::new();
        for _ in 0..8 {
            let id = scan_in(&db, &tenant, &space.id, ScanStatus::Processing).await;
            // Each runs twice, as when an activity is retried while its first attempt still runs.
            for _ in 0..2 {
                let (db, id) = (db.clone(), id.clone());
                all.spawn(async move { complete(&db, &id, NOON).await });
            }
        }
        let outcomes = all.join_all().await;
        let completed = outcomes.iter().filter(|o| matches!(o, CompleteOutcome::Completed { .. })).count();
        assert_eq!(completed, 8);
        let newest = documents::newest(&db, &tenant, &space.id, 20).await.unwrap();
        let revisions: Vec<_> = newest.iter().map(|document| document.revision).collect();
        assert_eq!(revisions, [8, 7, 6, 5, 4, 3, 2, 1]);
        let latest = documents::latest(&db, &tenant, &space.id).await.unwrap().unwrap();
        assert_eq!(latest.revision, 8);
        let previous = documents::previous(&db, &tenant, &latest).await.unwrap().unwrap();
        assert_eq!(previous.revision, 7);

        let stream = events::after(&db, &tenant, 0, 100).await.unwrap();
        assert_eq!(stream.len(), 8);
        assert_eq!(events::last_seq(&db, &tenant).await.unwrap(), stream[7].seq);
        assert_eq!(events::after(&db, &tenant, stream[2].seq, 2).await.unwrap(), stream[3..5]);
    })
    .await;
}

/// A stream that continues from the highest number it saw must see every event, although writers
/// commit in any order.
#[tokio::test(flavor = "multi_thread")]
async fn stream_misses_no_event_during_writes() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let mut writers = JoinSet::new();
        for writer in 0..8 {
            let (db, tenant) = (db.clone(), tenant.clone());
            writers.spawn(async move {
                for n in 0..10 {
                    let event = Event {
                        id: EventId::of(&format!("{writer}-{n}")),
                        object: "event".into(),
                        event_type: EventType::WalletAutoRechargeFailed,
                        livemode: false,
                        created_at: NOON,
                        data: domain::event::EventData::Test { test: true },
                    };
                    db.write(async |txn| {
                        let new = events::publish(&txn, &tenant, None, &event).await?;
                        tokio::task::yield_now().await;
                        Ok::<_, entities::Error>(new)
                    })
                    .await
                    .unwrap();
                }
            });
        }
        let (mut seq, mut seen) = (0, 0);
        let mut writing = true;
        while writing {
            writing = !writers.is_empty() && writers.try_join_next().is_none_or(|joined| joined.is_ok());
            let new_events = events::after(&db, &tenant, seq, 7).await.unwrap();
            seen += new_events.len();
            seq = new_events.last().map_or(seq, |event| event.seq);
            writing |= !new_events.is_empty();
            tokio::task::yield_now().await;
        }
        assert_eq!(seen, 80);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_is_recorded_until_the_scan_makes_progress() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await;
        let waiting = |seconds| Waiting {
            cause: WaitCause::StorageUnavailable,
            since: NOON.plus(std::time::Duration::from_secs(seconds)),
        };
        let wait = async |id: &ScanId, stage, waiting| {
            db.write(async |txn| scans::set_waiting(&txn, id, stage, waiting).await).await.unwrap()
        };
        let current = async |id: &ScanId| scans::system::find(&db, id).await.unwrap().unwrap().waiting();

        // Before the first stage.
        let id = scan_in(&db, &tenant, &space.id, ScanStatus::Queued).await;
        assert!(!wait(&id, Some(Stage::Ingesting), waiting(1)).await, "the stage has not begun");
        assert!(wait(&id, None, waiting(1)).await);
        assert_eq!(current(&id).await, Some(waiting(1)));
        begin(&db, &id, Stage::Ingesting).await;
        assert_eq!(current(&id).await, None, "a new stage clears it");

        // The first of several parts counts. Late attempts of earlier stages don't.
        assert!(wait(&id, Some(Stage::Ingesting), waiting(3)).await);
        assert!(!wait(&id, Some(Stage::Ingesting), waiting(4)).await);
        assert!(wait(&id, Some(Stage::Ingesting), waiting(2)).await);
        assert!(!wait(&id, None, waiting(1)).await);
        assert_eq!(current(&id).await, Some(waiting(2)));
        begin(&db, &id, Stage::Ingesting).await;
        assert_eq!(current(&id).await, Some(waiting(2)), "a repeated stage does not clear it");
        assert!(progress(&db, &id, Stage::Ingesting, 0.5).await);
        assert_eq!(current(&id).await, None, "progress clears it");

        // A scan that has ended waits for nothing.
        assert!(wait(&id, Some(Stage::Ingesting), waiting(5)).await);
        assert_eq!(transition(&db, &id, ScanStatus::Failed).await, Transition::Changed);
        assert_eq!(current(&id).await, None);
        assert!(!wait(&id, Some(Stage::Ingesting), waiting(6)).await);
    })
    .await;
}
