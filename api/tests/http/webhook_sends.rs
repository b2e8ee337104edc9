//! Test events, deliveries, and replayed events.

use std::time::Duration;

use api::limits::Limit;
use domain::{Secret, Timestamp};
use entities::{
    outbox::{self, Kind},
    webhook_deliveries::{NewAttempt, Round, Verdict, system},
};
use outbound::webhook::{SIGNATURE_TOLERANCE, verify};
use serde_json::{Value, json};

use crate::{
    app::{ConsoleUser, TestApp},
    events::{publish, publish_at},
    tls::HOST,
    webhook_receivers::{GONE, REFUSING},
    webhooks::create_endpoint,
};

async fn send_test(app: &TestApp, user: &ConsoleUser, path: &str, body: Value) -> Value {
    app.post(&format!("{path}/test")).session(user).json(body).send().await.expect(200).body
}

#[tokio::test]
async fn test_event_is_sent_once_and_returns_the_response() {
    let app = TestApp::start().await;
    let user = app.console_user().await;
    let (path, created) = create_endpoint(&app, &user, HOST).await;
    let shown = send_test(&app, &user, &path, json!({})).await;
    assert_eq!((&shown["delivered"], &shown["status"]), (&json!(true), &json!(200)));
    assert_eq!((&shown["response"], &shown["error"]), (&json!("thanks"), &json!(null)));
    assert_eq!(
        (&shown["event"]["data"], &shown["event"]["type"]),
        (&json!({ "test": true }), &json!("scan.completed"))
    );

    let [request] = &app.receivers.accepting.received()[..] else { panic!("one request") };
    assert_eq!(serde_json::from_slice::<Value>(&request.body).unwrap(), shown["event"]);
    assert_eq!(request.header("scan-event-id"), shown["event"]["id"].as_str());
    let signed_with = |request: &crate::tls::Received, secret: &Value| {
        let (secret, signature) =
            (Secret::new(secret.as_str().unwrap()), request.header("scan-signature").unwrap());
        verify(&secret, signature, &request.body, Timestamp::now(), SIGNATURE_TOLERANCE).is_ok()
    };
    assert!(signed_with(request, &created["signing_secret"]));

    // During a rotation both secrets verify. Test events are sent to disabled endpoints too.
    let act = |action: &str| app.post(&format!("{path}/{action}")).session(&user);
    let rotated = act("rotate-secret").send().await.expect(200).body;
    act("disable").send().await.expect(200);
    let shown = send_test(&app, &user, &path, json!({ "type": "wallet.auto_recharge_failed" })).await;
    assert_eq!(shown["event"]["type"], "wallet.auto_recharge_failed");
    let request = &app.receivers.accepting.received()[1];
    assert!(
        signed_with(request, &created["signing_secret"]) && signed_with(request, &rotated["signing_secret"])
    );
    let last = act("rotate-secret").json(json!({ "overlap_hours": 0 })).send().await.expect(200).body;
    send_test(&app, &user, &path, json!({})).await;
    let request = &app.receivers.accepting.received()[2];
    assert!(
        !signed_with(request, &rotated["signing_secret"]) && signed_with(request, &last["signing_secret"])
    );

    let deliveries = app.get(&format!("{path}/deliveries")).session(&user).send().await.expect(200).body;
    assert_eq!(deliveries["data"], json!([]), "a test event creates no delivery");
    app.finish().await;
}

#[tokio::test]
async fn test_event_returns_the_error() {
    let app = TestApp::start().await;
    let user = app.console_user().await;
    let (path, _) = create_endpoint(&app, &user, REFUSING).await;
    let shown = send_test(&app, &user, &path, json!({})).await;
    assert_eq!((&shown["delivered"], &shown["status"]), (&json!(false), &json!(500)));
    assert_eq!((&shown["response"], &shown["error"]["code"]), (&json!("why?"), &json!("not_accepted")));
    let (path, _) = create_endpoint(&app, &user, GONE).await;
    let shown = send_test(&app, &user, &path, json!({})).await;
    assert_eq!((&shown["status"], &shown["error"]["code"]), (&json!(null), &json!("connection_failed")));
    let got = app.get(&path).session(&user).send().await.expect(200).body;
    assert_eq!(got["consecutive_failures"], 0, "test events don't count as failures");
    app.finish().await;
}

#[tokio::test]
async fn test_events_and_replays_have_their_own_limit() {
    let app = TestApp::with(|settings| settings.limits.webhook_sends = Limit::per_minute(2)).await;
    let user = app.console_user().await;
    let (path, _) = create_endpoint(&app, &user, HOST).await;
    let event = publish(&app, &user.tenant, "one").await;
    send_test(&app, &user, &path, json!({})).await;
    let replay = || app.post(&format!("{path}/replay")).session(&user).json(json!({ "event_ids": [event] }));
    replay().send().await.expect(202);
    let refused = replay().send().await.expect_error(429, "RATE_LIMIT_EXCEEDED");
    assert!(!refused.header("retry-after").is_empty());
    app.post(&format!("{path}/test")).session(&user).send().await.expect_error(429, "RATE_LIMIT_EXCEEDED");
    assert_eq!(app.receivers.accepting.connections(), 1);
    app.finish().await;
}

#[tokio::test]
async fn replayed_events_are_delivered_again() {
    TestApp::on_each_database(async |app| {
        let user = app.console_user().await;
        let (path, created) = create_endpoint(app, &user, HOST).await;
        let endpoint: domain::WebhookEndpointId = created["id"].as_str().unwrap().parse().unwrap();
        let [a, b] = ["a", "b"].map(|name| format!("{name}_{endpoint}"));
        let (a, b) = (publish(app, &user.tenant, &a).await, publish(app, &user.tenant, &b).await);
        let replay = async |ids: Value| {
            let call = app.post(&format!("{path}/replay")).session(&user);
            call.json(json!({ "event_ids": ids })).send().await
        };
        let list = async || {
            let page = app.get(&format!("{path}/deliveries")).session(&user).send().await.expect(200).body;
            page["data"].as_array().unwrap().clone()
        };
        let first = replay(json!([b, a])).await.expect(202).body;
        assert_eq!(first["data"].as_array().unwrap().len(), 2);
        for delivery in list().await {
            assert_eq!((&delivery["status"], &delivery["replays"]), (&json!("pending"), &json!(0)));
        }
        let round = |id: &str, number| Round {
            event: domain::EventId::trusted(id),
            endpoint: endpoint.clone(),
            number,
        };
        let is_pending = async |id: &str, number| {
            outbox::is_pending(app.db(), Kind::Delivery, &round(id, number).subject()).await.unwrap()
        };
        assert!(is_pending(&a, 0).await && is_pending(&b, 0).await);

        // Deliveries in progress continue; completed ones start again.
        let ended = round(&a, 0);
        let now = Timestamp::now();
        let done: entities::Result<_> =
            app.db().write(async |txn| system::finish(&txn, &ended, Verdict::Delivered, now).await).await;
        done.unwrap();
        replay(json!([a, b])).await.expect(202);
        assert!(is_pending(&a, 1).await && !is_pending(&b, 1).await);
        let replays: Vec<_> =
            list().await.iter().map(|d| (d["event_id"].clone(), d["replays"].clone())).collect();
        assert!(replays.contains(&(json!(a), json!(1))) && replays.contains(&(json!(b), json!(0))));

        // All events are replayed or none.
        let old = format!("old_{endpoint}");
        publish_at(app, &user.tenant, &old, now.minus(Duration::from_secs(31 * 86_400))).await;
        for bad in [format!("evt_{old}"), "evt_never".into(), "evt_%00\u{0}".into(), String::new()] {
            let response = replay(json!([a, bad])).await.expect_error(400, "VALIDATION_FAILED");
            assert_eq!(response.invalid_fields(), ["event_ids[1]"]);
        }
        for bad in [json!([]), json!([a, a]), json!((0..101).map(|n| format!("evt_{n}")).collect::<Vec<_>>())]
        {
            assert_eq!(
                replay(bad).await.expect_error(400, "VALIDATION_FAILED").invalid_fields(),
                ["event_ids"]
            );
        }
        let other = app.console_user().await;
        let theirs = publish(app, &other.tenant, &format!("c_{endpoint}")).await;
        replay(json!([theirs])).await.expect_error(400, "VALIDATION_FAILED");
        app.post(&format!("{path}/disable")).session(&user).send().await.expect(200);
        replay(json!([b])).await.expect_error(409, "WEBHOOK_ENDPOINT_OFF");
    })
    .await;
}

#[tokio::test]
async fn attempts_of_a_delivery_are_listed() {
    TestApp::on_each_database(async |app| {
        let user = app.console_user().await;
        let (path, created) = create_endpoint(app, &user, HOST).await;
        let endpoint: domain::WebhookEndpointId = created["id"].as_str().unwrap().parse().unwrap();
        let event = publish(app, &user.tenant, &format!("a_{endpoint}")).await;
        let replay = json!({ "event_ids": [event] });
        app.post(&format!("{path}/replay")).session(&user).json(replay).send().await.expect(202);
        let round = Round { event: domain::EventId::trusted(&event), endpoint, number: 0 };
        let now = Timestamp::now();
        for (attempt, status) in [(1, None), (2, Some(503)), (3, Some(200))] {
            let failed = status != Some(200);
            let made = NewAttempt {
                attempt,
                at: now,
                status,
                error: failed.then(|| format!("failure {attempt}")),
                response: None,
                duration_ms: 84,
                next_attempt_at: failed.then_some(now),
            };
            let recorded: entities::Result<bool> =
                app.db().write(async |txn| system::record_attempt(&txn, &round, &made).await).await;
            assert!(recorded.unwrap());
        }

        let attempts = format!("{path}/deliveries/{event}/attempts");
        let page = app.get(&attempts).session(&user).send().await.expect(200).body;
        let seen: Vec<_> =
            page["data"].as_array().unwrap().iter().map(|a| (&a["attempt"], &a["status"])).collect();
        let expected = [(3, Some(200)), (2, Some(503)), (1, None)];
        let expected = expected.map(|(attempt, status)| (json!(attempt), json!(status)));
        assert_eq!(seen, expected.iter().map(|(attempt, status)| (attempt, status)).collect::<Vec<_>>());
        assert_eq!(page["data"][0]["error"], Value::Null);
        assert_eq!(page["data"][2]["error"], "failure 1");

        let other = app.console_user().await;
        app.get(&attempts).session(&other).send().await.expect_error(404, "NOT_FOUND");
        let unknown = format!("{path}/deliveries/evt_never/attempts");
        app.get(&unknown).session(&user).send().await.expect_error(404, "NOT_FOUND");
    })
    .await;
}
