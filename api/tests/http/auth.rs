//! Sign-up, log-in and sessions, and requests that the console rejects.

use std::time::Duration;

use api::{
    contract::endpoint::{Access, Endpoint},
    limits::Limit,
};
use domain::{Mode, Timestamp, Token, mode::Tenant};
use entities::{audit_log, sessions, users};
use serde_json::json;

use crate::app::{Answer, Person, TestApp};

pub(crate) const PASSWORD: &str = "correct horse battery";

fn console() -> Vec<Endpoint> {
    let all = api::routes::endpoints().into_iter();
    let console: Vec<_> = all.filter(|endpoint| endpoint.access == Access::Session).collect();
    assert!(console.len() >= 2, "the list is there");
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

pub(crate) async fn sign_up(app: &TestApp, email: &str) -> Answer {
    app.post("/v1/auth/sign-up").own_page().json(json!({ "email": email, "password": PASSWORD })).send().await
}

pub(crate) async fn log_in(app: &TestApp, email: &str, password: &str) -> Answer {
    let body = json!({ "email": email, "password": password });
    app.post("/v1/auth/log-in").own_page().json(body).send().await
}

/// Returns the secret in the response's cookie.
pub(crate) fn cookie(answer: &Answer) -> String {
    let (pair, attributes) = answer.header("set-cookie").split_once(';').expect("a cookie with attributes");
    assert_eq!(attributes, " Path=/; Max-Age=1209600; HttpOnly; SameSite=Lax");
    pair.strip_prefix("scan_session=").expect("our cookie").to_owned()
}

pub(crate) async fn session_of(app: &TestApp, secret: &str) -> Answer {
    app.get("/v1/auth/session").header("cookie", &format!("a=b; scan_session={secret}")).send().await
}

/// Returns the account's audit log once it has this many entries.
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
        let answer = sign_up(app, " Ann@Example.com ").await.expect(202);
        assert_eq!(answer.body["email"], "ann@example.com");
        assert_eq!(answer.header("set-cookie"), "");

        let answer = log_in(app, "ANN@example.com", PASSWORD).await.expect(200);
        let secret = cookie(&answer);
        assert!(
            !String::from_utf8_lossy(&answer.bytes).contains(&secret),
            "the secret is in the cookie only"
        );
        assert_eq!(answer.body["user"]["email"], "ann@example.com");
        assert_eq!(answer.body["user"]["is_pro"], false);
        let session = session_of(app, &secret).await.expect(200).body;
        assert_eq!(session, answer.body);

        // The account is complete: wallets in both modes, with free scans.
        let account_id = serde_json::from_value(session["account"]["id"].clone()).unwrap();
        for mode in [Mode::Test, Mode::Live] {
            let tenant = Tenant { account_id: domain::AccountId::clone(&account_id), mode };
            assert_eq!(ledger::wallet(app.db(), &tenant).await.unwrap().free_scans, 3);
        }

        let ann = Person {
            tenant: Tenant { account_id, mode: Mode::Test },
            email: "ann@example.com".into(),
            secret: secret.clone(),
        };
        let other = cookie(&log_in(app, "ann@example.com", PASSWORD).await);
        let out = app.post("/v1/auth/log-out").person(&ann).send().await.expect(204);
        assert!(out.header("set-cookie").starts_with("scan_session=; Path=/; Max-Age=0; HttpOnly"));
        session_of(app, &secret).await.refused(401, "UNAUTHENTICATED");
        app.post("/v1/auth/log-out").person(&ann).send().await.refused(401, "UNAUTHENTICATED");
        session_of(app, &other).await.expect(200);
        let told = ["user.signed_up", "user.logged_in", "user.logged_in", "user.logged_out"];
        assert_eq!(audit(app, &ann.email, 4).await, told);
    })
    .await;
}

#[tokio::test]
async fn sign_up_with_a_taken_address_looks_the_same_and_keeps_its_password() {
    TestApp::on_each_database(async |app| {
        let first = sign_up(app, "ann@example.com").await.expect(202);
        let body = json!({ "email": "ann@example.com", "password": "another password" });
        let second = app.post("/v1/auth/sign-up").own_page().json(body).send().await.expect(202);
        assert_eq!(first.body, second.body);
        log_in(app, "ann@example.com", PASSWORD).await.expect(200);
        log_in(app, "ann@example.com", "another password").await.refused(401, "INVALID_CREDENTIALS");
        // Two concurrent sign-ups create one account.
        let both = futures::future::join_all((0..2).map(|_| sign_up(app, "bob@example.com"))).await;
        both.into_iter().for_each(|answer| drop(answer.expect(202)));
        assert_eq!(audit(app, "bob@example.com", 1).await, ["user.signed_up"]);
    })
    .await;
}

#[tokio::test]
async fn unknown_addresses_and_wrong_passwords_get_the_same_response() {
    let app = TestApp::start().await;
    sign_up(&app, "ann@example.com").await.expect(202);
    let without = app.client().await; // Its user has no password.
    let without = users::of_account(app.db(), &without.tenant.account_id).await.unwrap().remove(0).email;
    let message = |answer: Answer| {
        assert_eq!(answer.header("set-cookie"), "");
        answer.refused(401, "INVALID_CREDENTIALS").body["error"]["message"].clone()
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
    let answer = app.post("/v1/auth/sign-up").own_page().json(body).send().await;
    let answer = answer.refused(400, "VALIDATION_FAILED");
    assert_eq!(answer.wrong_fields(), ["email", "password", "account_name"]);
    let odd = json!({ "email": "ann@example.com", "password": PASSWORD, "is_pro": true });
    app.post("/v1/auth/sign-up").own_page().json(odd).send().await.refused(400, "VALIDATION_FAILED");
    app.finish().await;
}

#[tokio::test]
async fn log_ins_are_throttled_by_email_and_ip_address() {
    let three = Limit { requests: 3, window_seconds: 60 };
    let app = TestApp::with(|settings| settings.console.log_in_per_email = three).await;
    sign_up(&app, "ann@example.com").await.expect(202);
    for email in ["ann@example.com", "ANN@example.com", " ann@example.com"] {
        log_in(&app, email, "wrong password").await.refused(401, "INVALID_CREDENTIALS");
    }
    // Even the right password is throttled, and unknown addresses are throttled likewise.
    let refused = log_in(&app, "ann@example.com", PASSWORD).await.refused(429, "RATE_LIMIT_EXCEEDED");
    assert!(refused.header("retry-after").parse::<u64>().unwrap() >= 1);
    for status in [401, 401, 401, 429] {
        log_in(&app, "nobody@example.com", PASSWORD).await.expect(status);
    }
    app.finish().await;

    let app = TestApp::with(|settings| {
        settings.console.log_in_per_address = three;
        settings.console.sign_up_per_address = Limit { requests: 1, window_seconds: 60 };
    })
    .await;
    for n in 0..3 {
        log_in(&app, &format!("{n}@example.com"), PASSWORD).await.refused(401, "INVALID_CREDENTIALS");
    }
    log_in(&app, "x@example.com", PASSWORD).await.refused(429, "RATE_LIMIT_EXCEEDED");
    sign_up(&app, "ann@example.com").await.expect(202);
    sign_up(&app, "bob@example.com").await.refused(429, "RATE_LIMIT_EXCEEDED");
    app.finish().await;
}

#[tokio::test]
async fn sessions_expire() {
    TestApp::on_each_database(async |app| {
        let person = app.person().await;
        session_of(app, &person.secret).await.expect(200);
        let user = users::find_by_email(app.db(), &person.email).await.unwrap().unwrap();
        let day = Duration::from_secs(86_400);
        let open = async |ago: Duration, lifetime: Duration| {
            let (secret, began) = (Token::generate(), Timestamp::now().minus(ago));
            let opened: entities::Result<_> = app
                .db()
                .write(async |txn| sessions::open(&txn, &user.id, &secret, lifetime, began).await)
                .await;
            (opened.unwrap(), secret.reveal().to_owned())
        };
        let (_, expired) = open(day, day).await;
        let (_, idle) = open(2 * day, 14 * day).await;
        let (used, in_use) = open(day, 14 * day).await;
        for secret in [&expired, &idle, Token::generate().reveal(), "", "x"] {
            session_of(app, secret).await.refused(401, "UNAUTHENTICATED");
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
            app.db().write(async |txn| sessions::revoke_all(&txn, &user.id, Timestamp::now()).await).await;
        ended.unwrap();
        for secret in [&in_use, &person.secret] {
            session_of(app, secret).await.refused(401, "UNAUTHENTICATED");
        }
    })
    .await;
}

#[tokio::test]
async fn log_in_over_the_limit_ends_the_oldest_session() {
    let app = TestApp::with(|settings| settings.console.max_sessions = 2).await;
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
    for answer in &many {
        open += usize::from(session_of(&app, &cookie(answer)).await.status == 200);
    }
    assert_eq!(open, 2);
    app.finish().await;
}

#[tokio::test]
async fn keys_and_sessions_are_not_interchangeable() {
    let app = TestApp::start().await;
    let (client, person) = (app.client().await, app.person().await);
    for endpoint in console() {
        let call = || app.call(endpoint.method.clone(), &path(&endpoint)).own_page();
        let answer = call().key(&client).send().await.refused(401, "UNAUTHENTICATED");
        assert_eq!(answer.header("www-authenticate"), "Cookie", "{}", endpoint.operation);
        let as_cookie = format!("scan_session={}", client.secret);
        call().header("cookie", &as_cookie).send().await.refused(401, "UNAUTHENTICATED");
        call().header("authorization", &format!("Bearer {}", person.secret)).send().await.expect(401);
    }
    app.get("/v1/me").person(&person).send().await.refused(401, "UNAUTHENTICATED");
    app.finish().await;
}

#[tokio::test]
async fn cross_site_requests_change_nothing() {
    let app = TestApp::start().await;
    let person = app.person().await;
    let cookie = format!("scan_session={}", person.secret);
    let origins = [None, Some("https://evil.example"), Some("null"), Some("http://127.0.0.1:1")];
    let changes = console().into_iter().filter(|endpoint| !endpoint.method.is_safe());
    for endpoint in changes {
        for origin in origins {
            let mut call = app.call(endpoint.method.clone(), &path(&endpoint)).header("cookie", &cookie);
            if let Some(origin) = origin {
                call = call.header("origin", origin);
            }
            call.send().await.refused(403, "ORIGIN_REFUSED");
        }
    }
    let body = json!({ "email": "ann@example.com", "password": PASSWORD });
    for path in ["/v1/auth/sign-up", "/v1/auth/log-in"] {
        let call = || app.post(path).json(body.clone());
        call().send().await.refused(403, "ORIGIN_REFUSED");
        call().header("origin", "https://evil.example").send().await.refused(403, "ORIGIN_REFUSED");
        // Content types that a form can send without a preflight request.
        let form = app.post(path).own_page().header("content-type", "text/plain").body(body.to_string());
        form.send().await.refused(415, "UNSUPPORTED_MEDIA_TYPE");
    }
    session_of(&app, &person.secret).await.expect(200);
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
    let answer = call("/v1/auth/log-in").json(body).send().await.expect(200);
    assert!(answer.header("set-cookie").ends_with("; HttpOnly; SameSite=Lax; Secure"));
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
