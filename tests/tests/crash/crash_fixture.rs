//! An account whose operations are killed by signal 9, and the processes that run them.

use std::{os::unix::process::ExitStatusExt, process::Command};

use domain::{
    Mode, Timestamp, event::EventType, mode::Tenant, money::Cents, page::PageRequest, payment::PaymentVerdict,
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
use harness::{Operation, TestBackend};
use ledger::Credit;

pub(crate) const AUTO_RECHARGE_CENTS: Cents = 400;

/// An account and its backend.
pub(crate) struct CrashFixture {
    pub(crate) backend: TestBackend,
    pub(crate) tenant: Tenant,
}

impl CrashFixture {
    pub(crate) async fn new(backend: &TestBackend, cents: Cents, free_scans: u32) -> Self {
        let account_id = testing::account(&backend.db).await.account_id;
        let tenant = Tenant { account_id, mode: Mode::Test };
        let now = Timestamp::now();
        let opened = backend
            .db
            .write(async |txn| ledger::open_wallets(&txn, &tenant.account_id, free_scans, now).await);
        opened.await.unwrap();
        if cents > 0 {
            let reference = format!("bank-{}", tenant.account_id);
            let credit = Credit { tenant: tenant.clone(), cents, free_scans: 0, reference };
            ledger::credit(&backend.db, &credit, now).await.unwrap();
        }
        Self { backend: backend.clone(), tenant }
    }

    /// Sets this card as the payment method and turns automatic top-ups on.
    pub(crate) async fn with_card(self, card: &str, threshold_cents: Cents) -> Self {
        let bank = self.backend.banks.of(Mode::Test);
        let customer = bank.create_customer(&self.tenant.account_id, "a@example.com").await.unwrap();
        let saved = bank.save_method(&customer, card).await.unwrap();
        let method = NewMethod { customer, method: saved.reference, brand: saved.brand, last4: saved.last4 };
        let auto = AutoRecharge {
            enabled: true,
            threshold_cents,
            amount_cents: AUTO_RECHARGE_CENTS,
            daily_limit_cents: AUTO_RECHARGE_CENTS,
        };
        let set: entities::Result<bool> = self
            .backend
            .db
            .write(async |txn| {
                payment_methods::set(&txn, &self.tenant, &method, Timestamp::now()).await?;
                wallets::set_auto_recharge(&txn, &self.tenant, Some(auto.clone())).await
            })
            .await;
        assert!(set.unwrap());
        self
    }

    pub(crate) async fn create_scan(&self) -> ScanRow {
        let db = &self.backend.db;
        let space = testing::space(db, &self.tenant).await;
        let mut new = testing::new_scan(&self.tenant, &space.id, video_input());
        new.start_window = std::time::Duration::from_secs(3_600);
        let now = Timestamp::now();
        let created = db.write(async |txn| scans::create(&txn, &new, now).await).await.unwrap();
        let scans::CreateOutcome::Created(row) = created else { panic!("{created:?}") };
        testing::upload_all(db, &row).await;
        row
    }

    pub(crate) async fn payments(&self) -> Vec<PaymentRow> {
        payments::list(&self.backend.db, &self.tenant, &PageRequest::default()).await.unwrap().rows
    }

    pub(crate) async fn count_transactions(&self, kind: TransactionKind) -> usize {
        let page = ledger_transactions::list(&self.backend.db, &self.tenant, &PageRequest::default()).await;
        page.unwrap().rows.iter().filter(|row| row.kind.0 == kind).count()
    }

    pub(crate) async fn balance(&self) -> (Cents, i64) {
        let wallet = ledger::wallet(&self.backend.db, &self.tenant).await.unwrap();
        (wallet.balance_cents, wallet.free_scans)
    }

    pub(crate) async fn count_events(&self, event_type: EventType) -> usize {
        let page =
            events::list(&self.backend.db, &self.tenant, Some(event_type), &PageRequest::default()).await;
        page.unwrap().rows.len()
    }

    pub(crate) async fn has_outbox_entry(&self, kind: Kind, subject: &str) -> bool {
        outbox::is_pending(&self.backend.db, kind, subject).await.unwrap()
    }

    /// Returns the amount that the bank has charged for this account.
    pub(crate) async fn charged_by_bank(&self) -> Cents {
        let bank = self.backend.banks.of(Mode::Test);
        let (mut charged, mut cursor) = (0, None::<String>);
        loop {
            let page = bank.list(Timestamp::from_millis(0), cursor.as_deref()).await.unwrap();
            let ours = page.payments.iter().filter(|p| p.account.as_ref() == Some(&self.tenant.account_id));
            let paid = |p: &&outbound::payments::Payment| {
                matches!(p.result.verdict(), PaymentVerdict::Succeeded { .. })
            };
            charged += ours.filter(paid).map(|p| p.amount_cents).sum::<Cents>();
            cursor = page.next_cursor;
            if cursor.is_none() {
                return charged;
            }
        }
    }
}

/// The backend that outlives the killed processes.
struct CrashRunner {
    database: TestDatabase,
    folder: tempfile::TempDir,
    backend: TestBackend,
}

impl CrashRunner {
    /// Runs the operation in a process that is killed at this line. Returns false if the process
    /// exits without reaching it.
    fn is_killed_at(&self, line: usize, operation: &Operation) -> bool {
        let status = Command::new(env!("CARGO_BIN_EXE_crash_at_line"))
            .arg(self.database.settings().url.reveal())
            .arg(self.folder.path())
            .arg(self.backend.endpoint())
            .arg(line.to_string())
            .args(operation.to_args())
            .status()
            .unwrap();
        assert!(status.success() || status.signal() == Some(9), "line {line} of {operation:?}: {status}");
        !status.success()
    }
}

/// Runs an operation once for each line at which its process can be killed, on each database.
/// `check` asserts that all or nothing of the operation is done and returns whether it is complete.
/// After a repetition it must be complete.
pub(crate) async fn at_every_line(
    set_up: impl AsyncFn(&TestBackend) -> (CrashFixture, Operation),
    check: impl AsyncFn(&CrashFixture, &Operation) -> bool,
    min_lines: usize,
) {
    for database in testing::databases().await {
        let folder = tempfile::tempdir().unwrap();
        let backend = TestBackend::create(database.settings().url.reveal(), folder.path()).await.unwrap();
        let runner = CrashRunner { database, folder, backend };
        let (mut line, mut nothing_done, mut all_done) = (0, 0, 0);
        loop {
            let (fixture, operation) = set_up(&runner.backend).await;
            let was_killed = runner.is_killed_at(line, &operation);
            assert_ledger_balances(&runner.backend).await;
            match check(&fixture, &operation).await {
                true => all_done += 1,
                false => nothing_done += 1,
            }
            for _ in 0..2 {
                operation.run(&runner.backend).await.unwrap();
                assert!(
                    check(&fixture, &operation).await,
                    "line {line} of {operation:?}: not complete after a repetition"
                );
            }
            assert_ledger_balances(&runner.backend).await;
            if !was_killed {
                break;
            }
            line += 1;
        }
        eprintln!(
            "killed at {line} lines: {nothing_done} times nothing was done, {all_done} times everything"
        );
        assert!(line >= min_lines, "only {line} lines");
        assert!(
            nothing_done > 0 && all_done > 1,
            "{nothing_done} crashes before the commit, {all_done} after it"
        );
        runner.backend.db.close().await.unwrap();
        runner.database.drop_database().await;
    }
}

async fn assert_ledger_balances(backend: &TestBackend) {
    assert_eq!(ledger::verify(&backend.db).await.unwrap().defects, Vec::<String>::new());
}
