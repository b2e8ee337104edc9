//! A fake engine without Temporal: it runs starts and payments directly on the ledger and the
//! tables. The workflows have their own tests.

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

/// An engine for one API instance under test.
pub(crate) struct InProcessEngine {
    pub(crate) db: Db,
    pub(crate) banks: PaymentProviders,
    /// Whether the engine is unavailable.
    pub(crate) unavailable: AtomicBool,
    /// Whether the outbox entries of starts stay pending, as after a crash between charge and
    /// workflow.
    pub(crate) unacknowledged: AtomicBool,
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
            unavailable: AtomicBool::new(false),
            unacknowledged: AtomicBool::new(false),
            starts: AtomicUsize::new(0),
            max_in_progress: AtomicU32::new(MAX_IN_PROGRESS),
        }
    }

    fn check_available(&self) -> Result<(), EngineError> {
        if self.unavailable.load(Ordering::SeqCst) {
            return Err(EngineError::Unavailable("made unavailable by the test".into()));
        }
        Ok(())
    }
}

fn internal(error: impl std::fmt::Display) -> EngineError {
    EngineError::Internal(error.to_string())
}

#[async_trait::async_trait]
impl ScanEngine for InProcessEngine {
    async fn ensure_scan(&self, _scan: &ScanSeed) -> Result<(), EngineError> {
        self.check_available()
    }

    async fn start_scan(&self, scan: &ScanSeed, key_id: Option<KeyId>) -> Result<StartOutcome, EngineError> {
        self.check_available()?;
        self.starts.fetch_add(1, Ordering::SeqCst);
        let request = StartRequest {
            scan_id: scan.scan_id.clone(),
            key_id,
            now: Timestamp::now(),
            prices: Prices::default(),
            max_in_progress: self.max_in_progress.load(Ordering::SeqCst),
        };
        let outcome = ledger::start_scan(&self.db, &request).await.map_err(internal)?;
        if !self.unacknowledged.load(Ordering::SeqCst) {
            let done = outbox::complete(&self.db, Kind::ScanStart, scan.scan_id.as_str(), Timestamp::now());
            done.await.map_err(internal)?;
        }
        Ok(outcome)
    }

    async fn cancel_scan(&self, scan: &ScanSeed) -> Result<CancelOutcome, EngineError> {
        self.check_available()?;
        let id = scan.scan_id.clone();
        let now = Timestamp::now();
        let cancelled = self.db.write(async |txn| scans::cancel(&txn, &id, now).await);
        cancelled.await.map_err(|error: entities::Error| internal(error))
    }

    /// Requests the payment from the bank once.
    async fn start_payment(&self, payment: &PaymentRow) -> Result<(), EngineError> {
        self.check_available()?;
        let request = PaymentRequest {
            idempotency_key: payment.id.to_string(),
            account: payment.account_id.0.clone(),
            customer: payment.customer.clone(),
            payment_method: payment.method.clone(),
            amount_cents: payment.amount_cents,
            off_session: false,
        };
        let response = self.banks.of(payment.tenant().mode).create_payment(&request).await;
        let verdict = response.map_or(PaymentVerdict::Open, |result| result.verdict());
        ledger::settle(&self.db, &payment.id, &verdict, Timestamp::now()).await.map_err(internal)?;
        Ok(())
    }

    async fn healthy(&self) -> bool {
        self.check_available().is_ok()
    }
}
