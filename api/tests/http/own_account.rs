//! What users do with their own sessions, passwords and addresses.

use std::time::Duration;

use api::limits::Limit;
use domain::{Mode, Timestamp, Token, TokenPurpose, mode::Tenant};
use entities::{Reader, email_changes, sessions};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};
use serde_json::{Value, json};

use crate::{
    app::{ApiResponse, ConsoleUser, TestApp},
    auth::{PASSWORD, audit, cookie, log_in, session_of, set_confirmed, sign_up},
    mail_tokens::{find_user, issue_token_to, pending_mail},
};

const NEW_PASSWORD: &str = "other unrelated plain words";

/// Signs up and logs in.
pub(crate) async fn signed_up(app: &TestApp, email: &str) -> ConsoleUser {
    sign_up(app, email).await.expect(202);
    let secret = cookie(&log_in(app, email, PASSWORD).await.expect(200));
    let account_id = find_user(app, email).await.account_id.0.clone();
    ConsoleUser { tenant: Tenant { account_id, mode: Mode::Test }, email: email.to_owned(), secret }
}

async fn post(app: &TestApp, user: &ConsoleUser, path: &str, body: Value) -> ApiResponse {
    app.post(&format!("/v1/auth/{path}")).session(user).json(body).send().await
}

/// Issues the token of a change of a user's address, as a mail would contain it.
pub(crate) async fn issue_email_change(app: &TestApp, user: &ConsoleUser, email: &str) -> String {
    let (user, now) = (find_user(app, &user.email).await, Timestamp::now());
    let token: entities::Result<Token> =
        app.db().write(async |txn| email_changes::issue(&txn, &user.id, email, now).await).await;
    token.unwrap().reveal().to_owned()
}

/// Moves the log-in of a session into the past.
async fn age_session(app: &TestApp, user: &ConsoleUser, age: Duration) {
    let hash = Token::parse(&user.secret).unwrap().hash();
    let update = sessions::Entity::update_many()
        .col_expr(sessions::Column::CreatedAt, Expr::value(Timestamp::now().minus(age).as_millis()))
        .filter(sessions::Column::SecretHash.eq(hash));
    assert_eq!(update.exec(app.db().conn()).await.unwrap().rows_affected, 1);
}

#[tokio::test]
async fn sessions_are_listed_and_ended() {
    TestApp::on_each_database(async |app| {
        let (ann, bob) = (signed_up(app, "ann@example.com").await, signed_up(app, "bob@example.com").await);
        let body = json!({ "email": "ann@example.com", "password": PASSWORD });
        let phone = app.post("/v1/auth/log-in").same_origin().header("user-agent", &"Phone ".repeat(99));
        let phone = cookie(&phone.json(body).send().await.expect(200));
        let list = async |user| app.get("/v1/auth/sessions").session(user).send().await.expect(200).body;
        let listed = list(&ann).await;
        let [newest, first] = &listed["data"].as_array().unwrap()[..] else { panic!("{listed}") };
        assert_eq!((&newest["current"], &first["current"]), (&json!(false), &json!(true)));
        assert_eq!(newest["client_address"], "127.0.0.1");
        assert!(newest["user_agent"].as_str().unwrap().starts_with("Phone Phone"));
        assert_eq!(newest["user_agent"].as_str().unwrap().len(), 200);

        let path = format!("/v1/auth/sessions/{}", newest["id"].as_str().unwrap());
        app.delete(&path).session(&bob).send().await.expect_error(404, "NOT_FOUND");
        session_of(app, &phone).await.expect(200);
        for _ in 0..2 {
            app.delete(&path).session(&ann).send().await.expect(204);
        }
        session_of(app, &phone).await.expect_error(401, "UNAUTHENTICATED");
        assert_eq!(list(&ann).await["data"].as_array().unwrap().len(), 1);
        assert!(audit(app, "ann@example.com", 5).await.contains(&"user.session_ended".to_owned()));
    })
    .await;
}

#[tokio::test]
async fn a_changed_password_ends_other_sessions_and_links() {
    TestApp::on_each_database(async |app| {
        let ann = signed_up(app, "ann@example.com").await;
        let other = cookie(&log_in(app, "ann@example.com", PASSWORD).await);
        let link = issue_token_to(app, &ann, TokenPurpose::ResetPassword).await;
        let change = |password: &str, new: &str| {
            let body = json!({ "password": password, "new_password": new });
            post(app, &ann, "change-password", body)
        };
        change("wrong password", NEW_PASSWORD).await.expect_error(401, "INVALID_CREDENTIALS");
        let short = change(PASSWORD, "short").await.expect_error(400, "VALIDATION_FAILED");
        assert_eq!(short.invalid_fields(), ["new_password"]);
        session_of(app, &other).await.expect(200);

        change(PASSWORD, NEW_PASSWORD).await.expect(204);
        session_of(app, &other).await.expect_error(401, "UNAUTHENTICATED");
        session_of(app, &ann.secret).await.expect(200);
        log_in(app, "ann@example.com", PASSWORD).await.expect_error(401, "INVALID_CREDENTIALS");
        log_in(app, "ann@example.com", NEW_PASSWORD).await.expect(200);
        let reset = json!({ "token": link, "password": PASSWORD });
        let reset = app.post("/v1/auth/reset-password").same_origin().json(reset).send().await;
        reset.expect_error(400, "INVALID_TOKEN");
        assert!(pending_mail(app).await.contains(&"PasswordChanged to ann@example.com".to_owned()));
    })
    .await;
}

#[tokio::test]
async fn a_new_address_counts_once_it_is_confirmed() {
    TestApp::on_each_database(async |app| {
        let ann = signed_up(app, "ann@example.com").await;
        signed_up(app, "bob@example.com").await;
        let request = |password: &str, email: &str| {
            post(app, &ann, "change-email", json!({ "password": password, "email": email }))
        };
        request("wrong password", "new@example.com").await.expect_error(401, "INVALID_CREDENTIALS");
        request(PASSWORD, " New@Example.com").await.expect(202);
        assert!(pending_mail(app).await.contains(&"ChangeEmail to new@example.com".to_owned()));
        log_in(app, "new@example.com", PASSWORD).await.expect_error(401, "INVALID_CREDENTIALS");

        let issue = |email: &'static str| issue_email_change(app, &ann, email);
        let confirm = |token: &str| {
            let body = json!({ "token": token });
            app.post("/v1/auth/confirm-email-change").same_origin().json(body).send()
        };
        let (taken, free, other) = (
            issue("bob@example.com").await,
            issue("new@example.com").await,
            issue("other@example.com").await,
        );
        confirm(&taken).await.expect_error(400, "INVALID_TOKEN");
        confirm(&free).await.expect(204);
        for used in [&free, &other] {
            confirm(used).await.expect_error(400, "INVALID_TOKEN");
        }
        log_in(app, "ann@example.com", PASSWORD).await.expect_error(401, "INVALID_CREDENTIALS");
        let session = log_in(app, "new@example.com", PASSWORD).await.expect(200).body;
        assert_eq!(session["user"]["email_confirmed"], true);
        assert!(pending_mail(app).await.contains(&"EmailChanged to ann@example.com".to_owned()));
    })
    .await;
}

#[tokio::test]
async fn live_keys_and_exports_require_a_recent_password() {
    let app = TestApp::start().await;
    let ann = signed_up(&app, "ann@example.com").await;
    set_confirmed(&app, &ann.tenant, Some(Timestamp::now())).await;
    let key = |mode: &str| {
        let body = json!({ "name": "server", "scopes": ["spaces:read"] });
        app.post("/v1/keys").session(&ann).header("scan-mode", mode).json(body).send()
    };
    let export = || app.post("/v1/auth/exports").session(&ann).send();
    let live = key("live").await.expect(201).body;
    let roll = format!("/v1/keys/{}/roll", live["id"].as_str().unwrap());
    let roll = || app.post(&roll).session(&ann).header("scan-mode", "live").send();
    age_session(&app, &ann, Duration::from_secs(16 * 60)).await;
    key("live").await.expect_error(403, "REAUTHENTICATION_REQUIRED");
    roll().await.expect_error(403, "REAUTHENTICATION_REQUIRED");
    export().await.expect_error(403, "REAUTHENTICATION_REQUIRED");
    key("test").await.expect(201);
    let confirm = |password: &str| post(&app, &ann, "confirm-password", json!({ "password": password }));
    confirm("wrong password").await.expect_error(401, "INVALID_CREDENTIALS");
    key("live").await.expect_error(403, "REAUTHENTICATION_REQUIRED");
    confirm(PASSWORD).await.expect(204);
    key("live").await.expect(201);
    roll().await.expect(201);
    export().await.expect(202);
    app.finish().await;
}

/// Logs in from an address behind a trusted proxy.
async fn log_in_from(app: &TestApp, address: &str, email: &str, password: &str) -> ApiResponse {
    let call = app.post("/v1/auth/log-in").same_origin().header("x-forwarded-for", address);
    call.json(json!({ "email": email, "password": password })).send().await
}

#[tokio::test]
async fn strangers_cannot_lock_a_user_out() {
    let app = TestApp::with(|settings| {
        settings.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
        settings.console.log_in_per_address_and_email = Limit { requests: 3, window_seconds: 60 };
    })
    .await;
    let ann = signed_up(&app, "ann@example.com").await;
    for stranger in ["203.0.113.1", "203.0.113.2"] {
        for (n, status) in [401, 401, 401, 429, 429].into_iter().enumerate() {
            let email = if n % 2 == 0 { "ann@example.com" } else { " ANN@example.com" };
            log_in_from(&app, stranger, email, "a wrong guess").await.expect(status);
        }
        // Even the right password: guessing is over.
        let refused = log_in_from(&app, stranger, "ann@example.com", PASSWORD).await;
        let refused = refused.expect_error(429, "RATE_LIMIT_EXCEEDED");
        assert!(refused.header("retry-after").parse::<u64>().unwrap() <= 60);
        // Unknown addresses get the same responses.
        for status in [401, 401, 401, 429] {
            log_in_from(&app, stranger, "nobody@example.com", PASSWORD).await.expect(status);
        }
    }
    // The user logs in from another address as often as necessary.
    for _ in 0..5 {
        log_in_from(&app, "198.51.100.7", "ann@example.com", PASSWORD).await.expect(200);
    }
    // Who shares the stranger's address has the mailed link, which logs in and starts again.
    let link = issue_token_to(&app, &ann, TokenPurpose::ResetPassword).await;
    let reset = app.post("/v1/auth/reset-password").same_origin().header("x-forwarded-for", "203.0.113.1");
    let reset = reset.json(json!({ "token": link, "password": NEW_PASSWORD })).send().await.expect(204);
    session_of(&app, &cookie(&reset)).await.expect(200);
    log_in_from(&app, "203.0.113.1", "ann@example.com", NEW_PASSWORD).await.expect(200);
    app.finish().await;
}

#[tokio::test]
async fn delays_grow_with_the_number_of_failures() {
    // One failure a second, two in 15 seconds, four in 6 minutes.
    let app = TestApp::with(|settings| {
        settings.console.log_in_per_address_and_email = Limit { requests: 1, window_seconds: 1 };
    })
    .await;
    sign_up(&app, "ann@example.com").await.expect(202);
    let mut waits = Vec::new();
    while waits.last().is_none_or(|wait| *wait <= 1) {
        let response = log_in(&app, "ann@example.com", "a wrong guess").await;
        if response.status == 429 {
            waits.push(response.header("retry-after").parse::<u64>().unwrap());
        }
    }
    assert!((2..=15).contains(waits.last().unwrap()), "{waits:?}");
    app.finish().await;
}

#[tokio::test]
async fn the_audit_log_names_address_and_user_agent() {
    let app = TestApp::start().await;
    let ann = signed_up(&app, "ann@example.com").await;
    let new = json!({ "name": "server", "scopes": ["spaces:read"] });
    let create = app.post("/v1/keys").session(&ann).header("user-agent", "Console/7").json(new);
    create.send().await.expect(201);
    let create = app.post("/v1/webhook-endpoints").session(&ann).header("user-agent", "Console/8");
    let endpoint =
        json!({ "url": format!("https://{}/hook", crate::tls::HOST), "events": ["scan.completed"] });
    create.json(endpoint).send().await.expect(201);
    let log = app.get("/v1/auth/audit-log").session(&ann).send().await.expect(200).body;
    for (action, agent) in [("key.created", "Console/7"), ("webhook_endpoint.created", "Console/8")] {
        let entries = log["data"].as_array().unwrap();
        let entry = entries.iter().find(|entry| entry["action"] == action);
        let entry = entry.unwrap_or_else(|| panic!("no {action} in {log}"));
        assert_eq!((&entry["client_address"], &entry["user_agent"]), (&json!("127.0.0.1"), &json!(agent)));
    }
    app.finish().await;
}
