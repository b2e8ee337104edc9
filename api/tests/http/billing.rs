//! Payment methods, automatic top-ups, top-ups and ledger entries.

use domain::Timestamp;
use entities::outbox::{self, Kind};
use reqwest::Method;
use serde_json::{Value, json};

use crate::app::{Answer, Call, Person, TestApp};

fn call(app: &TestApp, person: &Person, method: Method, path: &str) -> Call {
    app.call(method, &format!("/v1/billing{path}")).person(person)
}

async fn get(app: &TestApp, person: &Person, path: &str) -> Answer {
    call(app, person, Method::GET, path).send().await
}

pub(crate) async fn pay_with(app: &TestApp, person: &Person, name: &str) -> Answer {
    let body = json!({ "payment_method": name });
    call(app, person, Method::PUT, "/payment-method").json(body).send().await
}

pub(crate) async fn top_up(app: &TestApp, person: &Person, key: &str, cents: i64) -> Answer {
    let call = call(app, person, Method::POST, "/top-ups").header("idempotency-key", key);
    call.json(json!({ "amount_cents": cents })).send().await
}

async fn set_auto(app: &TestApp, person: &Person, body: Value) -> Answer {
    call(app, person, Method::PUT, "/auto-recharge").json(body).send().await
}

pub(crate) async fn balance(app: &TestApp, person: &Person) -> i64 {
    ledger::wallet(app.db(), &person.tenant).await.unwrap().balance_cents
}

fn usual() -> Value {
    json!({ "enabled": true, "threshold_cents": 200, "amount_cents": 1000, "daily_limit_cents": 5000 })
}

#[tokio::test]
async fn payment_method_can_be_set_replaced_and_removed() {
    TestApp::on_each_database(async |app| {
        let person = app.person().await;
        get(app, &person, "/payment-method").await.refused(404, "NOT_FOUND");
        set_auto(app, &person, usual()).await.refused(409, "NO_PAYMENT_METHOD");
        assert_eq!(get(app, &person, "/auto-recharge").await.expect(200).body["enabled"], false);

        let set = pay_with(app, &person, "pm_card_visa").await.expect(200).body;
        assert_eq!(
            (&set["brand"], &set["last4"], &set["livemode"]),
            (&json!("visa"), &json!("4242"), &json!(false))
        );
        pay_with(app, &person, "pm_card_chargeDeclinedExpiredCard").await.expect(200);
        assert_eq!(get(app, &person, "/payment-method").await.expect(200).body["last4"], "0069");
        // The previous method will be detached at the bank.
        let forgotten = async |name: &str| {
            let subject = format!("{}:test:{name}", person.tenant.account_id);
            outbox::is_pending(app.db(), Kind::MethodDetach, &subject).await.unwrap()
        };
        assert!(forgotten("pm_card_visa").await && !forgotten("pm_card_chargeDeclinedExpiredCard").await);
        // The other mode has its own settings.
        let live = call(app, &person, Method::GET, "/payment-method").header("scan-mode", "live");
        live.send().await.refused(404, "NOT_FOUND");

        let auto = set_auto(app, &person, usual()).await.expect(200).body;
        let expected = json!({
            "enabled": true, "threshold_cents": 200, "amount_cents": 1000, "daily_limit_cents": 5000,
            "in_progress": false,
        });
        assert_eq!(auto, expected);
        for _ in 0..2 {
            call(app, &person, Method::DELETE, "/payment-method").send().await.expect(204);
            get(app, &person, "/payment-method").await.refused(404, "NOT_FOUND");
        }
        assert!(forgotten("pm_card_chargeDeclinedExpiredCard").await);
        let auto = get(app, &person, "/auto-recharge").await.expect(200).body;
        assert_eq!((&auto["enabled"], &auto["amount_cents"]), (&json!(false), &json!(1000)));
        let off =
            json!({ "enabled": false, "threshold_cents": 0, "amount_cents": 50, "daily_limit_cents": 50 });
        set_auto(app, &person, off).await.expect(200);

        let log = app.get("/v1/auth/audit-log").person(&person).send().await.expect(200).body;
        let actions: Vec<_> = log["data"].as_array().unwrap().iter().map(|e| e["action"].clone()).collect();
        let (set, auto) = ("payment_method.set", "auto_recharge.set");
        assert_eq!(json!(actions), json!([auto, "payment_method.removed", auto, set, set]));
    })
    .await;
}

#[tokio::test]
async fn method_that_is_being_detached_cannot_be_set() {
    let app = TestApp::start().await;
    let person = app.person().await;
    pay_with(&app, &person, "pm_card_visa").await.expect(200);
    call(&app, &person, Method::DELETE, "/payment-method").send().await.expect(204);
    pay_with(&app, &person, "pm_card_visa").await.expect(200);
    call(&app, &person, Method::DELETE, "/payment-method").send().await.expect(204);
    let lease = std::time::Duration::from_secs(60);
    assert_eq!(outbox::claim_due(app.db(), 10, Timestamp::now(), lease).await.unwrap().len(), 1);
    pay_with(&app, &person, "pm_card_visa").await.refused(402, "PAYMENT_METHOD_REFUSED");
    get(&app, &person, "/payment-method").await.refused(404, "NOT_FOUND");
    pay_with(&app, &person, "pm_sim_slow").await.expect(200);
    app.finish().await;
}

#[tokio::test]
async fn rejects_invalid_payment_methods_and_top_ups() {
    let app = TestApp::start().await;
    let person = app.person().await;
    pay_with(&app, &person, "pm_card_nobody_has").await.refused(402, "PAYMENT_METHOD_REFUSED");
    // A card number is never stored and never returned.
    for bad in
        ["4242424242424242", "4242 4242 4242 4242", "", "pm_", "pm_x/../y", "pm_é", &"pm_x".repeat(100)]
    {
        let answer = pay_with(&app, &person, bad).await.refused(400, "VALIDATION_FAILED");
        assert!(!String::from_utf8_lossy(&answer.bytes).contains("4242"));
    }
    pay_with(&app, &person, "pm_card_visa").await.expect(200);
    let with = |field: &str, value: i64| {
        let mut body = usual();
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
        let answer = set_auto(&app, &person, with(field, value)).await.refused(400, "VALIDATION_FAILED");
        assert!(answer.wrong_fields().contains(&field), "{field} {value}: {}", answer.body);
    }
    set_auto(&app, &person, json!({ "enabled": true })).await.refused(400, "VALIDATION_FAILED");
    for cents in [0, -5, 49, 1_000_001, i64::MAX] {
        top_up(&app, &person, "key-of-a-top-up", cents).await.refused(400, "VALIDATION_FAILED");
    }
    let unnamed = call(&app, &person, Method::POST, "/top-ups").json(json!({ "amount_cents": 500 }));
    let answer = unnamed.send().await.refused(400, "VALIDATION_FAILED");
    assert_eq!(answer.wrong_fields(), ["Idempotency-Key"]);
    for month in ["2026-13", "now", "2026-1", "2026"] {
        get(&app, &person, &format!("/statements/{month}")).await.refused(404, "NOT_FOUND");
    }
    assert_eq!(balance(&app, &person).await, 0);
    app.finish().await;
}

#[tokio::test]
async fn idempotency_key_creates_one_top_up() {
    TestApp::on_each_database(async |app| {
        let person = app.person().await;
        top_up(app, &person, "my-top-up-1", 700).await.refused(409, "NO_PAYMENT_METHOD");
        pay_with(app, &person, "pm_card_visa").await.expect(200);
        let made = top_up(app, &person, "my-top-up-1", 700).await.expect(202).body;
        assert_eq!((&made["kind"], &made["amount_cents"]), (&json!("top_up"), &json!(700)));
        for _ in 0..3 {
            let again = top_up(app, &person, "my-top-up-1", 700).await.expect(200);
            assert_eq!(again.header("idempotent-replayed"), "true");
            assert_eq!((&again.body["id"], &again.body["status"]), (&made["id"], &json!("succeeded")));
        }
        top_up(app, &person, "my-top-up-1", 701).await.refused(422, "IDEMPOTENCY_KEY_REUSED");
        assert_eq!(balance(app, &person).await, 700);

        // Idempotency keys belong to an account and a mode.
        let other = app.person().await;
        pay_with(app, &other, "pm_card_visa").await.expect(200);
        top_up(app, &other, "my-top-up-1", 900).await.expect(202);
        let path = format!("/top-ups/{}", made["id"].as_str().unwrap());
        get(app, &person, &path).await.expect(200);
        get(app, &other, &path).await.refused(404, "NOT_FOUND");
        let live = call(app, &person, Method::GET, &path).header("scan-mode", "live");
        live.send().await.refused(404, "NOT_FOUND");
        let listed = get(app, &other, "/top-ups").await.expect(200);
        assert!(!String::from_utf8_lossy(&listed.bytes).contains(made["id"].as_str().unwrap()));
    })
    .await;
}

#[tokio::test]
async fn top_up_has_a_status() {
    let app = TestApp::start().await;
    let person = app.person().await;
    for (card, key, status, reason) in [
        (
            "pm_card_visa_chargeDeclinedInsufficientFunds",
            "declined-1",
            "declined",
            json!("insufficient_funds"),
        ),
        ("pm_card_authenticationRequired", "asked-for-1", "needs_action", json!("authentication_required")),
        ("pm_sim_silent_then_success", "silent-00", "pending", Value::Null),
    ] {
        pay_with(&app, &person, card).await.expect(200);
        let made = top_up(&app, &person, key, 500).await.expect(202).body;
        let now =
            get(&app, &person, &format!("/top-ups/{}", made["id"].as_str().unwrap())).await.expect(200).body;
        assert_eq!((&now["status"], &now["reason"]), (&json!(status), &reason), "{card}");
    }
    assert_eq!(balance(&app, &person).await, 0);
    // The engine is unavailable: the outbox entry is processed later.
    app.engine.away.store(true, std::sync::atomic::Ordering::SeqCst);
    pay_with(&app, &person, "pm_card_visa").await.expect(200);
    let made = top_up(&app, &person, "while-away", 500).await.expect(202).body;
    assert_eq!(made["status"], "pending");
    let promised =
        entities::outbox::is_pending(app.db(), entities::outbox::Kind::Payment, made["id"].as_str().unwrap());
    assert!(promised.await.unwrap());
    app.finish().await;
}

#[tokio::test]
async fn entries_and_statements_contain_all_movements() {
    TestApp::on_each_database(async |app| {
        let person = app.person().await;
        pay_with(app, &person, "pm_card_visa").await.expect(200);
        for number in 0..5 {
            top_up(app, &person, &format!("top-up-{number}"), 500 + number).await.expect(202);
        }
        let key = app.key_of(&person.tenant).await;
        let space = entities::testing::space(app.db(), &person.tenant).await.id.to_string();
        for _ in 0..4 {
            crate::media::complete(app, &key, &space).await;
        }

        let mut entries = Vec::new();
        let mut next = "/entries?limit=3".to_owned();
        loop {
            let page = get(app, &person, &next).await.expect(200).body;
            entries.extend(page["data"].as_array().unwrap().clone());
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            next = format!("/entries?limit=3&cursor={cursor}");
        }
        let sum = |field: &str| entries.iter().map(|e| e[field].as_i64().unwrap()).sum::<i64>();
        let wallet = ledger::wallet(app.db(), &person.tenant).await.unwrap();
        assert_eq!((sum("amount_cents"), sum("free_scans")), (wallet.balance_cents, wallet.free_scans));
        let of = |kind: &str| entries.iter().filter(|e| e["kind"] == kind).count();
        assert_eq!((of("grant"), of("topup"), of("charge"), entries.len()), (1, 5, 4, 10));
        assert!(entries.iter().filter(|e| e["kind"] == "topup").all(|e| e["top_up_id"].is_string()));
        assert!(entries.iter().filter(|e| e["kind"] == "charge").all(|e| e["scan_id"].is_string()));

        let now = Timestamp::now();
        let statement = get(app, &person, &format!("/statements/{}", now.month())).await.expect(200).body;
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
        let after = get(app, &person, &format!("/statements/{}", next.month())).await.expect(200).body;
        assert_eq!((&after["opening"], &after["closing"]), (&closing, &closing));
        assert_eq!(after["totals"], json!([]));
    })
    .await;
}
