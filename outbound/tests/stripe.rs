//! Tests the requests of Stripe's client and its interpretation of responses. Also runs against
//! stripe-mock if `SCAN_TEST_STRIPE_MOCK` names one (`http://127.0.0.1:12111`).
//!
//! The responses follow the examples of Stripe's API reference.

#![allow(clippy::disallowed_methods, reason = "tests start programs and read their environment")]

mod support;

use std::sync::{Arc, Mutex};

use domain::{AccountId, Secret, Timestamp};
use http::{HeaderMap, HeaderValue};
use outbound::payments::{
    Lookup, NotificationKind, PaymentError, PaymentProvider, PaymentRequest, PaymentResult, PaymentSettings,
    ProviderKind, StripeSettings, stripe::Client,
};
use outbound::webhook::sign;
use serde_json::{Value, json};
use support::{Received, read_request};
use tokio::{io::AsyncWriteExt, net::TcpListener};
use url::form_urlencoded;

/// A server on loopback that sends the next of its responses to each request.
struct Stripe {
    base_url: String,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Stripe {
    async fn responding(responses: Vec<(u16, String)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base_url = format!("http://{}", listener.local_addr().unwrap());
        let received: Arc<Mutex<Vec<Received>>> = Arc::default();
        let seen = received.clone();
        tokio::spawn(async move {
            for (status, body) in responses {
                let (mut socket, _) = listener.accept().await.unwrap();
                let request = read_request(&mut socket).await.unwrap();
                seen.lock().unwrap().push(request);
                let head = format!(
                    "HTTP/1.1 {status} X\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
                    body.len()
                );
                socket.write_all(head.as_bytes()).await.unwrap();
                socket.write_all(body.as_bytes()).await.unwrap();
            }
        });
        Self { base_url, received }
    }

    async fn once(status: u16, body: Value) -> Self {
        Self::responding(vec![(status, body.to_string())]).await
    }

    fn client(&self) -> Client {
        Client::new(&settings(&self.base_url)).unwrap()
    }

    fn request(&self, at: usize) -> Received {
        self.received.lock().unwrap()[at].clone()
    }
}

fn settings(base_url: &str) -> StripeSettings {
    StripeSettings {
        secret_key: Secret::new("sk_test_123"),
        webhook_secrets: vec![Secret::new("whsec_old"), Secret::new("whsec_new")],
        base_url: base_url.into(),
        timeout_seconds: 5,
    }
}

fn account() -> AccountId {
    "acc_01arz3ndektsv4rrffq69g5fav".parse().unwrap()
}

fn request() -> PaymentRequest {
    PaymentRequest {
        idempotency_key: "topup-1".into(),
        account: account(),
        customer: "cus_1".into(),
        payment_method: "pm_1".into(),
        amount_cents: 2_000,
        off_session: true,
    }
}

fn intent(status: &str) -> Value {
    json!({
        "id": "pi_1", "object": "payment_intent", "amount": 2000, "currency": "usd", "status": status,
        "created": 1_795_254_896, "client_secret": "pi_1_secret_x", "latest_charge": "ch_1",
        "metadata": { "account_id": account(), "idempotency_key": "topup-1" }, "last_payment_error": null,
    })
}

fn card_error(code: &str, decline_code: Option<&str>) -> Value {
    json!({ "error": {
        "type": "card_error", "code": code, "decline_code": decline_code, "message": "No.",
        "payment_intent": intent("requires_payment_method"),
    }})
}

async fn pay(status: u16, body: Value) -> Result<PaymentResult, PaymentError> {
    Stripe::once(status, body).await.client().create_payment(&request()).await
}

fn declined(reference: Option<&str>, code: &str) -> Result<PaymentResult, PaymentError> {
    let reason = outbound::payments::DeclineReason { code: code.into(), message: "No.".into() };
    Ok(PaymentResult::Declined { reference: reference.map(String::from), reason })
}

#[tokio::test]
async fn create_payment_sends_stripes_parameters() {
    let stripe = Stripe::once(200, intent("succeeded")).await;
    let result = stripe.client().create_payment(&request()).await;
    assert_eq!(result, Ok(PaymentResult::Succeeded { reference: "pi_1".into() }));

    let sent = stripe.request(0);
    assert!(sent.head.starts_with("POST /v1/payment_intents HTTP/1.1\r\n"));
    assert_eq!(sent.header("authorization"), Some("Bearer sk_test_123"));
    assert_eq!(sent.header("idempotency-key"), Some("topup-1"));
    assert_eq!(sent.header("content-type"), Some("application/x-www-form-urlencoded"));
    assert!(sent.header("stripe-version").is_some());
    let mut form: Vec<(String, String)> = form_urlencoded::parse(&sent.body).into_owned().collect();
    form.sort();
    let expected = [
        ("amount", "2000"),
        ("confirm", "true"),
        ("currency", "usd"),
        ("customer", "cus_1"),
        ("metadata[account_id]", "acc_01arz3ndektsv4rrffq69g5fav"),
        ("metadata[idempotency_key]", "topup-1"),
        ("off_session", "true"),
        ("payment_method", "pm_1"),
        ("payment_method_types[]", "card"),
    ];
    assert_eq!(form, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
}

#[tokio::test]
async fn interprets_every_payment_status() {
    let reference = || "pi_1".to_owned();
    let needs_action = PaymentResult::NeedsAction {
        reference: reference(),
        client_secret: Some(Secret::new("pi_1_secret_x")),
        confirm_url: None,
    };
    for (status, expected) in [
        ("processing", PaymentResult::Pending { reference: reference() }),
        ("requires_capture", PaymentResult::Pending { reference: reference() }),
        ("a_status_of_tomorrow", PaymentResult::Pending { reference: reference() }),
        ("requires_action", needs_action.clone()),
    ] {
        assert_eq!(pay(200, intent(status)).await, Ok(expected), "{status}");
    }
    assert!(matches!(pay(200, intent("canceled")).await, Ok(PaymentResult::Declined { .. })));
    let absent_owner = card_error("authentication_required", Some("authentication_required"));
    assert_eq!(pay(402, absent_owner).await, Ok(needs_action));
}

#[tokio::test]
async fn present_customers_are_redirected_to_their_bank() {
    let page = "https://hooks.stripe.com/redirect/authenticate/src_1?client_secret=x";
    let mut needs_action = intent("requires_action");
    needs_action["next_action"] = json!({ "type": "redirect_to_url", "redirect_to_url": { "url": page } });
    let return_page = "https://scan.example.com/console/payment-returned";
    for (off_session, returns) in [(false, true), (true, false)] {
        let stripe = Stripe::once(200, needs_action.clone()).await;
        let client = stripe.client().returning_to(Some(return_page.into()));
        let result = client.create_payment(&PaymentRequest { off_session, ..request() }).await.unwrap();
        let PaymentResult::NeedsAction { confirm_url, .. } = &result else { panic!("{result:?}") };
        assert_eq!(confirm_url.as_ref().map(Secret::reveal), Some(page));
        assert!(!format!("{result:?}").contains("hooks.stripe.com"), "the URL allows anyone to confirm");
        assert!(!serde_json::to_string(&result).unwrap().contains("hooks.stripe.com"));
        let sent: Vec<_> = form_urlencoded::parse(&stripe.request(0).body).into_owned().collect();
        let return_url = sent.iter().find(|(name, _)| name == "return_url").map(|(_, value)| value.as_str());
        assert_eq!(return_url, returns.then_some(return_page));
    }
    // Other kinds of confirmation need a script of Stripe's.
    needs_action["next_action"] = json!({ "type": "use_stripe_sdk", "use_stripe_sdk": {} });
    let result = pay(200, needs_action).await.unwrap();
    assert!(matches!(result, PaymentResult::NeedsAction { confirm_url: None, .. }), "{result:?}");
}

#[tokio::test]
async fn declines_have_the_banks_reason() {
    for (code, decline_code, reason) in [
        ("card_declined", Some("insufficient_funds"), "insufficient_funds"),
        ("card_declined", Some("generic_decline"), "generic_decline"),
        ("expired_card", None, "expired_card"),
        ("processing_error", None, "processing_error"),
    ] {
        assert_eq!(pay(402, card_error(code, decline_code)).await, declined(Some("pi_1"), reason));
    }
    let bare = json!({ "error": { "type": "card_error", "code": "card_declined", "message": "No." } });
    assert_eq!(pay(402, bare).await, declined(None, "card_declined"));
}

#[tokio::test]
async fn errors_tell_whether_the_call_may_have_had_an_effect() {
    let error = |kind: &str| json!({ "error": { "type": kind, "message": "No." } });
    let text = || "No.".to_owned();
    for (status, body, expected) in [
        (400, error("idempotency_error"), PaymentError::KeyReused),
        (400, error("invalid_request_error"), PaymentError::Invalid(text())),
        (404, error("invalid_request_error"), PaymentError::Invalid(text())),
        (401, error("invalid_request_error"), PaymentError::Unauthorized),
        (403, error("invalid_request_error"), PaymentError::Unauthorized),
        (409, error("invalid_request_error"), PaymentError::Busy(text())),
        (429, error("rate_limit_error"), PaymentError::Busy(text())),
        (500, error("api_error"), PaymentError::Unknown(text())),
        (503, json!("no object"), PaymentError::Unknown("status 503".into())),
        (302, json!({}), PaymentError::Unknown("status 302".into())),
    ] {
        assert_eq!(pay(status, body).await, Err(expected), "{status}");
    }
    assert!(matches!(pay(200, json!({ "id": "pi_1" })).await, Err(PaymentError::Unknown(_))));
    assert!(matches!(pay(402, json!({})).await, Err(PaymentError::Unknown(_))));
}

#[tokio::test]
async fn lost_response_is_an_unknown_outcome() {
    // Reads the request and closes the connection.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base_url = format!("http://{}", listener.local_addr().unwrap());
    let server = tokio::spawn(async move {
        let (mut socket, _) = listener.accept().await.unwrap();
        read_request(&mut socket).await.unwrap();
    });
    let client = Client::new(&settings(&base_url)).unwrap();
    let lost = client.create_payment(&request()).await.unwrap_err();
    assert!(matches!(lost, PaymentError::Unknown(_)) && lost.retryable(), "{lost:?}");
    server.await.unwrap();
    // The listener is closed, so nothing was sent.
    assert!(matches!(client.create_payment(&request()).await, Err(PaymentError::Busy(_))));
}

#[tokio::test]
async fn a_card_is_entered_on_stripes_page_and_read_by_its_customer_only() {
    let stripe =
        Stripe::once(200, json!({ "id": "cs_1", "url": "https://checkout.stripe.com/c/pay/cs_1" })).await;
    let url = stripe.client().open_card_form("cus_1", "https://x.example/console/billing").await;
    assert_eq!(url.as_deref(), Ok("https://checkout.stripe.com/c/pay/cs_1"));
    let sent = stripe.request(0);
    assert!(sent.head.starts_with("POST /v1/checkout/sessions HTTP/1.1\r\n"), "{}", sent.head);
    let form: Vec<(String, String)> = form_urlencoded::parse(&sent.body).into_owned().collect();
    let value = |name: &str| form.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
    assert_eq!((value("mode"), value("customer")), (Some("setup"), Some("cus_1")));
    assert_eq!(
        value("success_url"),
        Some("https://x.example/console/billing?card_form={CHECKOUT_SESSION_ID}")
    );

    let session = |customer: &str, status: &str| json!({ "id": "cs_1", "customer": customer, "status": status, "setup_intent": { "payment_method": "pm_1" } });
    let read = async |status: u16, body: Value| {
        Stripe::once(status, body).await.client().method_of_card_form("cus_1", "cs_1").await
    };
    assert_eq!(read(200, session("cus_1", "complete")).await, Ok(Some("pm_1".to_owned())));
    assert_eq!(read(200, session("cus_2", "complete")).await, Ok(None), "another customer's");
    assert_eq!(read(200, session("cus_1", "open")).await, Ok(None));
    let missing = json!({ "error": { "type": "invalid_request_error", "message": "No." } });
    assert_eq!(read(404, missing).await, Ok(None));
    let nobody = Stripe::responding(Vec::new()).await;
    assert_eq!(nobody.client().method_of_card_form("cus_1", "../customers").await, Ok(None));
}

#[tokio::test]
async fn saving_an_attached_method_succeeds() {
    let refusal = json!({ "error": { "type": "invalid_request_error", "message": "No." } });
    let method = |customer: &str| {
        let card = json!({ "brand": "visa", "last4": "4242" });
        json!({ "id": "pm_1", "object": "payment_method", "type": "card", "card": card, "customer": customer })
    };
    let save = async |responses: Vec<(u16, Value)>| {
        let responses = responses.into_iter().map(|(status, body)| (status, body.to_string())).collect();
        let stripe = Stripe::responding(responses).await;
        (stripe.client().save_method("cus_1", "pm_1").await.map(|saved| saved.last4), stripe)
    };
    let (saved, stripe) = save(vec![(200, method("cus_1"))]).await;
    assert_eq!(saved, Ok("4242".to_owned()));
    assert!(stripe.request(0).head.starts_with("POST /v1/payment_methods/pm_1/attach HTTP/1.1\r\n"));
    // A stored response would claim that the method is attached after it was detached.
    assert_eq!(stripe.request(0).header("idempotency-key"), None);

    let again = vec![(400, refusal.clone()), (200, method("cus_1"))];
    assert_eq!(save(again).await.0, Ok("4242".to_owned()));
    let refused = Err(PaymentError::Invalid("No.".into()));
    for found in [(200, method("cus_2")), (404, refusal.clone())] {
        assert_eq!(save(vec![(400, refusal.clone()), found]).await.0, refused);
    }
}

#[tokio::test]
async fn detaching_a_detached_method_succeeds() {
    let refusal = json!({ "error": { "type": "invalid_request_error", "message": "No." } });
    let method = |customer: Value| json!({ "id": "pm_1", "object": "payment_method", "type": "card", "customer": customer });
    let detach = async |responses: Vec<(u16, Value)>| {
        let responses = responses.into_iter().map(|(status, body)| (status, body.to_string())).collect();
        let stripe = Stripe::responding(responses).await;
        (stripe.client().detach_method("cus_1", "pm_1").await, stripe)
    };
    let (result, stripe) = detach(vec![(200, method(Value::Null))]).await;
    assert_eq!(result, Ok(()));
    assert!(stripe.request(0).head.starts_with("POST /v1/payment_methods/pm_1/detach HTTP/1.1\r\n"));
    assert_eq!(stripe.request(0).header("idempotency-key"), None, "no idempotency key");

    // The method doesn't exist, is detached, or belongs to another customer: this customer doesn't
    // have it.
    assert_eq!(detach(vec![(404, refusal.clone())]).await.0, Ok(()));
    for holder in [Value::Null, json!("cus_2")] {
        let (result, stripe) = detach(vec![(400, refusal.clone()), (200, method(holder))]).await;
        assert_eq!(result, Ok(()));
        assert!(stripe.request(1).head.starts_with("GET /v1/payment_methods/pm_1 HTTP/1.1\r\n"));
    }
    assert_eq!(detach(vec![(400, refusal.clone()), (404, refusal.clone())]).await.0, Ok(()));

    let attached = detach(vec![(400, refusal.clone()), (200, method(json!("cus_1")))]).await.0;
    assert_eq!(attached, Err(PaymentError::Invalid("No.".into())));
    for (status, expected) in [
        (500, PaymentError::Unknown("No.".into())),
        (429, PaymentError::Busy("No.".into())),
        (401, PaymentError::Unauthorized),
    ] {
        assert_eq!(detach(vec![(status, refusal.clone())]).await.0, Err(expected.clone()));
        assert_eq!(detach(vec![(400, refusal.clone()), (status, refusal.clone())]).await.0, Err(expected));
    }
    // An invalid id is never sent.
    let nowhere = Client::new(&settings("http://127.0.0.1:1")).unwrap();
    assert_eq!(nowhere.detach_method("cus_1", "../customers/cus_2").await, Ok(()));
}

#[tokio::test]
async fn fetches_payments_by_reference() {
    let mut refunded = intent("succeeded");
    refunded["latest_charge"] = json!({ "id": "ch_1", "amount_refunded": 500, "disputed": true });
    let stripe = Stripe::once(200, refunded).await;
    let payment = stripe.client().fetch(Lookup::Reference("pi_1")).await.unwrap().unwrap();
    assert!(stripe.request(0).head.starts_with("GET /v1/payment_intents/pi_1?expand%5B%5D=latest_charge "));
    assert_eq!((payment.refunded_cents, payment.disputed), (500, true));
    assert_eq!((payment.account, payment.idempotency_key.as_deref()), (Some(account()), Some("topup-1")));

    let missing = json!({ "error": { "type": "invalid_request_error", "code": "resource_missing" } });
    let stripe = Stripe::once(404, missing).await;
    assert_eq!(stripe.client().fetch(Lookup::Reference("pi_2")).await, Ok(None));
    assert_eq!(stripe.client().fetch(Lookup::Reference("../customers/x")).await, Ok(None));
}

#[tokio::test]
async fn finds_a_payment_by_key_on_a_later_page() {
    let mut other = intent("succeeded");
    other["id"] = json!("pi_0");
    other["metadata"] = json!({});
    let pages = [
        json!({ "data": [other], "has_more": true }),
        json!({ "data": [intent("processing")], "has_more": false }),
    ];
    let stripe = Stripe::responding(pages.iter().map(|page| (200, page.to_string())).collect()).await;
    let key = Lookup::Key { customer: "cus_1", idempotency_key: "topup-1" };
    let payment = stripe.client().fetch(key).await.unwrap().unwrap();
    assert_eq!(payment.reference, "pi_1");
    assert!(stripe.request(0).head.contains("customer=cus_1"));
    assert!(stripe.request(1).head.contains("starting_after=pi_0"));

    let empty = json!({ "data": [], "has_more": false });
    assert_eq!(Stripe::once(200, empty).await.client().fetch(key).await, Ok(None));
}

#[tokio::test]
async fn rejects_notifications_not_signed_by_stripe() {
    let client = Client::new(&settings("http://127.0.0.1:1")).unwrap();
    let now = Timestamp::from_millis(1_795_254_900_000);
    let read = |event_type: &str, object: Value, secret: &str| {
        let event = json!({ "id": "evt_1", "object": "event", "type": event_type, "created": 1_795_254_896, "data": { "object": object } });
        let body = event.to_string();
        let signature = sign(&Secret::new(secret).into(), now.as_seconds(), body.as_bytes());
        let mut headers = HeaderMap::new();
        headers.insert("stripe-signature", HeaderValue::from_str(&signature).unwrap());
        client.parse_notification(&headers, body.as_bytes(), now).map(|notification| notification.kind)
    };
    for secret in ["whsec_old", "whsec_new"] {
        let NotificationKind::Payment(payment) =
            read("payment_intent.succeeded", intent("succeeded"), secret).unwrap()
        else {
            panic!("a payment")
        };
        assert_eq!(payment.result, PaymentResult::Succeeded { reference: "pi_1".into() });
    }
    assert!(read("payment_intent.succeeded", intent("succeeded"), "whsec_other").is_err());
    let charge = json!({ "payment_intent": "pi_1", "amount_refunded": 2000 });
    assert_eq!(
        read("charge.refunded", charge, "whsec_new").unwrap(),
        NotificationKind::Refunded { reference: "pi_1".into(), refunded_cents: 2000 }
    );
    let dispute = json!({ "payment_intent": "pi_1", "amount": 2000, "status": "lost" });
    assert_eq!(
        read("charge.dispute.closed", dispute, "whsec_new").unwrap(),
        NotificationKind::Disputed { reference: "pi_1".into(), amount_cents: 2000, status: "lost".into() }
    );
    assert_eq!(
        read("invoice.paid", json!({}), "whsec_new").unwrap(),
        NotificationKind::Other { event_type: "invoice.paid".into() }
    );
}

#[test]
fn rejects_invalid_and_insecure_settings() {
    let with = |change: &dyn Fn(&mut StripeSettings)| {
        let mut stripe = settings("https://api.stripe.com");
        stripe.secret_key = Secret::new("sk_live_123");
        change(&mut stripe);
        PaymentSettings { provider: ProviderKind::Stripe, stripe, ..Default::default() }.validate()
    };
    assert!(with(&|_| {}).is_ok());
    assert!(with(&|s| s.base_url = "http://127.0.0.1:12111".into()).is_ok());
    for bad in ["http://api.stripe.com", "ftp://127.0.0.1", "api.stripe.com", "https://api.stripe.com/v1"] {
        assert!(with(&|s| s.base_url = bad.into()).is_err(), "{bad}");
    }
    assert!(with(&|s| s.secret_key = Secret::default()).is_err());
    assert!(with(&|s| s.webhook_secrets.clear()).is_err());
    assert!(with(&|s| s.timeout_seconds = 0).is_err());
    for key in ["sk_test_x", "rk_test_x"] {
        assert!(with(&|s| s.secret_key = Secret::new(key)).is_err(), "{key}");
    }
    let local = |s: &mut StripeSettings| {
        s.secret_key = Secret::new("sk_test_x");
        s.base_url = "http://127.0.0.1:12111".into();
    };
    assert!(with(&local).is_ok());
    let live = |key: &str| {
        let stripe = StripeSettings { secret_key: Secret::new(key), ..Default::default() };
        PaymentSettings { provider: ProviderKind::Stripe, stripe, ..Default::default() }.is_live()
    };
    assert!(live("sk_live_x") && live("rk_live_x") && live("anything else"));
    assert!(!live("sk_test_x") && !PaymentSettings::default().is_live());
}

/// Checks the requests against stripe-mock, which rejects unknown parameters.
#[tokio::test]
async fn stripe_mock_accepts_every_request() {
    let Ok(base_url) = std::env::var("SCAN_TEST_STRIPE_MOCK") else {
        eprintln!("SCAN_TEST_STRIPE_MOCK is not set: nothing was checked");
        return;
    };
    let client = Client::new(&settings(&base_url)).unwrap();
    let customer = client.create_customer(&account(), "owner@example.com").await.unwrap();
    assert!(customer.starts_with("cus_"));
    let method = client.save_method(&customer, "pm_card_visa").await.unwrap();
    assert!(!method.reference.is_empty() && !method.brand.is_empty());
    let form = client.open_card_form(&customer, "https://x.example/console/billing").await.unwrap();
    assert!(form.starts_with("https://"), "{form}");
    client.method_of_card_form(&customer, "cs_test_1").await.unwrap();
    let payment_request =
        PaymentRequest { customer: customer.clone(), payment_method: method.reference, ..request() };
    let result = client.create_payment(&payment_request).await.unwrap();
    let reference = result.reference().unwrap();
    assert!(reference.starts_with("pi_"));
    let payment = client.fetch(Lookup::Reference(reference)).await.unwrap().unwrap();
    assert!(payment.reference.starts_with("pi_"));
    let page = client.list(Timestamp::from_millis(0), None).await.unwrap();
    assert!(!page.payments.is_empty());
    let key = Lookup::Key { customer: &customer, idempotency_key: "not there" };
    assert_eq!(client.fetch(key).await.unwrap(), None);
    assert_eq!(client.detach_method(&customer, &payment_request.payment_method).await, Ok(()));
}
