//! Actions with mailed tokens. Other tests cover the delivery of mail.

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
    app::{Answer, Person, TestApp},
    auth::{PASSWORD, audit, cookie, log_in, session_of, sign_up},
};

const OTHER: &str = "other unrelated plain words";

/// Returns the token of a message to this user.
pub(crate) async fn mailed(app: &TestApp, person: &Person, purpose: TokenPurpose) -> String {
    issued(app, &user(app, &person.email).await, purpose, Duration::ZERO).await
}

/// Creates a token of this age.
pub(crate) async fn issued(app: &TestApp, user: &UserRow, purpose: TokenPurpose, ago: Duration) -> String {
    let at = Timestamp::now().minus(ago);
    let issued: entities::Result<_> =
        app.db().write(async |txn| user_tokens::issue(&txn, &user.id, purpose, at).await).await;
    issued.unwrap().reveal().to_owned()
}

pub(crate) async fn user(app: &TestApp, email: &str) -> UserRow {
    users::find_by_email(app.db(), email).await.unwrap().expect("the user")
}

/// Returns the pending messages as `letter to address`.
pub(crate) async fn promised(app: &TestApp) -> Vec<String> {
    let rows = outbox::Entity::find().filter(outbox::Column::Kind.eq(Kind::AccountMail.as_str()));
    let rows = rows.all(app.db().conn()).await.unwrap();
    let told = |row: &entities::OutboxRow| {
        let mail = account_mail::read(row).expect("a message");
        format!("{:?} to {}", mail.letter, mail.email)
    };
    rows.iter().map(told).collect()
}

async fn own_page(app: &TestApp, path: &str, body: Value) -> Answer {
    app.post(&format!("/v1/auth/{path}")).own_page().json(body).send().await
}

async fn reset(app: &TestApp, token: &str, password: &str) -> Answer {
    own_page(app, "reset-password", json!({ "token": token, "password": password })).await
}

#[tokio::test]
async fn confirms_an_address_once() {
    TestApp::on_each_database(async |app| {
        sign_up(app, "ann@example.com").await.expect(202);
        assert_eq!(promised(app).await, ["ConfirmEmail to ann@example.com"]);
        let secret = cookie(&log_in(app, "ann@example.com", PASSWORD).await);
        let ann = user(app, "ann@example.com").await;
        let (first, second) = (
            issued(app, &ann, TokenPurpose::ConfirmEmail, Duration::ZERO).await,
            issued(app, &ann, TokenPurpose::ConfirmEmail, Duration::ZERO).await,
        );
        assert_eq!(session_of(app, &secret).await.body["user"]["email_confirmed"], false);
        own_page(app, "confirm-email", json!({ "token": first })).await.expect(204);
        assert_eq!(session_of(app, &secret).await.body["user"]["email_confirmed"], true);
        for used in [&first, &second] {
            let again = own_page(app, "confirm-email", json!({ "token": used })).await;
            again.refused(400, "INVALID_TOKEN");
        }
        let told = ["user.signed_up", "user.logged_in", "user.email_confirmed"];
        assert_eq!(audit(app, "ann@example.com", 3).await, told);
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
        let ann = user(app, "ann@example.com").await;
        let tokens = [
            issued(app, &ann, TokenPurpose::ResetPassword, Duration::ZERO).await,
            issued(app, &ann, TokenPurpose::ResetPassword, Duration::ZERO).await,
        ];
        // A rejected request doesn't use the token up.
        reset(app, &tokens[0], "short").await.refused(400, "VALIDATION_FAILED");
        reset(app, &tokens[0], "ann@example.com").await.refused(400, "VALIDATION_FAILED");

        // One of many concurrent requests with both tokens succeeds.
        let passwords: Vec<_> = (0..6).map(|n| format!("{OTHER} {n}")).collect();
        let tries = passwords.iter().enumerate().map(|(n, password)| reset(app, &tokens[n % 2], password));
        let answers = futures::future::join_all(tries).await;
        let through: Vec<_> = answers.iter().zip(&passwords).filter(|(a, _)| a.status == 204).collect();
        let [(_, password)] = through[..] else { panic!("{} were let through", through.len()) };
        assert!(answers.iter().all(|a| a.status == 204 || a.body["error"]["code"] == "INVALID_TOKEN"));

        for secret in &sessions {
            session_of(app, secret).await.refused(401, "UNAUTHENTICATED");
        }
        log_in(app, "ann@example.com", PASSWORD).await.refused(401, "INVALID_CREDENTIALS");
        let session = log_in(app, "ann@example.com", password).await.expect(200);
        assert_eq!(session.body["user"]["email_confirmed"], true, "who has the token reads the mail");
        assert!(promised(app).await.contains(&"PasswordChanged to ann@example.com".to_owned()));
        assert!(audit(app, "ann@example.com", 6).await.contains(&"user.password_reset".to_owned()));
    })
    .await;
}

#[tokio::test]
async fn tokens_are_valid_for_one_purpose_and_a_limited_time() {
    let app = TestApp::start().await;
    sign_up(&app, "ann@example.com").await.expect(202);
    let ann = user(&app, "ann@example.com").await;
    let hour = Duration::from_secs(60 * 60);
    let to_reset = async |ago| issued(&app, &ann, TokenPurpose::ResetPassword, ago).await;
    let to_confirm = async |ago| issued(&app, &ann, TokenPurpose::ConfirmEmail, ago).await;
    for token in [to_reset(hour).await, to_confirm(Duration::ZERO).await, "x".repeat(43), String::new()] {
        reset(&app, &token, OTHER).await.refused(400, "INVALID_TOKEN");
    }
    for token in [to_confirm(72 * hour).await, to_reset(Duration::ZERO).await, "x".repeat(43)] {
        let answer = own_page(&app, "confirm-email", json!({ "token": token })).await;
        answer.refused(400, "INVALID_TOKEN");
    }
    log_in(&app, "ann@example.com", PASSWORD).await.expect(200);
    reset(&app, &to_reset(hour - Duration::from_secs(30)).await, OTHER).await.expect(204);
    app.finish().await;
}

#[tokio::test]
async fn responses_never_reveal_whether_an_address_has_an_account() {
    let app = TestApp::start().await;
    sign_up(&app, "ann@example.com").await.expect(202);
    let ask = async |email: &str| own_page(&app, "forgot-password", json!({ "email": email })).await;
    let known = ask(" Ann@example.com ").await.expect(202);
    let unknown = ask("nobody@example.com").await.expect(202);
    assert_eq!(known.body, json!({ "object": "mail_request", "email": "ann@example.com" }));
    assert_eq!(unknown.body, json!({ "object": "mail_request", "email": "nobody@example.com" }));
    sign_up(&app, "ann@example.com").await.expect(202);
    // The outbox entry is the same for both: the worker that sends the mail looks the address up.
    let told = promised(&app).await;
    assert_eq!(
        told,
        [
            "ConfirmEmail to ann@example.com",
            "ResetPassword to ann@example.com",
            "ResetPassword to nobody@example.com",
            "AlreadySignedUp to ann@example.com",
        ]
    );
    ask("nobody").await.refused(400, "VALIDATION_FAILED");
    app.finish().await;
}

#[tokio::test]
async fn mail_requests_are_throttled_by_email_and_ip_address() {
    let three = Limit { requests: 3, window_seconds: 60 };
    let app = TestApp::with(|settings| settings.console.mail_per_email = three).await;
    let ask = async |email: &str| own_page(&app, "forgot-password", json!({ "email": email })).await;
    // Sign-ups count too. Unknown addresses are throttled likewise.
    sign_up(&app, "ann@example.com").await.expect(202);
    for email in ["ann@example.com", "nobody@example.com"] {
        ask(email).await.expect(202);
        ask(&email.to_uppercase()).await.expect(202);
    }
    ask("nobody@example.com").await.expect(202);
    for email in ["ann@example.com", "nobody@example.com"] {
        ask(email).await.refused(429, "RATE_LIMIT_EXCEEDED");
        sign_up(&app, email).await.refused(429, "RATE_LIMIT_EXCEEDED");
    }
    let person = app.person().await;
    for status in [202, 202, 202, 429] {
        app.post("/v1/auth/send-confirmation").person(&person).send().await.expect(status);
    }
    app.finish().await;

    let app = TestApp::with(|settings| settings.console.mail_per_address = three).await;
    for n in 0..3 {
        let body = json!({ "email": format!("{n}@example.com") });
        own_page(&app, "forgot-password", body).await.expect(202);
    }
    reset(&app, &"x".repeat(43), OTHER).await.refused(429, "RATE_LIMIT_EXCEEDED");
    app.finish().await;
}

#[tokio::test]
async fn tokens_are_stored_hashed() {
    let app = TestApp::start().await;
    let person = app.person().await;
    let token = mailed(&app, &person, TokenPurpose::ResetPassword).await;
    let row = user_tokens::Entity::find().one(app.db().conn()).await.unwrap().expect("the token");
    assert_eq!(row.secret_hash.len(), 64);
    let shown = format!("{row:?} {:?}", user(&app, &person.email).await);
    for hidden in [&token, &row.secret_hash, &person.email] {
        assert!(!shown.contains(hidden.as_str()), "{shown}");
    }
    app.finish().await;
}
