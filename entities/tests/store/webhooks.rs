//! Tests of webhook endpoints and deliveries.

use domain::{
    EventId, Timestamp, WebhookEndpointId,
    event::{Event, EventData, EventType},
    page::PageRequest,
};
use entities::{
    Db, EndpointRow, EventRow, Tenant, events,
    outbox::{self, Kind},
    scans::Idempotency,
    testing::{self, NOON, on_each_database},
    webhook_deliveries::{self, DeliveryStatus, Finished, NewAttempt, Round, Verdict, system},
    webhook_endpoints::{self, AddOutcome, Changes, MAX_ENDPOINTS, NewEndpoint},
};
use tokio::task::JoinSet;

async fn try_endpoint(db: &Db, tenant: &Tenant, events: &[EventType]) -> Option<EndpointRow> {
    let new = NewEndpoint {
        id: WebhookEndpointId::new(),
        url: "https://example.com/hook".into(),
        description: None,
        events: events.to_vec(),
        secret_ciphertext: "one".into(),
        idempotency: None,
    };
    match db.write(async |txn| webhook_endpoints::insert(&txn, tenant, &new, NOON).await).await.unwrap() {
        AddOutcome::Added(endpoint) => Some(endpoint),
        AddOutcome::Full => None,
        other => panic!("{other:?} without a key"),
    }
}

async fn endpoint(db: &Db, tenant: &Tenant) -> EndpointRow {
    try_endpoint(db, tenant, &EventType::ALL).await.unwrap()
}

async fn event(db: &Db, tenant: &Tenant, id: &str) -> EventRow {
    let event = Event {
        id: EventId::of(id),
        object: "event".into(),
        event_type: EventType::ScanCompleted,
        livemode: tenant.mode.livemode(),
        created_at: NOON,
        data: EventData::Test { test: true },
    };
    db.write(async |txn| events::publish(&txn, tenant, None, &event).await).await.unwrap();
    events::find(db, tenant, &event.id).await.unwrap().unwrap()
}

fn first(event: &EventRow, endpoint: &EndpointRow) -> Round {
    Round { event: event.id.0.clone(), endpoint: endpoint.id.0.clone(), number: 0 }
}

async fn deliver(db: &Db, event: &EventRow, endpoint: &EndpointRow, verdict: Verdict) -> Finished {
    db.write(async |txn| {
        webhook_deliveries::create_pending(&txn, event, endpoint, NOON).await?;
        system::finish(&txn, &first(event, endpoint), verdict, NOON).await
    })
    .await
    .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn account_has_at_most_ten_endpoints_under_concurrency() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let mut all = JoinSet::new();
        for n in 0..24 {
            let tenant = if n % 2 == 0 { tenant.clone() } else { testing::other_mode(&tenant) };
            let db = db.clone();
            all.spawn(async move { try_endpoint(&db, &tenant, &EventType::ALL).await });
        }
        let added: Vec<_> = all.join_all().await.into_iter().flatten().collect();
        assert_eq!(added.len() as u64, MAX_ENDPOINTS);
        assert!(try_endpoint(&db, &tenant, &EventType::ALL).await.is_none());

        let (endpoint, owner) = (&added[0], added[0].tenant());
        for expected in [true, false] {
            let deleted =
                db.write(async |txn| webhook_endpoints::delete(&txn, &owner, &endpoint.id, NOON).await).await;
            assert_eq!(deleted.unwrap(), expected);
        }
        assert!(webhook_endpoints::find(&db, &owner, &endpoint.id).await.unwrap().is_none());
        assert!(try_endpoint(&db, &tenant, &EventType::ALL).await.is_some());
        let stranger = testing::account(&db).await;
        assert!(try_endpoint(&db, &stranger, &EventType::ALL).await.is_some());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn selects_enabled_and_subscribed_endpoints() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let completed = try_endpoint(&db, &tenant, &[EventType::ScanCompleted]).await.unwrap();
        let failed = try_endpoint(&db, &tenant, &[EventType::ScanFailed]).await.unwrap();
        let off = endpoint(&db, &tenant).await;
        let live = endpoint(&db, &testing::other_mode(&tenant)).await;
        let turn = async |on: bool| {
            let changes = Changes { enabled: Some(on), ..Default::default() };
            db.write(async |txn| webhook_endpoints::update(&txn, &tenant, &off.id, &changes, NOON).await)
                .await
                .unwrap()
                .unwrap()
        };
        assert!(!turn(false).await.enabled);
        let subscribed = async |tenant: &Tenant, event_type| {
            let rows = webhook_endpoints::list_subscribed(&db, tenant, event_type).await.unwrap();
            rows.into_iter().map(|row| row.id).collect::<Vec<_>>()
        };
        assert_eq!(subscribed(&tenant, EventType::ScanCompleted).await, [completed.id]);
        assert_eq!(subscribed(&tenant, EventType::ScanFailed).await, [failed.id]);
        assert_eq!(subscribed(&live.tenant(), EventType::ScanFailed).await, [live.id]);
        turn(true).await;
        assert_eq!(
            subscribed(&tenant, EventType::WalletAutoRechargeFailed).await,
            std::slice::from_ref(&off.id)
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn rotation_keeps_the_previous_secret_for_a_while() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let endpoint = endpoint(&db, &tenant).await;
        let until = NOON.plus(std::time::Duration::from_secs(86_400));
        // Rotated twice: the repeat must not replace the first secret.
        for _ in 0..2 {
            let rotated = db
                .write(async |txn| {
                    webhook_endpoints::rotate_secret(&txn, &tenant, &endpoint.id, "two", until, NOON).await
                })
                .await;
            assert!(rotated.unwrap());
        }
        let endpoint = webhook_endpoints::find(&db, &tenant, &endpoint.id).await.unwrap().unwrap();
        assert_eq!(endpoint.secret_ciphertext, "two");
        assert_eq!(endpoint.previous_secret_ciphertext.as_deref(), Some("one"));
        assert_eq!(endpoint.previous_secret_expires_at.unwrap().0, until);
        assert!(!format!("{endpoint:?}").contains("two"));

        let changes =
            Changes { url: Some("https://example.org/".into()), events: Some(vec![]), ..Default::default() };
        let changed = db
            .write(async |txn| webhook_endpoints::update(&txn, &tenant, &endpoint.id, &changes, NOON).await)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(
            (changed.url.as_str(), changed.events.len(), changed.enabled),
            ("https://example.org/", 0, true)
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn attempts_are_recorded_once_by_number() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let (event, endpoint) = (event(&db, &tenant, "a").await, endpoint(&db, &tenant).await);
        let pending = async || {
            db.write(async |txn| webhook_deliveries::create_pending(&txn, &event, &endpoint, NOON).await)
                .await
                .unwrap()
        };
        assert!(pending().await);
        assert!(!pending().await);
        let attempt = |attempt: i64, status: Option<u16>, next: Option<Timestamp>| NewAttempt {
            attempt,
            at: NOON,
            status,
            error: status.is_none().then(|| "timeout".to_owned()),
            response: Some(format!("answer {attempt}")),
            duration_ms: 5,
            next_attempt_at: next,
        };
        let record = async |new: NewAttempt| {
            db.write(async |txn| system::record_attempt(&txn, &first(&event, &endpoint), &new).await).await
        };
        let later = NOON.plus(std::time::Duration::from_secs(30));
        assert!(record(attempt(1, None, Some(later))).await.unwrap());
        assert!(record(attempt(2, Some(503), None)).await.unwrap());
        assert!(!record(attempt(1, Some(200), None)).await.unwrap());

        let delivery =
            webhook_deliveries::find(&db, &tenant, &event.id, &endpoint.id).await.unwrap().unwrap();
        assert_eq!((delivery.attempts, delivery.last_status), (2, Some(503)));
        assert_eq!(delivery.last_response.as_deref(), Some("answer 2"));
        assert_eq!(delivery.status.0, DeliveryStatus::Pending);
        let attempts = webhook_deliveries::list_attempts(&db, &tenant, &event.id, &endpoint.id, 10)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(attempts.iter().map(|a| a.status).collect::<Vec<_>>(), [Some(503), None]);
        // The last attempt is in progress.
        assert_eq!(system::list_overdue(&db, later, None, 10).await.unwrap().len(), 1);
        assert!(system::list_overdue(&db, NOON, None, 10).await.unwrap().is_empty());
        assert!(record(attempt(3, Some(503), Some(later))).await.unwrap());
        assert!(system::list_overdue(&db, later, None, 10).await.unwrap().is_empty());
        let afterwards = later.plus(std::time::Duration::from_millis(1));
        let overdue = system::list_overdue(&db, afterwards, None, 10).await.unwrap();
        assert_eq!(overdue.len(), 1);
        let after = overdue[0].position();
        assert!(system::list_overdue(&db, afterwards, Some(&after), 10).await.unwrap().is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn twenty_consecutive_failures_disable_an_endpoint_once() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let endpoint = endpoint(&db, &tenant).await;
        let now = async || webhook_endpoints::find(&db, &tenant, &endpoint.id).await.unwrap().unwrap();
        for n in 0..19 {
            let finished =
                deliver(&db, &event(&db, &tenant, &format!("a{n}")).await, &endpoint, Verdict::Exhausted)
                    .await;
            assert_eq!(finished, Finished { status: DeliveryStatus::Failed, disabled_endpoint: false });
        }
        let delivered = event(&db, &tenant, "good").await;
        deliver(&db, &delivered, &endpoint, Verdict::Delivered).await;
        assert_eq!(now().await.consecutive_failures, 0, "a success resets the failures");

        let mut last = None;
        for n in 0..20 {
            assert!(now().await.enabled);
            let event = event(&db, &tenant, &format!("b{n}")).await;
            last = Some((deliver(&db, &event, &endpoint, Verdict::Exhausted).await, event));
        }
        let (finished, event) = last.unwrap();
        assert!(finished.disabled_endpoint);
        let mail = first(&event, &endpoint).subject();
        assert!(outbox::is_pending(&db, Kind::EndpointMail, &mail).await.unwrap());
        let off = now().await;
        assert!(!off.enabled && off.disabled_reason.is_some());
        // The repeated call returns the first outcome, so that the owner is notified even if the
        // first response was lost.
        assert_eq!(deliver(&db, &event, &endpoint, Verdict::Exhausted).await, finished);
        assert_eq!(deliver(&db, &event, &endpoint, Verdict::Delivered).await, finished);
        assert_eq!(now().await.consecutive_failures, 20);

        let changes = Changes { enabled: Some(true), ..Default::default() };
        db.write(async |txn| webhook_endpoints::update(&txn, &tenant, &endpoint.id, &changes, NOON).await)
            .await
            .unwrap();
        let on = now().await;
        assert!(on.enabled && on.disabled_reason.is_none() && on.consecutive_failures == 0);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn abandoned_deliveries_do_not_count_and_tenants_do_not_mix() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let endpoint = endpoint(&db, &tenant).await;
        let abandoned = deliver(&db, &event(&db, &tenant, "a").await, &endpoint, Verdict::Abandoned).await;
        assert_eq!(abandoned.status, DeliveryStatus::Failed);
        let row = webhook_endpoints::find(&db, &tenant, &endpoint.id).await.unwrap().unwrap();
        assert_eq!(row.consecutive_failures, 0);

        let live = event(&db, &testing::other_mode(&tenant), "live").await;
        let mixed = db
            .write(async |txn| webhook_deliveries::create_pending(&txn, &live, &endpoint, NOON).await)
            .await;
        assert!(mixed.is_err(), "a live event for a test endpoint");
        let request = PageRequest::default();
        let page = webhook_deliveries::list_of_endpoint(&db, &tenant, &endpoint.id, &request).await.unwrap();
        assert_eq!(page.rows.len(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_all_concurrent_failures() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let endpoint = endpoint(&db, &tenant).await;
        let mut all = JoinSet::new();
        for n in 0..25 {
            let event = event(&db, &tenant, &format!("e{n}")).await;
            let (db, endpoint) = (db.clone(), endpoint.clone());
            all.spawn(async move { deliver(&db, &event, &endpoint, Verdict::Exhausted).await });
        }
        let disabled = all.join_all().await.into_iter().filter(|f| f.disabled_endpoint).count();
        assert_eq!(disabled, 1, "its owner is notified once");
        let row = webhook_endpoints::find(&db, &tenant, &endpoint.id).await.unwrap().unwrap();
        assert_eq!(row.consecutive_failures, 25);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn endpoint_is_added_once_for_each_key() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let add = async |tenant: &Tenant, hash: &str| {
            let new = NewEndpoint {
                id: WebhookEndpointId::new(),
                url: "https://example.com/hook".into(),
                description: Some("the office".into()),
                events: vec![EventType::ScanFailed],
                secret_ciphertext: "one".into(),
                idempotency: Some(Idempotency { key: "key-00001".into(), request_hash: hash.into() }),
            };
            db.write(async |txn| webhook_endpoints::insert(&txn, tenant, &new, NOON).await).await.unwrap()
        };
        let outcomes = futures_util::future::join_all((0..8).map(|_| add(&tenant, "a"))).await;
        let added: Vec<_> = outcomes.iter().filter(|o| matches!(o, AddOutcome::Added(_))).collect();
        let [AddOutcome::Added(endpoint)] = added[..] else { panic!("{outcomes:?}") };
        let replayed = AddOutcome::Replayed(endpoint.clone());
        assert_eq!(outcomes.iter().filter(|outcome| **outcome == replayed).count(), 7);
        assert_eq!(add(&tenant, "b").await, AddOutcome::KeyReused);
        assert!(matches!(add(&testing::other_mode(&tenant), "b").await, AddOutcome::Added(_)));
        let deleted =
            db.write(async |txn| webhook_endpoints::delete(&txn, &tenant, &endpoint.id, NOON).await);
        assert!(deleted.await.unwrap());
        assert_eq!(add(&tenant, "a").await, AddOutcome::KeyReused, "the endpoint was deleted");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn replay_begins_a_new_round_and_continues_the_count() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let (event, endpoint) = (event(&db, &tenant, "a").await, endpoint(&db, &tenant).await);
        let replay = async || {
            db.write(async |txn| webhook_deliveries::replay(&txn, &event, &endpoint, NOON).await)
                .await
                .unwrap()
        };
        let attempt = |attempt: i64, status: u16| NewAttempt {
            attempt,
            at: NOON,
            status: Some(status),
            error: None,
            response: None,
            duration_ms: 5,
            next_attempt_at: None,
        };
        let record = async |round: &Round, new: NewAttempt| {
            db.write(async |txn| system::record_attempt(&txn, round, &new).await).await.unwrap()
        };
        let finish = async |round: &Round, verdict: Verdict| {
            db.write(async |txn| system::finish(&txn, round, verdict, NOON).await).await.unwrap()
        };
        // Repeated requests for an event that was never delivered create one delivery.
        let first_round = replay().await.last_round();
        assert_eq!(first_round, first(&event, &endpoint));
        assert_eq!(replay().await.last_round(), first_round);
        assert!(outbox::is_pending(&db, Kind::Delivery, &first_round.subject()).await.unwrap());
        assert_eq!(Round::of_subject(&first_round.subject()), Some(first_round.clone()));
        record(&first_round, attempt(1, 500)).await;
        record(&first_round, attempt(2, 503)).await;
        finish(&first_round, Verdict::Exhausted).await;

        let again = replay().await;
        assert_eq!((again.round, again.status.0), (1, DeliveryStatus::Pending));
        let again = again.last_round();
        assert!(outbox::is_pending(&db, Kind::Delivery, &again.subject()).await.unwrap());
        // Late reports of the previous round change nothing.
        assert!(!record(&first_round, attempt(3, 200)).await);
        finish(&first_round, Verdict::Delivered).await;
        let now =
            async || webhook_deliveries::find(&db, &tenant, &event.id, &endpoint.id).await.unwrap().unwrap();
        assert_eq!((now().await.status.0, now().await.attempts), (DeliveryStatus::Pending, 2));
        record(&again, attempt(1, 204)).await;
        finish(&again, Verdict::Delivered).await;
        assert_eq!(now().await.status.0, DeliveryStatus::Delivered);
        let attempts = webhook_deliveries::list_attempts(&db, &tenant, &event.id, &endpoint.id, 2)
            .await
            .unwrap()
            .unwrap();
        assert_eq!(
            attempts.iter().map(|a| (a.attempt, a.status)).collect::<Vec<_>>(),
            [(3, Some(204)), (2, Some(503))]
        );
    })
    .await;
}
