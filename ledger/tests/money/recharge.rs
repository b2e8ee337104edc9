//! Tests of automatic top-ups: created once, credited once, and turned off by the first failure.

use std::time::Duration;

use domain::{
    PaymentId, Timestamp,
    event::EventType,
    page::PageRequest,
    payment::{PaymentKind, PaymentState, PaymentVerdict},
    scan::StartOutcome,
};
use entities::{
    Db, PaymentRow, events,
    outbox::{self, Kind},
    payment_methods::{self, NewMethod},
    payments,
    testing::NOON,
    wallets::{self, AutoRecharge},
};
use ledger::{NewTopUp, StartRequest, TopUp};
use tokio::task::JoinSet;

use crate::fixture::{Owner, VIDEO, on_each_database};

const DEFAULT: AutoRecharge =
    AutoRecharge { enabled: true, threshold_cents: 0, amount_cents: 1000, daily_limit_cents: 2500 };

async fn owner(db: &Db, cents: i64, auto: AutoRecharge) -> Owner {
    let owner = Owner::new(db, cents, 0).await;
    let method =
        NewMethod { customer: "cus".into(), method: "pm".into(), brand: "visa".into(), last4: "4242".into() };
    db.write(async |txn| payment_methods::set(&txn, &owner.tenant, &method, NOON).await).await.unwrap();
    let set =
        db.write(async |txn| wallets::set_auto_recharge(&txn, &owner.tenant, Some(auto.clone())).await).await;
    assert!(set.unwrap());
    owner
}

async fn in_flight(owner: &Owner) -> Option<PaymentRow> {
    payments::recharge_in_flight(&owner.db, &owner.tenant).await.unwrap()
}

async fn all(owner: &Owner) -> Vec<PaymentRow> {
    payments::list(&owner.db, &owner.tenant, &PageRequest::default()).await.unwrap().rows
}

fn paid() -> PaymentVerdict {
    PaymentVerdict::Succeeded { reference: format!("pi_{}", PaymentId::new()) }
}

fn declined() -> PaymentVerdict {
    PaymentVerdict::Declined { reference: None, reason: "insufficient_funds".into() }
}

async fn settle(owner: &Owner, payment: &PaymentRow, verdict: &PaymentVerdict) -> ledger::Settled {
    ledger::settle(&owner.db, &payment.id, verdict, NOON).await.unwrap().unwrap()
}

async fn assert_start_refused(owner: &Owner, now: Timestamp) {
    let request = StartRequest { now, ..owner.request(&owner.ready_video().await, None) };
    let outcome = ledger::start_scan(&owner.db, &request).await.unwrap();
    assert!(matches!(outcome, StartOutcome::InsufficientFunds { .. }), "{outcome:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_refused_starts_create_one_top_up() {
    on_each_database(async |db| {
        let owner = owner(&db, VIDEO - 1, DEFAULT).await;
        let mut starts = JoinSet::new();
        for _ in 0..20 {
            let request = owner.request(&owner.ready_video().await, None);
            let db = db.clone();
            starts.spawn(async move { ledger::start_scan(&db, &request).await.unwrap() });
        }
        let refusal = StartOutcome::InsufficientFunds { balance_cents: VIDEO - 1, price_cents: VIDEO };
        assert!(starts.join_all().await.iter().all(|outcome| *outcome == refusal));
        let payments = all(&owner).await;
        let [payment] = &payments[..] else { panic!("{payments:#?}") };
        assert_eq!((payment.kind.0, payment.state.0), (PaymentKind::AutoRecharge, PaymentState::Pending));
        assert_eq!(payment.amount_cents, 1000);
        assert!(outbox::is_pending(&db, Kind::Payment, payment.id.as_str()).await.unwrap());

        let (verdict, mut reports) = (paid(), JoinSet::new());
        for _ in 0..10 {
            let (db, id, verdict) = (db.clone(), payment.id.0.clone(), verdict.clone());
            reports.spawn(async move { ledger::settle(&db, &id, &verdict, NOON).await.unwrap().unwrap() });
        }
        let reports = reports.join_all().await;
        assert_eq!(reports.iter().filter(|settled| settled.credited).count(), 1);
        assert!(reports.iter().all(|settled| settled.payment.state.0 == PaymentState::Succeeded));
        assert_eq!(owner.money().await, (VIDEO - 1 + 1000, 0));
        assert!(!outbox::is_pending(&db, Kind::Payment, payment.id.as_str()).await.unwrap());
        let scan = owner.ready_video().await;
        assert!(matches!(owner.start(&scan).await, StartOutcome::Started { .. }));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn top_up_covers_a_gap_above_its_usual_amount() {
    on_each_database(async |db| {
        let owner = owner(&db, 20, AutoRecharge { amount_cents: 60, ..DEFAULT }).await;
        assert_start_refused(&owner, NOON).await;
        assert_eq!(in_flight(&owner).await.unwrap().amount_cents, VIDEO - 20);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn decline_turns_automatic_top_up_off_and_late_success_is_credited_once() {
    on_each_database(async |db| {
        let owner = owner(&db, 0, DEFAULT).await;
        assert_start_refused(&owner, NOON).await;
        let payment = in_flight(&owner).await.unwrap();
        for _ in 0..3 {
            let settled = settle(&owner, &payment, &declined()).await;
            assert_eq!(settled.payment.state.0, PaymentState::Declined);
            assert_eq!(settled.payment.reason.as_deref(), Some("insufficient_funds"));
        }
        assert!(!owner.wallet().await.auto_recharge.unwrap().enabled);
        let recorded_events =
            events::list(&db, &owner.tenant, None, &PageRequest::default()).await.unwrap().rows;
        let [event] = &recorded_events[..] else { panic!("{recorded_events:#?}") };
        assert_eq!(event.event_type.0, EventType::WalletAutoRechargeFailed);
        let body: serde_json::Value = serde_json::from_str(&event.body).unwrap();
        let data = serde_json::json!({
            "reason": "insufficient_funds", "amount_cents": 1000, "auto_recharge_enabled": false,
        });
        assert_eq!(body["data"], data);
        assert!(outbox::is_pending(&db, Kind::Event, event.id.as_str()).await.unwrap());
        assert!(outbox::is_pending(&db, Kind::RechargeMail, payment.id.as_str()).await.unwrap());
        assert_start_refused(&owner, NOON).await;
        assert_eq!(in_flight(&owner).await, None, "it is off");

        let late = paid();
        assert!(settle(&owner, &payment, &late).await.credited);
        assert!(!settle(&owner, &payment, &late).await.credited);
        // Outdated reports change nothing.
        for old in [declined(), PaymentVerdict::NeedsAction { reference: "pi".into() }, PaymentVerdict::Open]
        {
            let settled = settle(&owner, &payment, &old).await;
            assert_eq!(settled.payment.state.0, PaymentState::Succeeded);
        }
        assert_eq!(owner.money().await, (1000, 0));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn top_up_that_needs_action_counts_as_failed() {
    on_each_database(async |db| {
        let owner = owner(&db, 0, DEFAULT).await;
        assert_start_refused(&owner, NOON).await;
        let payment = in_flight(&owner).await.unwrap();
        let needs_action = PaymentVerdict::NeedsAction { reference: "pi_1".into() };
        assert_eq!(settle(&owner, &payment, &needs_action).await.payment.state.0, PaymentState::NeedsAction);
        assert!(!owner.wallet().await.auto_recharge.unwrap().enabled);
        // A missing confirmation afterwards is not a second failure.
        settle(&owner, &payment, &declined()).await;
        let recorded_events =
            events::list(&db, &owner.tenant, None, &PageRequest::default()).await.unwrap().rows;
        assert_eq!(recorded_events.len(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn daily_limit_blocks_further_top_ups() {
    on_each_database(async |db| {
        let owner =
            owner(&db, 0, AutoRecharge { amount_cents: 100, daily_limit_cents: 2 * VIDEO, ..DEFAULT }).await;
        for payments in [1, 2, 2] {
            assert_start_refused(&owner, NOON).await;
            if let Some(payment) = in_flight(&owner).await {
                settle(&owner, &payment, &paid()).await;
                let scan = owner.ready_video().await;
                assert!(matches!(owner.start(&scan).await, StartOutcome::Started { .. }));
            }
            assert_eq!(all(&owner).await.len(), payments);
        }
        // The fixture's scans are created at noon and can be started for a day.
        let tomorrow = NOON.plus(Duration::from_secs(24 * 60 * 60 - 1));
        assert_start_refused(&owner, tomorrow).await;
        assert_eq!(all(&owner).await.len(), 2, "a second less than a day later");
        assert_eq!(payments::recharged_since(&db, &owner.tenant, NOON).await.unwrap(), 0, "after a day");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn charge_below_threshold_creates_a_top_up() {
    on_each_database(async |db| {
        let owner = owner(&db, 3 * VIDEO, AutoRecharge { threshold_cents: 2 * VIDEO, ..DEFAULT }).await;
        let scan = owner.ready_video().await;
        owner.start(&scan).await;
        assert_eq!(in_flight(&owner).await, None, "exactly the threshold is left");
        let scan = owner.ready_video().await;
        owner.start(&scan).await;
        assert_eq!(in_flight(&owner).await.unwrap().amount_cents, 1000);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn charges_nothing_without_automatic_top_up() {
    on_each_database(async |db| {
        let off = owner(&db, 0, AutoRecharge { enabled: false, ..DEFAULT }).await;
        assert_start_refused(&off, NOON).await;
        assert_eq!(all(&off).await, []);
        let without_method = Owner::new(&db, 0, 0).await;
        db.write(async |txn| wallets::set_auto_recharge(&txn, &without_method.tenant, Some(DEFAULT)).await)
            .await
            .unwrap();
        assert_start_refused(&without_method, NOON).await;
        assert_eq!(all(&without_method).await, []);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn top_up_is_idempotent_by_key() {
    on_each_database(async |db| {
        let owner = owner(&db, 0, DEFAULT).await;
        let top_up = |amount_cents, key: &str| NewTopUp {
            tenant: owner.tenant.clone(),
            amount_cents,
            idempotency_key: key.into(),
            requested_by: "operator".into(),
        };
        let mut requests = JoinSet::new();
        for _ in 0..10 {
            let (db, new) = (db.clone(), top_up(500, "top-up-1"));
            requests.spawn(async move { ledger::begin_top_up(&db, &new, NOON).await.unwrap() });
        }
        let outcomes = requests.join_all().await;
        assert_eq!(outcomes.iter().filter(|outcome| matches!(outcome, TopUp::New(_))).count(), 1);
        assert_eq!(outcomes.iter().filter(|outcome| matches!(outcome, TopUp::Known(_))).count(), 9);
        let other = ledger::begin_top_up(&db, &top_up(501, "top-up-1"), NOON).await.unwrap();
        assert_eq!(other, TopUp::KeyReused);
        let payments = all(&owner).await;
        assert_eq!(payments.len(), 1);
        // A declined requested top-up does not turn off automatic top-up.
        settle(&owner, &payments[0], &declined()).await;
        assert!(owner.wallet().await.auto_recharge.unwrap().enabled);
        assert!(ledger::begin_top_up(&db, &top_up(0, "top-up-2"), NOON).await.is_err());
        let without_method = Owner::new(&db, 0, 0).await;
        let new = NewTopUp { tenant: without_method.tenant.clone(), ..top_up(500, "top-up-1") };
        assert_eq!(ledger::begin_top_up(&db, &new, NOON).await.unwrap(), TopUp::NoPaymentMethod);
    })
    .await;
}
