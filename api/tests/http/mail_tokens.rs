//! Confirmation of addresses and password reset with mailed tokens. `tests/tests/account_mail.rs`
//! tests the delivery of mail.

use std::time::Duration;

use api::limits::Limit;
use domain::{Timestamp, TokenPurpose};
use entities::{
    Reader, UserRow, account_mail,
    outbox::{self, Kind},
    user_tokens, users,
};
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::{Value, json};

use crate::{
    app::{ApiResponse, ConsoleUser, TestApp},
    auth::{PASSWORD, audit, cookie, log_in, session_of, sign_up},
    tls::HOST,
    webhooks::new_endpoint,
};

const NEW_PASSWORD: &str = "other unrelated plain words";

/// Issues a token to this user, as a mail would contain it.
pub(crate) async fn issue_token_to(app: &TestApp, user: &ConsoleUser, purpose: TokenPurpose) -> String {
    issue_token(app, &find_user(app, &user.email).await, purpose, Duration::ZERO).await
}

/// Issues a token of this age to a user.
pub(crate) async fn issue_token(
    app: &TestApp,
    user: &UserRow,
    purpose: TokenPurpose,
    ago: Duration,
) -> String {
    let at = Timestamp::now().minus(ago);
    let token: entities::Result<_> =
        app.db().write(async |txn| user_tokens::issue(&txn, &user.id, purpose, at).await).await;
    token.unwrap().reveal().to_owned()
}

pub(crate) async fn find_user(app: &TestApp, email: &str) -> UserRow {
    users::find_by_email(app.db(), email).await.unwrap().expect("the user")
}

/// Returns the pending mail in the outbox as `kind to address`.
pub(crate) async fn pending_mail(app: &TestApp) -> Vec<String> {
    let rows = outbox::Entity::find().filter(outbox::Column::Kind.eq(Kind::AccountMail.as_str()));
    let rows = rows.all(app.db().conn()).await.unwrap();
    let describe = |row: &entities::OutboxRow| {
        let mail = account_mail::parse(row).expect("a message");
        format!("{:?} to {}", mail.kind, mail.email)
    };
    rows.iter().map(describe).collect()
}

async fn post_same_origin(app: &TestApp, path: &str, body: Value) -> ApiResponse {
    app.post(&format!("/v1/auth/{path}")).same_origin().json(body).send().await
}

async fn reset(app: &TestApp, token: &str, password: &str) -> ApiResponse {
    post_same_origin(app, "reset-password", json!({ "token": token, "password": password })).await
}

#[tokio::test]
async fn confirms_an_address_once() {
    TestApp::on_each_database(async |app| {
        sign_up(app, "ann@example.com").await.expect(202);
        assert_eq!(pending_mail(app).await, ["ConfirmEmail to ann@example.com"]);
        let secret = cookie(&log_in(app, "ann@example.com", PASSWORD).await);
        let ann = find_user(app, "ann@example.com").await;
        let (first, second) = (
            issue_token(app, &ann, TokenPurpose::ConfirmEmail, Duration::ZERO).await,
            issue_token(app, &ann, TokenPurpose::ConfirmEmail, Duration::ZERO).await,
        );
        assert_eq!(session_of(app, &secret).await.body["user"]["email_confirmed"], false);
        post_same_origin(app, "confirm-email", json!({ "token": first })).await.expect(204);
        assert_eq!(session_of(app, &secret).await.body["user"]["email_confirmed"], true);
        for used in [&first, &second] {
            let again = post_same_origin(app, "confirm-email", json!({ "token": used })).await;
            again.expect_error(400, "INVALID_TOKEN");
        }
        let actions = ["user.signed_up", "user.logged_in", "user.email_confirmed"];
        assert_eq!(audit(app, "ann@example.com", 3).await, actions);
    })
    .await;
}

#[tokio::test]
async fn reset_changes_the_password_and_ends_all_sessions() {
    TestApp::on_each_database(async |app| {
        sign_up(app, "ann@example.com").await.expect(202);
        let sessions = [
            cookie(&log_in(app, "ann@example.com", PASSWORD).await),
            cookie(&log_in(app, "ann@example.com", PASSWORD).await),
        ];
        let ann = find_user(app, "ann@example.com").await;
        let tokens = [
            issue_token(app, &ann, TokenPurpose::ResetPassword, Duration::ZERO).await,
            issue_token(app, &ann, TokenPurpose::ResetPassword, Duration::ZERO).await,
        ];
        // A rejected request doesn't use the token up.
        reset(app, &tokens[0], "short").await.expect_error(400, "VALIDATION_FAILED");
        reset(app, &tokens[0], "ann@example.com").await.expect_error(400, "VALIDATION_FAILED");

        // One of many concurrent requests with both tokens succeeds.
        let passwords: Vec<_> = (0..6).map(|n| format!("{NEW_PASSWORD} {n}")).collect();
        let tries = passwords.iter().enumerate().map(|(n, password)| reset(app, &tokens[n % 2], password));
        let responses = futures::future::join_all(tries).await;
        let accepted: Vec<_> = responses.iter().zip(&passwords).filter(|(a, _)| a.status == 204).collect();
        let [(_, password)] = accepted[..] else { panic!("{} were accepted", accepted.len()) };
        assert!(responses.iter().all(|a| a.status == 204 || a.body["error"]["code"] == "INVALID_TOKEN"));

        for secret in &sessions {
            session_of(app, secret).await.expect_error(401, "UNAUTHENTICATED");
        }
        log_in(app, "ann@example.com", PASSWORD).await.expect_error(401, "INVALID_CREDENTIALS");
        let session = log_in(app, "ann@example.com", password).await.expect(200);
        assert_eq!(
            session.body["user"]["email_confirmed"], true,
            "the mailed token proves that the user receives mail at the address"
        );
        assert!(pending_mail(app).await.contains(&"PasswordChanged to ann@example.com".to_owned()));
        assert!(audit(app, "ann@example.com", 6).await.contains(&"user.password_reset".to_owned()));
    })
    .await;
}

/// Creates a key and a webhook endpoint with this session, and returns the authorization of the key.
async fn create_key_and_endpoint(app: &TestApp, session: &str) -> String {
    let cookie = format!("scan_session={session}");
    let post = |path: &str| app.post(path).header("cookie", &cookie).same_origin();
    let key = json!({ "name": "a", "scopes": ["spaces:read"] });
    let key = post("/v1/keys").json(key).send().await.expect(201).body;
    post("/v1/webhook-endpoints").json(new_endpoint(HOST)).send().await.expect(201);
    format!("Bearer {}", key["secret"].as_str().unwrap())
}

#[tokio::test]
async fn first_confirmation_by_a_reset_revokes_what_was_created_before() {
    TestApp::on_each_database(async |app| {
        for (email, confirmed) in [("ann@example.com", false), ("bob@example.com", true)] {
            // Somebody who may not own the address.
            sign_up(app, email).await.expect(202);
            let session = cookie(&log_in(app, email, PASSWORD).await);
            let user = find_user(app, email).await;
            if confirmed {
                let token = issue_token(app, &user, TokenPurpose::ConfirmEmail, Duration::ZERO).await;
                post_same_origin(app, "confirm-email", json!({ "token": token })).await.expect(204);
            }
            let key = create_key_and_endpoint(app, &session).await;

            // The owner of the address.
            let token = issue_token(app, &user, TokenPurpose::ResetPassword, Duration::ZERO).await;
            reset(app, &token, NEW_PASSWORD).await.expect(204);
            let status = app.get("/v1/me").header("authorization", &key).send().await.status;
            let session = format!("scan_session={}", cookie(&log_in(app, email, NEW_PASSWORD).await));
            let endpoints =
                app.get("/v1/webhook-endpoints").header("cookie", &session).send().await.expect(200);
            let left = endpoints.body["data"].as_array().unwrap().len();
            assert_eq!((status, left), if confirmed { (200, 1) } else { (401, 0) }, "{email}");
        }
    })
    .await;
}

#[tokio::test]
async fn tokens_are_valid_for_one_purpose_and_a_limited_time() {
    let app = TestApp::start().await;
    sign_up(&app, "ann@example.com").await.expect(202);
    let ann = find_user(&app, "ann@example.com").await;
    let hour = Duration::from_secs(60 * 60);
    let to_reset = async |ago| issue_token(&app, &ann, TokenPurpose::ResetPassword, ago).await;
    let to_confirm = async |ago| issue_token(&app, &ann, TokenPurpose::ConfirmEmail, ago).await;
    for token in [to_reset(hour).await, to_confirm(Duration::ZERO).await, "x".repeat(43), String::new()] {
        reset(&app, &token, NEW_PASSWORD).await.expect_error(400, "INVALID_TOKEN");
    }
    for token in [to_confirm(72 * hour).await, to_reset(Duration::ZERO).await, "x".repeat(43)] {
        let response = post_same_origin(&app, "confirm-email", json!({ "token": token })).await;
        response.expect_error(400, "INVALID_TOKEN");
    }
    log_in(&app, "ann@example.com", PASSWORD).await.expect(200);
    reset(&app, &to_reset(hour - Duration::from_secs(30)).await, NEW_PASSWORD).await.expect(204);
    app.finish().await;
}

#[tokio::test]
async fn responses_never_reveal_whether_an_address_has_an_account() {
    let app = TestApp::start().await;
    sign_up(&app, "ann@example.com").await.expect(202);
    let request_reset =
        async |email: &str| post_same_origin(&app, "forgot-password", json!({ "email": email })).await;
    let known = request_reset(" Ann@example.com ").await.expect(202);
    let unknown = request_reset("nobody@example.com").await.expect(202);
    assert_eq!(known.body, json!({ "object": "mail_request", "email": "ann@example.com" }));
    assert_eq!(unknown.body, json!({ "object": "mail_request", "email": "nobody@example.com" }));
    sign_up(&app, "ann@example.com").await.expect(202);
    // The outbox entry is the same for both: the worker that sends the mail looks the address up.
    let pending = pending_mail(&app).await;
    assert_eq!(
        pending,
        [
            "ConfirmEmail to ann@example.com",
            "ResetPassword to ann@example.com",
            "ResetPassword to nobody@example.com",
            "AlreadySignedUp to ann@example.com",
        ]
    );
    request_reset("nobody").await.expect_error(400, "VALIDATION_FAILED");
    app.finish().await;
}

#[tokio::test]
async fn mail_requests_are_throttled_by_email_and_ip_address() {
    let three = Limit { requests: 3, window_seconds: 60 };
    let app = TestApp::with(|settings| settings.console.mail_per_email = three).await;
    let request_reset =
        async |email: &str| post_same_origin(&app, "forgot-password", json!({ "email": email })).await;
    for _ in 0..3 {
        sign_up(&app, "ann@example.com").await.expect(202);
    }
    sign_up(&app, "ann@example.com").await.expect_error(429, "RATE_LIMIT_EXCEEDED");
    // Sign-ups use up no links, and a request over the limit is accepted: the links of the last hour are
    // valid. Unknown addresses get the same responses.
    for email in ["ann@example.com", "nobody@example.com"] {
        for _ in 0..3 {
            request_reset(email).await.expect(202);
        }
        request_reset(&email.to_uppercase()).await.expect(202);
    }
    let mails = pending_mail(&app).await;
    assert_eq!(mails.iter().filter(|mail| *mail == "ResetPassword to ann@example.com").count(), 3);
    let user = app.console_user().await;
    for status in [202, 202, 202, 429] {
        app.post("/v1/auth/send-confirmation").session(&user).send().await.expect(status);
    }
    app.finish().await;

    let app = TestApp::with(|settings| settings.console.mail_per_address = three).await;
    for n in 0..3 {
        let body = json!({ "email": format!("{n}@example.com") });
        post_same_origin(&app, "forgot-password", body).await.expect(202);
    }
    reset(&app, &"x".repeat(43), NEW_PASSWORD).await.expect_error(429, "RATE_LIMIT_EXCEEDED");
    // A link works nevertheless.
    let user = app.console_user().await;
    let token = issue_token_to(&app, &user, TokenPurpose::ResetPassword).await;
    let done = reset(&app, &token, NEW_PASSWORD).await.expect(204);
    session_of(&app, &cookie(&done)).await.expect(200);
    app.finish().await;
}

#[tokio::test]
async fn tokens_are_stored_hashed() {
    let app = TestApp::start().await;
    let user = app.console_user().await;
    let token = issue_token_to(&app, &user, TokenPurpose::ResetPassword).await;
    let row = user_tokens::Entity::find().one(app.db().conn()).await.unwrap().expect("the token");
    assert_eq!(row.secret_hash.len(), 64);
    let shown = format!("{row:?} {:?}", find_user(&app, &user.email).await);
    for hidden in [&token, &row.secret_hash, &user.email] {
        assert!(!shown.contains(hidden.as_str()), "{shown}");
    }
    app.finish().await;
}
