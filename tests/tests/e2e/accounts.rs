//! People: what they do by mail, on a service that may die in between.

use serde_json::json;
use tests::{Console, Mailbox, Service, ServiceOptions};

use crate::PATIENCE;

const OLD: &str = "four unrelated plain words";
const NEW: &str = "other unrelated plain words";
const EMAIL: &str = "ann@example.com";

#[tokio::test(flavor = "multi_thread")]
async fn an_address_is_confirmed_and_a_password_reset_by_mail() {
    let mailbox = Mailbox::start().await.unwrap();
    let mut service = Service::start(mailbox.configure(ServiceOptions::default()), None).await.unwrap();
    let mut ann = Console::new(&service);
    ann.sign_up(EMAIL, OLD).await.expect(202);
    let mail = mailbox.await_message(PATIENCE, EMAIL, "Confirm your e-mail address").await;
    ann.post("/auth/confirm-email", json!({ "token": mail.token() })).await.expect(204);
    ann.log_in(EMAIL, OLD).await.expect(200);
    assert_eq!(ann.get("/auth/session").await.expect(200).body["user"]["email_confirmed"], true);

    // What was answered is mailed, also when the service dies right after.
    ann.post("/auth/forgot-password", json!({ "email": EMAIL })).await.expect(202);
    service.kill();
    service.restart().await.unwrap();
    let mail = mailbox.await_message(PATIENCE, EMAIL, "Choose another password").await;
    let reset = json!({ "token": mail.token(), "password": NEW });
    ann.post("/auth/reset-password", reset.clone()).await.expect(204);
    assert_eq!(ann.post("/auth/reset-password", reset).await.expect(400).code(), "INVALID_TOKEN");
    ann.get("/auth/session").await.expect(401);
    mailbox.await_message(PATIENCE, EMAIL, "Your password was changed").await;
    ann.log_in(EMAIL, OLD).await.expect(401);
    ann.log_in(EMAIL, NEW).await.expect(200);

    ann.sign_up(EMAIL, "a stranger's password").await.expect(202);
    mailbox.await_message(PATIENCE, EMAIL, "You have an account already").await;
    ann.log_in(EMAIL, NEW).await.expect(200);
}
