//! Automatic top-ups against the simulated bank: each of its cards, asked as the activity asks.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use domain::{
    Mode, Timestamp,
    event::EventType,
    mode::Tenant,
    page::PageRequest,
    payment::{PaymentState, PaymentVerdict},
    scan::StartOutcome,
};
use entities::{
    Db, PaymentRow, events,
    outbox::{self, Kind},
    payment_methods::{self, NewMethod},
    payments,
    testing::{self, NOON, on_each_database, video_input},
    wallets::{self, AutoRecharge},
};
use futures::future::join_all;
use ledger::StartRequest;
use outbound::payments::{
    Banks, NotificationKind, PaymentSettings, Payments, Provider, SimulatedSettings, StripeSettings,
    simulated::Bank,
};

const SETTLE_SECONDS: u64 = 60;

/// An account whose live wallet is empty and tops itself up, and a bank whose clock the test moves.
struct Town {
    db: Db,
    tenant: Tenant,
    bank: Bank,
    banks: Banks,
    clock: Arc<AtomicI64>,
}

impl Town {
    async fn new(db: &Db, mode: Mode, card: &str) -> Self {
        let account_id = testing::account(db).await.account_id;
        let tenant = Tenant { account_id, mode };
        let opened =
            db.write(async |txn| ledger::open_wallets(&txn, &tenant.account_id, 0, NOON).await).await;
        opened.unwrap();
        let clock = Arc::new(AtomicI64::new(NOON.as_millis()));
        let time = clock.clone();
        let settings = SimulatedSettings { settle_seconds: SETTLE_SECONDS, ..SimulatedSettings::default() };
        let bank = Bank::open(&settings)
            .unwrap()
            .with_clock(Arc::new(move || Timestamp::from_millis(time.load(Ordering::SeqCst))));
        let banks = Banks::new(Arc::new(bank.clone()), Bank::open(&settings).unwrap());
        let town = Self { db: db.clone(), tenant, bank, banks, clock };
        town.set_up(card).await;
        town
    }

    async fn set_up(&self, card: &str) {
        let bank = self.banks.of(self.tenant.mode);
        let customer = bank.create_customer(&self.tenant.account_id, "owner@example.com").await.unwrap();
        let saved = bank.save_method(&customer, card).await.unwrap();
        let method = NewMethod { customer, method: saved.reference, brand: saved.brand, last4: saved.last4 };
        let auto =
            AutoRecharge { enabled: true, threshold_cents: 0, amount_cents: 1000, daily_limit_cents: 5000 };
        let set: entities::Result<bool> = self
            .db
            .write(async |txn| {
                payment_methods::set(&txn, &self.tenant, &method, NOON).await?;
                wallets::set_auto_recharge(&txn, &self.tenant, Some(auto.clone())).await
            })
            .await;
        assert!(set.unwrap());
    }

    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.clock.load(Ordering::SeqCst))
    }

    fn wait_for_the_bank(&self) {
        self.clock.fetch_add(SETTLE_SECONDS as i64 * 1000, Ordering::SeqCst);
    }

    /// A start that the wallet cannot pay, and the top-up that it calls for.
    async fn refused_start(&self) -> Option<PaymentRow> {
        let space = testing::space(&self.db, &self.tenant).await;
        let scan = testing::scan(&self.db, &self.tenant, &space.id, video_input()).await;
        testing::upload_all(&self.db, &scan).await;
        let request = StartRequest {
            scan_id: scan.id.0,
            key_id: None,
            now: NOON,
            prices: Default::default(),
            max_in_progress: 3,
        };
        let outcome = ledger::start_scan(&self.db, &request).await.unwrap();
        assert_eq!(outcome, StartOutcome::InsufficientFunds { balance_cents: 0, price_cents: 150 });
        payments::recharge_in_flight(&self.db, &self.tenant).await.unwrap()
    }

    async fn ask(&self, payment: &PaymentRow) -> PaymentState {
        activities::pay(&self.db, &self.banks, &payment.id, self.now()).await.unwrap()
    }

    /// Asked by several workers at once, and again.
    async fn ask_many_times(&self, payment: &PaymentRow) -> PaymentState {
        let answers = join_all((0..6).map(|_| self.ask(payment))).await;
        assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
        self.ask(payment).await
    }

    async fn balance(&self) -> i64 {
        wallets::find(&self.db, &self.tenant).await.unwrap().unwrap().balance_cents
    }

    /// What the bank has taken in all.
    async fn taken(&self) -> i64 {
        let page = self.bank.list(NOON, None).await.unwrap();
        let paid =
            |p: &&outbound::payments::Payment| matches!(p.result.verdict(), PaymentVerdict::Succeeded { .. });
        page.payments.iter().filter(paid).map(|p| p.amount_cents).sum()
    }

    async fn assert_failed(&self, payment: &PaymentRow, reason: &str) {
        let wallet = wallets::find(&self.db, &self.tenant).await.unwrap().unwrap();
        assert!(!wallet.auto_recharge.unwrap().enabled);
        let told = events::list(&self.db, &self.tenant, None, &PageRequest::default()).await.unwrap().rows;
        let [event] = &told[..] else { panic!("{told:#?}") };
        assert_eq!(event.event_type.0, EventType::WalletAutoRechargeFailed);
        let body: serde_json::Value = serde_json::from_str(&event.body).unwrap();
        let data = serde_json::json!({
            "reason": reason, "amount_cents": 1000, "auto_recharge_enabled": false,
        });
        assert_eq!(body["data"], data);
        assert!(outbox::is_pending(&self.db, Kind::RechargeMail, payment.id.as_str()).await.unwrap());
        assert_eq!(self.refused_start().await, None, "it is off");
    }

    async fn check_books(&self) {
        assert_eq!(ledger::verify(&self.db).await.unwrap().defects, Vec::<String>::new());
    }
}

async fn on_card(card: &str, test: impl AsyncFn(&Town, PaymentRow)) {
    on_each_database(async |db| {
        let town = Town::new(&db, Mode::Live, card).await;
        let payment = town.refused_start().await.expect("a top-up is called for");
        test(&town, payment).await;
        town.check_books().await;
    })
    .await;
}

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
    let stripe = StripeSettings {
        secret_key: domain::Secret::new("sk_live_x"),
        webhook_secrets: vec![domain::Secret::new("whsec_x")],
        // Nobody listens there: whoever calls it gets no answer.
        base_url: "http://127.0.0.1:9".into(),
        ..StripeSettings::default()
    };
    let settings = PaymentSettings { provider: Provider::Stripe, stripe, ..PaymentSettings::default() };
    let _ = rustls::crypto::ring::default_provider().install_default();
    let configured = Banks::open(&settings).unwrap();
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

        // The clerk makes one report a day.
        let clerk = activities::BankClerk::new(town.db.clone(), town.banks.clone());
        let made = clerk.once(town.now()).await.unwrap().expect("the day's report");
        assert_eq!((made.payments, made.given_back.len()), (1, 0));
        assert_eq!(clerk.once(town.now()).await.unwrap(), None);
        let paid = payments::find(&town.db, &town.tenant, &payment.id).await.unwrap().unwrap();
        assert!(town.bank.refund(paid.reference.as_deref().unwrap()).await.unwrap());
        town.clock.fetch_add(24 * 60 * 60 * 1000, Ordering::SeqCst);
        let made = clerk.once(town.now()).await.unwrap().expect("the next day's report");
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
