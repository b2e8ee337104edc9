//! Payment methods, automatic top-ups, top-ups and ledger entries.

use domain::Timestamp;
use entities::outbox::{self, Kind};
use reqwest::Method;
use serde_json::{Value, json};

use crate::app::{ApiResponse, Call, ConsoleUser, TestApp};

fn call(app: &TestApp, user: &ConsoleUser, method: Method, path: &str) -> Call {
    app.call(method, &format!("/v1/billing{path}")).session(user)
}

async fn get(app: &TestApp, user: &ConsoleUser, path: &str) -> ApiResponse {
    call(app, user, Method::GET, path).send().await
}

pub(crate) async fn set_payment_method(app: &TestApp, user: &ConsoleUser, name: &str) -> ApiResponse {
    let body = json!({ "payment_method": name });
    call(app, user, Method::PUT, "/payment-method").json(body).send().await
}

pub(crate) async fn top_up(app: &TestApp, user: &ConsoleUser, key: &str, cents: i64) -> ApiResponse {
    let call = call(app, user, Method::POST, "/top-ups").header("idempotency-key", key);
    call.json(json!({ "amount_cents": cents })).send().await
}

async fn set_auto_recharge(app: &TestApp, user: &ConsoleUser, body: Value) -> ApiResponse {
    call(app, user, Method::PUT, "/auto-recharge").json(body).send().await
}

pub(crate) async fn balance(app: &TestApp, user: &ConsoleUser) -> i64 {
    ledger::wallet(app.db(), &user.tenant).await.unwrap().balance_cents
}

fn auto_recharge_settings() -> Value {
    json!({ "enabled": true, "threshold_cents": 200, "amount_cents": 1000, "daily_limit_cents": 5000 })
}

#[tokio::test]
async fn a_card_is_entered_on_the_banks_page() {
    let app = TestApp::start().await;
    let user = app.console_user().await;
    let post = async |path: &str, body: Value| call(&app, &user, Method::POST, path).json(body).send().await;
    let opened = call(&app, &user, Method::POST, "/card-forms").send().await.expect(201).body;
    let (page, form) = opened["url"].as_str().unwrap().split_once("?card_form=").unwrap();
    assert!(page.ends_with("/console/billing"), "{page}");
    get(&app, &user, "/payment-method").await.expect_error(404, "NOT_FOUND");
    for _ in 0..2 {
        let set = post("/card-forms/complete", json!({ "card_form": form })).await.expect(200).body;
        assert_eq!(set["last4"], "4242");
    }
    assert_eq!(get(&app, &user, "/payment-method").await.expect(200).body["last4"], "4242");
    let unknown = json!({ "card_form": "cs_other" });
    post("/card-forms/complete", unknown).await.expect_error(402, "PAYMENT_METHOD_REFUSED");
    for bad in ["", "4242424242424242", "cs_../x"] {
        let refused = post("/card-forms/complete", json!({ "card_form": bad })).await;
        refused.expect_error(400, "VALIDATION_FAILED");
    }
    app.finish().await;
}

#[tokio::test]
async fn payment_method_can_be_set_replaced_and_removed() {
    TestApp::on_each_database(async |app| {
        let user = app.console_user().await;
        get(app, &user, "/payment-method").await.expect_error(404, "NOT_FOUND");
        set_auto_recharge(app, &user, auto_recharge_settings()).await.expect_error(409, "NO_PAYMENT_METHOD");
        assert_eq!(get(app, &user, "/auto-recharge").await.expect(200).body["enabled"], false);

        let set = set_payment_method(app, &user, "pm_card_visa").await.expect(200).body;
        assert_eq!(
            (&set["brand"], &set["last4"], &set["livemode"]),
            (&json!("visa"), &json!("4242"), &json!(false))
        );
        set_payment_method(app, &user, "pm_card_chargeDeclinedExpiredCard").await.expect(200);
        assert_eq!(get(app, &user, "/payment-method").await.expect(200).body["last4"], "0069");
        // The previous method will be detached at the bank.
        let is_being_detached = async |name: &str| {
            let subject = format!("{}:test:{name}", user.tenant.account_id);
            outbox::is_pending(app.db(), Kind::MethodDetach, &subject).await.unwrap()
        };
        assert!(
            is_being_detached("pm_card_visa").await
                && !is_being_detached("pm_card_chargeDeclinedExpiredCard").await
        );
        // The other mode has its own settings.
        let live = call(app, &user, Method::GET, "/payment-method").header("scan-mode", "live");
        live.send().await.expect_error(404, "NOT_FOUND");

        let auto = set_auto_recharge(app, &user, auto_recharge_settings()).await.expect(200).body;
        let expected = json!({
            "enabled": true, "threshold_cents": 200, "amount_cents": 1000, "daily_limit_cents": 5000,
            "in_progress": false,
        });
        assert_eq!(auto, expected);
        for _ in 0..2 {
            call(app, &user, Method::DELETE, "/payment-method").send().await.expect(204);
            get(app, &user, "/payment-method").await.expect_error(404, "NOT_FOUND");
        }
        assert!(is_being_detached("pm_card_chargeDeclinedExpiredCard").await);
        let auto = get(app, &user, "/auto-recharge").await.expect(200).body;
        assert_eq!((&auto["enabled"], &auto["amount_cents"]), (&json!(false), &json!(1000)));
        let off =
            json!({ "enabled": false, "threshold_cents": 0, "amount_cents": 50, "daily_limit_cents": 50 });
        set_auto_recharge(app, &user, off).await.expect(200);

        let log = app.get("/v1/auth/audit-log").session(&user).send().await.expect(200).body;
        let actions: Vec<_> = log["data"].as_array().unwrap().iter().map(|e| e["action"].clone()).collect();
        let (set, auto) = ("payment_method.set", "auto_recharge.set");
        assert_eq!(json!(actions), json!([auto, "payment_method.removed", auto, set, set]));
    })
    .await;
}

#[tokio::test]
async fn method_that_is_being_detached_cannot_be_set() {
    let app = TestApp::start().await;
    let user = app.console_user().await;
    set_payment_method(&app, &user, "pm_card_visa").await.expect(200);
    call(&app, &user, Method::DELETE, "/payment-method").send().await.expect(204);
    set_payment_method(&app, &user, "pm_card_visa").await.expect(200);
    call(&app, &user, Method::DELETE, "/payment-method").send().await.expect(204);
    let lease = std::time::Duration::from_secs(60);
    let claimed = outbox::claim_due(app.db(), Kind::MethodDetach, 10, Timestamp::now(), lease).await.unwrap();
    assert_eq!(claimed.len(), 1);
    set_payment_method(&app, &user, "pm_card_visa").await.expect_error(402, "PAYMENT_METHOD_REFUSED");
    get(&app, &user, "/payment-method").await.expect_error(404, "NOT_FOUND");
    set_payment_method(&app, &user, "pm_sim_slow").await.expect(200);
    app.finish().await;
}

#[tokio::test]
async fn rejects_invalid_payment_methods_and_top_ups() {
    let app = TestApp::start().await;
    let user = app.console_user().await;
    set_payment_method(&app, &user, "pm_card_nobody_has").await.expect_error(402, "PAYMENT_METHOD_REFUSED");
    // A card number is never stored and never returned.
    for bad in
        ["4242424242424242", "4242 4242 4242 4242", "", "pm_", "pm_x/../y", "pm_é", &"pm_x".repeat(100)]
    {
        let response = set_payment_method(&app, &user, bad).await.expect_error(400, "VALIDATION_FAILED");
        assert!(!String::from_utf8_lossy(&response.bytes).contains("4242"));
    }
    set_payment_method(&app, &user, "pm_card_visa").await.expect(200);
    let with = |field: &str, value: i64| {
        let mut body = auto_recharge_settings();
        body[field] = json!(value);
        body
    };
    for (field, value) in [
        ("threshold_cents", -1),
        ("threshold_cents", 1_000_001),
        ("amount_cents", 49),
        ("amount_cents", 1_000_001),
        ("amount_cents", i64::MIN),
        ("daily_limit_cents", 999),
        ("daily_limit_cents", i64::MAX),
    ] {
        let response =
            set_auto_recharge(&app, &user, with(field, value)).await.expect_error(400, "VALIDATION_FAILED");
        assert!(response.invalid_fields().contains(&field), "{field} {value}: {}", response.body);
    }
    set_auto_recharge(&app, &user, json!({ "enabled": true })).await.expect_error(400, "VALIDATION_FAILED");
    for cents in [0, -5, 49, 1_000_001, i64::MAX] {
        top_up(&app, &user, "key-of-a-top-up", cents).await.expect_error(400, "VALIDATION_FAILED");
    }
    let without_key = call(&app, &user, Method::POST, "/top-ups").json(json!({ "amount_cents": 500 }));
    let response = without_key.send().await.expect_error(400, "VALIDATION_FAILED");
    assert_eq!(response.invalid_fields(), ["Idempotency-Key"]);
    for month in ["2026-13", "now", "2026-1", "2026"] {
        get(&app, &user, &format!("/statements/{month}")).await.expect_error(404, "NOT_FOUND");
    }
    assert_eq!(balance(&app, &user).await, 0);
    app.finish().await;
}

#[tokio::test]
async fn idempotency_key_creates_one_top_up() {
    TestApp::on_each_database(async |app| {
        let user = app.console_user().await;
        top_up(app, &user, "my-top-up-1", 700).await.expect_error(409, "NO_PAYMENT_METHOD");
        set_payment_method(app, &user, "pm_card_visa").await.expect(200);
        let created = top_up(app, &user, "my-top-up-1", 700).await.expect(202).body;
        assert_eq!((&created["kind"], &created["amount_cents"]), (&json!("top_up"), &json!(700)));
        for _ in 0..3 {
            let again = top_up(app, &user, "my-top-up-1", 700).await.expect(200);
            assert_eq!(again.header("idempotent-replayed"), "true");
            assert_eq!((&again.body["id"], &again.body["status"]), (&created["id"], &json!("succeeded")));
        }
        top_up(app, &user, "my-top-up-1", 701).await.expect_error(422, "IDEMPOTENCY_KEY_REUSED");
        assert_eq!(balance(app, &user).await, 700);

        // Idempotency keys belong to an account and a mode.
        let other = app.console_user().await;
        set_payment_method(app, &other, "pm_card_visa").await.expect(200);
        top_up(app, &other, "my-top-up-1", 900).await.expect(202);
        let path = format!("/top-ups/{}", created["id"].as_str().unwrap());
        get(app, &user, &path).await.expect(200);
        get(app, &other, &path).await.expect_error(404, "NOT_FOUND");
        let live = call(app, &user, Method::GET, &path).header("scan-mode", "live");
        live.send().await.expect_error(404, "NOT_FOUND");
        let listed = get(app, &other, "/top-ups").await.expect(200);
        assert!(!String::from_utf8_lossy(&listed.bytes).contains(created["id"].as_str().unwrap()));
    })
    .await;
}

#[tokio::test]
async fn top_up_reports_the_status_and_reason_of_the_bank() {
    let app = TestApp::start().await;
    let user = app.console_user().await;
    for (card, key, status, reason) in [
        (
            "pm_card_visa_chargeDeclinedInsufficientFunds",
            "declined-1",
            "declined",
            json!("insufficient_funds"),
        ),
        (
            "pm_card_authenticationRequired",
            "needs-action-1",
            "needs_action",
            json!("authentication_required"),
        ),
        ("pm_sim_silent_then_success", "silent-00", "pending", Value::Null),
    ] {
        set_payment_method(&app, &user, card).await.expect(200);
        let created = top_up(&app, &user, key, 500).await.expect(202).body;
        let now =
            get(&app, &user, &format!("/top-ups/{}", created["id"].as_str().unwrap())).await.expect(200).body;
        assert_eq!((&now["status"], &now["reason"]), (&json!(status), &reason), "{card}");
    }
    assert_eq!(balance(&app, &user).await, 0);
    // The engine is unavailable: the outbox entry is processed later.
    app.engine.unavailable.store(true, std::sync::atomic::Ordering::SeqCst);
    set_payment_method(&app, &user, "pm_card_visa").await.expect(200);
    let created = top_up(&app, &user, "while-away", 500).await.expect(202).body;
    assert_eq!(created["status"], "pending");
    let is_pending = outbox::is_pending(app.db(), Kind::Payment, created["id"].as_str().unwrap());
    assert!(is_pending.await.unwrap());
    app.finish().await;
}

#[tokio::test]
async fn entries_and_statements_contain_every_ledger_movement() {
    TestApp::on_each_database(async |app| {
        let user = app.console_user().await;
        set_payment_method(app, &user, "pm_card_visa").await.expect(200);
        for number in 0..5 {
            top_up(app, &user, &format!("top-up-{number}"), 500 + number).await.expect(202);
        }
        let key = app.create_key(&user.tenant).await;
        let space = entities::testing::space(app.db(), &user.tenant).await.id.to_string();
        for _ in 0..4 {
            crate::media::create_complete_scan(app, &key, &space).await;
        }

        let mut entries = Vec::new();
        let mut next = "/entries?limit=3".to_owned();
        loop {
            let page = get(app, &user, &next).await.expect(200).body;
            entries.extend(page["data"].as_array().unwrap().clone());
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            next = format!("/entries?limit=3&cursor={cursor}");
        }
        let sum = |field: &str| entries.iter().map(|e| e[field].as_i64().unwrap()).sum::<i64>();
        let wallet = ledger::wallet(app.db(), &user.tenant).await.unwrap();
        assert_eq!((sum("amount_cents"), sum("free_scans")), (wallet.balance_cents, wallet.free_scans));
        let of = |kind: &str| entries.iter().filter(|e| e["kind"] == kind).count();
        assert_eq!((of("grant"), of("topup"), of("charge"), entries.len()), (1, 5, 4, 10));
        assert!(entries.iter().filter(|e| e["kind"] == "topup").all(|e| e["top_up_id"].is_string()));
        assert!(entries.iter().filter(|e| e["kind"] == "charge").all(|e| e["scan_id"].is_string()));

        let now = Timestamp::now();
        let statement = get(app, &user, &format!("/statements/{}", now.month())).await.expect(200).body;
        assert_eq!(statement["opening"], json!({ "balance_cents": 0, "free_scans": 0 }));
        let closing = json!({ "balance_cents": wallet.balance_cents, "free_scans": wallet.free_scans });
        assert_eq!(statement["closing"], closing);
        let total = |kind: &str| {
            let totals = statement["totals"].as_array().unwrap();
            let found = totals.iter().find(|total| total["kind"] == kind).unwrap();
            (found["amount_cents"].as_i64().unwrap(), found["free_scans"].as_i64().unwrap())
        };
        assert_eq!((total("topup"), total("charge"), total("grant")), ((2510, 0), (-100, -3), (0, 3)));
        // The next month starts with the balance of this one.
        let (_, next) = Timestamp::month_span(&now.month()).unwrap();
        let after = get(app, &user, &format!("/statements/{}", next.month())).await.expect(200).body;
        assert_eq!((&after["opening"], &after["closing"]), (&closing, &closing));
        assert_eq!(after["totals"], json!([]));
    })
    .await;
}

#[tokio::test]
async fn live_mode_without_a_provider_takes_no_payments() {
    let app = TestApp::without_live_payments().await;
    let user = app.console_user().await;
    let live = |method: Method, path: &str| call(&app, &user, method, path).header("scan-mode", "live");
    let method = json!({ "payment_method": "pm_card_visa" });
    let refused = live(Method::PUT, "/payment-method").json(method).send().await;
    refused.expect_error(409, "LIVE_PAYMENTS_OFF");
    let refused = live(Method::POST, "/top-ups").header("idempotency-key", "the-first-1");
    refused.json(json!({ "amount_cents": 500 })).send().await.expect_error(409, "LIVE_PAYMENTS_OFF");
    let mut settings = auto_recharge_settings();
    let refused = live(Method::PUT, "/auto-recharge").json(settings.clone()).send().await;
    refused.expect_error(409, "LIVE_PAYMENTS_OFF");
    settings["enabled"] = json!(false);
    live(Method::PUT, "/auto-recharge").json(settings).send().await.expect(200);

    set_payment_method(&app, &user, "pm_card_visa").await.expect(200);
    for (mode, enabled) in [(domain::Mode::Test, true), (domain::Mode::Live, false)] {
        let tenant = domain::mode::Tenant { account_id: user.tenant.account_id.clone(), mode };
        let key = app.create_key(&tenant).await;
        let wallet = app.get("/v1/wallet").key(&key).send().await.expect(200).body;
        assert_eq!(wallet["payments_enabled"], enabled);
    }
    app.finish().await;
}
