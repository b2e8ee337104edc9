//! Tests each card of the simulated bank, and the guarantees that callers rely on.

use std::{
    collections::HashSet,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use domain::{AccountId, Secret, Timestamp};
use http::{HeaderMap, HeaderValue};
use outbound::payments::{
    Lookup, NotificationError, NotificationKind, PaymentError, PaymentProvider, PaymentRequest,
    PaymentResult, SimulatedSettings,
    simulated::{Bank, SIGNATURE_HEADER},
};
use outbound::webhook::{SignatureError, sign};

const SECRET: &str = "whsec_bank";

/// A bank whose clock the test controls.
struct BankFixture {
    bank: Bank,
    now: Arc<AtomicI64>,
}

impl BankFixture {
    fn new() -> Self {
        Self::with(SimulatedSettings { settle_seconds: 60, ..settings() })
    }

    fn with(settings: SimulatedSettings) -> Self {
        let now = Arc::new(AtomicI64::new(1_795_254_896_000));
        let clock = now.clone();
        let clock = Arc::new(move || Timestamp::from_millis(clock.load(Ordering::SeqCst)));
        Self { bank: Bank::open(&settings).unwrap().with_clock(clock), now }
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.now.load(Ordering::SeqCst))
    }

    fn wait(&self, seconds: i64) {
        self.now.fetch_add(seconds * 1000, Ordering::SeqCst);
    }

    async fn pay(&self, key: &str, method: &str) -> Result<PaymentResult, PaymentError> {
        self.bank.create_payment(&request(key, method)).await
    }

    /// Acknowledges all due deliveries and returns them in order.
    async fn receive_all(&self) -> Vec<(String, NotificationKind)> {
        let mut notifications = Vec::new();
        for delivery in self.bank.due().await.unwrap() {
            let read = self.bank.parse_notification(&delivery.headers, &delivery.body, self.now()).unwrap();
            assert_eq!(read.id, delivery.id);
            notifications.push((read.id, read.kind));
            self.bank.acknowledge(&delivery).await.unwrap();
        }
        notifications
    }
}

fn settings() -> SimulatedSettings {
    SimulatedSettings { notification_secret: Secret::new(SECRET), ..Default::default() }
}

fn account() -> AccountId {
    "acc_01arz3ndektsv4rrffq69g5fav".parse().unwrap()
}

fn request(key: &str, method: &str) -> PaymentRequest {
    PaymentRequest {
        idempotency_key: key.into(),
        account: account(),
        customer: "cus_sim_1".into(),
        payment_method: method.into(),
        amount_cents: 2_000,
        off_session: true,
    }
}

fn declined_with(result: &PaymentResult) -> Option<&str> {
    match result {
        PaymentResult::Declined { reason, .. } => Some(&reason.code),
        _ => None,
    }
}

fn states(notifications: &[(String, NotificationKind)]) -> Vec<&'static str> {
    let state = |kind: &NotificationKind| match kind {
        NotificationKind::Payment(payment) => match payment.result {
            PaymentResult::Succeeded { .. } => "succeeded",
            PaymentResult::Declined { .. } => "declined",
            PaymentResult::NeedsAction { .. } => "needs action",
            PaymentResult::Pending { .. } => "pending",
        },
        NotificationKind::Refunded { .. } => "refunded",
        NotificationKind::Disputed { .. } => "disputed",
        NotificationKind::Other { .. } => "other",
    };
    notifications.iter().map(|(_, kind)| state(kind)).collect()
}

#[tokio::test]
async fn cards_decline_like_stripes() {
    let fixture = BankFixture::new();
    for (number, code) in [
        ("4000000000000002", "generic_decline"),
        ("4000000000009995", "insufficient_funds"),
        ("4000000000000119", "processing_error"),
        ("4000000000000069", "expired_card"),
        ("4000 0000 0000 0127", "incorrect_cvc"),
        ("4000000000000341", "generic_decline"),
    ] {
        let saved = fixture.bank.save_method("cus_sim_1", number).await.unwrap();
        assert!(number.ends_with(&saved.last4) && !saved.reference.contains("4000"));
        let result = fixture.pay(number, &saved.reference).await.unwrap();
        assert_eq!(declined_with(&result), Some(code), "{number}");
        assert_eq!(states(&fixture.receive_all().await), ["declined"]);
        assert_eq!(fixture.pay(number, &saved.reference).await.unwrap(), result, "a decline is final");
    }
    let unknown = fixture.bank.save_method("cus_sim_1", "4111111111111111").await;
    assert!(matches!(unknown, Err(PaymentError::Invalid(_))));
}

#[tokio::test]
async fn detached_method_is_not_charged_until_saved_again() {
    let fixture = BankFixture::new();
    let pay = async |key: &str| fixture.bank.create_payment(&request(key, "pm_card_visa")).await;
    let first = pay("key-1").await.unwrap();
    for _ in 0..2 {
        assert_eq!(fixture.bank.detach_method("cus_sim_1", "pm_card_visa").await, Ok(()));
    }
    assert!(matches!(pay("key-2").await, Err(PaymentError::Invalid(_))));
    assert_eq!(pay("key-1").await.unwrap(), first, "the earlier payment is returned");
    let other = PaymentRequest { customer: "cus_sim_2".into(), ..request("key-3", "pm_card_visa") };
    assert!(fixture.bank.create_payment(&other).await.is_ok(), "methods of other customers are independent");
    fixture.bank.save_method("cus_sim_1", "pm_card_visa").await.unwrap();
    assert!(pay("key-2").await.is_ok());
    assert_eq!(fixture.bank.detach_method("cus_sim_1", "pm_nobodys").await, Ok(()));
}

#[tokio::test]
async fn repeated_key_creates_one_payment() {
    let fixture = BankFixture::new();
    let calls = (0..16).map(|_| {
        let bank = fixture.bank.clone();
        tokio::spawn(async move { bank.create_payment(&request("key-1", "pm_card_visa")).await.unwrap() })
    });
    let mut references = HashSet::new();
    for call in calls.collect::<Vec<_>>() {
        let PaymentResult::Succeeded { reference } = call.await.unwrap() else { panic!("succeeds") };
        references.insert(reference);
    }
    assert_eq!(references.len(), 1);
    let page = fixture.bank.list(Timestamp::from_millis(0), None).await.unwrap();
    assert_eq!((page.payments.len(), page.next_cursor), (1, None));
    assert_eq!(states(&fixture.receive_all().await), ["succeeded"]);
    assert!(fixture.receive_all().await.is_empty(), "acknowledged notifications are not repeated");

    let mut other = request("key-1", "pm_card_visa");
    other.amount_cents += 1;
    assert_eq!(fixture.bank.create_payment(&other).await, Err(PaymentError::KeyReused));
    let again = fixture.pay("key-1", "4242424242424242").await.unwrap();
    assert!(matches!(again, PaymentResult::Succeeded { .. }), "number and name are the same card");
}

#[tokio::test]
async fn finds_payments_by_reference_and_by_key() {
    let fixture = BankFixture::new();
    let result = fixture.pay("key-1", "pm_card_visa").await.unwrap();
    let reference = result.reference().unwrap();
    let by_reference = fixture.bank.fetch(Lookup::Reference(reference)).await.unwrap().unwrap();
    let key = Lookup::Key { customer: "cus_sim_1", idempotency_key: "key-1" };
    assert_eq!(fixture.bank.fetch(key).await.unwrap().unwrap(), by_reference);
    assert_eq!(by_reference.result, result);
    assert_eq!((by_reference.amount_cents, by_reference.account), (2_000, Some(account())));
    assert_eq!(by_reference.idempotency_key.as_deref(), Some("key-1"));
    for unknown in ["pi_sim_0", "", "../payments/x", "/etc/passwd", &"x".repeat(10_000)] {
        assert_eq!(fixture.bank.fetch(Lookup::Reference(unknown)).await.unwrap(), None);
    }
}

#[tokio::test]
async fn slow_payment_is_pending_first() {
    let fixture = BankFixture::new();
    let first = fixture.pay("key-1", "pm_sim_slow").await.unwrap();
    assert!(matches!(first, PaymentResult::Pending { .. }));
    assert_eq!(states(&fixture.receive_all().await), ["pending"]);
    fixture.wait(60);
    assert!(matches!(fixture.pay("key-1", "pm_sim_slow").await.unwrap(), PaymentResult::Succeeded { .. }));
    assert_eq!(states(&fixture.receive_all().await), ["succeeded"]);
}

#[tokio::test]
async fn payment_can_succeed_after_a_timeout() {
    for (method, end) in
        [("pm_sim_silent_then_success", "succeeded"), ("pm_sim_silent_then_decline", "declined")]
    {
        let fixture = BankFixture::new();
        let lost = fixture.pay("key-1", method).await.unwrap_err();
        assert!(matches!(lost, PaymentError::Unknown(_)) && lost.retryable());
        assert_eq!(fixture.pay("key-1", method).await, Err(lost), "still no response");
        let key = Lookup::Key { customer: "cus_sim_1", idempotency_key: "key-1" };
        let payment = fixture.bank.fetch(key).await.unwrap().expect("the payment exists");
        assert!(matches!(payment.result, PaymentResult::Pending { .. }));

        fixture.wait(60);
        let payment = fixture.bank.fetch(key).await.unwrap().unwrap();
        assert_eq!(fixture.pay("key-1", method).await.unwrap(), payment.result);
        assert_eq!(states(&fixture.receive_all().await).last(), Some(&end));
        assert_eq!(fixture.bank.list(Timestamp::from_millis(0), None).await.unwrap().payments.len(), 1);
    }
}

#[tokio::test]
async fn card_can_require_authentication() {
    for (number, authenticates_again) in [("4000002500003155", false), ("4000002760003184", true)] {
        let fixture = BankFixture::new();
        let result = fixture.pay("key-1", number).await.unwrap();
        let PaymentResult::NeedsAction { reference, client_secret, .. } = result else { panic!("asks") };
        let secret = client_secret.expect("the client secret");
        let shown = serde_json::to_string(&fixture.pay("key-1", number).await.unwrap()).unwrap();
        assert!(!shown.contains(secret.reveal()), "{shown}");
        assert_eq!(states(&fixture.receive_all().await), ["needs action"]);

        fixture.wait(5);
        assert!(fixture.bank.confirm(&reference, true).await.unwrap());
        assert!(fixture.bank.confirm(&reference, false).await.unwrap(), "a second answer does not count");
        assert!(matches!(fixture.pay("key-1", number).await.unwrap(), PaymentResult::Succeeded { .. }));
        assert_eq!(states(&fixture.receive_all().await), ["succeeded"]);

        let next = fixture.pay("key-2", number).await.unwrap();
        assert_eq!(matches!(next, PaymentResult::NeedsAction { .. }), authenticates_again, "{number}");
    }

    let fixture = BankFixture::new();
    let result = fixture.pay("key-1", "pm_card_authenticationRequired").await.unwrap();
    assert!(fixture.bank.confirm(result.reference().unwrap(), false).await.unwrap());
    let result = fixture.pay("key-1", "pm_card_authenticationRequired").await.unwrap();
    assert_eq!(declined_with(&result), Some("payment_intent_authentication_failure"));
    assert!(!fixture.bank.confirm("pi_sim_0", true).await.unwrap());
}

#[tokio::test]
async fn notifications_can_repeat_and_be_reordered() {
    let fixture = BankFixture::new();
    fixture.pay("key-1", "pm_sim_duplicate_notifications").await.unwrap();
    let notifications = fixture.receive_all().await;
    assert_eq!(states(&notifications), ["succeeded"; 5]);
    assert_eq!(notifications.iter().map(|(id, _)| id).collect::<HashSet<_>>().len(), 1);

    fixture.pay("key-2", "pm_sim_reordered_notifications").await.unwrap();
    assert_eq!(states(&fixture.receive_all().await), ["succeeded", "pending"]);
}

#[tokio::test]
async fn unacknowledged_notifications_are_repeated() {
    let fixture = BankFixture::new();
    fixture.pay("key-1", "pm_card_visa").await.unwrap();
    let first = fixture.bank.due().await.unwrap();
    let second = fixture.bank.due().await.unwrap();
    assert_eq!((first.len(), second.len()), (1, 1));
    assert_eq!((&first[0].id, &first[0].body), (&second[0].id, &second[0].body));
    assert_eq!(fixture.receive_all().await.len(), 1);
    assert!(fixture.receive_all().await.is_empty());
}

#[tokio::test]
async fn refunds_and_disputes_are_notified_and_listed() {
    let fixture = BankFixture::new();
    let result = fixture.pay("key-1", "pm_card_visa").await.unwrap();
    let reference = result.reference().unwrap();
    fixture.receive_all().await;
    assert!(fixture.bank.refund(reference).await.unwrap());
    assert!(!fixture.bank.refund(reference).await.unwrap(), "once");
    let notifications = fixture.receive_all().await;
    let refunded = NotificationKind::Refunded { reference: reference.into(), refunded_cents: 2_000 };
    assert_eq!(notifications.into_iter().map(|(_, kind)| kind).collect::<Vec<_>>(), [refunded]);
    assert!(fixture.bank.dispute(reference).await.unwrap());
    assert_eq!(states(&fixture.receive_all().await), ["disputed"]);
    let payment = fixture.bank.fetch(Lookup::Reference(reference)).await.unwrap().unwrap();
    assert_eq!((payment.refunded_cents, payment.disputed), (2_000, true));

    fixture.pay("key-2", "4000000000000259").await.unwrap();
    assert_eq!(states(&fixture.receive_all().await), ["succeeded", "disputed"]);
    let declined = fixture.pay("key-3", "4000000000000002").await.unwrap();
    assert!(!fixture.bank.refund(declined.reference().unwrap()).await.unwrap());
}

#[tokio::test]
async fn state_in_a_folder_outlives_the_process() {
    let folder = tempfile::tempdir().unwrap();
    let settings =
        SimulatedSettings { folder: Some(folder.path().join("bank")), settle_seconds: 60, ..settings() };
    let before = BankFixture::with(settings.clone());
    let paid = before.pay("key-1", "pm_card_visa").await.unwrap();
    before.pay("key-2", "pm_sim_silent_then_success").await.unwrap_err();
    let needs_action = before.pay("key-3", "4000002500003155").await.unwrap();
    before.bank.confirm(needs_action.reference().unwrap(), true).await.unwrap();

    let after = BankFixture::with(settings.clone());
    assert_eq!(after.pay("key-1", "pm_card_visa").await.unwrap(), paid);
    assert!(matches!(after.pay("key-4", "4000002500003155").await, Ok(PaymentResult::Succeeded { .. })));
    after.wait(60);
    assert!(matches!(
        after.pay("key-2", "pm_sim_silent_then_success").await,
        Ok(PaymentResult::Succeeded { .. })
    ));
    assert_eq!(after.receive_all().await.len(), 6, "one for key-1 and key-4, two for key-2 and key-3");
    assert!(BankFixture::with(settings.clone()).receive_all().await.is_empty());

    // Without a configured secret, the bank generates one and stores it with its state.
    let generated = SimulatedSettings { notification_secret: Secret::default(), ..settings.clone() };
    let (signs, verifies) = (BankFixture::with(generated.clone()), BankFixture::with(generated));
    signs.pay("key-6", "pm_card_visa").await.unwrap();
    let delivery = signs.bank.due().await.unwrap().remove(0);
    verifies.bank.parse_notification(&delivery.headers, &delivery.body, signs.now()).unwrap();
    let (headers, body) = (&delivery.headers, &delivery.body);
    before.bank.parse_notification(headers, body, before.now()).unwrap_err();

    // Two banks that share a folder share their state.
    let (a, b) = (before.bank.clone(), after.bank.clone());
    let request = request("key-5", "pm_card_visa");
    let (a, b) = tokio::join!(a.create_payment(&request), b.create_payment(&request));
    assert_eq!(a.unwrap(), b.unwrap());
}

#[tokio::test]
async fn pages_contain_each_payment_once() {
    let fixture = BankFixture::new();
    for number in 0..205 {
        fixture.pay(&format!("key-{number}"), "pm_card_visa").await.unwrap();
        fixture.wait(1);
    }
    let since = Timestamp::from_millis(1_795_254_896_000 + 5_999);
    let (mut found, mut cursor, mut pages) = (Vec::new(), None, 0);
    loop {
        let page = fixture.bank.list(since, cursor.as_deref()).await.unwrap();
        found.extend(page.payments.into_iter().map(|payment| payment.reference));
        (cursor, pages) = (page.next_cursor, pages + 1);
        if cursor.is_none() {
            break;
        }
    }
    assert_eq!((found.len(), pages), (200, 2));
    assert_eq!(found.into_iter().collect::<HashSet<_>>().len(), 200);
}

#[tokio::test]
async fn rejects_invalid_requests() {
    let fixture = BankFixture::new();
    let good = request("key-1", "pm_card_visa");
    for bad in [
        PaymentRequest { idempotency_key: String::new(), ..good.clone() },
        PaymentRequest { idempotency_key: "k".repeat(256), ..good.clone() },
        PaymentRequest { amount_cents: 49, ..good.clone() },
        PaymentRequest { amount_cents: -2_000, ..good.clone() },
        PaymentRequest { amount_cents: 100_000_000, ..good.clone() },
        PaymentRequest { payment_method: "pm_card_unknown".into(), ..good.clone() },
    ] {
        let refused = fixture.bank.create_payment(&bad).await.unwrap_err();
        assert!(matches!(refused, PaymentError::Invalid(_)) && !refused.retryable(), "{bad:?}");
    }
    assert!(fixture.bank.list(Timestamp::from_millis(0), None).await.unwrap().payments.is_empty());
}

#[tokio::test]
async fn rejects_notifications_signed_by_others() {
    let fixture = BankFixture::new();
    fixture.pay("key-1", "pm_card_visa").await.unwrap();
    let delivery = fixture.bank.due().await.unwrap().remove(0);
    let read = |headers: &HeaderMap, body: &[u8], now| fixture.bank.parse_notification(headers, body, now);
    read(&delivery.headers, &delivery.body, fixture.now()).unwrap();

    assert_eq!(read(&HeaderMap::new(), &delivery.body, fixture.now()), Err(NotificationError::Unsigned));
    let mut twice = delivery.headers.clone();
    twice.append(SIGNATURE_HEADER, delivery.headers[SIGNATURE_HEADER].clone());
    assert_eq!(read(&twice, &delivery.body, fixture.now()), Err(NotificationError::Unsigned));
    let mut altered = delivery.body.clone();
    altered[10] ^= 1;
    let mismatch = Err(NotificationError::Signature(SignatureError::Mismatch));
    assert_eq!(read(&delivery.headers, &altered, fixture.now()), mismatch);
    let late = Timestamp::from_millis(fixture.now().as_millis() + 301_000);
    let too_old = Err(NotificationError::Signature(SignatureError::OutsideTolerance));
    assert_eq!(read(&delivery.headers, &delivery.body, late), too_old);

    // A signed body that isn't an event is unreadable and doesn't panic.
    for body in
        ["", "{}", "[]", r#"{"id":"e","type":"payment_intent.succeeded","created":0,"data":{"object":{}}}"#]
    {
        let signature = sign(&Secret::new(SECRET).into(), fixture.now().as_seconds(), body.as_bytes());
        let mut headers = HeaderMap::new();
        headers.insert(SIGNATURE_HEADER, HeaderValue::from_str(&signature).unwrap());
        let found = read(&headers, body.as_bytes(), fixture.now());
        assert!(matches!(found, Err(NotificationError::Unreadable(_))), "{body}: {found:?}");
    }
}
