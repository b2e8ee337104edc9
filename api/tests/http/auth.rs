//! Sign-up, log-in and sessions, and requests that the console rejects.

use std::time::Duration;

use api::{
    contract::endpoint::{Access, Endpoint},
    limits::Limit,
};
use domain::{Mode, Timestamp, Token, mode::Tenant};
use entities::{Reader, audit_log, sessions, users};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, sea_query::Expr};
use serde_json::json;

use crate::app::{ApiResponse, ConsoleUser, TestApp};

pub(crate) const PASSWORD: &str = "correct horse battery";

fn session_endpoints() -> Vec<Endpoint> {
    let all = api::routes::endpoints().into_iter();
    let console: Vec<_> = all.filter(|endpoint| endpoint.access == Access::Session).collect();
    assert!(console.len() >= 2, "the endpoints are listed");
    console
}

fn path(endpoint: &Endpoint) -> String {
    format!(
        "/v1{}",
        endpoint
            .path
            .as_str()
            .replace("{id}", api::contract::examples::path_param(endpoint.path.as_str(), "id"))
    )
}

pub(crate) async fn sign_up(app: &TestApp, email: &str) -> ApiResponse {
    app.post("/v1/auth/sign-up")
        .same_origin()
        .json(json!({ "email": email, "password": PASSWORD }))
        .send()
        .await
}

pub(crate) async fn log_in(app: &TestApp, email: &str, password: &str) -> ApiResponse {
    let body = json!({ "email": email, "password": password });
    app.post("/v1/auth/log-in").same_origin().json(body).send().await
}

/// Returns the secret in the response's cookie.
pub(crate) fn cookie(response: &ApiResponse) -> String {
    let (pair, attributes) = response.header("set-cookie").split_once(';').expect("a cookie with attributes");
    assert_eq!(attributes, " Path=/; Max-Age=1209600; HttpOnly; SameSite=Lax");
    pair.strip_prefix("scan_session=").expect("the session cookie").to_owned()
}

pub(crate) async fn session_of(app: &TestApp, secret: &str) -> ApiResponse {
    app.get("/v1/auth/session").header("cookie", &format!("a=b; scan_session={secret}")).send().await
}

/// Sets whether the addresses of an account's users are confirmed.
pub(crate) async fn set_confirmed(app: &TestApp, tenant: &Tenant, at: Option<Timestamp>) {
    let update = users::Entity::update_many()
        .col_expr(users::Column::EmailConfirmedAt, Expr::value(at.map(|at| at.as_millis())))
        .filter(users::Column::AccountId.eq(tenant.account_id.as_str()));
    update.exec(app.db().conn()).await.unwrap();
}

/// Waits until the account's audit log has this many entries and returns their actions.
pub(crate) async fn audit(app: &TestApp, email: &str, entries: usize) -> Vec<String> {
    let user = users::find_by_email(app.db(), email).await.unwrap().expect("the user");
    let all = async {
        loop {
            let rows = audit_log::list(app.db(), &user.account_id, None, 100).await.unwrap();
            if rows.len() >= entries {
                return rows.into_iter().rev().map(|row| row.action).collect();
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(10), all).await.expect("the entries are written")
}

#[tokio::test]
async fn user_signs_up_logs_in_and_logs_out() {
    TestApp::on_each_database(async |app| {
        let response = sign_up(app, " Ann@Example.com ").await.expect(202);
        assert_eq!(response.body["email"], "ann@example.com");
        assert_eq!(response.header("set-cookie"), "");

        let response = log_in(app, "ANN@example.com", PASSWORD).await.expect(200);
        let secret = cookie(&response);
        assert!(
            !String::from_utf8_lossy(&response.bytes).contains(&secret),
            "the secret is in the cookie only"
        );
        assert_eq!(response.body["user"]["email"], "ann@example.com");
        assert_eq!(response.body["user"]["is_pro"], false);
        let session = session_of(app, &secret).await.expect(200).body;
        assert_eq!(session, response.body);

        // The account is complete: wallets in both modes, with free scans.
        let account_id = serde_json::from_value(session["account"]["id"].clone()).unwrap();
        for mode in [Mode::Test, Mode::Live] {
            let tenant = Tenant { account_id: domain::AccountId::clone(&account_id), mode };
            assert_eq!(ledger::wallet(app.db(), &tenant).await.unwrap().free_scans, 3);
        }

        let ann = ConsoleUser {
            tenant: Tenant { account_id, mode: Mode::Test },
            email: "ann@example.com".into(),
            secret: secret.clone(),
        };
        let other = cookie(&log_in(app, "ann@example.com", PASSWORD).await);
        let out = app.post("/v1/auth/log-out").session(&ann).send().await.expect(204);
        assert!(out.header("set-cookie").starts_with("scan_session=; Path=/; Max-Age=0; HttpOnly"));
        session_of(app, &secret).await.expect_error(401, "UNAUTHENTICATED");
        app.post("/v1/auth/log-out").session(&ann).send().await.expect_error(401, "UNAUTHENTICATED");
        session_of(app, &other).await.expect(200);
        let actions = ["user.signed_up", "user.logged_in", "user.logged_in", "user.logged_out"];
        assert_eq!(audit(app, &ann.email, 4).await, actions);
    })
    .await;
}

#[tokio::test]
async fn sign_up_with_a_taken_address_gets_the_same_response_and_keeps_the_password() {
    TestApp::on_each_database(async |app| {
        let first = sign_up(app, "ann@example.com").await.expect(202);
        let body = json!({ "email": "ann@example.com", "password": "another password" });
        let second = app.post("/v1/auth/sign-up").same_origin().json(body).send().await.expect(202);
        assert_eq!(first.body, second.body);
        log_in(app, "ann@example.com", PASSWORD).await.expect(200);
        log_in(app, "ann@example.com", "another password").await.expect_error(401, "INVALID_CREDENTIALS");
        // Two concurrent sign-ups create one account.
        let both = futures::future::join_all((0..2).map(|_| sign_up(app, "bob@example.com"))).await;
        both.into_iter().for_each(|response| drop(response.expect(202)));
        assert_eq!(audit(app, "bob@example.com", 1).await, ["user.signed_up"]);
    })
    .await;
}

#[tokio::test]
async fn unknown_addresses_and_wrong_passwords_get_the_same_response() {
    let app = TestApp::start().await;
    sign_up(&app, "ann@example.com").await.expect(202);
    // This user has no password.
    let without = app.client().await;
    let without = users::of_account(app.db(), &without.tenant.account_id).await.unwrap().remove(0).email;
    let message = |response: ApiResponse| {
        assert_eq!(response.header("set-cookie"), "");
        response.expect_error(401, "INVALID_CREDENTIALS").body["error"]["message"].clone()
    };
    let wrong = message(log_in(&app, "ann@example.com", "wrong password").await);
    for (email, password) in [
        ("nobody@example.com", PASSWORD),
        (&without, PASSWORD),
        (&without, ""),
        ("ann@example.com", ""),
        ("ann@example.com", &"x".repeat(5_000)),
        ("", PASSWORD),
        (&"a".repeat(5_000), PASSWORD),
        ("ann@example.com\0", PASSWORD),
    ] {
        assert_eq!(message(log_in(&app, email, password).await), wrong, "{email:.20}");
    }
    assert_eq!(audit(&app, "ann@example.com", 3).await[1], "user.log_in_failed");
    app.finish().await;
}

#[tokio::test]
async fn sign_up_reports_all_invalid_fields() {
    let app = TestApp::start().await;
    let body = json!({ "email": "ann", "password": "short", "account_name": " " });
    let response = app.post("/v1/auth/sign-up").same_origin().json(body).send().await;
    let response = response.expect_error(400, "VALIDATION_FAILED");
    assert_eq!(response.invalid_fields(), ["email", "password", "account_name"]);
    let unknown_field = json!({ "email": "ann@example.com", "password": PASSWORD, "is_pro": true });
    app.post("/v1/auth/sign-up")
        .same_origin()
        .json(unknown_field)
        .send()
        .await
        .expect_error(400, "VALIDATION_FAILED");
    app.finish().await;
}

#[tokio::test]
async fn log_ins_are_throttled_by_ip_address() {
    let three = Limit { requests: 3, window_seconds: 60 };
    let app = TestApp::with(|settings| {
        settings.console.log_in_per_address = three;
        settings.console.sign_up_per_address = Limit { requests: 1, window_seconds: 60 };
    })
    .await;
    for n in 0..3 {
        log_in(&app, &format!("{n}@example.com"), PASSWORD).await.expect_error(401, "INVALID_CREDENTIALS");
    }
    log_in(&app, "x@example.com", PASSWORD).await.expect_error(429, "RATE_LIMIT_EXCEEDED");
    sign_up(&app, "ann@example.com").await.expect(202);
    sign_up(&app, "bob@example.com").await.expect_error(429, "RATE_LIMIT_EXCEEDED");
    app.finish().await;
}

#[tokio::test]
async fn sessions_expire() {
    TestApp::on_each_database(async |app| {
        let user = app.console_user().await;
        session_of(app, &user.secret).await.expect(200);
        let row = users::find_by_email(app.db(), &user.email).await.unwrap().unwrap();
        let day = Duration::from_secs(86_400);
        let open = async |ago: Duration, lifetime: Duration| {
            let (secret, began) = (Token::generate(), Timestamp::now().minus(ago));
            let opened: entities::Result<_> = app
                .db()
                .write(async |txn| sessions::open(&txn, &row.id, &secret, lifetime, began).await)
                .await;
            (opened.unwrap(), secret.reveal().to_owned())
        };
        let (_, expired) = open(day, day).await;
        let (_, idle) = open(2 * day, 14 * day).await;
        let (used, in_use) = open(day, 14 * day).await;
        for secret in [&expired, &idle, Token::generate().reveal(), "", "x"] {
            session_of(app, secret).await.expect_error(401, "UNAUTHENTICATED");
        }
        // The use is recorded asynchronously and keeps the session from becoming idle.
        session_of(app, &in_use).await.expect(200);
        let idle = api::console::ConsoleSettings::default().session_idle();
        let recorded = async {
            loop {
                let hash = Token::parse(&in_use).unwrap().hash();
                let found =
                    sessions::find_active_by_secret_hash(app.db(), &hash, idle, Timestamp::now()).await;
                if found.unwrap().expect("active").session.last_seen_at > used.last_seen_at {
                    break;
                }
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), recorded).await.expect("last_seen_at is written");

        let ended: entities::Result<()> =
            app.db().write(async |txn| sessions::revoke_all(&txn, &row.id, Timestamp::now()).await).await;
        ended.unwrap();
        for secret in [&in_use, &user.secret] {
            session_of(app, secret).await.expect_error(401, "UNAUTHENTICATED");
        }
    })
    .await;
}

#[tokio::test]
async fn log_in_over_the_limit_ends_the_oldest_session() {
    let app = TestApp::with(|settings| {
        settings.console.max_sessions = 2;
        settings.console.log_in_per_address_and_email.requests = 100;
    })
    .await;
    sign_up(&app, "ann@example.com").await.expect(202);
    let mut secrets = Vec::new();
    for _ in 0..4 {
        secrets.push(cookie(&log_in(&app, "ann@example.com", PASSWORD).await));
    }
    for (secret, status) in secrets.iter().zip([401, 401, 200, 200]) {
        session_of(&app, secret).await.expect(status);
    }
    // The bound holds for concurrent log-ins too.
    let many = futures::future::join_all((0..6).map(|_| log_in(&app, "ann@example.com", PASSWORD))).await;
    let mut open = 0;
    for response in &many {
        open += usize::from(session_of(&app, &cookie(response)).await.status == 200);
    }
    assert_eq!(open, 2);
    app.finish().await;
}

#[tokio::test]
async fn keys_and_sessions_are_not_interchangeable() {
    let app = TestApp::start().await;
    let (client, user) = (app.client().await, app.console_user().await);
    for endpoint in session_endpoints() {
        let call = || app.call(endpoint.method.clone(), &path(&endpoint)).same_origin();
        let response = call().key(&client).send().await.expect_error(401, "UNAUTHENTICATED");
        assert_eq!(response.header("www-authenticate"), "Cookie", "{}", endpoint.operation);
        let as_cookie = format!("scan_session={}", client.secret);
        call().header("cookie", &as_cookie).send().await.expect_error(401, "UNAUTHENTICATED");
        call().header("authorization", &format!("Bearer {}", user.secret)).send().await.expect(401);
    }
    app.get("/v1/me").session(&user).send().await.expect_error(401, "UNAUTHENTICATED");
    app.finish().await;
}

#[tokio::test]
async fn cross_site_requests_change_nothing() {
    let app = TestApp::start().await;
    let user = app.console_user().await;
    let cookie = format!("scan_session={}", user.secret);
    let origins = [None, Some("https://evil.example"), Some("null"), Some("http://127.0.0.1:1")];
    let changes = session_endpoints().into_iter().filter(|endpoint| !endpoint.method.is_safe());
    for endpoint in changes {
        for origin in origins {
            let mut call = app.call(endpoint.method.clone(), &path(&endpoint)).header("cookie", &cookie);
            if let Some(origin) = origin {
                call = call.header("origin", origin);
            }
            call.send().await.expect_error(403, "ORIGIN_REFUSED");
        }
    }
    let body = json!({ "email": "ann@example.com", "password": PASSWORD });
    for path in ["/v1/auth/sign-up", "/v1/auth/log-in"] {
        let call = || app.post(path).json(body.clone());
        call().send().await.expect_error(403, "ORIGIN_REFUSED");
        call().header("origin", "https://evil.example").send().await.expect_error(403, "ORIGIN_REFUSED");
        // Content types that a form can send without a preflight request.
        let form = app.post(path).same_origin().header("content-type", "text/plain").body(body.to_string());
        form.send().await.expect_error(415, "UNSUPPORTED_MEDIA_TYPE");
    }
    session_of(&app, &user.secret).await.expect(200);
    // Without `Origin`, browsers identify the service's own pages by `Sec-Fetch-Site`.
    let out = app.post("/v1/auth/log-out").header("cookie", &cookie).header("sec-fetch-site", "same-origin");
    out.send().await.expect(204);
    app.finish().await;
}

#[tokio::test]
async fn cookie_is_secure_behind_tls() {
    let app = TestApp::with(|settings| settings.public_url = "https://scan.example.com".into()).await;
    let call = |path: &str| app.post(path).header("origin", "https://scan.example.com");
    let body = json!({ "email": "ann@example.com", "password": PASSWORD });
    call("/v1/auth/sign-up").json(body.clone()).send().await.expect(202);
    let response = call("/v1/auth/log-in").json(body).send().await.expect(200);
    let set = response.header("set-cookie");
    assert!(set.starts_with("__Host-scan_session=") && set.ends_with("; HttpOnly; SameSite=Lax; Secure"));
    let pair = set.split(';').next().unwrap();
    app.get("/v1/auth/session").header("cookie", pair).send().await.expect(200);
    let tossed = pair.trim_start_matches("__Host-");
    app.get("/v1/auth/session").header("cookie", tossed).send().await.expect(401);
    app.finish().await;
}

#[tokio::test]
async fn secrets_are_stored_hashed_and_never_returned() {
    let app = TestApp::start().await;
    sign_up(&app, "ann@example.com").await.expect(202);
    let secret = cookie(&log_in(&app, "ann@example.com", PASSWORD).await);
    let hash = Token::parse(&secret).unwrap().hash();
    let idle = Duration::from_secs(60);
    let owner = sessions::find_active_by_secret_hash(app.db(), &hash, idle, Timestamp::now()).await;
    let owner = owner.unwrap().expect("the session");
    let stored = owner.user.password_hash.clone().expect("a hash");
    assert!(stored.starts_with("$argon2id$") && !stored.contains(PASSWORD));
    let shown = format!("{owner:?}");
    for hidden in [secret.as_str(), &hash, &stored, "ann@example.com"] {
        assert!(!shown.contains(hidden), "{shown}");
    }
    let log = audit_log::list(app.db(), &owner.account.id, None, 9).await.unwrap();
    assert_eq!(log.len(), 2);
    assert!(!format!("{log:?}").contains(&secret));
    app.finish().await;
}

#[tokio::test]
async fn impossible_address_is_refused_like_an_unknown_one() {
    TestApp::on_each_database(async |app| {
        for email in ["ann\u{0}@example.com", "\u{0}", "", "no address"] {
            log_in(app, email, PASSWORD).await.expect_error(401, "INVALID_CREDENTIALS");
        }
    })
    .await;
}

#[tokio::test]
async fn live_credentials_require_a_confirmed_address() {
    let app = TestApp::start().await;
    let user = app.console_user().await;
    let call = |path: &str, mode: &str| app.post(path).session(&user).header("scan-mode", mode);
    let key = || json!({ "name": "server", "scopes": ["spaces:read"] });
    let endpoint =
        || json!({ "url": format!("https://{}/hook", crate::tls::HOST), "events": ["scan.completed"] });
    let existing = call("/v1/keys", "live").json(key()).send().await.expect(201).body;
    set_confirmed(&app, &user.tenant, None).await;

    call("/v1/keys", "live").json(key()).send().await.expect_error(403, "EMAIL_NOT_CONFIRMED");
    let roll = format!("/v1/keys/{}/roll", existing["id"].as_str().unwrap());
    call(&roll, "live").send().await.expect_error(403, "EMAIL_NOT_CONFIRMED");
    let refused = call("/v1/webhook-endpoints", "live").json(endpoint()).send().await;
    refused.expect_error(403, "EMAIL_NOT_CONFIRMED");
    call("/v1/keys", "test").json(key()).send().await.expect(201);
    call("/v1/webhook-endpoints", "test").json(endpoint()).send().await.expect(201);
    let bearer = format!("Bearer {}", existing["secret"].as_str().unwrap());
    app.get("/v1/me").header("authorization", &bearer).send().await.expect(200);

    set_confirmed(&app, &user.tenant, Some(Timestamp::now())).await;
    call("/v1/keys", "live").json(key()).send().await.expect(201);
    call("/v1/webhook-endpoints", "live").json(endpoint()).send().await.expect(201);
    app.finish().await;
}
