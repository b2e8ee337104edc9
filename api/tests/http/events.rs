//! Events: lists, single events, and the event stream.

use std::time::Duration;

use domain::{
    EventId, Timestamp,
    event::{Event, EventData, EventType},
};
use entities::{Tenant, events as rows, testing};
use futures::StreamExt;
use serde_json::Value;

use crate::{
    app::{Client, TestApp},
    media::create_complete_scan,
};

/// An open event stream.
struct Messages {
    response: reqwest::Response,
    text: String,
}

impl Messages {
    async fn open(app: &TestApp, client: &Client, last: Option<&str>) -> Self {
        let mut call = app.get("/v1/events/stream").key(client);
        if let Some(last) = last {
            call = call.header("last-event-id", last);
        }
        let response = call.open().await;
        assert_eq!(response.status(), 200);
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        assert!(response.headers().contains_key("x-request-id"));
        let mut messages = Self { response, text: String::new() };
        // The stream follows new events only after its first block.
        assert!(messages.block().await.unwrap().contains("retry:2000"));
        messages
    }

    /// Reads the next block between empty lines; `None` at the end.
    async fn block(&mut self) -> Option<String> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let block = block.to_owned();
                self.text = rest.to_owned();
                return Some(block);
            }
            let chunk = tokio::time::timeout(Duration::from_secs(20), self.response.chunk());
            let chunk = chunk.await.expect("data within 20 s").ok()??;
            self.text.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }

    /// Reads the next message as `(event, id, data)`; `None` at the end.
    async fn next(&mut self) -> Option<(String, String, Value)> {
        loop {
            let block = self.block().await?;
            let field = |name: &str| {
                block
                    .lines()
                    .find_map(|line| line.strip_prefix(name))
                    .map(|value| value.trim_start().to_owned())
            };
            if let Some(data) = field("data:") {
                let data = serde_json::from_str(&data).expect("JSON");
                return Some((field("event:").unwrap_or_default(), field("id:").unwrap_or_default(), data));
            }
        }
    }
}

#[tokio::test]
async fn stream_sends_events_and_resumes() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let space = space.id.as_str();
    let before = create_complete_scan(&app, &client, space).await;

    let mut stream = Messages::open(&app, &client, None).await;
    let other = app.client().await;
    let theirs = testing::space(app.db(), &other.tenant).await;
    create_complete_scan(&app, &other, theirs.id.as_str()).await;
    let during = create_complete_scan(&app, &client, space).await;
    let (event, id, data) = stream.next().await.unwrap();
    assert_eq!(event, "scan.completed");
    assert_eq!(id, format!("evt_{during}_completed"), "neither an earlier event nor one of another account");
    assert_eq!(data["id"], id);
    assert_eq!(data["data"]["scan"]["status"], "complete");
    assert_eq!(data["livemode"], false);
    drop(stream);

    let after = create_complete_scan(&app, &client, space).await;
    let first = format!("evt_{before}_completed");
    let mut resumed = Messages::open(&app, &client, Some(&first)).await;
    assert_eq!(resumed.next().await.unwrap().1, format!("evt_{during}_completed"));
    assert_eq!(resumed.next().await.unwrap().1, format!("evt_{after}_completed"));
    for bad in ["evt_nothing", "x", "evt_%00"] {
        let call = app.get("/v1/events/stream").key(&client).header("last-event-id", bad);
        assert_eq!(
            call.send().await.expect_error(400, "VALIDATION_FAILED").invalid_fields(),
            ["Last-Event-ID"]
        );
    }
    drop(resumed);
    app.finish().await;
}

#[tokio::test]
async fn stream_sends_events_of_other_processes() {
    let app = TestApp::with(|settings| settings.stream_poll_milliseconds = 20).await;
    let client = app.client().await;
    let mut stream = Messages::open(&app, &client, None).await;
    publish_at(&app, &client.tenant, "top_1", Timestamp::now()).await;
    let (event, id, _) = stream.next().await.unwrap();
    assert_eq!((event.as_str(), id.as_str()), ("wallet.auto_recharge_failed", "evt_top_1"));
    drop(stream);
    app.finish().await;
}

#[tokio::test]
async fn stream_ends_after_its_time_limit_and_at_shutdown() {
    let app = TestApp::with(|settings| settings.stream_max_seconds = 1).await;
    let client = app.client().await;
    let mut stream = Messages::open(&app, &client, None).await;
    assert!(stream.next().await.is_none());
    app.finish().await;

    let app = TestApp::start().await;
    let client = app.client().await;
    let mut stream = Messages::open(&app, &client, None).await;
    let (ended, ()) = tokio::join!(stream.next(), app.finish());
    assert!(ended.is_none());
}

/// Publishes an event now and returns its id.
pub(crate) async fn publish(app: &TestApp, tenant: &Tenant, name: &str) -> String {
    publish_at(app, tenant, name, Timestamp::now()).await;
    EventId::of(name).to_string()
}

pub(crate) async fn publish_at(app: &TestApp, tenant: &Tenant, name: &str, at: Timestamp) {
    let event = Event {
        id: EventId::of(name),
        object: "event".into(),
        event_type: EventType::WalletAutoRechargeFailed,
        livemode: tenant.mode.livemode(),
        created_at: at,
        data: EventData::AutoRecharge {
            reason: "card_declined".into(),
            amount_cents: 2000,
            auto_recharge_enabled: false,
        },
    };
    let published: entities::Result<bool> =
        app.db().write(async |txn| rows::publish(&txn, tenant, None, &event).await).await;
    assert!(published.unwrap());
}

#[tokio::test]
async fn events_are_listed_for_thirty_days() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let day = Duration::from_secs(24 * 60 * 60);
    let now = Timestamp::now();
    futures::stream::iter([("a", 31), ("b", 29), ("c", 1), ("d", 0)])
        .for_each(|(name, days)| publish_at(&app, &client.tenant, name, now.minus(day * days)))
        .await;
    let page = app.get("/v1/events?limit=2").key(&client).send().await.expect(200).body;
    let ids = |page: &Value| -> Vec<String> {
        page["data"].as_array().unwrap().iter().map(|e| e["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(&page), ["evt_d", "evt_c"]);
    let next = page["next_cursor"].as_str().unwrap();
    let page =
        app.get(&format!("/v1/events?limit=2&cursor={next}")).key(&client).send().await.expect(200).body;
    assert_eq!(ids(&page), ["evt_b"]);
    assert_eq!(page["next_cursor"], Value::Null, "older events are not listed");

    let read = app.get("/v1/events/evt_b").key(&client).send().await.expect(200).body;
    assert_eq!(read["data"]["amount_cents"], 2000);
    for missing in ["evt_a", "evt_x", "x", "%00", "a%2Fb"] {
        app.get(&format!("/v1/events/{missing}")).key(&client).send().await.expect_error(404, "NOT_FOUND");
    }
    app.get("/v1/events/evt_b").key(&app.client().await).send().await.expect_error(404, "NOT_FOUND");
    app.finish().await;
}

#[tokio::test]
async fn events_are_listed_by_type() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let scan = create_complete_scan(&app, &client, space.id.as_str()).await;
    publish_at(&app, &client.tenant, "a", Timestamp::now()).await;
    publish_at(&app, &client.tenant, "b", Timestamp::now()).await;
    let list = |query: &str| app.get(&format!("/v1/events?{query}")).key(&client).send();
    let ids = |page: &Value| -> Vec<String> {
        page["data"].as_array().unwrap().iter().map(|e| e["id"].as_str().unwrap().to_owned()).collect()
    };
    let scans = list("type=scan.completed").await.expect(200).body;
    assert_eq!(ids(&scans), [format!("evt_{scan}_completed")]);
    assert_eq!(ids(&list("type=scan.failed").await.expect(200).body), Vec::<String>::new());
    let first = list("type=wallet.auto_recharge_failed&limit=1").await.expect(200).body;
    let next = first["next_cursor"].as_str().unwrap();
    let second = list(&format!("type=wallet.auto_recharge_failed&limit=1&cursor={next}")).await.expect(200);
    let mut both = [ids(&first), ids(&second.body)].concat();
    both.sort();
    assert_eq!(both, ["evt_a", "evt_b"]);
    assert_eq!(second.body["next_cursor"], Value::Null);
    for bad in ["type=", "type=scan", "type=SCAN.FAILED"] {
        assert_eq!(
            list(bad).await.expect_error(400, "VALIDATION_FAILED").invalid_fields(),
            ["type"],
            "{bad}"
        );
    }
    app.finish().await;
}

#[tokio::test]
async fn streams_end_when_their_key_is_revoked_or_the_account_closed() {
    TestApp::on_each_database(async |app| {
        let (kept, revoked) = (app.client().await, app.client().await);
        let mut streams = [Messages::open(app, &kept, None).await, Messages::open(app, &revoked, None).await];
        let (tenant, id, now) = (revoked.tenant.clone(), revoked.key.id.0.clone(), Timestamp::now());
        let done: entities::Result<bool> =
            app.db().write(async |txn| entities::api_keys::revoke(&txn, &tenant, &id, now).await).await;
        assert!(done.unwrap());
        assert_eq!(streams[1].next().await, None, "far before the 15 minutes of a stream");
        let space = testing::space(app.db(), &kept.tenant).await;
        create_complete_scan(app, &kept, space.id.as_str()).await;
        assert!(streams[0].next().await.is_some());
        let account = kept.tenant.account_id.clone();
        let closed: entities::Result<bool> =
            app.db().write(async |txn| entities::erasure::close(&txn, &account, now).await).await;
        assert!(closed.unwrap());
        assert_eq!(streams[0].next().await, None);
    })
    .await;
}

#[tokio::test]
async fn streams_of_a_session_end_when_it_is_logged_out() {
    let app = TestApp::start().await;
    let user = app.console_user().await;
    let stream = app.get("/v1/events/stream").session(&user).header("scan-mode", "test");
    let mut response = stream.open().await;
    assert_eq!(response.status(), 200);
    assert!(response.chunk().await.unwrap().is_some(), "the opening comment");
    app.post("/v1/auth/log-out").session(&user).send().await.expect(204);
    let ended = async { while response.chunk().await.unwrap().is_some() {} };
    tokio::time::timeout(Duration::from_secs(10), ended)
        .await
        .expect("far before the 15 minutes of a stream");
    app.finish().await;
}

#[tokio::test]
async fn streams_are_bounded_per_key_and_account() {
    let app = TestApp::with(|settings| {
        settings.streams_per_key = 2;
        settings.streams_per_account = 3;
    })
    .await;
    let client = app.client().await;
    let second = app.create_key(&client.tenant).await;
    let refused = async |client: &Client| {
        let refused = app.get("/v1/events/stream").key(client).send().await;
        let refused = refused.expect_error(429, "EVENT_STREAM_LIMIT");
        assert!(refused.header("retry-after").parse::<u64>().is_ok());
    };
    let mut streams =
        vec![Messages::open(&app, &client, None).await, Messages::open(&app, &client, None).await];
    refused(&client).await;
    streams.push(Messages::open(&app, &second, None).await);
    refused(&second).await;
    drop(Messages::open(&app, &app.client().await, None).await);
    // A stream that its client closed makes room.
    drop(streams.pop());
    let reopened = async {
        loop {
            let response = app.get("/v1/events/stream").key(&second).open().await;
            if response.status() == 200 {
                return response;
            }
            tokio::task::yield_now().await;
        }
    };
    let reopened = tokio::time::timeout(Duration::from_secs(20), reopened).await.expect("room for a stream");
    drop((streams, reopened));
    app.finish().await;
}
