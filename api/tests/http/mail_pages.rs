//! The console pages that links in mail open, in browsers and in mail scanners.

use std::time::Duration;

use domain::TokenPurpose;
use reqwest::Method;

use crate::{
    app::{ApiResponse, Call, TestApp},
    auth::{PASSWORD, cookie, log_in, session_of, sign_up},
    mail_tokens::{find_user, issue_token, pending_mail},
};

const EMAIL: &str = "ann@example.com";
const NEW_PASSWORD: &str = "other unrelated plain words";

fn page_path(name: &str) -> String {
    format!("/console/{name}")
}

fn form(call: Call, fields: &[(&str, &str)]) -> Call {
    let body = url_encoded(fields);
    call.header("content-type", "application/x-www-form-urlencoded").body(body)
}

fn url_encoded(fields: &[(&str, &str)]) -> String {
    let byte = |b: u8| if b.is_ascii_alphanumeric() { (b as char).to_string() } else { format!("%{b:02X}") };
    let encode = |text: &str| text.bytes().map(byte).collect::<String>();
    fields.iter().map(|(name, value)| format!("{name}={}", encode(value))).collect::<Vec<_>>().join("&")
}

async fn submit(app: &TestApp, name: &str, fields: &[(&str, &str)]) -> ApiResponse {
    form(app.post(&page_path(name)).same_origin(), fields).send().await
}

/// Checks the security headers of a page and returns its text.
#[track_caller]
fn page_text(response: &ApiResponse, status: u16) -> String {
    let text = String::from_utf8_lossy(&response.bytes).into_owned();
    assert_eq!(response.status, status, "{text}");
    let policy = response.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; style-src 'self';"), "{policy}");
    assert!(policy.contains("form-action 'self'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    assert_eq!(response.header("cache-control"), "no-store");
    assert_eq!(response.header("content-type"), "text/html; charset=utf-8");
    // With `no-referrer`, browsers would send `Origin: null` with the form.
    assert_eq!(response.header("referrer-policy"), "strict-origin");
    assert!(text.starts_with("<!DOCTYPE html>") && !text.contains("<script"), "{text}");
    text
}

/// Returns the value of a hidden field.
fn hidden_value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.split_once(&format!("name=\"{name}\" value=\""))?.1.split('"').next()
}

#[tokio::test]
async fn submitting_the_form_confirms_the_address_but_opening_the_link_does_not() {
    TestApp::on_each_database(async |app| {
        sign_up(app, EMAIL).await.expect(202);
        let secret = cookie(&log_in(app, EMAIL, PASSWORD).await);
        let confirmed = async || session_of(app, &secret).await.body["user"]["email_confirmed"].clone();
        let ann = find_user(app, EMAIL).await;
        let token = issue_token(app, &ann, TokenPurpose::ConfirmEmail, Duration::ZERO).await;
        // Mail scanners open the link, sometimes repeatedly and with added parameters.
        let link = format!("{}?token={token}&utm_source=mail", page_path("confirm-email"));
        for _ in 0..3 {
            app.call(Method::HEAD, &link).send().await.expect(200);
            let opened = page_text(&app.get(&link).send().await, 200);
            assert_eq!(hidden_value(&opened, "token"), Some(token.as_str()));
            assert!(opened.contains("action=\"confirm-email\""), "the form's URL contains no token");
        }
        assert_eq!(confirmed().await, false);
        let done = submit(app, "confirm-email", &[("token", &token)]).await;
        assert!(page_text(&done, 200).contains("Your e-mail address is confirmed."));
        assert_eq!(confirmed().await, true);
        let again = submit(app, "confirm-email", &[("token", &token)]).await;
        let again = page_text(&again, 400);
        assert!(again.contains("it was used already") && !again.contains("<form"), "{again}");
    })
    .await;
}

#[tokio::test]
async fn form_resets_the_password() {
    TestApp::on_each_database(async |app| {
        let user = app.console_user().await;
        let ann = find_user(app, &user.email).await;
        let token = issue_token(app, &ann, TokenPurpose::ResetPassword, Duration::ZERO).await;
        let opened = app.get(&format!("{}?token={token}", page_path("reset-password"))).send().await;
        let opened = page_text(&opened, 200);
        assert_eq!(hidden_value(&opened, "token"), Some(token.as_str()));
        assert!(opened.contains("autocomplete=\"new-password\""));

        // An invalid password is reported, and the token stays valid.
        for invalid in ["", "short", &user.email] {
            let refused = submit(app, "reset-password", &[("token", &token), ("password", invalid)]).await;
            let refused = page_text(&refused, 400);
            assert!(refused.contains("password: must "), "{refused}");
            assert_eq!(hidden_value(&refused, "token"), Some(token.as_str()));
        }
        let unusual = "a & b = c + d % \u{e9} <\">";
        let done = submit(app, "reset-password", &[("token", &token), ("password", unusual)]).await;
        assert!(page_text(&done, 200).contains("you are logged in"));
        session_of(app, &user.secret).await.expect_error(401, "UNAUTHENTICATED");
        session_of(app, &cookie(&done)).await.expect(200);
        log_in(app, &user.email, unusual).await.expect(200);
        let used = submit(app, "reset-password", &[("token", &token), ("password", NEW_PASSWORD)]).await;
        assert!(page_text(&used, 400).contains("href=\"forgot-password\""));
        log_in(app, &user.email, unusual).await.expect(200);
    })
    .await;
}

#[tokio::test]
async fn expired_and_invalid_links_show_an_error() {
    let app = TestApp::start().await;
    let user = app.console_user().await;
    let ann = find_user(&app, &user.email).await;
    let hour = Duration::from_secs(60 * 60);
    let old = issue_token(&app, &ann, TokenPurpose::ResetPassword, hour).await;
    let other = issue_token(&app, &ann, TokenPurpose::ConfirmEmail, Duration::ZERO).await;
    for token in [old.as_str(), &other, &"x".repeat(43), "", "<b>"] {
        let refused = submit(&app, "reset-password", &[("token", token), ("password", NEW_PASSWORD)]).await;
        let refused = page_text(&refused, 400);
        assert!(refused.contains("it is too old") && !refused.contains("<b>"), "{refused}");
    }
    for query in ["", "?token=", "?token=short", "?token=%3Cb%3E", "?Token=x", "?token"] {
        let opened = app.get(&format!("{}{query}", page_path("reset-password"))).send().await;
        assert!(page_text(&opened, 400).contains("a part of it is missing"));
    }
    app.finish().await;
}

#[tokio::test]
async fn form_requests_a_password_reset_mail() {
    let app = TestApp::start().await;
    let user = app.console_user().await;
    assert!(page_text(&app.get(&page_path("forgot-password")).send().await, 200).contains("name=\"email\""));
    let responses = [
        submit(&app, "forgot-password", &[("email", &user.email)]).await,
        submit(&app, "forgot-password", &[("email", "nobody@example.com")]).await,
    ];
    let [known, unknown] = responses.map(|response| page_text(&response, 200));
    assert_eq!(known, unknown, "the page doesn't reveal whether an address has an account");
    let to = |email: &str| format!("ResetPassword to {email}");
    assert_eq!(pending_mail(&app).await, [to(&user.email), to("nobody@example.com")]);
    let invalid = page_text(&submit(&app, "forgot-password", &[("email", "nobody")]).await, 400);
    assert!(invalid.contains("must be an e-mail address") && invalid.contains("<form"), "{invalid}");
    app.finish().await;
}

#[tokio::test]
async fn forms_of_other_origins_are_rejected() {
    let app = TestApp::start().await;
    let user = app.console_user().await;
    let token =
        issue_token(&app, &find_user(&app, &user.email).await, TokenPurpose::ResetPassword, Duration::ZERO)
            .await;
    let fields = [("token", token.as_str()), ("password", NEW_PASSWORD)];
    let path = page_path("reset-password");
    let refused = async |call: Call, status: u16| page_text(&call.send().await, status);
    refused(form(app.post(&path), &fields), 403).await;
    for origin in ["null", "https://evil.example", "http://127.0.0.1:1"] {
        refused(form(app.post(&path).header("origin", origin), &fields), 403).await;
    }
    let json =
        app.post(&path).same_origin().json(serde_json::json!({ "token": token, "password": NEW_PASSWORD }));
    refused(json, 415).await;
    let large = url_encoded(&[("token", &token), ("password", &"x".repeat(2_000_000))]);
    let as_form = |call: Call| call.header("content-type", "application/x-www-form-urlencoded");
    refused(as_form(app.post(&path).same_origin()).body(large), 413).await;
    let unknown = [("token", token.as_str()), ("password", NEW_PASSWORD), ("is_pro", "true")];
    refused(form(app.post(&path).same_origin(), &unknown), 400).await;
    let twice = format!("token={token}&password=x&password=y");
    refused(as_form(app.post(&path).same_origin()).body(twice), 400).await;
    refused(as_form(app.post(&path).same_origin()).body(vec![0xff]), 400).await;

    let put = app.put(&path).same_origin().send().await.expect_error(405, "METHOD_NOT_ALLOWED");
    assert_eq!(put.header("allow"), "GET, HEAD, POST, OPTIONS");
    let options = app.call(Method::OPTIONS, &path).send().await.expect(204);
    assert_eq!(options.header("allow"), "GET, HEAD, POST, OPTIONS");
    for unknown in ["/console/reset-password/", "/console/nothing"] {
        app.get(unknown).send().await.expect_error(404, "NOT_FOUND");
    }
    // The token is still unused.
    assert_eq!(submit(&app, "reset-password", &fields).await.status, 200);
    log_in(&app, &user.email, PASSWORD).await.expect_error(401, "INVALID_CREDENTIALS");
    log_in(&app, &user.email, NEW_PASSWORD).await.expect(200);
    app.finish().await;
}

#[tokio::test]
async fn forms_are_throttled_like_the_endpoints() {
    let two = api::limits::Limit { requests: 2, window_seconds: 60 };
    let app = TestApp::with(|settings| settings.console.mail_per_address = two).await;
    for status in [400, 400, 429] {
        let response = submit(&app, "confirm-email", &[("token", &"x".repeat(43))]).await;
        page_text(&response, status);
        assert_eq!(response.headers.contains_key("retry-after"), status == 429);
    }
    app.finish().await;
}
