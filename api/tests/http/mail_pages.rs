//! The pages that mail links to, used by browsers and by mail scanners.

use std::time::Duration;

use domain::TokenPurpose;
use reqwest::Method;

use crate::{
    app::{Answer, Call, TestApp},
    auth::{PASSWORD, cookie, log_in, session_of, sign_up},
    mail_tokens::{issued, promised, user},
};

const EMAIL: &str = "ann@example.com";
const OTHER: &str = "other unrelated plain words";

fn page(name: &str) -> String {
    format!("/console/{name}")
}

fn form(call: Call, fields: &[(&str, &str)]) -> Call {
    let body = url_encoded(fields);
    call.header("content-type", "application/x-www-form-urlencoded").body(body)
}

fn url_encoded(fields: &[(&str, &str)]) -> String {
    let byte = |b: u8| if b.is_ascii_alphanumeric() { (b as char).to_string() } else { format!("%{b:02X}") };
    let text = |text: &str| text.bytes().map(byte).collect::<String>();
    fields.iter().map(|(name, value)| format!("{name}={}", text(value))).collect::<Vec<_>>().join("&")
}

async fn sent(app: &TestApp, name: &str, fields: &[(&str, &str)]) -> Answer {
    form(app.post(&page(name)).own_page(), fields).send().await
}

/// Checks the security headers of a page and returns its text.
#[track_caller]
fn text(answer: &Answer, status: u16) -> String {
    let text = String::from_utf8_lossy(&answer.bytes).into_owned();
    assert_eq!(answer.status, status, "{text}");
    let policy = answer.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; style-src 'self';"), "{policy}");
    assert!(policy.contains("form-action 'self'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    assert_eq!(answer.header("cache-control"), "no-store");
    assert_eq!(answer.header("content-type"), "text/html; charset=utf-8");
    // With `no-referrer`, browsers would send `Origin: null` with the form.
    assert_eq!(answer.header("referrer-policy"), "strict-origin");
    assert!(text.starts_with("<!DOCTYPE html>") && !text.contains("<script"), "{text}");
    text
}

/// Returns the value of a hidden field.
fn hidden<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.split_once(&format!("name=\"{name}\" value=\""))?.1.split('"').next()
}

#[tokio::test]
async fn form_confirms_the_address_but_not_the_link() {
    TestApp::on_each_database(async |app| {
        sign_up(app, EMAIL).await.expect(202);
        let secret = cookie(&log_in(app, EMAIL, PASSWORD).await);
        let confirmed = async || session_of(app, &secret).await.body["user"]["email_confirmed"].clone();
        let ann = user(app, EMAIL).await;
        let token = issued(app, &ann, TokenPurpose::ConfirmEmail, Duration::ZERO).await;
        // Mail scanners open the link, sometimes repeatedly and with added parameters.
        let link = format!("{}?token={token}&utm_source=mail", page("confirm-email"));
        for _ in 0..3 {
            app.call(Method::HEAD, &link).send().await.expect(200);
            let opened = text(&app.get(&link).send().await, 200);
            assert_eq!(hidden(&opened, "token"), Some(token.as_str()));
            assert!(opened.contains("action=\"confirm-email\""), "the token is in no address again");
        }
        assert_eq!(confirmed().await, false);
        let done = sent(app, "confirm-email", &[("token", &token)]).await;
        assert!(text(&done, 200).contains("Your e-mail address is confirmed."));
        assert_eq!(confirmed().await, true);
        let again = sent(app, "confirm-email", &[("token", &token)]).await;
        let again = text(&again, 400);
        assert!(again.contains("it was used already") && !again.contains("<form"), "{again}");
    })
    .await;
}

#[tokio::test]
async fn form_resets_the_password() {
    TestApp::on_each_database(async |app| {
        let person = app.person().await;
        let ann = user(app, &person.email).await;
        let token = issued(app, &ann, TokenPurpose::ResetPassword, Duration::ZERO).await;
        let opened = app.get(&format!("{}?token={token}", page("reset-password"))).send().await;
        let opened = text(&opened, 200);
        assert_eq!(hidden(&opened, "token"), Some(token.as_str()));
        assert!(opened.contains("autocomplete=\"new-password\""));

        // An invalid password is reported, and the token stays valid.
        for weak in ["", "short", &person.email] {
            let refused = sent(app, "reset-password", &[("token", &token), ("password", weak)]).await;
            let refused = text(&refused, 400);
            assert!(refused.contains("password: must "), "{refused}");
            assert_eq!(hidden(&refused, "token"), Some(token.as_str()));
        }
        let odd = "a & b = c + d % \u{e9} <\">";
        let done = sent(app, "reset-password", &[("token", &token), ("password", odd)]).await;
        assert!(text(&done, 200).contains("Log in with the new password"));
        session_of(app, &person.secret).await.refused(401, "UNAUTHENTICATED");
        log_in(app, &person.email, odd).await.expect(200);
        let used = sent(app, "reset-password", &[("token", &token), ("password", OTHER)]).await;
        assert!(text(&used, 400).contains("href=\"forgot-password\""));
        log_in(app, &person.email, odd).await.expect(200);
    })
    .await;
}

#[tokio::test]
async fn expired_broken_and_wrong_links_show_an_error() {
    let app = TestApp::start().await;
    let person = app.person().await;
    let ann = user(&app, &person.email).await;
    let hour = Duration::from_secs(60 * 60);
    let old = issued(&app, &ann, TokenPurpose::ResetPassword, hour).await;
    let other = issued(&app, &ann, TokenPurpose::ConfirmEmail, Duration::ZERO).await;
    for token in [old.as_str(), &other, &"x".repeat(43), "", "<b>"] {
        let refused = sent(&app, "reset-password", &[("token", token), ("password", OTHER)]).await;
        let refused = text(&refused, 400);
        assert!(refused.contains("it is too old") && !refused.contains("<b>"), "{refused}");
    }
    for query in ["", "?token=", "?token=short", "?token=%3Cb%3E", "?Token=x", "?token"] {
        let opened = app.get(&format!("{}{query}", page("reset-password"))).send().await;
        assert!(text(&opened, 400).contains("a part of it is missing"));
    }
    app.finish().await;
}

#[tokio::test]
async fn form_requests_another_message() {
    let app = TestApp::start().await;
    let person = app.person().await;
    assert!(text(&app.get(&page("forgot-password")).send().await, 200).contains("name=\"email\""));
    let answers = [
        sent(&app, "forgot-password", &[("email", &person.email)]).await,
        sent(&app, "forgot-password", &[("email", "nobody@example.com")]).await,
    ];
    let [known, unknown] = answers.map(|answer| text(&answer, 200));
    assert_eq!(known, unknown, "whether an address has an account is not told");
    let to = |email: &str| format!("ResetPassword to {email}");
    assert_eq!(promised(&app).await, [to(&person.email), to("nobody@example.com")]);
    let odd = text(&sent(&app, "forgot-password", &[("email", "nobody")]).await, 400);
    assert!(odd.contains("must be an e-mail address") && odd.contains("<form"), "{odd}");
    app.finish().await;
}

#[tokio::test]
async fn forms_of_other_origins_are_rejected() {
    let app = TestApp::start().await;
    let person = app.person().await;
    let token =
        issued(&app, &user(&app, &person.email).await, TokenPurpose::ResetPassword, Duration::ZERO).await;
    let fields = [("token", token.as_str()), ("password", OTHER)];
    let path = page("reset-password");
    let refused = async |call: Call, status: u16| text(&call.send().await, status);
    refused(form(app.post(&path), &fields), 403).await;
    for origin in ["null", "https://evil.example", "http://127.0.0.1:1"] {
        refused(form(app.post(&path).header("origin", origin), &fields), 403).await;
    }
    let json = app.post(&path).own_page().json(serde_json::json!({ "token": token, "password": OTHER }));
    refused(json, 415).await;
    let large = url_encoded(&[("token", &token), ("password", &"x".repeat(2_000_000))]);
    let typed = |call: Call| call.header("content-type", "application/x-www-form-urlencoded");
    refused(typed(app.post(&path).own_page()).body(large), 413).await;
    let unknown = [("token", token.as_str()), ("password", OTHER), ("is_pro", "true")];
    refused(form(app.post(&path).own_page(), &unknown), 400).await;
    let twice = format!("token={token}&password=x&password=y");
    refused(typed(app.post(&path).own_page()).body(twice), 400).await;
    refused(typed(app.post(&path).own_page()).body(vec![0xff]), 400).await;

    let put = app.put(&path).own_page().send().await.refused(405, "METHOD_NOT_ALLOWED");
    assert_eq!(put.header("allow"), "GET, HEAD, POST, OPTIONS");
    let options = app.call(Method::OPTIONS, &path).send().await.expect(204);
    assert_eq!(options.header("allow"), "GET, HEAD, POST, OPTIONS");
    for nothing in ["/console", "/console/", "/console/reset-password/", "/console/log-in"] {
        app.get(nothing).send().await.refused(404, "NOT_FOUND");
    }
    // The token is still unused.
    assert_eq!(sent(&app, "reset-password", &fields).await.status, 200);
    log_in(&app, &person.email, PASSWORD).await.refused(401, "INVALID_CREDENTIALS");
    log_in(&app, &person.email, OTHER).await.expect(200);
    app.finish().await;
}

#[tokio::test]
async fn forms_are_throttled_like_the_endpoints() {
    let two = api::limits::Limit { requests: 2, window_seconds: 60 };
    let app = TestApp::with(|settings| settings.console.mail_per_address = two).await;
    for status in [400, 400, 429] {
        let answer = sent(&app, "confirm-email", &[("token", &"x".repeat(43))]).await;
        text(&answer, status);
        assert_eq!(answer.headers.contains_key("retry-after"), status == 429);
    }
    app.finish().await;
}
