//! Signal 9 at every line of everything that moves money: before each statement, before and after each commit,
//! between the bank's work and ours. What is left is sound, all or nothing, and doing it again does it once.

use std::{os::unix::process::ExitStatusExt, process::Command};

use domain::{
    Mode, Timestamp,
    event::EventType,
    mode::Tenant,
    money::Cents,
    page::PageRequest,
    payment::{PaymentState, PaymentVerdict},
};
use entities::{
    PaymentRow, ScanRow, events,
    ledger_transactions::{self, TransactionKind},
    outbox::{self, Kind},
    payment_methods::{self, NewMethod},
    payments, scans,
    testing::{self, TestDatabase, video_input},
    wallets::{self, AutoRecharge},
};
use ledger::Credit;
use tests::money::{CENTS, Deed, Town};

const VIDEO: Cents = 150;
const AUTO: Cents = 400;

/// An account in a town, as a crash leaves it.
struct Scene {
    town: Town,
    tenant: Tenant,
}

impl Scene {
    async fn new(town: &Town, cents: Cents, free_scans: u32) -> Self {
        let account_id = testing::account(&town.db).await.account_id;
        let tenant = Tenant { account_id, mode: Mode::Test };
        let now = Timestamp::now();
        let opened =
            town.db.write(async |txn| ledger::open_wallets(&txn, &tenant.account_id, free_scans, now).await);
        opened.await.unwrap();
        if cents > 0 {
            let reference = format!("bank-{}", tenant.account_id);
            let credit = Credit { tenant: tenant.clone(), cents, free_scans: 0, reference };
            ledger::credit(&town.db, &credit, now).await.unwrap();
        }
        Self { town: town.clone(), tenant }
    }

    /// The same, paying with this card and topping itself up.
    async fn with_card(self, card: &str, threshold_cents: Cents) -> Self {
        let bank = self.town.banks.of(Mode::Test);
        let customer = bank.create_customer(&self.tenant.account_id, "a@example.com").await.unwrap();
        let saved = bank.save_method(&customer, card).await.unwrap();
        let method = NewMethod { customer, method: saved.reference, brand: saved.brand, last4: saved.last4 };
        let auto =
            AutoRecharge { enabled: true, threshold_cents, amount_cents: AUTO, daily_limit_cents: AUTO };
        let set: entities::Result<bool> = self
            .town
            .db
            .write(async |txn| {
                payment_methods::set(&txn, &self.tenant, &method, Timestamp::now()).await?;
                wallets::set_auto_recharge(&txn, &self.tenant, Some(auto.clone())).await
            })
            .await;
        assert!(set.unwrap());
        self
    }

    async fn scan(&self) -> ScanRow {
        let db = &self.town.db;
        let space = testing::space(db, &self.tenant).await;
        let mut new = testing::new_scan(&self.tenant, &space.id, video_input());
        new.start_window = std::time::Duration::from_secs(3_600);
        let now = Timestamp::now();
        let made = db.write(async |txn| scans::create(&txn, &new, now).await).await.unwrap();
        let scans::CreateOutcome::Created(row) = made else { panic!("{made:?}") };
        testing::upload_all(db, &row).await;
        row
    }

    async fn payments(&self) -> Vec<PaymentRow> {
        payments::list(&self.town.db, &self.tenant, &PageRequest::default()).await.unwrap().rows
    }

    async fn count(&self, kind: TransactionKind) -> usize {
        let page = ledger_transactions::list(&self.town.db, &self.tenant, &PageRequest::default()).await;
        page.unwrap().rows.iter().filter(|row| row.kind.0 == kind).count()
    }

    async fn money(&self) -> (Cents, i64) {
        let wallet = ledger::wallet(&self.town.db, &self.tenant).await.unwrap();
        (wallet.balance_cents, wallet.free_scans)
    }

    async fn events(&self, event_type: EventType) -> usize {
        let page = events::list(&self.town.db, &self.tenant, Some(event_type), &PageRequest::default()).await;
        page.unwrap().rows.len()
    }

    async fn promised(&self, kind: Kind, subject: &str) -> bool {
        outbox::is_pending(&self.town.db, kind, subject).await.unwrap()
    }

    /// What the bank took for this account.
    async fn taken(&self) -> Cents {
        let bank = self.town.banks.of(Mode::Test);
        let (mut taken, mut cursor) = (0, None::<String>);
        loop {
            let page = bank.list(Timestamp::from_millis(0), cursor.as_deref()).await.unwrap();
            let ours = page.payments.iter().filter(|p| p.account.as_ref() == Some(&self.tenant.account_id));
            let paid = |p: &&outbound::payments::Payment| {
                matches!(p.result.verdict(), PaymentVerdict::Succeeded { .. })
            };
            taken += ours.filter(paid).map(|p| p.amount_cents).sum::<Cents>();
            cursor = page.next_cursor;
            if cursor.is_none() {
                return taken;
            }
        }
    }
}

/// Where both outlive the processes that die.
struct Place {
    database: TestDatabase,
    bank: tempfile::TempDir,
    town: Town,
}

impl Place {
    /// Whether the process was killed at this line of the deed; otherwise it came to its end.
    fn dies(&self, line: usize, deed: &Deed) -> bool {
        let status = Command::new(env!("CARGO_BIN_EXE_die_at_line"))
            .arg(self.database.settings().url.reveal())
            .arg(self.bank.path())
            .arg(line.to_string())
            .args(deed.words())
            .status()
            .unwrap();
        assert!(status.success() || status.signal() == Some(9), "line {line} of {deed:?}: {status}");
        !status.success()
    }
}

/// Plays a scene once for each line of the deed at which the process may die, on each kind of database.
/// `check` is asked what the deed has done: after the crash it may be nothing or all of it (`false`), after it
/// was done again it must be all of it, once (`true`).
async fn at_every_line(
    set: impl AsyncFn(&Town) -> (Scene, Deed),
    check: impl AsyncFn(&Scene, &Deed) -> bool,
    least_lines: usize,
) {
    for database in testing::databases().await {
        let bank = tempfile::tempdir().unwrap();
        let town = Town::open(database.settings().url.reveal(), bank.path().into()).await.unwrap();
        let place = Place { database, bank, town };
        let (mut line, mut undone, mut done) = (0, 0, 0);
        loop {
            let (scene, deed) = set(&place.town).await;
            let died = place.dies(line, &deed);
            check_books(&place.town).await;
            match check(&scene, &deed).await {
                true => done += 1,
                false => undone += 1,
            }
            for _ in 0..2 {
                place.town.perform(&deed).await.unwrap();
                assert!(check(&scene, &deed).await, "line {line} of {deed:?}: not done by doing it again");
            }
            check_books(&place.town).await;
            if !died {
                break;
            }
            line += 1;
        }
        assert!(line >= least_lines, "only {line} lines");
        assert!(undone > 0 && done > 1, "{undone} crashes before it was done, {done} after");
        place.town.db.close().await.unwrap();
        place.database.drop_database().await;
    }
}

async fn check_books(town: &Town) {
    assert_eq!(ledger::verify(&town.db).await.unwrap().defects, Vec::<String>::new());
}

/// All of a charge, or nothing of it.
async fn charged(scene: &Scene, deed: &Deed, before: (Cents, i64), after: (Cents, i64)) -> bool {
    let Deed::Start(scan) = deed else { panic!("{deed:?}") };
    let row = scans::find(&scene.town.db, &scene.tenant, scan).await.unwrap().unwrap();
    let done = row.started_at.is_some();
    assert_eq!(scene.money().await, if done { after } else { before });
    assert_eq!(scene.count(TransactionKind::Charge).await, usize::from(done));
    assert_eq!(scene.promised(Kind::ScanStart, scan.as_str()).await, done);
    done
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charge() {
    let set = async |town: &Town| {
        let scene = Scene::new(town, 1_000, 0).await;
        let deed = Deed::Start(scene.scan().await.id.0);
        (scene, deed)
    };
    at_every_line(set, async |scene, deed| charged(scene, deed, (1_000, 0), (850, 0)).await, 10).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charge_of_a_free_scan() {
    let set = async |town: &Town| {
        let scene = Scene::new(town, 0, 1).await;
        let deed = Deed::Start(scene.scan().await.id.0);
        (scene, deed)
    };
    at_every_line(set, async |scene, deed| charged(scene, deed, (0, 1), (0, 0)).await, 10).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_charge_that_calls_for_a_top_up() {
    let set = async |town: &Town| {
        let scene = Scene::new(town, VIDEO, 0).await.with_card("pm_card_visa", 100).await;
        let deed = Deed::Start(scene.scan().await.id.0);
        (scene, deed)
    };
    let check = async |scene: &Scene, deed: &Deed| {
        let done = charged(scene, deed, (VIDEO, 0), (0, 0)).await;
        one_promised(scene, done).await;
        done
    };
    at_every_line(set, check, 12).await;
}

/// One automatic top-up is decided on and promised, or none.
async fn one_promised(scene: &Scene, done: bool) {
    let payments = scene.payments().await;
    assert_eq!(payments.len(), usize::from(done));
    for payment in &payments {
        assert_eq!((payment.state.0, payment.amount_cents), (PaymentState::Pending, AUTO));
        assert!(scene.promised(Kind::Payment, payment.id.as_str()).await);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_start_that_calls_for_a_top_up() {
    let set = async |town: &Town| {
        let scene = Scene::new(town, 100, 0).await.with_card("pm_card_visa", 0).await;
        let deed = Deed::Start(scene.scan().await.id.0);
        (scene, deed)
    };
    let check = async |scene: &Scene, _: &Deed| {
        assert_eq!((scene.money().await, scene.count(TransactionKind::Charge).await), ((100, 0), 0));
        let done = !scene.payments().await.is_empty();
        one_promised(scene, done).await;
        done
    };
    at_every_line(set, check, 8).await;
}

/// A refund of a scan that was paid so.
async fn refund(cents: Cents, free_scans: u32) {
    let set = async |town: &Town| {
        let scene = Scene::new(town, cents, free_scans).await;
        let scan = scene.scan().await.id.0;
        town.perform(&Deed::Start(scan.clone())).await.unwrap();
        (scene, Deed::Fail(scan))
    };
    let before = if free_scans > 0 { (cents, i64::from(free_scans) - 1) } else { (cents - VIDEO, 0) };
    let check = async |scene: &Scene, deed: &Deed| {
        let Deed::Fail(scan) = deed else { panic!("{deed:?}") };
        let row = scans::find(&scene.town.db, &scene.tenant, scan).await.unwrap().unwrap();
        let done = row.refunded;
        assert_eq!(row.status.0 == domain::ScanStatus::Failed, done);
        assert_eq!(scene.money().await, if done { (cents, i64::from(free_scans)) } else { before });
        assert_eq!(scene.count(TransactionKind::Refund).await, usize::from(done));
        assert_eq!(scene.events(EventType::ScanFailed).await, usize::from(done));
        done
    };
    at_every_line(set, check, 10).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund() {
    refund(1_000, 0).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_of_a_free_scan() {
    refund(0, 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_top_up_that_is_decided_on() {
    let set = async |town: &Town| {
        let scene = Scene::new(town, 0, 0).await.with_card("pm_card_visa", 0).await;
        let deed = Deed::TopUp(scene.tenant.clone());
        (scene, deed)
    };
    let check = async |scene: &Scene, _: &Deed| {
        let payments = scene.payments().await;
        assert!(payments.len() <= 1);
        for payment in &payments {
            assert!(scene.promised(Kind::Payment, payment.id.as_str()).await, "its name is not stuck");
        }
        !payments.is_empty()
    };
    at_every_line(set, check, 5).await;
}

/// The bank is asked for a payment with this card.
async fn payment(card: &str, refused: bool) {
    let set = async |town: &Town| {
        let scene = Scene::new(town, 0, 0).await.with_card(card, 0).await;
        let scan = scene.scan().await;
        town.perform(&Deed::Start(scan.id.0)).await.unwrap();
        let payment = scene.payments().await.remove(0);
        (scene, Deed::Pay(payment.id.0))
    };
    let check = async |scene: &Scene, _: &Deed| {
        let payment = scene.payments().await.remove(0);
        let done = payment.state.0 != PaymentState::Pending;
        let credited = if done && !refused { AUTO } else { 0 };
        assert_eq!(scene.money().await, (credited, 0));
        assert_eq!(scene.count(TransactionKind::Topup).await, usize::from(credited > 0));
        // Taken and not credited yet: the promise stands, so it will be.
        let taken = scene.taken().await;
        assert!(taken == credited || (taken == AUTO && !done && !refused), "the bank took {taken}");
        assert_eq!(scene.promised(Kind::Payment, payment.id.as_str()).await, !done);
        let told = done && refused;
        assert_eq!(scene.events(EventType::WalletAutoRechargeFailed).await, usize::from(told));
        assert_eq!(scene.promised(Kind::RechargeMail, payment.id.as_str()).await, told);
        let wallet = ledger::wallet(&scene.town.db, &scene.tenant).await.unwrap();
        assert_eq!(wallet.auto_recharge.unwrap().enabled, !told);
        done
    };
    at_every_line(set, check, 7).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_that_succeeds() {
    payment("pm_card_visa", false).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_payment_that_is_declined() {
    payment("pm_card_visa_chargeDeclined", true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_gift() {
    let set = async |town: &Town| {
        let scene = Scene::new(town, 0, 0).await;
        let deed = Deed::Grant(scene.tenant.clone());
        (scene, deed)
    };
    let check = async |scene: &Scene, _: &Deed| {
        let money = scene.money().await;
        assert!([(0, 0), (CENTS, 1)].contains(&money), "{money:?}");
        money != (0, 0)
    };
    at_every_line(set, check, 7).await;
}
