//! Webhook endpoints: creation, changes, enabling and deletion in the console.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    app::{ApiResponse, ConsoleUser, TestApp},
    tls::HOST,
    webhook_receivers::REFUSING,
};

pub(crate) fn new_endpoint(host: &str) -> Value {
    json!({ "url": format!("https://{host}/hook"), "events": ["scan.completed", "scan.failed"] })
}

async fn create(app: &TestApp, user: &ConsoleUser, mode: &str, body: Value) -> ApiResponse {
    app.post("/v1/webhook-endpoints").session(user).header("scan-mode", mode).json(body).send().await
}

/// Creates an endpoint in test mode and returns its path and the response.
pub(crate) async fn create_endpoint(app: &TestApp, user: &ConsoleUser, host: &str) -> (String, Value) {
    let created = create(app, user, "test", new_endpoint(host)).await.expect(201).body;
    (format!("/v1/webhook-endpoints/{}", created["id"].as_str().unwrap()), created)
}

#[tokio::test]
async fn endpoint_can_be_created_changed_disabled_and_deleted() {
    TestApp::on_each_database(async |app| {
        let user = app.console_user().await;
        let body =
            json!({ "url": format!("HTTPS://{HOST}"), "events": ["scan.failed"], "description": " a " });
        let created = create(app, &user, "test", body).await.expect(201).body;
        let secret = created["signing_secret"].as_str().unwrap().to_owned();
        assert!(secret.starts_with("whsec_"));
        assert_eq!(created["url"], format!("https://{HOST}/"), "stored in normalized form");
        assert_eq!((&created["mode"], &created["description"]), (&json!("test"), &json!("a")));
        assert_eq!((&created["enabled"], &created["consecutive_failures"]), (&json!(true), &json!(0)));

        // The secret is returned once.
        let path = format!("/v1/webhook-endpoints/{}", created["id"].as_str().unwrap());
        let got = app.get(&path).session(&user).send().await.expect(200);
        let list = app.get("/v1/webhook-endpoints").session(&user).send().await.expect(200);
        assert_eq!(list.body["data"], json!([got.body]));
        for response in [got, list] {
            assert!(!String::from_utf8_lossy(&response.bytes).contains(&secret[6..]));
        }

        let change = |body: Value| app.call(Method::PATCH, &path).session(&user).json(body).send();
        let changed = change(json!({ "url": format!("https://{REFUSING}/b"), "description": null })).await;
        let changed = changed.expect(200).body;
        assert_eq!(changed["url"], format!("https://{REFUSING}/b"));
        assert_eq!((&changed["description"], &changed["events"]), (&json!(null), &json!(["scan.failed"])));
        let changed = change(json!({ "events": ["scan.completed"] })).await.expect(200).body;
        assert_eq!(changed["events"], json!(["scan.completed"]));

        let act = |action: &str| app.post(&format!("{path}/{action}")).session(&user);
        for (action, on) in [("disable", false), ("disable", false), ("enable", true), ("enable", true)] {
            assert_eq!(act(action).send().await.expect(200).body["enabled"], on);
        }
        let rotated = act("rotate-secret").send().await.expect(200).body;
        assert_ne!(rotated["signing_secret"], json!(secret));
        assert!(rotated["old_secret_signs_until"].is_string());
        let now = act("rotate-secret").json(json!({ "overlap_hours": 0 })).send().await.expect(200).body;
        assert_eq!(now["old_secret_signs_until"], json!(null));
        act("rotate-secret")
            .json(json!({ "overlap_hours": 25 }))
            .send()
            .await
            .expect_error(400, "VALIDATION_FAILED");

        app.delete(&path).session(&user).send().await.expect(204);
        app.delete(&path).session(&user).send().await.expect_error(404, "NOT_FOUND");
        app.get(&path).session(&user).send().await.expect_error(404, "NOT_FOUND");

        let log = app.get("/v1/auth/audit-log").session(&user).send().await.expect(200);
        let text = String::from_utf8_lossy(&log.bytes).into_owned();
        assert!(!text.contains("whsec_") && !text.contains("/b\""), "{text}");
        let entries = log.body["data"].as_array().unwrap();
        let actions: Vec<_> = entries.iter().rev().map(|e| e["action"].as_str().unwrap()).collect();
        assert_eq!(
            actions
                .iter()
                .map(|action| action.strip_prefix("webhook_endpoint.").unwrap())
                .collect::<Vec<_>>(),
            [
                "created",
                "changed",
                "changed",
                "disabled",
                "enabled",
                "secret_rotated",
                "secret_rotated",
                "deleted"
            ]
        );
    })
    .await;
}

#[tokio::test]
async fn idempotency_key_creates_one_endpoint() {
    let app = TestApp::start().await;
    let user = app.console_user().await;
    let send = |body: Value, mode: &'static str| {
        let call = app.post("/v1/webhook-endpoints").session(&user).header("scan-mode", mode);
        call.header("idempotency-key", "key-00001").json(body).send()
    };
    let first = send(new_endpoint(HOST), "test").await.expect(201).body;
    let again = send(new_endpoint(HOST), "test").await.expect(200);
    assert_eq!(again.header("idempotent-replayed"), "true");
    assert_eq!((&again.body["id"], &again.body["signing_secret"]), (&first["id"], &json!(null)));
    send(new_endpoint(REFUSING), "test").await.expect_error(422, "IDEMPOTENCY_KEY_REUSED");
    let live = send(new_endpoint(REFUSING), "live").await.expect(201).body;
    assert_ne!(live["id"], first["id"], "modes are separate");
    let path = format!("/v1/webhook-endpoints/{}", first["id"].as_str().unwrap());
    app.delete(&path).session(&user).send().await.expect(204);
    send(new_endpoint(HOST), "test").await.expect_error(422, "IDEMPOTENCY_KEY_REUSED");
    let call = app.post("/v1/webhook-endpoints").session(&user).header("idempotency-key", "short");
    call.json(new_endpoint(HOST)).send().await.expect_error(400, "VALIDATION_FAILED");
    app.finish().await;
}

#[tokio::test]
async fn invalid_urls_are_rejected_on_creation_and_change() {
    let app = TestApp::start().await;
    let user = app.console_user().await;
    let (path, created) = create_endpoint(&app, &user, HOST).await;
    let vectors = include_str!("../../../outbound/tests/data/webhook_urls.jsonl");
    let mut codes = BTreeSet::new();
    for line in vectors.lines() {
        let vector: Value = serde_json::from_str(line).unwrap();
        if vector["verdict"] != "refuse" {
            continue;
        }
        codes.insert(vector["code"].to_string());
        let body = json!({ "url": vector["input"], "events": ["scan.failed"] });
        let call = app.call(Method::PATCH, &path).session(&user).json(json!({ "url": vector["input"] }));
        for response in [create(&app, &user, "test", body).await, call.send().await] {
            let response = response.expect_error(400, "VALIDATION_FAILED");
            assert_eq!(response.invalid_fields(), ["url"], "{line}");
            assert_eq!(response.body["error"]["refusal"], vector["code"], "{line}");
        }
    }
    assert_eq!(codes.len(), 12, "every reason that needs no name resolution");
    let list = app.get("/v1/webhook-endpoints").session(&user).send().await.expect(200).body;
    assert_eq!(list["data"].as_array().unwrap().len(), 1);
    assert_eq!(list["data"][0]["url"], created["url"]);
    app.finish().await;
}

#[tokio::test]
async fn endpoints_of_others_and_of_the_other_mode_are_not_found() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.console_user().await, app.console_user().await);
    let test = create(&app, &ann, "test", new_endpoint(HOST)).await.expect(201).body;
    let live = create(&app, &ann, "live", new_endpoint(HOST)).await.expect(201).body;
    let event = crate::events::publish(&app, &bob.tenant, "theirs").await;
    let actions = [
        (Method::GET, "", None),
        (Method::PATCH, "", Some(json!({ "url": "https://nowhere.example.com/" }))),
        (Method::PATCH, "", Some(json!({ "description": "x" }))),
        (Method::DELETE, "", None),
        (Method::POST, "/enable", None),
        (Method::POST, "/disable", None),
        (Method::POST, "/rotate-secret", None),
        (Method::POST, "/test", None),
        (Method::GET, "/deliveries", None),
        (Method::POST, "/replay", Some(json!({ "event_ids": [event] }))),
    ];
    for (user, mode, endpoint) in
        [(&bob, "test", &test), (&bob, "live", &live), (&ann, "test", &live), (&ann, "live", &test)]
    {
        let id = endpoint["id"].as_str().unwrap();
        for (method, rest, body) in &actions {
            let path = format!("/v1/webhook-endpoints/{id}{rest}");
            let mut call = app.call(method.clone(), &path).session(user).header("scan-mode", mode);
            if let Some(body) = body {
                call = call.json(body.clone());
            }
            call.send().await.expect_error(404, "NOT_FOUND");
        }
        let list = app.get("/v1/webhook-endpoints").session(user).header("scan-mode", mode);
        let list = list.send().await.expect(200);
        assert!(!String::from_utf8_lossy(&list.bytes).contains(id));
    }
    assert_eq!(app.receivers.accepting.connections(), 0);
    for (mode, endpoint) in [("test", &test), ("live", &live)] {
        let path = format!("/v1/webhook-endpoints/{}", endpoint["id"].as_str().unwrap());
        let got = app.get(&path).session(&ann).header("scan-mode", mode).send().await.expect(200).body;
        assert_eq!((&got["updated_at"], &got["enabled"]), (&endpoint["updated_at"], &json!(true)));
    }
    // Requests without a session, and with a key.
    let client = app.client().await;
    app.get("/v1/webhook-endpoints").key(&client).send().await.expect_error(401, "UNAUTHENTICATED");
    app.finish().await;
}

#[tokio::test]
async fn account_has_at_most_ten_endpoints() {
    let app = TestApp::start().await;
    let user = app.console_user().await;
    for n in 0..10 {
        create(&app, &user, if n % 2 == 0 { "test" } else { "live" }, new_endpoint(HOST)).await.expect(201);
    }
    create(&app, &user, "live", new_endpoint(HOST)).await.expect_error(409, "WEBHOOK_ENDPOINT_LIMIT");
    let first = app.get("/v1/webhook-endpoints?limit=3").session(&user).send().await.expect(200).body;
    let next = first["next_cursor"].as_str().unwrap();
    let rest = app.get(&format!("/v1/webhook-endpoints?limit=3&cursor={next}")).session(&user).send().await;
    assert_eq!(rest.expect(200).body["data"].as_array().unwrap().len(), 2);
    app.finish().await;
}

#[tokio::test]
async fn rejects_invalid_endpoints() {
    let app = TestApp::start().await;
    let user = app.console_user().await;
    let (path, _) = create_endpoint(&app, &user, HOST).await;
    for (field, value) in [
        ("events", json!([])),
        ("events", json!(["scan.failed", "scan.failed"])),
        ("events", json!(["scan.began"])),
        ("description", json!("  ")),
        ("description", json!("x".repeat(201))),
        ("description", json!("a\u{0}b")),
        ("url", json!(5)),
        ("enabled", json!(false)),
    ] {
        let mut body = new_endpoint(HOST);
        body[field] = value.clone();
        create(&app, &user, "test", body).await.expect_error(400, "VALIDATION_FAILED");
        let call = app.call(Method::PATCH, &path).session(&user).json(json!({ field: value }));
        call.send().await.expect_error(400, "VALIDATION_FAILED");
    }
    app.finish().await;
}
