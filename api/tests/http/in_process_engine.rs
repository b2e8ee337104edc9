//! A fake engine that runs in this process: it uses the same ledger and tables without Temporal.
//! The workflows have their own tests.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use api::engine::{EngineError, ScanEngine, ScanSeed};
use domain::{
    KeyId, Timestamp,
    money::Prices,
    payment::PaymentVerdict,
    scan::{CancelOutcome, MAX_IN_PROGRESS, StartOutcome},
};
use entities::{
    Db, PaymentRow,
    outbox::{self, Kind},
    scans,
};
use ledger::StartRequest;
use outbound::payments::{PaymentProviders, PaymentRequest};

/// Runs starts and payments directly in the database.
pub(crate) struct InProcessEngine {
    pub(crate) db: Db,
    pub(crate) banks: PaymentProviders,
    /// Whether the engine is unavailable.
    pub(crate) away: AtomicBool,
    /// Whether starts stay unacknowledged, as after a crash of the workflow after the charge.
    pub(crate) deaf: AtomicBool,
    /// Number of start requests.
    pub(crate) starts: AtomicUsize,
    /// Maximum number of scans in progress per account.
    pub(crate) max_in_progress: AtomicU32,
}

impl InProcessEngine {
    pub(crate) fn new(db: Db, banks: PaymentProviders) -> Self {
        Self {
            db,
            banks,
            away: AtomicBool::new(false),
            deaf: AtomicBool::new(false),
            starts: AtomicUsize::new(0),
            max_in_progress: AtomicU32::new(MAX_IN_PROGRESS),
        }
    }

    fn reach(&self) -> Result<(), EngineError> {
        if self.away.load(Ordering::SeqCst) {
            return Err(EngineError::Unavailable("it is away".into()));
        }
        Ok(())
    }
}

fn internal(error: impl std::fmt::Display) -> EngineError {
    EngineError::Internal(error.to_string())
}

#[async_trait::async_trait]
impl ScanEngine for InProcessEngine {
    async fn ensure_scan(&self, scan: &ScanSeed) -> Result<(), EngineError> {
        self.reach()?;
        let done = outbox::done(&self.db, Kind::ScanWorkflow, scan.scan_id.as_str(), Timestamp::now());
        done.await.map_err(internal)?;
        Ok(())
    }

    async fn start_scan(&self, scan: &ScanSeed, key_id: Option<KeyId>) -> Result<StartOutcome, EngineError> {
        self.reach()?;
        self.starts.fetch_add(1, Ordering::SeqCst);
        let request = StartRequest {
            scan_id: scan.scan_id.clone(),
            key_id,
            now: Timestamp::now(),
            prices: Prices::default(),
            max_in_progress: self.max_in_progress.load(Ordering::SeqCst),
        };
        let outcome = ledger::start_scan(&self.db, &request).await.map_err(internal)?;
        if !self.deaf.load(Ordering::SeqCst) {
            let done = outbox::done(&self.db, Kind::ScanStart, scan.scan_id.as_str(), Timestamp::now());
            done.await.map_err(internal)?;
        }
        Ok(outcome)
    }

    async fn cancel_scan(&self, scan: &ScanSeed) -> Result<CancelOutcome, EngineError> {
        self.reach()?;
        let id = scan.scan_id.clone();
        let now = Timestamp::now();
        let cancelled = self.db.write(async |txn| scans::cancel(&txn, &id, now).await);
        cancelled.await.map_err(|error: entities::Error| internal(error))
    }

    /// Asks the bank once.
    async fn start_payment(&self, payment: &PaymentRow) -> Result<(), EngineError> {
        self.reach()?;
        let request = PaymentRequest {
            idempotency_key: payment.id.to_string(),
            account: payment.account_id.0.clone(),
            customer: payment.customer.clone(),
            payment_method: payment.method.clone(),
            amount_cents: payment.amount_cents,
            off_session: false,
        };
        let asked = self.banks.of(payment.tenant().mode).create_payment(&request).await;
        let verdict = asked.map_or(PaymentVerdict::Open, |result| result.verdict());
        ledger::settle(&self.db, &payment.id, &verdict, Timestamp::now()).await.map_err(internal)?;
        Ok(())
    }

    async fn healthy(&self) -> bool {
        self.reach().is_ok()
    }
}
