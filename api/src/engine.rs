//! What handlers need of the engine that runs scans.

use domain::{
    KeyId,
    scan::{CancelOutcome, StartOutcome},
};
use entities::{PaymentRow, ScanRow};
use workflows::RechargeInput;
pub use workflows::{ScanSeed, client::EngineError};

/// The engine, as far as the API is concerned. A trait, because the engine is another process.
#[async_trait::async_trait]
pub trait ScanEngine: Send + Sync {
    /// Starts the scan's workflow if it is not there.
    async fn ensure_scan(&self, scan: &ScanSeed) -> Result<(), EngineError>;

    /// Verifies the uploads, charges and queues the scan; the first outcome when it was done before.
    async fn start_scan(&self, scan: &ScanSeed, key: Option<KeyId>) -> Result<StartOutcome, EngineError>;

    /// Cancels the scan if it still awaits its upload.
    async fn cancel_scan(&self, scan: &ScanSeed) -> Result<CancelOutcome, EngineError>;

    /// Starts the workflow that brings a payment to its end, if it is not there.
    async fn start_payment(&self, payment: &PaymentRow) -> Result<(), EngineError>;

    /// Whether it can be reached.
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

/// What the engine must know of a scan.
pub fn seed(scan: &ScanRow) -> ScanSeed {
    let tenant = scan.tenant();
    ScanSeed {
        scan_id: scan.id.0.clone(),
        account_id: tenant.account_id,
        space_id: scan.space_id.0.clone(),
        mode: tenant.mode,
        kind: scan.input.kind,
        created_at: scan.created_at.0,
        deadline_at: scan.deadline_at.0,
    }
}
