//! An account and a simulated bank with a clock that the test controls.

use std::sync::{
    Arc,
    atomic::{AtomicI64, Ordering},
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
    PaymentProvider, PaymentProviders, PaymentSettings, ProviderKind, SimulatedSettings, StripeSettings,
    simulated::Bank,
};

const SETTLE_SECONDS: u64 = 60;

/// An account with an empty wallet and automatic top-ups, and a bank with a clock that the test
/// controls.
pub(crate) struct PaymentFixture {
    pub(crate) db: Db,
    pub(crate) tenant: Tenant,
    pub(crate) bank: Bank,
    pub(crate) banks: PaymentProviders,
    pub(crate) clock: Arc<AtomicI64>,
}

impl PaymentFixture {
    pub(crate) async fn new(db: &Db, mode: Mode, card: &str) -> Self {
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
        let banks = PaymentProviders::new(Arc::new(bank.clone()), Bank::open(&settings).unwrap());
        let fixture = Self { db: db.clone(), tenant, bank, banks, clock };
        fixture.set_up(card).await;
        fixture
    }

    pub(crate) async fn set_up(&self, card: &str) {
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

    pub(crate) fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.clock.load(Ordering::SeqCst))
    }

    pub(crate) fn wait_for_the_bank(&self) {
        self.clock.fetch_add(SETTLE_SECONDS as i64 * 1000, Ordering::SeqCst);
    }

    /// Starts a scan that the wallet cannot pay and returns the top-up that this creates.
    pub(crate) async fn refused_start(&self) -> Option<PaymentRow> {
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

    pub(crate) async fn process(&self, payment: &PaymentRow) -> PaymentState {
        activities::pay(&self.db, &self.banks, &payment.id, self.now()).await.unwrap()
    }

    /// Processes the payment by several workers concurrently, and once more.
    pub(crate) async fn process_concurrently(&self, payment: &PaymentRow) -> PaymentState {
        let states = join_all((0..6).map(|_| self.process(payment))).await;
        assert!(states.iter().all(|state| *state == states[0]), "{states:?}");
        self.process(payment).await
    }

    pub(crate) async fn balance(&self) -> i64 {
        wallets::find(&self.db, &self.tenant).await.unwrap().unwrap().balance_cents
    }

    /// Returns the total amount that the bank has charged.
    pub(crate) async fn charged_by_bank(&self) -> i64 {
        let page = self.bank.list(NOON, None).await.unwrap();
        let paid =
            |p: &&outbound::payments::Payment| matches!(p.result.verdict(), PaymentVerdict::Succeeded { .. });
        page.payments.iter().filter(paid).map(|p| p.amount_cents).sum()
    }

    /// Asserts that the failed top-up turned automatic top-ups off, with an event and a mail.
    pub(crate) async fn assert_failed(&self, payment: &PaymentRow, reason: &str) {
        let wallet = wallets::find(&self.db, &self.tenant).await.unwrap().unwrap();
        assert!(!wallet.auto_recharge.unwrap().enabled);
        let published =
            events::list(&self.db, &self.tenant, None, &PageRequest::default()).await.unwrap().rows;
        let [event] = &published[..] else { panic!("{published:#?}") };
        assert_eq!(event.event_type.0, EventType::WalletAutoRechargeFailed);
        let body: serde_json::Value = serde_json::from_str(&event.body).unwrap();
        let data = serde_json::json!({
            "reason": reason, "amount_cents": 1000, "auto_recharge_enabled": false,
        });
        assert_eq!(body["data"], data);
        assert!(outbox::is_pending(&self.db, Kind::RechargeMail, payment.id.as_str()).await.unwrap());
        assert_eq!(self.refused_start().await, None, "automatic top-ups are off");
    }

    pub(crate) async fn assert_ledger_balances(&self) {
        assert_eq!(ledger::verify(&self.db).await.unwrap().defects, Vec::<String>::new());
    }
}

/// Runs a test on each database with a pending automatic top-up from this card. Verifies the ledger
/// at the end.
pub(crate) async fn on_card(card: &str, test: impl AsyncFn(&PaymentFixture, PaymentRow)) {
    on_each_database(async |db| {
        let fixture = PaymentFixture::new(&db, Mode::Live, card).await;
        let payment = fixture.refused_start().await.expect("a top-up is created");
        test(&fixture, payment).await;
        fixture.assert_ledger_balances().await;
    })
    .await;
}

/// Returns providers with a Stripe that is unreachable.
pub(crate) fn unreachable_stripe() -> PaymentProviders {
    let stripe = StripeSettings {
        secret_key: domain::Secret::new("sk_test_x"),
        webhook_secrets: vec![domain::Secret::new("whsec_x")],
        base_url: "http://127.0.0.1:9".into(),
        ..StripeSettings::default()
    };
    let settings = PaymentSettings { provider: ProviderKind::Stripe, stripe, ..PaymentSettings::default() };
    let _ = rustls::crypto::ring::default_provider().install_default();
    PaymentProviders::open(&settings).unwrap()
}
