//! Automatic top-ups with real workflows: a start that the wallet cannot pay creates a top-up, and
//! the same start succeeds afterwards.

use std::{path::Path, time::Duration};

use harness::{
    Account, ApiClient, Receiver, Service, ServiceOptions, clips::Clip, create_paying_account, paying_account,
};
use serde_json::{Value, json};

use crate::{SCAN_TIMEOUT, on_each_database};

/// Time after which slow payments of the simulated bank are decided.
const SETTLE_SECONDS: u64 = 4;

/// Maximum time of a top-up after a crash: shorter than the timeout of a request to the bank.
const TOP_UP_TIMEOUT_AFTER_CRASH: Duration = Duration::from_secs(90);

fn options() -> ServiceOptions {
    ServiceOptions::default().set("OUTBOUND__PAYMENTS__SIMULATED__SETTLE_SECONDS", SETTLE_SECONDS)
}

/// Starts a scan that cannot be paid yet. Returns the account, its client and the scan.
async fn refused_start(service: &Service, card: &str) -> (Account, ApiClient, Value) {
    let account = create_paying_account(service, card).await.unwrap();
    let caller = service.client(&account);
    let scan = caller.create_uploaded_scan(&Clip::moving(2)).await;
    let response = caller.start(&scan).await.expect(402);
    assert_eq!(response.code(), "INSUFFICIENT_FUNDS");
    (account, caller, scan)
}

/// Repeats the start after the top-up: it is charged once, and the scan completes.
async fn assert_start_succeeds_after_top_up(service: &Service, card: &str) {
    let (_, caller, scan) = refused_start(service, card).await;
    let wallet = caller.await_top_up(SCAN_TIMEOUT).await;
    assert_eq!(wallet["balance_cents"], paying_account::TOP_UP_CENTS, "{card}");
    assert_eq!(wallet["auto_recharge"]["enabled"], true);
    let started = caller.start(&scan).await.expect(202).body;
    assert_eq!(started["charge"], json!({ "kind": "scan_charge", "price_cents": 150, "refunded": false }));
    caller.await_status(&scan, "complete", SCAN_TIMEOUT).await;
    let left = &caller.get("/wallet").await.expect(200).body["balance_cents"];
    assert_eq!(*left, paying_account::TOP_UP_CENTS - 150);
}

async fn assert_ledger_balances(service: &Service, payments: u64) {
    service.admin(&["verify-ledger"]).unwrap();
    let report = service.admin(&["reconcile-bank", "--mode", "test"]).unwrap();
    assert_eq!(report["payments"], payments, "{report}");
    assert_eq!((&report["defects"], &report["credited"]), (&json!([]), &json!([])));
}

#[tokio::test(flavor = "multi_thread")]
async fn start_without_funds_succeeds_after_the_top_up() {
    on_each_database(options, async |service| {
        assert_start_succeeds_after_top_up(&service, "pm_card_visa").await;
        assert_start_succeeds_after_top_up(&service, "pm_sim_silent_then_success").await;
        assert_start_succeeds_after_top_up(&service, "pm_sim_slow").await;
        assert_ledger_balances(&service, 3).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn declined_top_up_turns_top_ups_off_and_notifies_by_webhook_and_mail() {
    let receiver = Receiver::start().await.unwrap();
    let service = Service::start(options(), Some(&receiver)).await.unwrap();
    for (card, reason) in [
        ("pm_card_visa_chargeDeclinedInsufficientFunds", "insufficient_funds"),
        ("pm_card_authenticationRequired", "authentication_required"),
    ] {
        let account = create_paying_account(&service, card).await.unwrap();
        let secret = service.register(&account, &receiver).unwrap();
        let caller = service.client(&account);
        let scan = caller.create_uploaded_scan(&Clip::moving(2)).await;
        caller.start(&scan).await.expect(402);
        let wallet = caller.await_top_up(SCAN_TIMEOUT).await;
        assert_eq!(
            (&wallet["balance_cents"], &wallet["auto_recharge"]["enabled"]),
            (&json!(0), &json!(false))
        );

        let webhook = receiver.await_request(SCAN_TIMEOUT, |r| r.json()["data"]["reason"] == reason).await;
        assert!(webhook.is_signed_with(&secret), "the signature does not verify");
        let event = webhook.json();
        assert_eq!(event["type"], "wallet.auto_recharge_failed");
        let data = json!({ "reason": reason, "amount_cents": paying_account::TOP_UP_CENTS, "auto_recharge_enabled": false });
        assert_eq!(event["data"], data);
        let mails = mails_about(&service.folder().join("mail"), reason).await;
        assert_eq!(mails, 1, "the owner receives one mail");
        // Automatic top-ups are off: the next refused start creates none.
        caller.start(&scan).await.expect(402);
        assert_eq!(caller.get("/wallet").await.expect(200).body["auto_recharge"]["in_progress"], false);
    }
    assert_ledger_balances(&service, 2).await;
}

/// Returns the number of mails with this reason, once there is one.
async fn mails_about(folder: &Path, reason: &str) -> usize {
    harness::until("the mail", Duration::from_secs(60), async || {
        let files = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
        let texts = files.filter(|path| path.extension().is_some_and(|e| e == "eml"));
        // Long lines are folded in transit.
        let unfolded =
            texts.filter_map(|path| Some(std::fs::read_to_string(path).ok()?.replace("=\r\n", "")));
        Some(unfolded.filter(|text| text.contains(reason)).count()).filter(|found| *found > 0)
    })
    .await
}

/// The bank's notifications arrive at the service's webhook endpoint, five times or reordered,
/// concurrently with its responses.
#[tokio::test(flavor = "multi_thread")]
async fn repeated_or_reordered_notifications_count_once() {
    let service = Service::start(options(), None).await.unwrap();
    let delivered = service.folder().join("bank").join("told");
    let mut expected = 0;
    for (card, times) in [("pm_sim_duplicate_notifications", 5), ("pm_sim_reordered_notifications", 2)] {
        assert_start_succeeds_after_top_up(&service, card).await;
        expected += times;
        harness::until("all notifications of the bank to arrive", SCAN_TIMEOUT, async || {
            let arrived = std::fs::read_dir(&delivered).ok()?.count();
            (arrived >= expected).then_some(())
        })
        .await;
    }
    assert_ledger_balances(&service, 2).await;
}

/// The process crashes after the bank charged the card and the wallet was credited, but before the
/// workflow receives the result.
#[tokio::test(flavor = "multi_thread")]
async fn recovers_from_a_crash_after_the_payment() {
    let options = ServiceOptions { failpoints: Some("pay=pause".into()), ..options() };
    let mut service = Service::start(options, None).await.unwrap();
    let (account, caller, scan) = refused_start(&service, "pm_card_visa").await;
    caller.await_top_up(SCAN_TIMEOUT).await;
    service.kill();

    service.restart().await.unwrap();
    assert_eq!(caller.get("/wallet").await.expect(200).body["balance_cents"], paying_account::TOP_UP_CENTS);
    // The next top-up starts quickly, because the crash of the first worker is detected.
    let all = (-paying_account::TOP_UP_CENTS).to_string();
    let adjust = ["adjust-ledger", "--account", &account.id, "--mode", "test", "--reason", "a test"];
    let emptied = service.admin(&[&adjust[..], &["--cents", &all, "--reference", "r"]].concat()).unwrap();
    assert_eq!(emptied, json!({ "new": true, "balance_cents": 0 }));
    assert!(service.admin(&[&adjust[..], &["--cents", "-1", "--reference", "s"]].concat()).is_err());
    caller.start(&scan).await.expect(402);
    let wallet = caller.await_top_up(TOP_UP_TIMEOUT_AFTER_CRASH).await;
    assert_eq!(wallet["balance_cents"], paying_account::TOP_UP_CENTS);
    caller.start(&scan).await.expect(202);
    caller.await_status(&scan, "complete", SCAN_TIMEOUT).await;
    assert_ledger_balances(&service, 2).await;
}

/// The first result of the payment activity is lost, so the activity runs again.
#[tokio::test(flavor = "multi_thread")]
async fn top_up_is_charged_once_if_its_activity_runs_twice() {
    let options = ServiceOptions { failpoints: Some("pay=2*return".into()), ..options() };
    let service = Service::start(options, None).await.unwrap();
    assert_start_succeeds_after_top_up(&service, "pm_card_visa").await;
    assert_ledger_balances(&service, 1).await;
}
