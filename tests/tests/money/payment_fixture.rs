//! The system under test: ledger, database, payments and the simulated bank, with a clock that the
//! test controls.

use std::{
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use domain::{
    FailureCode, Mode, PaymentId, ScanId, SpaceId, Stage, Timestamp,
    mode::Tenant,
    payment::{PaymentKind, PaymentState, PaymentVerdict},
    scan::{ScanFailure, StartOutcome},
};
use entities::{
    Db, PaymentRow, events,
    outbox::{self, Kind},
    payment_methods::{self, NewMethod},
    payments, scans,
    testing::{self, NOON, video_input},
    wallets::{self, AutoRecharge},
};
use ledger::{NewTopUp, StartRequest};
use outbound::payments::{
    Lookup, NotificationKind, PaymentProvider, PaymentProviders, PaymentRequest, SimulatedSettings,
    simulated::Bank,
};

use crate::reference_model::{
    AUTO_CENTS, Card, CrashPoint, DAILY_CENTS, MAX_SCANS_IN_PROGRESS, ReferenceModel, SETTLE_SECONDS, Scan,
    Started, State, Step, THRESHOLD_CENTS, top_up_cents,
};

/// An account and its bank.
pub(crate) struct PaymentFixture {
    db: Db,
    tenant: Tenant,
    space: SpaceId,
    bank: Bank,
    banks: PaymentProviders,
    clock: Arc<AtomicI64>,
    /// Ids in order of creation.
    payments: Vec<PaymentId>,
    scans: Vec<ScanId>,
    started: Option<Started>,
}

impl PaymentFixture {
    pub(crate) async fn new(db: &Db) -> Self {
        let account_id = testing::account(db).await.account_id;
        let tenant = Tenant { account_id, mode: Mode::Test };
        db.write(async |txn| ledger::open_wallets(&txn, &tenant.account_id, 1, NOON).await).await.unwrap();
        let space = testing::space(db, &tenant).await.id.0;
        let clock = Arc::new(AtomicI64::new(0));
        let time = clock.clone();
        let settings =
            SimulatedSettings { settle_seconds: SETTLE_SECONDS as u64, ..SimulatedSettings::default() };
        let bank = Bank::open(&settings).unwrap().with_clock(Arc::new(move || moment(&time)));
        let banks = PaymentProviders::new(Arc::new(bank.clone()), bank.clone());
        let fixture = Self {
            db: db.clone(),
            tenant,
            space,
            bank,
            banks,
            clock,
            payments: Vec::new(),
            scans: Vec::new(),
            started: None,
        };
        fixture.set_card(Card::Good).await;
        fixture.set_auto_recharge(true).await;
        fixture
    }

    fn now(&self) -> Timestamp {
        moment(&self.clock)
    }

    pub(crate) async fn apply(&mut self, step: &Step) {
        self.started = None;
        match *step {
            Step::Card(card) => self.set_card(card).await,
            Step::Auto(on) => self.set_auto_recharge(on).await,
            Step::TopUp { name, large, crash } => self.top_up(name, large, crash).await,
            Step::Relay { crash } => self.relay(crash).await,
            Step::Notify { seed } => self.receive_notifications(seed).await,
            Step::Confirm { approve } => self.confirm(approve).await,
            Step::Wait { long } => {
                self.clock.fetch_add(if long { 25 * 3_600 } else { SETTLE_SECONDS }, Ordering::SeqCst);
            }
            Step::Create => self.create_scan().await,
            Step::Start(scan) => self.start(scan).await,
            Step::Fail(scan) => {
                let code = FailureCode::MediaUnreadable;
                let message = code.message().into();
                let failure = ScanFailure { code, message, stage: Some(Stage::Ingesting), retryable: false };
                ledger::fail_scan(&self.db, &self.scans[scan], &failure, self.now()).await.unwrap();
            }
            Step::Complete(scan) => self.complete(scan).await,
            Step::Cancel(scan) => {
                let (id, now) = (&self.scans[scan], self.now());
                self.db.write(async |txn| scans::cancel(&txn, id, now).await).await.unwrap();
            }
        }
    }

    async fn set_card(&self, card: Card) {
        let customer = self.bank.create_customer(&self.tenant.account_id, "a@example.com").await.unwrap();
        let saved = self.bank.save_method(&customer, card.name()).await.unwrap();
        let method = NewMethod { customer, method: saved.reference, brand: saved.brand, last4: saved.last4 };
        let now = self.now();
        let set = self.db.write(async |txn| payment_methods::set(&txn, &self.tenant, &method, now).await);
        set.await.unwrap();
    }

    async fn set_auto_recharge(&self, enabled: bool) {
        let settings = AutoRecharge {
            enabled,
            threshold_cents: THRESHOLD_CENTS,
            amount_cents: AUTO_CENTS,
            daily_limit_cents: DAILY_CENTS,
        };
        let set: entities::Result<bool> = self
            .db
            .write(async |txn| wallets::set_auto_recharge(&txn, &self.tenant, Some(settings.clone())).await)
            .await;
        assert!(set.unwrap());
    }

    async fn top_up(&self, name: u8, large: bool, crash: CrashPoint) {
        let new = NewTopUp {
            tenant: self.tenant.clone(),
            amount_cents: top_up_cents(large),
            idempotency_key: format!("top-up-{name}"),
            requested_by: "someone".into(),
        };
        let ledger::TopUp::New(payment) = ledger::begin_top_up(&self.db, &new, self.now()).await.unwrap()
        else {
            return;
        };
        match crash {
            CrashPoint::BeforeBank => {}
            CrashPoint::AfterBank => self.request_and_crash(&payment).await,
            CrashPoint::None => self.process(&payment).await,
        }
    }

    async fn process(&self, payment: &PaymentRow) {
        activities::pay(&self.db, &self.banks, &payment.id, self.now()).await.unwrap();
    }

    /// Requests the payment from the bank and drops the response, as if the process crashed in
    /// between.
    async fn request_and_crash(&self, payment: &PaymentRow) {
        let lookup = Lookup::Key { customer: &payment.customer, idempotency_key: payment.id.as_str() };
        if self.bank.fetch(lookup).await.unwrap().is_some() {
            return;
        }
        if payment.created_at.plus(Duration::from_secs(23 * 3_600)) <= self.now() {
            // Too old: the payment is no longer requested from the bank.
            return self.process(payment).await;
        }
        let request = PaymentRequest {
            idempotency_key: payment.id.to_string(),
            account: payment.account_id.0.clone(),
            customer: payment.customer.clone(),
            payment_method: payment.method.clone(),
            amount_cents: payment.amount_cents,
            off_session: payment.kind.0 == PaymentKind::AutoRecharge,
        };
        // The response is lost.
        let _ = self.bank.create_payment(&request).await;
    }

    /// Processes all pending payments, each by two relays concurrently.
    async fn relay(&self, crash: bool) {
        for id in &self.payments {
            let payment = payments::system::find(&self.db, id).await.unwrap().unwrap();
            if payment.state.0 != PaymentState::Pending {
                continue;
            }
            if crash {
                self.request_and_crash(&payment).await;
            } else {
                tokio::join!(self.process(&payment), self.process(&payment));
            }
        }
    }

    /// Delivers the due notifications, some of them twice, in an order that depends on the seed.
    async fn receive_notifications(&self, mut seed: u64) {
        let mut next = move |below: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % below
        };
        let due = self.bank.due().await.unwrap();
        for delivery in &due {
            self.bank.acknowledge(delivery).await.unwrap();
        }
        let mut deliveries = due.clone();
        deliveries.extend(due.iter().filter(|_| next(2) == 0).cloned().collect::<Vec<_>>());
        for index in (1..deliveries.len()).rev() {
            deliveries.swap(index, next(index + 1));
        }
        for delivery in &deliveries {
            let read =
                self.banks.parse_notification(&delivery.headers, &delivery.body, self.now()).unwrap().0;
            if let NotificationKind::Payment(payment) = read.kind {
                let id = payment.idempotency_key.unwrap().parse().unwrap();
                ledger::settle(&self.db, &id, &payment.result.verdict(), self.now()).await.unwrap();
            }
        }
    }

    async fn confirm(&self, approve: bool) {
        for id in &self.payments {
            let payment = payments::system::find(&self.db, id).await.unwrap().unwrap();
            if payment.state.0 != PaymentState::NeedsAction {
                continue;
            }
            let reference = payment.reference.unwrap();
            let found = self.bank.fetch(Lookup::Reference(&reference)).await.unwrap().unwrap();
            if matches!(found.result.verdict(), PaymentVerdict::NeedsAction { .. }) {
                assert!(self.bank.confirm(&reference, approve).await.unwrap());
                return;
            }
        }
    }

    async fn create_scan(&mut self) {
        let mut new = testing::new_scan(&self.tenant, &self.space, video_input());
        new.start_window = Duration::from_secs(400 * 86_400);
        let now = self.now();
        let created = self.db.write(async |txn| scans::create(&txn, &new, now).await).await.unwrap();
        let scans::CreateOutcome::Created(row) = created else { panic!("{created:?}") };
        testing::upload_all(&self.db, &row).await;
        self.scans.push(row.id.0);
    }

    async fn start(&mut self, scan: usize) {
        let request = StartRequest {
            scan_id: self.scans[scan].clone(),
            key_id: None,
            now: self.now(),
            prices: Default::default(),
            max_in_progress: MAX_SCANS_IN_PROGRESS as u32,
        };
        self.started = Some(match ledger::start_scan(&self.db, &request).await.unwrap() {
            StartOutcome::Started { .. } => Started::Now,
            StartOutcome::AlreadyStarted { .. } => Started::Before,
            StartOutcome::Cancelled => Started::Cancelled,
            StartOutcome::ScansInProgress { .. } => Started::TooMany,
            StartOutcome::InsufficientFunds { balance_cents, .. } => Started::NoFunds(balance_cents),
            other => panic!("{other:?}"),
        });
    }

    async fn complete(&self, scan: usize) {
        let (scan_id, now) = (self.scans[scan].clone(), self.now());
        let done = scans::Completion { scan_id, object_key: "k".into(), sha256: "0".into(), bytes: 1 };
        let completed = self.db.write(async |txn| {
            scans::begin_stage(&txn, &done.scan_id, Stage::Ingesting, now).await?;
            scans::complete(&txn, &done, now).await
        });
        completed.await.unwrap();
    }

    /// Compares the state with the model.
    pub(crate) async fn compare(&mut self, model: &ReferenceModel) {
        let wallet = ledger::wallet(&self.db, &self.tenant).await.unwrap();
        assert_eq!((wallet.balance_cents, wallet.free_scans), (model.cents, model.free));
        assert_eq!(wallet.auto_recharge.unwrap().enabled, model.auto, "automatic top-ups");
        assert_eq!(self.started, model.started);
        let rows = payments::list(&self.db, &self.tenant, &all_rows()).await.unwrap().rows;
        let new: Vec<_> = rows.iter().filter(|row| !self.payments.contains(&row.id)).collect();
        assert!(new.len() <= 1, "a step creates at most one payment");
        self.payments.extend(new.into_iter().map(|row| row.id.0.clone()));
        assert_eq!(self.payments.len(), model.payments.len());
        for (id, expected) in self.payments.iter().zip(&model.payments) {
            let row = rows.iter().find(|row| row.id.0 == *id).unwrap();
            let auto = row.kind.0 == PaymentKind::AutoRecharge;
            assert_eq!((state(row), row.amount_cents, auto), (expected.state, expected.cents, expected.auto));
            let has_entry = outbox::is_pending(&self.db, Kind::Payment, id.as_str()).await.unwrap();
            assert_eq!(has_entry, expected.state == State::Pending, "a pending payment has an outbox entry");
            let mail = outbox::is_pending(&self.db, Kind::RechargeMail, id.as_str()).await.unwrap();
            assert_eq!(mail, expected.turned_off, "mail");
        }
        let published = events::list(&self.db, &self.tenant, None, &all_rows()).await.unwrap().rows;
        let failed =
            published.iter().filter(|e| e.event_type.0 == domain::event::EventType::WalletAutoRechargeFailed);
        assert_eq!(failed.count(), model.payments.iter().filter(|p| p.turned_off).count(), "events");
        assert_eq!(self.charged_by_bank().await, model.charged_by_bank(), "amount charged by the bank");
        for (id, expected) in self.scans.iter().zip(&model.scans) {
            let row = scans::find(&self.db, &self.tenant, id).await.unwrap().unwrap();
            let charge = row.charge();
            let (paid, refunded) = match expected {
                Scan::Waiting | Scan::Cancelled => (None, false),
                Scan::Running { paid } | Scan::Done { paid } => (Some(*paid), false),
                Scan::Failed { paid } => (Some(*paid), true),
            };
            assert_eq!(charge.map(|charge| charge.price_cents), paid);
            assert_eq!(charge.is_some_and(|charge| charge.refunded), refunded);
        }
    }

    async fn charged_by_bank(&self) -> i64 {
        let paid =
            |p: &&outbound::payments::Payment| matches!(p.result.verdict(), PaymentVerdict::Succeeded { .. });
        let page = self.bank.list(NOON, None).await.unwrap();
        assert!(page.next_cursor.is_none());
        page.payments.iter().filter(paid).map(|p| p.amount_cents).sum()
    }

    /// Asserts that the charged amount was credited and nothing is pending.
    pub(crate) async fn assert_settled(&self) {
        let rows = payments::list(&self.db, &self.tenant, &all_rows()).await.unwrap().rows;
        assert!(rows.iter().all(|row| row.state.0 != PaymentState::Pending), "{rows:#?}");
        let credited = rows.iter().filter(|row| row.state.0 == PaymentState::Succeeded);
        assert_eq!(credited.map(|row| row.amount_cents).sum::<i64>(), self.charged_by_bank().await);
        let audit = ledger::verify(&self.db).await.unwrap();
        assert_eq!(audit.defects, Vec::<String>::new());
    }
}

fn moment(seconds: &AtomicI64) -> Timestamp {
    Timestamp::from_millis(NOON.as_millis() + seconds.load(Ordering::SeqCst) * 1000)
}

fn all_rows() -> domain::page::PageRequest {
    domain::page::PageRequest { limit: domain::page::MAX_LIMIT, after: None }
}

fn state(row: &PaymentRow) -> State {
    match row.state.0 {
        PaymentState::Pending => State::Pending,
        PaymentState::Succeeded => State::Succeeded,
        PaymentState::Declined => State::Declined,
        PaymentState::NeedsAction => State::NeedsAction,
    }
}
