//! Payments with each card of the simulated bank, requested by the activity.

use std::{sync::atomic::Ordering, time::Duration};

use domain::{
    Mode,
    payment::{PaymentState, PaymentVerdict},
};
use entities::{
    payments,
    testing::{NOON, on_each_database},
};
use outbound::payments::{NotificationKind, PaymentProvider};

use crate::payment_fixture::{PaymentFixture, on_card, unreachable_stripe};

#[tokio::test(flavor = "multi_thread")]
async fn good_card_pays_once() {
    on_card("pm_card_visa", async |fixture, payment| {
        assert_eq!(fixture.process_concurrently(&payment).await, PaymentState::Succeeded);
        assert_eq!((fixture.balance().await, fixture.charged_by_bank().await), (1000, 1000));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn declined_card_turns_automatic_top_ups_off() {
    for (card, reason) in [
        ("pm_card_visa_chargeDeclined", "generic_decline"),
        ("pm_card_visa_chargeDeclinedInsufficientFunds", "insufficient_funds"),
        ("pm_card_chargeDeclinedExpiredCard", "expired_card"),
    ] {
        on_card(card, async |fixture, payment| {
            assert_eq!(fixture.process_concurrently(&payment).await, PaymentState::Declined);
            assert_eq!((fixture.balance().await, fixture.charged_by_bank().await), (0, 0));
            fixture.assert_failed(&payment, reason).await;
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn card_that_requires_authentication_turns_top_ups_off_and_can_be_confirmed() {
    on_card("pm_card_authenticationRequired", async |fixture, payment| {
        assert_eq!(fixture.process_concurrently(&payment).await, PaymentState::NeedsAction);
        fixture.assert_failed(&payment, "authentication_required").await;
        let known = payments::find(&fixture.db, &fixture.tenant, &payment.id).await.unwrap().unwrap();
        let reference = known.reference.unwrap();
        assert!(fixture.bank.confirm(&reference, true).await.unwrap());
        receive_notifications(fixture).await;
        assert_eq!((fixture.balance().await, fixture.charged_by_bank().await), (1000, 1000));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_payment_is_polled_until_decided() {
    for card in ["pm_sim_slow", "pm_sim_silent_then_success"] {
        on_card(card, async |fixture, payment| {
            assert_eq!(fixture.process_concurrently(&payment).await, PaymentState::Pending);
            let in_flight = fixture.refused_start().await;
            assert_eq!(in_flight.unwrap().id, payment.id, "only one top-up is in flight");
            assert_eq!(fixture.balance().await, 0);
            fixture.wait_for_the_bank();
            assert_eq!(fixture.process_concurrently(&payment).await, PaymentState::Succeeded);
            assert_eq!((fixture.balance().await, fixture.charged_by_bank().await), (1000, 1000));
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn late_decline_turns_automatic_top_ups_off() {
    on_card("pm_sim_silent_then_decline", async |fixture, payment| {
        assert_eq!(fixture.process(&payment).await, PaymentState::Pending);
        fixture.wait_for_the_bank();
        assert_eq!(fixture.process_concurrently(&payment).await, PaymentState::Declined);
        fixture.assert_failed(&payment, "generic_decline").await;
        assert_eq!(fixture.charged_by_bank().await, 0);
    })
    .await;
}

/// Settles with all due notifications, as the webhook endpoint does, and returns their number.
async fn receive_notifications(fixture: &PaymentFixture) -> usize {
    let due = fixture.bank.due().await.unwrap();
    for delivery in &due {
        let read = fixture.bank.parse_notification(&delivery.headers, &delivery.body, fixture.now()).unwrap();
        if let NotificationKind::Payment(paid) = read.kind {
            let id = paid.idempotency_key.unwrap().parse().unwrap();
            ledger::settle(&fixture.db, &id, &paid.result.verdict(), fixture.now()).await.unwrap();
        }
        fixture.bank.acknowledge(delivery).await.unwrap();
    }
    due.len()
}

#[tokio::test(flavor = "multi_thread")]
async fn repeated_or_reordered_notifications_count_once() {
    for (card, min_count) in [("pm_sim_duplicate_notifications", 5), ("pm_sim_reordered_notifications", 2)] {
        on_card(card, async |fixture, payment| {
            // The response to the first request is lost. The notifications arrive before the second
            // request.
            let bank = fixture.banks.of(Mode::Live);
            let request = outbound::payments::PaymentRequest {
                idempotency_key: payment.id.to_string(),
                account: payment.account_id.0.clone(),
                customer: payment.customer.clone(),
                payment_method: payment.method.clone(),
                amount_cents: payment.amount_cents,
                off_session: true,
            };
            bank.create_payment(&request).await.unwrap();
            assert!(receive_notifications(fixture).await >= min_count);
            assert_eq!(fixture.balance().await, 1000);
            assert_eq!(fixture.process_concurrently(&payment).await, PaymentState::Succeeded);
            assert_eq!((fixture.balance().await, fixture.charged_by_bank().await), (1000, 1000));
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn payment_unknown_to_the_bank_is_not_created_a_day_later() {
    on_card("pm_card_visa", async |fixture, payment| {
        fixture.clock.fetch_add(23 * 60 * 60 * 1000, Ordering::SeqCst);
        assert_eq!(fixture.process_concurrently(&payment).await, PaymentState::Declined);
        fixture.assert_failed(&payment, "bank_unreachable").await;
        assert_eq!(fixture.charged_by_bank().await, 0);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn test_mode_never_reaches_the_configured_bank() {
    let configured = unreachable_stripe();
    on_each_database(async |db| {
        for (mode, expected) in [(Mode::Test, PaymentState::Succeeded), (Mode::Live, PaymentState::Pending)] {
            let mut fixture = PaymentFixture::new(&db, mode, "pm_card_visa").await;
            fixture.banks = configured.clone();
            let payment = fixture.refused_start().await.unwrap();
            assert_eq!(fixture.process(&payment).await, expected);
            fixture.assert_ledger_balances().await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn late_confirmation_is_credited_without_a_notification() {
    on_card("pm_card_authenticationRequired", async |fixture, payment| {
        assert_eq!(fixture.process(&payment).await, PaymentState::NeedsAction);
        let known = payments::find(&fixture.db, &fixture.tenant, &payment.id).await.unwrap().unwrap();
        let reconciliation = activities::DailyReconciliation::new(fixture.db.clone(), fixture.banks.clone());
        let day = 24 * 60 * 60 * 1000;
        fixture.clock.fetch_add(9 * day, Ordering::SeqCst);
        assert_eq!(
            reconciliation.run_once(fixture.now()).await.unwrap().expect("a report").credited,
            Vec::<String>::new()
        );
        assert!(fixture.bank.confirm(known.reference.as_deref().unwrap(), true).await.unwrap());
        fixture.clock.fetch_add(day, Ordering::SeqCst);
        let report = reconciliation.run_once(fixture.now()).await.unwrap().expect("a report");
        assert_eq!((report.credited, report.defects), (vec![payment.id.to_string()], vec![]));
        assert_eq!((fixture.balance().await, fixture.charged_by_bank().await), (1000, 1000));
        fixture.clock.fetch_add(day, Ordering::SeqCst);
        let report = reconciliation.run_once(fixture.now()).await.unwrap().expect("a report");
        assert_eq!((report.credited, report.defects), (vec![], vec![]), "credited once");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn daily_reconciliation_credits_missed_payments_and_reports_differences() {
    on_card("pm_card_visa", async |fixture, payment| {
        let compare = async || {
            let before = NOON.minus(Duration::from_secs(3600));
            activities::reconcile_bank(&fixture.db, &fixture.banks, Mode::Live, before, fixture.now())
                .await
                .unwrap()
        };
        assert_eq!(compare().await, activities::BankReport::default());
        // The payment succeeds, and every response and notification is lost.
        let request = outbound::payments::PaymentRequest {
            idempotency_key: payment.id.to_string(),
            account: payment.account_id.0.clone(),
            customer: payment.customer.clone(),
            payment_method: payment.method.clone(),
            amount_cents: payment.amount_cents,
            off_session: true,
        };
        fixture.bank.create_payment(&request).await.unwrap();
        // An inspection reports the payment and credits nothing.
        let before = NOON.minus(Duration::from_secs(3600));
        let inspected =
            activities::inspect_bank(&fixture.db, &fixture.banks, Mode::Live, before, fixture.now()).await;
        assert_eq!(inspected.unwrap().credited, [payment.id.to_string()]);
        assert_eq!(fixture.balance().await, 0);
        let report = compare().await;
        assert_eq!((report.payments, report.taken_cents), (1, 1000));
        assert_eq!((report.credited, report.defects), (vec![payment.id.to_string()], vec![]));
        assert_eq!(fixture.balance().await, 1000);
        let report = compare().await;
        assert_eq!((report.credited, report.defects), (vec![], vec![]), "credited once");
        assert_eq!(fixture.balance().await, 1000);

        // There is one report a day.
        let reconciliation = activities::DailyReconciliation::new(fixture.db.clone(), fixture.banks.clone());
        let report = reconciliation.run_once(fixture.now()).await.unwrap().expect("the day's report");
        assert_eq!((report.payments, report.given_back.len()), (1, 0));
        assert_eq!(reconciliation.run_once(fixture.now()).await.unwrap(), None);
        let paid = payments::find(&fixture.db, &fixture.tenant, &payment.id).await.unwrap().unwrap();
        assert!(fixture.bank.refund(paid.reference.as_deref().unwrap()).await.unwrap());
        fixture.clock.fetch_add(24 * 60 * 60 * 1000, Ordering::SeqCst);
        let report = reconciliation.run_once(fixture.now()).await.unwrap().expect("the next day's report");
        assert_eq!(report.given_back, vec![payment.id.to_string()]);
        let refunded = payments::find(&fixture.db, &fixture.tenant, &payment.id).await.unwrap().unwrap();
        assert_eq!(refunded.refunded_cents, 1000);
        let reports = entities::bank_reports::newest(&fixture.db, 10).await.unwrap();
        assert_eq!(reports.len(), 2);
        assert_eq!(reports[0].report.0, serde_json::json!(report), "newest first");

        // A payment that exists only at the bank, and a payment that exists only here.
        let unknown_id = domain::PaymentId::new().to_string();
        let unknown = outbound::payments::PaymentRequest { idempotency_key: unknown_id.clone(), ..request };
        fixture.bank.create_payment(&unknown).await.unwrap();
        let new = ledger::NewTopUp {
            tenant: fixture.tenant.clone(),
            amount_cents: 700,
            idempotency_key: "top-up-1".into(),
            requested_by: "operator".into(),
        };
        let ledger::TopUp::New(ours) = ledger::begin_top_up(&fixture.db, &new, fixture.now()).await.unwrap()
        else {
            panic!("new payment")
        };
        let succeeded = PaymentVerdict::Succeeded { reference: "pi_none".into() };
        ledger::settle(&fixture.db, &ours.id, &succeeded, fixture.now()).await.unwrap();
        let defects = compare().await.defects;
        assert_eq!(defects.len(), 2, "{defects:?}");
        assert!(defects.iter().any(|d| d.contains(&unknown_id)));
        assert!(defects.iter().any(|d| d.contains(ours.id.as_str())));
    })
    .await;
}
