//! The interface of the API to the workflow engine.

use std::sync::Arc;

use domain::{
    KeyId,
    scan::{CancelOutcome, StartOutcome},
};
use entities::PaymentRow;
use workflows::RechargeInput;
pub use workflows::{ScanSeed, client::EngineError};

use crate::watch::Watch;

/// The workflow engine. A trait, so that tests need no engine.
#[async_trait::async_trait]
pub trait ScanEngine: Send + Sync {
    /// Starts the workflow of a scan if it does not exist.
    async fn ensure_scan(&self, scan: &ScanSeed) -> Result<(), EngineError>;

    /// Verifies the uploads, charges and queues the scan. Repeated, it returns the first outcome.
    async fn start_scan(&self, scan: &ScanSeed, key: Option<KeyId>) -> Result<StartOutcome, EngineError>;

    /// Cancels the scan if it still awaits its upload.
    async fn cancel_scan(&self, scan: &ScanSeed) -> Result<CancelOutcome, EngineError>;

    /// Starts the workflow of a payment if it does not exist.
    async fn start_payment(&self, payment: &PaymentRow) -> Result<(), EngineError>;

    /// Returns whether the engine is reachable.
    async fn healthy(&self) -> bool;
}

#[async_trait::async_trait]
impl ScanEngine for workflows::client::Engine {
    async fn ensure_scan(&self, scan: &ScanSeed) -> Result<(), EngineError> {
        self.ensure_scan(scan).await
    }

    async fn start_scan(&self, scan: &ScanSeed, key: Option<KeyId>) -> Result<StartOutcome, EngineError> {
        self.start_scan(scan, key).await
    }

    async fn cancel_scan(&self, scan: &ScanSeed) -> Result<CancelOutcome, EngineError> {
        self.cancel_scan(scan).await
    }

    async fn start_payment(&self, payment: &PaymentRow) -> Result<(), EngineError> {
        let (tenant, kind) = (payment.tenant(), payment.kind.0);
        let input = RechargeInput { payment_id: payment.id.0.clone(), tenant, kind };
        self.start_payment(input, payment.amount_cents).await
    }

    async fn healthy(&self) -> bool {
        self.healthy().await
    }
}

/// An engine whose calls end soon after it stopped responding.
pub(crate) struct WatchedEngine {
    engine: Arc<dyn ScanEngine>,
    watch: Watch,
}

impl WatchedEngine {
    pub(crate) fn new(engine: Arc<dyn ScanEngine>) -> Self {
        Self { engine, watch: Watch::default() }
    }

    /// Returns the outcome of a call, or [`EngineError::Unavailable`] if the engine fell silent.
    async fn guard<T>(&self, call: impl Future<Output = Result<T, EngineError>>) -> Result<T, EngineError> {
        let guarded = self.watch.guard(|| self.engine.healthy(), call).await;
        guarded.unwrap_or_else(|silent| Err(EngineError::Unavailable(silent.to_string())))
    }
}

#[async_trait::async_trait]
impl ScanEngine for WatchedEngine {
    async fn ensure_scan(&self, scan: &ScanSeed) -> Result<(), EngineError> {
        self.guard(self.engine.ensure_scan(scan)).await
    }

    async fn start_scan(&self, scan: &ScanSeed, key: Option<KeyId>) -> Result<StartOutcome, EngineError> {
        self.guard(self.engine.start_scan(scan, key)).await
    }

    async fn cancel_scan(&self, scan: &ScanSeed) -> Result<CancelOutcome, EngineError> {
        self.guard(self.engine.cancel_scan(scan)).await
    }

    async fn start_payment(&self, payment: &PaymentRow) -> Result<(), EngineError> {
        self.guard(self.engine.start_payment(payment)).await
    }

    async fn healthy(&self) -> bool {
        self.engine.healthy().await
    }
}
