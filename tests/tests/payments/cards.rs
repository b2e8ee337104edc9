//! Each card of the simulated bank, asked as the activity asks.

use std::{sync::atomic::Ordering, time::Duration};

use domain::{
    Mode,
    payment::{PaymentState, PaymentVerdict},
};
use entities::{
    payments,
    testing::{NOON, on_each_database},
};
use outbound::payments::{NotificationKind, Payments};

use crate::town::{Town, on_card, stripe_away};

#[tokio::test(flavor = "multi_thread")]
async fn a_good_card_pays_once() {
    on_card("pm_card_visa", async |town, payment| {
        assert_eq!(town.ask_many_times(&payment).await, PaymentState::Succeeded);
        assert_eq!((town.balance().await, town.taken().await), (1000, 1000));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_that_declines_turns_automatic_top_ups_off() {
    for (card, reason) in [
        ("pm_card_visa_chargeDeclined", "generic_decline"),
        ("pm_card_visa_chargeDeclinedInsufficientFunds", "insufficient_funds"),
        ("pm_card_chargeDeclinedExpiredCard", "expired_card"),
    ] {
        on_card(card, async |town, payment| {
            assert_eq!(town.ask_many_times(&payment).await, PaymentState::Declined);
            assert_eq!((town.balance().await, town.taken().await), (0, 0));
            town.assert_failed(&payment, reason).await;
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_that_asks_for_its_owner_turns_them_off_and_may_still_be_confirmed() {
    on_card("pm_card_authenticationRequired", async |town, payment| {
        assert_eq!(town.ask_many_times(&payment).await, PaymentState::NeedsAction);
        town.assert_failed(&payment, "authentication_required").await;
        let known = payments::find(&town.db, &town.tenant, &payment.id).await.unwrap().unwrap();
        let reference = known.reference.unwrap();
        assert!(town.bank.confirm(&reference, true).await.unwrap());
        hear(town).await;
        assert_eq!((town.balance().await, town.taken().await), (1000, 1000));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slow_bank_is_asked_until_it_has_decided() {
    for card in ["pm_sim_slow", "pm_sim_silent_then_success"] {
        on_card(card, async |town, payment| {
            assert_eq!(town.ask_many_times(&payment).await, PaymentState::Pending);
            let in_flight = town.refused_start().await;
            assert_eq!(in_flight.unwrap().id, payment.id, "one is under way, so no other begins");
            assert_eq!(town.balance().await, 0);
            town.wait_for_the_bank();
            assert_eq!(town.ask_many_times(&payment).await, PaymentState::Succeeded);
            assert_eq!((town.balance().await, town.taken().await), (1000, 1000));
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_bank_that_was_silent_and_then_declines_has_declined() {
    on_card("pm_sim_silent_then_decline", async |town, payment| {
        assert_eq!(town.ask(&payment).await, PaymentState::Pending);
        town.wait_for_the_bank();
        assert_eq!(town.ask_many_times(&payment).await, PaymentState::Declined);
        town.assert_failed(&payment, "generic_decline").await;
        assert_eq!(town.taken().await, 0);
    })
    .await;
}

/// Takes everything that the bank has to tell, as its door does: a reason to settle, whatever the order.
async fn hear(town: &Town) -> usize {
    let due = town.bank.due().await.unwrap();
    for delivery in &due {
        let read = town.bank.parse_notification(&delivery.headers, &delivery.body, town.now()).unwrap();
        if let NotificationKind::Payment(told) = read.kind {
            let id = told.idempotency_key.unwrap().parse().unwrap();
            ledger::settle(&town.db, &id, &told.result.verdict(), town.now()).await.unwrap();
        }
        town.bank.acknowledge(delivery).await.unwrap();
    }
    due.len()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_bank_tells_repeatedly_or_in_the_wrong_order_counts_once() {
    for (card, least) in [("pm_sim_duplicate_notifications", 5), ("pm_sim_reordered_notifications", 2)] {
        on_card(card, async |town, payment| {
            // The answer to the first question is lost; the notifications come before the second.
            let lost = town.banks.of(Mode::Live);
            let request = outbound::payments::PaymentRequest {
                idempotency_key: payment.id.to_string(),
                account: payment.account_id.0.clone(),
                customer: payment.customer.clone(),
                payment_method: payment.method.clone(),
                amount_cents: payment.amount_cents,
                off_session: true,
            };
            lost.create_payment(&request).await.unwrap();
            assert!(hear(town).await >= least);
            assert_eq!(town.balance().await, 1000);
            assert_eq!(town.ask_many_times(&payment).await, PaymentState::Succeeded);
            assert_eq!((town.balance().await, town.taken().await), (1000, 1000));
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_that_the_bank_never_heard_of_is_not_made_a_day_later() {
    on_card("pm_card_visa", async |town, payment| {
        town.clock.fetch_add(23 * 60 * 60 * 1000, Ordering::SeqCst);
        assert_eq!(town.ask_many_times(&payment).await, PaymentState::Declined);
        town.assert_failed(&payment, "bank_unreachable").await;
        assert_eq!(town.taken().await, 0);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn test_mode_does_not_reach_the_configured_bank() {
    let configured = stripe_away();
    on_each_database(async |db| {
        for (mode, expected) in [(Mode::Test, PaymentState::Succeeded), (Mode::Live, PaymentState::Pending)] {
            let mut town = Town::new(&db, mode, "pm_card_visa").await;
            town.banks = configured.clone();
            let payment = town.refused_start().await.unwrap();
            assert_eq!(town.ask(&payment).await, expected);
            town.check_books().await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_its_owner_confirms_days_later_is_credited_also_when_the_banks_word_is_lost() {
    on_card("pm_card_authenticationRequired", async |town, payment| {
        assert_eq!(town.ask(&payment).await, PaymentState::NeedsAction);
        let known = payments::find(&town.db, &town.tenant, &payment.id).await.unwrap().unwrap();
        let reconciliation = activities::DailyReconciliation::new(town.db.clone(), town.banks.clone());
        let day = 24 * 60 * 60 * 1000;
        town.clock.fetch_add(9 * day, Ordering::SeqCst);
        assert_eq!(
            reconciliation.run_once(town.now()).await.unwrap().expect("a report").credited,
            Vec::<String>::new()
        );
        assert!(town.bank.confirm(known.reference.as_deref().unwrap(), true).await.unwrap());
        town.clock.fetch_add(day, Ordering::SeqCst);
        let report = reconciliation.run_once(town.now()).await.unwrap().expect("a report");
        assert_eq!((report.credited, report.defects), (vec![payment.id.to_string()], vec![]));
        assert_eq!((town.balance().await, town.taken().await), (1000, 1000));
        town.clock.fetch_add(day, Ordering::SeqCst);
        let report = reconciliation.run_once(town.now()).await.unwrap().expect("a report");
        assert_eq!((report.credited, report.defects), (vec![], vec![]), "once is enough");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_daily_comparison_credits_what_was_missed_and_names_what_does_not_agree() {
    on_card("pm_card_visa", async |town, payment| {
        let compare = async || {
            let before = NOON.minus(Duration::from_secs(3600));
            activities::reconcile_bank(&town.db, &town.banks, Mode::Live, before, town.now()).await.unwrap()
        };
        assert_eq!(compare().await, activities::BankReport::default());
        // The bank is paid, and every word of it is lost.
        let request = outbound::payments::PaymentRequest {
            idempotency_key: payment.id.to_string(),
            account: payment.account_id.0.clone(),
            customer: payment.customer.clone(),
            payment_method: payment.method.clone(),
            amount_cents: payment.amount_cents,
            off_session: true,
        };
        town.bank.create_payment(&request).await.unwrap();
        let report = compare().await;
        assert_eq!((report.payments, report.taken_cents), (1, 1000));
        assert_eq!((report.credited, report.defects), (vec![payment.id.to_string()], vec![]));
        assert_eq!(town.balance().await, 1000);
        let report = compare().await;
        assert_eq!((report.credited, report.defects), (vec![], vec![]), "once is enough");
        assert_eq!(town.balance().await, 1000);

        // The reconciliation makes one report a day.
        let reconciliation = activities::DailyReconciliation::new(town.db.clone(), town.banks.clone());
        let made = reconciliation.run_once(town.now()).await.unwrap().expect("the day's report");
        assert_eq!((made.payments, made.given_back.len()), (1, 0));
        assert_eq!(reconciliation.run_once(town.now()).await.unwrap(), None);
        let paid = payments::find(&town.db, &town.tenant, &payment.id).await.unwrap().unwrap();
        assert!(town.bank.refund(paid.reference.as_deref().unwrap()).await.unwrap());
        town.clock.fetch_add(24 * 60 * 60 * 1000, Ordering::SeqCst);
        let made = reconciliation.run_once(town.now()).await.unwrap().expect("the next day's report");
        assert_eq!(made.given_back, vec![payment.id.to_string()]);
        let noted = payments::find(&town.db, &town.tenant, &payment.id).await.unwrap().unwrap();
        assert_eq!(noted.refunded_cents, 1000);
        let kept = entities::bank_reports::newest(&town.db, 10).await.unwrap();
        assert_eq!(kept.len(), 2);
        assert_eq!(kept[0].report.0, serde_json::json!(made), "newest first");

        // Something at the bank that nobody here knows, and something here that the bank does not.
        let stranger = domain::PaymentId::new().to_string();
        let unknown = outbound::payments::PaymentRequest { idempotency_key: stranger.clone(), ..request };
        town.bank.create_payment(&unknown).await.unwrap();
        let new = ledger::NewTopUp {
            tenant: town.tenant.clone(),
            amount_cents: 700,
            idempotency_key: "top-up-1".into(),
            asked_by: "operator".into(),
        };
        let ledger::TopUp::New(ours) = ledger::begin_top_up(&town.db, &new, town.now()).await.unwrap() else {
            panic!("it is new")
        };
        let claimed = PaymentVerdict::Succeeded { reference: "pi_none".into() };
        ledger::settle(&town.db, &ours.id, &claimed, town.now()).await.unwrap();
        let defects = compare().await.defects;
        assert_eq!(defects.len(), 2, "{defects:?}");
        assert!(defects.iter().any(|d| d.contains(&stranger)));
        assert!(defects.iter().any(|d| d.contains(ours.id.as_str())));
    })
    .await;
}
