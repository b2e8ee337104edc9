//! Coverage of the contract: every operation returns every response that it documents.

use domain::{Timestamp, TokenPurpose};
use entities::testing;
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    app::{Client, ConsoleUser, ReturnedStatuses, TestApp},
    auth::{PASSWORD, cookie},
    exports::complete_export,
    mail_tokens::issue_token_to,
    media::{add_sign, create_complete_scan, create_complete_scan_with},
    retries::create_failed_scan,
    scans::{create_scan, photos, video},
    tls::HOST,
    uploads::{JPEG, mp4},
};

/// Returns the documented success statuses of each operation.
fn documented() -> ReturnedStatuses {
    let endpoints = api::routes::endpoints();
    let of = |endpoint: &api::contract::endpoint::Endpoint| {
        let operation = endpoint.operation;
        endpoint.responses.iter().map(move |response| (operation, response.status)).collect::<Vec<_>>()
    };
    endpoints.iter().flat_map(of).collect()
}

/// [`crate::contract_checks::check`] checks each response against the contract.
#[tokio::test]
async fn every_operation_returns_every_documented_response() {
    let app = TestApp::start().await;
    let client = app.client().await;
    call_with_key(&app, &client).await;
    call_console(&app).await;
    call_billing(&app).await;

    let returned = app.returned_statuses();
    let missing: Vec<_> = documented().difference(&returned).copied().collect();
    assert_eq!(missing, [], "documented, but not returned by any request of this test");
    app.finish().await;
}

/// Sends the requests of a client with an API key.
async fn call_with_key(app: &TestApp, client: &Client) {
    let credit = ledger::Credit {
        tenant: client.tenant.clone(),
        cents: 1000,
        free_scans: 0,
        reference: "gift".into(),
    };
    ledger::credit(app.db(), &credit, Timestamp::now()).await.unwrap();
    let call = |method: Method, path: &str| app.call(method, &format!("/v1{path}")).key(client);
    let get = |path: &str| call(Method::GET, path).send();

    get("/openapi.json").await.expect(200);
    get("/me").await.expect(200);
    get("/wallet").await.expect(200);

    let new = json!({ "name": "Unit 4B", "space_type": "apartment" });
    let space = call(Method::POST, "/spaces").json(new).send().await.expect(201).body;
    let space = space["id"].as_str().unwrap();
    get("/spaces").await.expect(200);
    let changes = json!({ "name": "Unit 4C" });
    call(Method::PATCH, &format!("/spaces/{space}")).json(changes).send().await.expect(200);

    let scans = format!("/spaces/{space}/scans");
    for status in [201, 200] {
        let create = call(Method::POST, &scans).header("idempotency-key", "the-same-key");
        create.json(photos(1)).send().await.expect(status);
    }
    let file = mp4(100);
    let video_scan = create_scan(app, client, space, video(file.len())).await;
    let put = call(Method::PUT, &format!("/scans/{video_scan}/video")).header("content-type", "video/mp4");
    put.body(file).send().await.expect(204);
    call(Method::DELETE, &format!("/scans/{video_scan}")).send().await.expect(204);

    let scan = create_scan(app, client, space, photos(1)).await;
    let put = call(Method::PUT, &format!("/scans/{scan}/frames/0")).header("content-type", "image/jpeg");
    put.body(JPEG.to_vec()).send().await.expect(204);
    for status in [202, 200] {
        call(Method::POST, &format!("/scans/{scan}/start")).json(json!({})).send().await.expect(status);
    }
    let failed = create_failed_scan(app, client, space).await;
    for status in [202, 200] {
        call(Method::POST, &format!("/scans/{failed}/retry")).json(json!({})).send().await.expect(status);
    }
    get(&scans).await.expect(200);
    get(&format!("/scans/{scan}")).await.expect(200);

    let complete_scan = create_complete_scan(app, client, space).await;
    get(&format!("{scans}/{complete_scan}")).await.expect(200);
    let document = get(&format!("/spaces/{space}")).await.expect(200).body;
    get(&format!("/spaces/{space}/skill")).await.expect(200);
    let url = document["document"]["frames"][0]["url"].as_str().unwrap();
    app.get(url).send().await.expect(200);
    app.get(url).header("range", "bytes=0-0").send().await.expect(206);

    let question = json!({ "question": "What does the sign say?" });
    call(Method::POST, &format!("/spaces/{space}/ask")).json(question).send().await.expect(200);

    create_complete_scan_with(app, client, space, |document| add_sign(document, "EXIT")).await;
    get(&format!("/spaces/{space}/diff")).await.expect(200);

    let correction = json!({ "corrections": [{ "target_id": "txt_1", "field": "presence" }] });
    let made =
        call(Method::PATCH, &format!("/spaces/{space}/document")).json(correction).send().await.expect(200);
    get(&format!("/spaces/{space}/corrections")).await.expect(200);
    let id = made.body["corrections"][0]["id"].as_str().unwrap();
    call(Method::DELETE, &format!("/spaces/{space}/corrections/{id}")).send().await.expect(204);

    let shares = format!("/spaces/{space}/shares");
    let share = call(Method::POST, &shares).json(json!({})).send().await.expect(201).body;
    let token = share["url"].as_str().unwrap().split_once('#').unwrap().1.to_owned();
    app.get("/v1/shared-document").header("scan-share", &token).send().await.expect(200);
    get(&shares).await.expect(200);
    let id = share["id"].as_str().unwrap();
    call(Method::DELETE, &format!("{shares}/{id}")).send().await.expect(204);

    get("/search?q=apartment").await.expect(200);

    get("/events").await.expect(200);
    get(&format!("/events/evt_{complete_scan}_completed")).await.expect(200);
    drop(call(Method::GET, "/events/stream").open().await);

    let empty = testing::space(app.db(), &client.tenant).await;
    call(Method::DELETE, &format!("/spaces/{}", empty.id.as_str())).send().await.expect(204);
}

/// Sends the requests of a user in the console.
async fn call_console(app: &TestApp) {
    let credentials = json!({ "email": "coverage@example.com", "password": "four unrelated plain words" });
    for (path, status) in [("sign-up", 202), ("log-in", 200)] {
        let call = app.post(&format!("/v1/auth/{path}")).same_origin();
        call.json(credentials.clone()).send().await.expect(status);
    }
    let user = app.console_user().await;
    let call = |method: Method, path: &str| app.call(method, &format!("/v1{path}")).session(&user);
    call(Method::GET, "/auth/session").send().await.expect(200);
    call(Method::GET, "/auth/audit-log").send().await.expect(200);
    call(Method::POST, "/auth/send-confirmation").send().await.expect(202);
    let post_same_origin =
        |path: &str, body: Value| app.post(&format!("/v1/auth/{path}")).same_origin().json(body);
    post_same_origin("forgot-password", json!({ "email": user.email })).send().await.expect(202);
    let token = issue_token_to(app, &user, TokenPurpose::ConfirmEmail).await;
    post_same_origin("confirm-email", json!({ "token": token })).send().await.expect(204);
    let new = json!({ "name": "Server", "scopes": ["scans:read"] });
    let key = call(Method::POST, "/keys").json(new).send().await.expect(201).body;
    let path = format!("/keys/{}", key["id"].as_str().unwrap());
    call(Method::GET, "/keys").send().await.expect(200);
    call(Method::GET, &path).send().await.expect(200);
    call(Method::GET, &format!("{path}/uses")).send().await.expect(200);
    call(Method::PATCH, &path).json(json!({ "name": "Other" })).send().await.expect(200);
    call(Method::POST, &format!("{path}/roll")).json(json!({})).send().await.expect(201);
    call(Method::DELETE, &path).send().await.expect(204);
    call_webhooks(app, &user).await;
    call_own_account(app).await;
    call(Method::POST, "/auth/log-out").send().await.expect(204);
    let token = issue_token_to(app, &user, TokenPurpose::ResetPassword).await;
    let reset = json!({ "token": token, "password": "other unrelated plain words" });
    post_same_origin("reset-password", reset).send().await.expect(204);

    let credentials = json!({ "email": user.email, "password": "other unrelated plain words" });
    let session = post_same_origin("log-in", credentials).send().await.expect(200);
    let user = ConsoleUser { secret: cookie(&session), ..user };
    let call = |method: Method, path: &str| app.call(method, &format!("/v1{path}")).session(&user);
    let export = call(Method::POST, "/auth/exports").send().await.expect(202).body;
    let path = format!("/auth/exports/{}", export["id"].as_str().unwrap());
    call(Method::GET, &path).send().await.expect(200);
    complete_export(app, &user, &export).await;
    call(Method::GET, &format!("{path}/archive")).send().await.expect(200);
    call(Method::GET, &format!("{path}/archive")).header("range", "bytes=0-0").send().await.expect(206);

    let confirmation = json!({ "password": "other unrelated plain words" });
    let end = app.delete("/v1/auth/account").session(&user).json(confirmation);
    end.send().await.expect(202);
}

/// Sends the requests of a user about the own sessions, password and address.
async fn call_own_account(app: &TestApp) {
    let user = crate::own_account::signed_up(app, "own@example.com").await;
    let call = |method: Method, path: &str| app.call(method, &format!("/v1/auth{path}")).session(&user);
    let sessions = call(Method::GET, "/sessions").send().await.expect(200).body;
    let password = json!({ "password": PASSWORD });
    call(Method::POST, "/confirm-password").json(password).send().await.expect(204);
    let email = json!({ "password": PASSWORD, "email": "new@example.com" });
    call(Method::POST, "/change-email").json(email).send().await.expect(202);
    let token = crate::own_account::issue_email_change(app, &user, "new@example.com").await;
    let confirm = app.post("/v1/auth/confirm-email-change").same_origin().json(json!({ "token": token }));
    confirm.send().await.expect(204);
    let change = json!({ "password": PASSWORD, "new_password": "other unrelated plain words" });
    call(Method::POST, "/change-password").json(change).send().await.expect(204);
    let session = sessions["data"][0]["id"].as_str().unwrap();
    call(Method::DELETE, &format!("/sessions/{session}")).send().await.expect(204);
}

/// Sends the requests about payments, and the bank's notifications.
async fn call_billing(app: &TestApp) {
    let user = app.console_user().await;
    let call = |method: Method, path: &str| app.call(method, &format!("/v1/billing{path}")).session(&user);
    call(Method::POST, "/card-forms").send().await.expect(201);
    let form = json!({ "card_form": "cs_sim_visa" });
    call(Method::POST, "/card-forms/complete").json(form).send().await.expect(200);
    call(Method::DELETE, "/payment-method").send().await.expect(204);
    let get = |path: &str| call(Method::GET, path).send();
    let method = json!({ "payment_method": "pm_card_visa" });
    call(Method::PUT, "/payment-method").json(method).send().await.expect(200);
    get("/payment-method").await.expect(200);
    let auto = json!({
        "enabled": true, "threshold_cents": 0, "amount_cents": 1000, "daily_limit_cents": 5000,
    });
    call(Method::PUT, "/auto-recharge").json(auto).send().await.expect(200);
    get("/auto-recharge").await.expect(200);
    let mut top_up = String::new();
    for status in [202, 200] {
        let create = call(Method::POST, "/top-ups").header("idempotency-key", "the-same-key");
        let response = create.json(json!({ "amount_cents": 700 })).send().await.expect(status).body;
        top_up = response["id"].as_str().unwrap().to_owned();
    }
    get("/top-ups").await.expect(200);
    get(&format!("/top-ups/{top_up}")).await.expect(200);
    get("/entries").await.expect(200);
    get(&format!("/statements/{}", domain::Timestamp::now().month())).await.expect(200);
    crate::bank_webhooks::deliver_all(app).await;
    call(Method::DELETE, "/payment-method").send().await.expect(204);
}

/// Sends the requests about webhook endpoints.
async fn call_webhooks(app: &TestApp, user: &ConsoleUser) {
    let call = |method: Method, path: &str| app.call(method, &format!("/v1{path}")).session(user);
    let new = json!({ "url": format!("https://{HOST}/scans"), "events": ["scan.completed"] });
    let mut created = json!(null);
    for status in [201, 200] {
        let create = call(Method::POST, "/webhook-endpoints").header("idempotency-key", "the-same-key");
        created = create.json(new.clone()).send().await.expect(status).body;
    }
    let path = format!("/webhook-endpoints/{}", created["id"].as_str().unwrap());
    call(Method::GET, "/webhook-endpoints").send().await.expect(200);
    call(Method::GET, &path).send().await.expect(200);
    call(Method::PATCH, &path).json(json!({ "description": "office" })).send().await.expect(200);
    for action in ["disable", "enable", "rotate-secret", "test"] {
        call(Method::POST, &format!("{path}/{action}")).send().await.expect(200);
    }
    let event = crate::events::publish(app, &user.tenant, "covered").await;
    let replay = json!({ "event_ids": [event] });
    call(Method::POST, &format!("{path}/replay")).json(replay).send().await.expect(202);
    call(Method::GET, &format!("{path}/deliveries")).send().await.expect(200);
    call(Method::GET, &format!("{path}/deliveries/{event}/attempts")).send().await.expect(200);
    call(Method::DELETE, &path).send().await.expect(204);
}
