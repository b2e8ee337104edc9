//! Deliveries with real workflows: endpoints that hang, endpoints that fail until they are
//! disabled, and replayed events.

use std::time::{Duration, Instant};

use domain::{
    AccountId, EventId, Timestamp, WebhookEndpointId,
    event::{Event, EventData, EventType},
};
use entities::{Db, Tenant};
use harness::{ConsoleClient, Receiver, Service, ServiceOptions, until};
use serde_json::{Value, json};
use temporalio_client::WorkflowDescribeOptions;
use workflows::{WebhookDeliveryWorkflow, delivery_workflow_id};

const SCAN_TIMEOUT: Duration = Duration::from_secs(120);
/// Timeout of a webhook request: longer than everything else in these tests.
const TIMEOUT_SECONDS: u64 = 40;
/// Number of events that wait for an endpoint that hangs.
const HANGING_EVENTS: u32 = 200;
/// Maximum time of a delivery to another endpoint, on a busy machine.
const MAX_DELAY: Duration = Duration::from_secs(15);

#[tokio::test(flavor = "multi_thread")]
async fn endpoints_fail_independently_and_events_can_be_replayed() {
    let receiver = Receiver::start().await.unwrap();
    let options = ServiceOptions::default()
        .set("RETRIES__FIRST_WAIT_MS", 100)
        .set("RETRIES__RETRIES", 1)
        .set("WORKERS__WEBHOOK_SLOTS", 12)
        .set("OUTBOUND__WEBHOOKS__TIMEOUT_SECONDS", TIMEOUT_SECONDS);
    let service = Service::start(options, Some(&receiver)).await.unwrap();
    let database = format!("sqlite://{}", service.folder().join("scan.db").display());
    let db = Db::connect(&entities::Settings::at(database)).await.unwrap();
    // Runs the cases one after the other, so that each has all delivery slots of the endpoint.
    event_can_be_replayed(&service, &db, &receiver).await;
    failing_endpoint_is_disabled(&service, &db, &receiver).await;
    hanging_endpoint_delays_no_other(&service, &db, &receiver).await;
}

/// A user of the console, in test mode.
struct ConsoleUser {
    console: ConsoleClient,
    account: String,
    email: String,
}

impl ConsoleUser {
    async fn new(service: &Service) -> Self {
        let (mut console, password) = (ConsoleClient::new(service), "four unrelated plain words");
        let email = format!("{}@example.com", domain::RequestId::new());
        console.sign_up(&email, password).await.expect(202);
        let session = console.log_in(&email, password).await.expect(200);
        Self { console, account: session.body["account"]["id"].as_str().unwrap().to_owned(), email }
    }

    async fn get(&self, path: &str) -> Value {
        self.console.get(path).await.expect(200).body
    }
}

async fn event_can_be_replayed(service: &Service, db: &Db, receiver: &Receiver) {
    let user = ConsoleUser::new(service).await;
    let (path, secret) = add_endpoint(&user, receiver, "/webhooks").await;
    let id = publish(db, &user, "again").await;
    let first = receiver.await_request(SCAN_TIMEOUT, |r| r.event_id == id).await;
    await_delivery(&user, &path, &id, 0).await;
    // Signatures have whole seconds: a later second has another signature.
    let second = first.at.as_seconds();
    until("the next second", SCAN_TIMEOUT, async || (Timestamp::now().as_seconds() > second).then_some(()))
        .await;

    let replayed = user.console.post(&format!("{path}/replay"), json!({ "event_ids": [id] })).await;
    assert_eq!(replayed.expect(202).body["data"][0]["replays"], 1);
    let again =
        receiver.await_request(SCAN_TIMEOUT, |r| r.event_id == id && r.signature != first.signature).await;
    assert_eq!(again.body, first.body, "the same bytes");
    assert!(first.is_signed_with(&secret) && again.is_signed_with(&secret));
    assert!(again.at > first.at);
    let delivery = await_delivery(&user, &path, &id, 1).await;
    assert_eq!((&delivery["attempts"], &delivery["last_status"]), (&json!(2), &json!(200)));
    assert_eq!(receiver.received().iter().filter(|r| r.event_id == id).count(), 2);
}

async fn failing_endpoint_is_disabled(service: &Service, db: &Db, receiver: &Receiver) {
    let user = ConsoleUser::new(service).await;
    let (path, _) = add_endpoint(&user, receiver, "/refuse").await;
    for n in 0..20 {
        publish(db, &user, &format!("refused{n}")).await;
    }
    let off = until("the endpoint to be turned off", SCAN_TIMEOUT, async || {
        Some(user.get(&path).await).filter(|endpoint| endpoint["enabled"] == false)
    })
    .await;
    assert_eq!(off["consecutive_failures"], 20);
    assert_eq!(off["disabled_reason"], "20 deliveries in a row failed");

    let mails = || -> Vec<String> {
        let folder = std::fs::read_dir(service.folder().join("mail")).into_iter().flatten();
        let texts = folder.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap_or_default());
        texts.filter(|text| text.contains("was turned off") && text.contains(&user.email)).collect()
    };
    until("the mail", SCAN_TIMEOUT, async || (!mails().is_empty()).then_some(())).await;
    let mails = mails();
    assert_eq!(mails.len(), 1, "the owner is notified once");
    assert!(mails[0].contains(off["id"].as_str().unwrap()) && !mails[0].contains("/refuse"), "{}", mails[0]);

    let on = user.console.post(&format!("{path}/enable"), json!({})).await.expect(200).body;
    assert_eq!((&on["enabled"], &on["consecutive_failures"]), (&json!(true), &json!(0)));
}

/// Queues 200 events on an endpoint that never responds, and on one that does.
async fn hanging_endpoint_delays_no_other(service: &Service, db: &Db, receiver: &Receiver) {
    let user = ConsoleUser::new(service).await;
    let (hanging, _) = add_endpoint(&user, receiver, "/hang").await;
    let (good, _) = add_endpoint(&user, receiver, "/webhooks").await;
    let (mut ids, began) = (Vec::new(), Instant::now());
    for n in 0..HANGING_EVENTS {
        ids.push(publish(db, &user, &format!("hung{n}")).await);
    }
    for id in &ids {
        receiver.await_request(SCAN_TIMEOUT, |r| r.path == "/webhooks" && r.event_id == *id).await;
    }
    for delivery in deliveries(&user, &good).await {
        assert_eq!(delivery["last_error"], json!(null));
    }
    // The first requests time out, and others take their slots.
    let hung = || receiver.received().iter().filter(|r| r.path == "/hang").count();
    until("requests that hang after the first ones", SCAN_TIMEOUT, async || (hung() > 8).then_some(())).await;

    let dispatches = dispatches(service, &ids, &hanging).await;
    let seconds = began.elapsed().as_secs_f64();
    // The waits double from at least two seconds.
    let limit = f64::from(HANGING_EVENTS) * ((seconds / 2.0 + 1.0).log2() + 2.0);
    eprintln!("{dispatches} dispatches of {HANGING_EVENTS} deliveries in {seconds:.0} s; limit {limit:.0}");
    assert!(f64::from(dispatches) <= limit, "{dispatches} dispatches in {seconds:.0} s");
    // An event that is published now arrives at the other endpoint at once.
    let late = publish(db, &user, "late").await;
    let published = Timestamp::now();
    let arrived =
        receiver.await_request(SCAN_TIMEOUT, |r| r.path == "/webhooks" && r.event_id == late).await.at;
    let delay = arrived.since(published);
    assert!(delay <= MAX_DELAY, "the delivery to the other endpoint took {delay:?}");
}

/// Returns how often the activities of the deliveries to an endpoint were dispatched.
async fn dispatches(service: &Service, events: &[String], path: &str) -> u32 {
    let endpoint: WebhookEndpointId = path.rsplit('/').next().unwrap().parse().unwrap();
    let engine = service.engine();
    let client = engine.client().await.unwrap();
    let mut dispatches = 0;
    for event in events {
        let workflow = delivery_workflow_id(&EventId::trusted(event.clone()), &endpoint);
        let handle = client.get_workflow_handle::<WebhookDeliveryWorkflow>(workflow);
        let described = handle.describe(WorkflowDescribeOptions::default()).await.unwrap();
        let attempts = described.raw().pending_activities.iter().map(|activity| activity.attempt);
        dispatches += attempts.map(|attempt| u32::try_from(attempt).unwrap()).sum::<u32>();
    }
    dispatches
}

/// Adds an endpoint and returns its path and signing secret.
async fn add_endpoint(user: &ConsoleUser, receiver: &Receiver, at: &str) -> (String, String) {
    let new = json!({ "url": receiver.url_of(at), "events": ["wallet.auto_recharge_failed"] });
    let created = user.console.post("/webhook-endpoints", new).await.expect(201);
    (format!("/webhook-endpoints/{}", created.text("id")), created.text("signing_secret"))
}

async fn deliveries(user: &ConsoleUser, path: &str) -> Vec<Value> {
    let page = user.get(&format!("{path}/deliveries?limit=100")).await;
    page["data"].as_array().unwrap().clone()
}

/// Waits until the delivery of an event has succeeded in its `round`.
async fn await_delivery(user: &ConsoleUser, path: &str, id: &str, round: u32) -> Value {
    until("a delivery", SCAN_TIMEOUT, async || {
        let all = deliveries(user, path).await;
        let ended =
            |d: &Value| d["event_id"] == id && d["status"] == "delivered" && d["replays"] == json!(round);
        all.into_iter().find(ended)
    })
    .await
}

/// Publishes an event of the user's account, like the transaction of a payment.
async fn publish(db: &Db, user: &ConsoleUser, name: &str) -> String {
    let account_id: AccountId = user.account.parse().unwrap();
    let tenant = Tenant { mode: domain::Mode::Test, account_id };
    let event = Event {
        id: EventId::of(&format!("{name}_{}", user.account)),
        object: "event".into(),
        event_type: EventType::WalletAutoRechargeFailed,
        livemode: false,
        created_at: Timestamp::now(),
        data: EventData::AutoRecharge {
            reason: "card_declined".into(),
            amount_cents: 1000,
            auto_recharge_enabled: false,
        },
    };
    let published: entities::Result<bool> =
        db.write(async |txn| entities::events::publish(&txn, &tenant, None, &event).await).await;
    assert!(published.unwrap());
    event.id.to_string()
}
