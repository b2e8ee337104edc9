//! Fixtures: accounts with money, and scans that are ready to start.

use domain::{
    FailureCode, KeyId, ScanId, SpaceId, Stage, Timestamp,
    media::ScanInput,
    money::{Cents, Prices},
    scan::{MAX_IN_PROGRESS, ScanFailure, StartOutcome},
};
use entities::{
    Db, ScanRow, Tenant, WalletRow, scans,
    scans::Completion,
    testing::{self, NOON, video_input},
};
use ledger::{Credit, StartRequest};

/// Price of a video scan, in cents.
pub(crate) const VIDEO: Cents = 150;

/// A tenant with wallets and a space.
#[derive(Clone)]
pub(crate) struct Owner {
    pub(crate) db: Db,
    pub(crate) tenant: Tenant,
    pub(crate) space: SpaceId,
}

impl Owner {
    /// Creates a tenant with these amounts in its test wallet.
    pub(crate) async fn new(db: &Db, cents: Cents, free_scans: u32) -> Self {
        let tenant = testing::account(db).await;
        db.write(async |txn| ledger::open_wallets(&txn, &tenant.account_id, free_scans, NOON).await)
            .await
            .unwrap();
        let space = testing::space(db, &tenant).await.id.0;
        let owner = Self { db: db.clone(), tenant, space };
        if cents > 0 {
            owner.credit(cents).await;
        }
        owner
    }

    pub(crate) async fn credit(&self, cents: Cents) {
        let reference = format!("bank-{}", ScanId::new());
        let topup = Credit { tenant: self.tenant.clone(), cents, free_scans: 0, reference };
        assert!(ledger::credit(&self.db, &topup, NOON).await.unwrap().new);
    }

    /// Creates a scan with all uploads.
    pub(crate) async fn ready(&self, input: ScanInput) -> ScanId {
        let scan = testing::scan(&self.db, &self.tenant, &self.space, input).await;
        testing::upload_all(&self.db, &scan).await;
        scan.id.0
    }

    pub(crate) async fn ready_video(&self) -> ScanId {
        self.ready(video_input()).await
    }

    pub(crate) fn request(&self, scan: &ScanId, key: Option<&KeyId>) -> StartRequest {
        StartRequest {
            scan_id: scan.clone(),
            key_id: key.cloned(),
            now: NOON,
            prices: Prices::default(),
            max_in_progress: MAX_IN_PROGRESS,
        }
    }

    pub(crate) async fn start(&self, scan: &ScanId) -> StartOutcome {
        ledger::start_scan(&self.db, &self.request(scan, None)).await.unwrap()
    }

    pub(crate) async fn start_with(&self, scan: &ScanId, key: &KeyId, now: Timestamp) -> StartOutcome {
        let request = StartRequest { now, ..self.request(scan, Some(key)) };
        ledger::start_scan(&self.db, &request).await.unwrap()
    }

    pub(crate) async fn fail(&self, scan: &ScanId) -> ledger::FailOutcome {
        ledger::fail_scan(&self.db, scan, &failure(), NOON).await.unwrap()
    }

    pub(crate) async fn complete(&self, scan: &ScanId) {
        let completion =
            Completion { scan_id: scan.clone(), object_key: "k".into(), sha256: "0".into(), bytes: 1 };
        self.db
            .write(async |txn| {
                scans::begin_stage(&txn, scan, Stage::Ingesting, NOON).await?;
                scans::complete(&txn, &completion, NOON).await
            })
            .await
            .unwrap();
    }

    pub(crate) async fn scan(&self, id: &ScanId) -> ScanRow {
        scans::find(&self.db, &self.tenant, id).await.unwrap().unwrap()
    }

    pub(crate) async fn wallet(&self) -> WalletRow {
        ledger::wallet(&self.db, &self.tenant).await.unwrap()
    }

    /// Returns the balance in cents and the free scans.
    pub(crate) async fn money(&self) -> (Cents, i64) {
        let wallet = self.wallet().await;
        (wallet.balance_cents, wallet.free_scans)
    }
}

pub(crate) fn failure() -> ScanFailure {
    let code = FailureCode::MediaUnreadable;
    ScanFailure { code, message: code.message().into(), stage: Some(Stage::Ingesting), retryable: false }
}

/// Runs a test on a new database of each kind, and verifies the ledger at the end.
pub(crate) async fn on_each_database(test: impl AsyncFn(Db)) {
    testing::on_each_database(async |db| {
        test(db.clone()).await;
        check_invariants(&db).await;
    })
    .await;
}

/// Verifies the invariants of the ledger.
pub(crate) async fn check_invariants(db: &Db) {
    let audit = ledger::verify(db).await.unwrap();
    assert!(audit.defects.is_empty(), "{:#?}", audit.defects);
}
