//! Notifications of the bank are verified, and credited once in any number and order.

use std::sync::atomic::Ordering;

use domain::{PaymentId, Secret, Timestamp, payment::PaymentState};
use entities::{PaymentRow, payments};
use outbound::payments::{
    PaymentProvider, PaymentRequest, SimulatedSettings,
    simulated::{Bank, Delivery},
};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    app::{ApiResponse, ConsoleUser, TestApp},
    billing::{balance, set_payment_method, top_up},
};

async fn deliver(app: &TestApp, delivery: &Delivery) -> ApiResponse {
    let mut call = app.post("/v1/bank/webhooks").header("content-type", "application/json");
    for (name, value) in &delivery.headers {
        call = call.header(name.as_str(), value.to_str().unwrap());
    }
    call.body(delivery.body.clone()).send().await
}

/// Delivers all due notifications in the bank's order and returns their number.
pub(crate) async fn deliver_all(app: &TestApp) -> usize {
    let due = app.bank.due().await.unwrap();
    for delivery in &due {
        deliver(app, delivery).await.expect(204);
        app.bank.acknowledge(delivery).await.unwrap();
    }
    due.len()
}

fn request(payment: &PaymentRow) -> PaymentRequest {
    PaymentRequest {
        idempotency_key: payment.id.to_string(),
        account: payment.account_id.0.clone(),
        customer: payment.customer.clone(),
        payment_method: payment.method.clone(),
        amount_cents: payment.amount_cents,
        off_session: false,
    }
}

/// Creates a top-up that the bank doesn't know yet, because the engine is unavailable.
async fn create_unsent_top_up(app: &TestApp, card: &str) -> (ConsoleUser, PaymentRow) {
    let user = app.console_user().await;
    set_payment_method(app, &user, card).await.expect(200);
    app.engine.unavailable.store(true, Ordering::SeqCst);
    let created = top_up(app, &user, "unanswered", 700).await.expect(202).body;
    app.engine.unavailable.store(false, Ordering::SeqCst);
    let id: PaymentId = serde_json::from_value(created["id"].clone()).unwrap();
    let payment = payments::find(app.db(), &user.tenant, &id).await.unwrap().unwrap();
    (user, payment)
}

/// Creates a top-up that was sent to the bank and whose response was lost.
async fn create_top_up_with_lost_response(app: &TestApp, card: &str) -> (ConsoleUser, PaymentRow) {
    let (user, payment) = create_unsent_top_up(app, card).await;
    // Ignores the response.
    let _ = app.bank.create_payment(&request(&payment)).await;
    (user, payment)
}

async fn reload(app: &TestApp, payment: &PaymentRow) -> PaymentRow {
    payments::system::find(app.db(), &payment.id).await.unwrap().unwrap()
}

#[tokio::test]
async fn notification_delivered_five_times_credits_once() {
    TestApp::on_each_database(async |app| {
        for (card, min_count) in
            [("pm_sim_duplicate_notifications", 5), ("pm_sim_reordered_notifications", 2)]
        {
            let (user, payment) = create_top_up_with_lost_response(app, card).await;
            assert_eq!(balance(app, &user).await, 0);
            let due = app.bank.due().await.unwrap();
            assert!(due.len() >= min_count, "{card}: {}", due.len());
            // Delivers everything twice and concurrently.
            let all = due.iter().chain(&due).map(|delivery| deliver(app, delivery));
            for response in futures::future::join_all(all).await {
                response.expect(204);
            }
            deliver_all(app).await;
            assert_eq!(balance(app, &user).await, 700, "{card}");
            assert_eq!(reload(app, &payment).await.state.0, PaymentState::Succeeded);
        }
    })
    .await;
}

#[tokio::test]
async fn notifications_without_a_valid_signature_are_rejected() {
    let app = TestApp::start().await;
    let (user, _) = create_top_up_with_lost_response(&app, "pm_card_visa").await;
    let good = app.bank.due().await.unwrap().remove(0);
    let unsigned = app.post("/v1/bank/webhooks").header("content-type", "application/json");
    unsigned.body(good.body.clone()).send().await.expect_error(403, "INVALID_SIGNATURE");
    let mut tampered = good.clone();
    let amount_at = tampered.body.windows(3).position(|bytes| bytes == b"700").expect("the amount");
    tampered.body[amount_at] = b'9';
    deliver(&app, &tampered).await.expect_error(403, "INVALID_SIGNATURE");
    let forged = Bank::open(&SimulatedSettings {
        notification_secret: Secret::new("whsec_of_someone_else"),
        ..SimulatedSettings::default()
    });
    let forged = forged.unwrap();
    let known = payments::list(app.db(), &user.tenant, &Default::default()).await.unwrap().rows.remove(0);
    forged.create_payment(&request(&known)).await.unwrap();
    deliver(&app, &forged.due().await.unwrap()[0]).await.expect_error(403, "INVALID_SIGNATURE");
    // An old notification, signed by the bank a day ago.
    let yesterday = Timestamp::now().minus(std::time::Duration::from_secs(86_400));
    let late = app.bank.clone().with_clock(std::sync::Arc::new(move || yesterday));
    late.create_payment(&PaymentRequest { idempotency_key: "other".into(), ..request(&known) })
        .await
        .unwrap();
    let late = late.due().await.unwrap();
    let late = late.iter().find(|delivery| delivery.id != good.id).expect("the late one");
    deliver(&app, late).await.expect_error(403, "INVALID_SIGNATURE");
    assert_eq!(balance(&app, &user).await, 0);

    deliver(&app, &good).await.expect(204);
    assert_eq!(balance(&app, &user).await, 700);
    let get = app.call(Method::GET, "/v1/bank/webhooks").send().await;
    get.expect_error(405, "METHOD_NOT_ALLOWED");
    app.finish().await;
}

#[tokio::test]
async fn unknown_or_contradicting_notifications_move_no_money() {
    let app = TestApp::start().await;
    let (user, payment) = create_top_up_with_lost_response(&app, "pm_card_visa_chargeDeclined").await;
    for key in [PaymentId::new().to_string(), "not of our kind".into()] {
        let unknown = PaymentRequest {
            idempotency_key: key,
            payment_method: "pm_card_visa".into(),
            ..request(&payment)
        };
        app.bank.create_payment(&unknown).await.unwrap();
    }
    let (other, unsent) = create_unsent_top_up(&app, "pm_card_visa").await;
    let wrong_amount = PaymentRequest { amount_cents: 701, ..request(&unsent) };
    app.bank.create_payment(&wrong_amount).await.unwrap();
    assert_eq!(deliver_all(&app).await, 4);
    assert_eq!((balance(&app, &user).await, balance(&app, &other).await), (0, 0));
    assert_eq!(reload(&app, &payment).await.state.0, PaymentState::Declined);
    assert_eq!(reload(&app, &unsent).await.state.0, PaymentState::Pending);
    app.finish().await;
}

#[tokio::test]
async fn success_after_a_decline_counts_but_not_the_reverse() {
    let app = TestApp::start().await;
    let (user, payment) = create_top_up_with_lost_response(&app, "pm_card_authenticationRequired").await;
    let needs_action = app.bank.due().await.unwrap();
    deliver_all(&app).await;
    let known = reload(&app, &payment).await;
    assert_eq!(known.state.0, PaymentState::NeedsAction);
    assert!(app.bank.confirm(known.reference.as_deref().unwrap(), true).await.unwrap());
    deliver_all(&app).await;
    assert_eq!(balance(&app, &user).await, 700);
    for delivery in &needs_action {
        deliver(&app, delivery).await.expect(204);
    }
    assert_eq!(reload(&app, &payment).await.state.0, PaymentState::Succeeded);
    assert_eq!(balance(&app, &user).await, 700);
    app.finish().await;
}

#[tokio::test]
async fn payment_that_requires_authentication_is_confirmed_on_the_banks_page() {
    for (decision, status, balance_after) in [("approve", "succeeded", 700), ("refuse", "declined", 0)] {
        let app = TestApp::start().await;
        let (user, payment) = create_top_up_with_lost_response(&app, "pm_card_authenticationRequired").await;
        let path = format!("/v1/billing/top-ups/{}", payment.id.as_str());
        let top_up = async || app.get(&path).session(&user).send().await.expect(200).body;
        assert_eq!(
            top_up().await["confirm_url"],
            Value::Null,
            "the bank has not requested authentication yet"
        );
        deliver_all(&app).await;
        let waiting = top_up().await;
        assert_eq!(waiting["status"], "needs_action");
        let page = waiting["confirm_url"].as_str().expect("a confirmation URL").to_owned();
        assert!(page.starts_with(&format!("http://{}/console/test-bank/pi_sim_", app.address)), "{page}");

        let shown = app.get(&page).send().await.expect(200);
        assert!(String::from_utf8_lossy(&shown.bytes).contains("<strong>$7.00</strong>"));
        let decide = |decision: &str| {
            let call = app.post(&page).header("content-type", "application/x-www-form-urlencoded");
            call.body(format!("answer={decision}"))
        };
        decide("approve").send().await.expect(403);
        decide("approve").header("origin", "https://evil.example").send().await.expect(403);
        assert_eq!(deliver_all(&app).await, 0, "other origins cannot decide for the owner");
        let done = decide(decision).same_origin().send().await.expect(200);
        assert!(String::from_utf8_lossy(&done.bytes).contains("Your bank has received your decision."));
        deliver_all(&app).await;
        let decided = top_up().await;
        assert_eq!((&decided["status"], &decided["confirm_url"]), (&json!(status), &Value::Null));
        assert_eq!(balance(&app, &user).await, balance_after);
        // The payment is already decided, and unknown payments have no page.
        decide("approve").same_origin().send().await.expect(404);
        for unknown in
            [page.as_str(), "/console/test-bank/pi_sim_0", "/console/test-bank/", "/console/test-bank/a/b"]
        {
            app.get(unknown).send().await.expect(404);
        }
        app.get("/console/payment-returned?payment_intent=pi_1&redirect_status=succeeded")
            .send()
            .await
            .expect(200);
        app.finish().await;
    }
}

#[tokio::test]
async fn refunds_and_disputes_are_recorded_once_and_leave_the_wallet_unchanged() {
    TestApp::on_each_database(async |app| {
        // The notification of the payment is lost too: the refund's notification arrives first.
        let (user, payment) = create_top_up_with_lost_response(app, "pm_card_visa").await;
        let paid = app.bank.due().await.unwrap();
        for delivery in &paid {
            app.bank.acknowledge(delivery).await.unwrap();
        }
        let lookup = outbound::payments::Lookup::Key { customer: "", idempotency_key: payment.id.as_str() };
        let reference = app.bank.fetch(lookup).await.unwrap().unwrap().reference;
        assert!(app.bank.refund(&reference).await.unwrap());
        assert!(app.bank.dispute(&reference).await.unwrap());
        let due = app.bank.due().await.unwrap();
        assert!(due.len() >= 2);
        for delivery in due.iter().chain(due.iter().rev()) {
            deliver(app, delivery).await.expect(204);
        }
        let path = format!("/v1/billing/top-ups/{}", payment.id.as_str());
        let top_up = app.get(&path).session(&user).send().await.expect(200).body;
        assert_eq!(top_up["status"], "succeeded");
        assert_eq!((&top_up["refunded_cents"], &top_up["dispute"]), (&json!(700), &json!("needs_response")));
        assert_eq!(balance(app, &user).await, 700, "an operator decides about the wallet");
        let log = app.get("/v1/auth/audit-log").session(&user).send().await.expect(200).body;
        let of_bank = log["data"].as_array().unwrap().iter().filter(|e| e["actor"] == "bank").count();
        assert!((1..=3).contains(&of_bank), "{of_bank}: {log}");
    })
    .await;
}
