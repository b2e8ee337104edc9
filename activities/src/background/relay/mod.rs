//! Processes the entries of the outbox: work that a transaction has recorded for after its commit.
//!
//! An outbox entry is written in the same transaction as the change that requires the work. Often
//! the code that wrote the entry does the work at once. The relay processes the other entries, for
//! example after a crash or while the engine was unavailable. Any number of relays may run: each
//! claims its entries with a lease.
//!
//! Most entries are done when they have been processed. Entries that start a workflow stay open
//! until the workflow, or the change it makes, acknowledges them: the relay tries again until then.

mod account_mail;
mod method_detachment;
mod recharge_mail;

use std::{sync::Arc, time::Duration};

use domain::{EventId, PaymentId, ScanId, ScanStatus, Timestamp, payment::PaymentState};
use entities::{
    OutboxRow,
    outbox::{self, Kind},
    payments, scans,
    webhook_deliveries::Round,
};
use outbound::mail::MailError;
use tokio_util::sync::CancellationToken;
use workflows::{ExportInput, RechargeInput, client::EngineError, contract::ErasureInput};

pub use account_mail::send_account_mail;
pub use method_detachment::{DetachError, detach_method};

use super::Schedule;
use crate::{
    Dependencies,
    dependencies::seed_of,
    webhooks::{EmitError, emit, redeliver},
};

/// Time between two polls of the outbox.
const INTERVAL: Duration = Duration::from_secs(1);
/// Maximum number of entries claimed by one poll.
const BATCH: u64 = 32;
/// Time for which other relays skip a claimed entry.
const LEASE: Duration = Duration::from_secs(60);
/// Maximum time to process one entry. It must be shorter than the lease.
const ENTRY_TIMEOUT: Duration = Duration::from_secs(40);

/// The background task that processes the outbox.
pub struct Relay {
    deps: Arc<Dependencies>,
}

/// Why a message was not sent. It is tried again later.
#[derive(Debug, thiserror::Error)]
pub enum MailFailed {
    /// The database failed.
    #[error(transparent)]
    Database(#[from] entities::Error),
    /// The mail server failed.
    #[error(transparent)]
    Mail(#[from] MailError),
}

#[derive(Debug, thiserror::Error)]
enum RelayError {
    #[error(transparent)]
    Database(#[from] entities::Error),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Storage(#[from] media::objects::Error),
    #[error(transparent)]
    Mail(#[from] MailFailed),
    #[error(transparent)]
    Webhooks(#[from] webhooks::Error),
    #[error(transparent)]
    Detach(#[from] DetachError),
    #[error("the subject {0:?} does not fit the kind of the entry")]
    Subject(String),
    #[error("processing took longer than {ENTRY_TIMEOUT:?}")]
    TimedOut,
}

impl From<EmitError> for RelayError {
    fn from(error: EmitError) -> Self {
        match error {
            EmitError::Database(error) => Self::Database(error),
            EmitError::Engine(error) => Self::Engine(error),
        }
    }
}

impl Relay {
    /// Creates the task.
    pub fn new(deps: Dependencies) -> Self {
        Self { deps: Arc::new(deps) }
    }

    /// Runs until `stop` is cancelled. Errors are logged; the entry stays in the outbox.
    pub async fn run(self, stop: CancellationToken) {
        let mut schedule = Schedule::every(INTERVAL, stop);
        while schedule.tick().await {
            if let Err(error) = self.run_once().await {
                tracing::warn!(%error, "the relay failed to read or update the outbox");
            }
        }
    }

    /// Processes the entries that are due now, and returns how many succeeded.
    ///
    /// # Errors
    /// Returns an error if the database is unavailable.
    pub async fn run_once(&self) -> Result<usize, entities::Error> {
        let due = outbox::claim_due(&self.deps.db, BATCH, Timestamp::now(), LEASE).await?;
        // In parallel: a slow bank or mail server does not delay the other entries.
        let mut processing = Vec::with_capacity(due.len());
        for entry in &due {
            processing.push(self.process_or_retry(entry));
        }
        let outcomes = futures::future::join_all(processing).await;
        outcomes.into_iter().try_fold(0, |sum, succeeded| Ok(sum + usize::from(succeeded?)))
    }

    /// Processes an entry, or schedules its next attempt. Returns whether it succeeded.
    async fn process_or_retry(&self, entry: &OutboxRow) -> Result<bool, entities::Error> {
        let outcome = tokio::time::timeout(ENTRY_TIMEOUT, self.process(entry)).await;
        let Err(error) = outcome.unwrap_or(Err(RelayError::TimedOut)) else { return Ok(true) };
        let (kind, subject) = (entry.kind.as_str(), &entry.subject);
        tracing::warn!(kind, subject, %error, "failed to process an outbox entry");
        self.retry_later(entry).await?;
        Ok(false)
    }

    async fn process(&self, entry: &OutboxRow) -> Result<(), RelayError> {
        match entry.kind.0 {
            // The workflow, or the change it makes, acknowledges these entries.
            Kind::ScanStart => return self.start_scan(entry).await,
            Kind::Payment => return self.start_payment(entry).await,
            Kind::Export => return self.start_export(entry).await,
            Kind::Erasure => return self.start_erasure(entry).await,
            // These entries hold personal data, and are deleted when they are done.
            Kind::MethodDetach => {
                let Dependencies { db, banks, .. } = self.deps.as_ref();
                return Ok(detach_method(db, banks, entry).await?);
            }
            Kind::AccountMail => {
                let Dependencies { db, mailer, console_url, .. } = self.deps.as_ref();
                return Ok(send_account_mail(db, mailer, console_url, entry, Timestamp::now()).await?);
            }
            // These entries are done when they have been processed.
            Kind::ScanWorkflow => self.ensure_scan_workflow(entry).await?,
            Kind::RechargeMail => recharge_mail::send(&self.deps.db, &self.deps.mailer, entry).await?,
            Kind::Event => {
                emit(&self.deps, &EventId::trusted(entry.subject.clone())).await?;
            }
            Kind::Delivery => redeliver(&self.deps, round_of(entry)?).await?,
            Kind::EndpointMail => {
                webhooks::mail_endpoint_disabled(&self.deps.db, &self.deps.mailer, entry).await?;
            }
            Kind::Purge | Kind::PurgeAgain => {
                self.deps.store.delete_prefix(&entry.subject).await?;
            }
        }
        Ok(self.acknowledge(entry).await?)
    }

    async fn ensure_scan_workflow(&self, entry: &OutboxRow) -> Result<(), RelayError> {
        match scans::system::find(&self.deps.db, &scan_of(entry)?).await? {
            Some(scan) if !scan.status.0.is_terminal() => {
                Ok(self.deps.engine.ensure_scan(&seed_of(&scan)).await?)
            }
            _ => Ok(()),
        }
    }

    /// Sends the update `start` to a scan's workflow again. The stage `secure_media` acknowledges
    /// the entry; until then a repeat changes nothing.
    async fn start_scan(&self, entry: &OutboxRow) -> Result<(), RelayError> {
        let scan = scans::system::find(&self.deps.db, &scan_of(entry)?).await?;
        let Some(scan) = scan.filter(|s| s.status.0 == ScanStatus::Queued) else {
            return Ok(self.acknowledge(entry).await?);
        };
        let key_id = scan.key_id.as_ref().map(|k| k.0.clone());
        match self.deps.engine.start_scan(&seed_of(&scan), key_id).await {
            Ok(outcome) => {
                tracing::info!(scan = %scan.id.0, ?outcome, "sent the update `start` again");
            }
            // The reconciler fails or restarts a scan whose workflow has ended.
            Err(EngineError::Closed) => {
                tracing::warn!(scan = %scan.id.0, "the scan is queued, and its workflow has ended");
            }
            Err(e) => return Err(e.into()),
        }
        Ok(self.retry_later(entry).await?)
    }

    /// Starts the workflow of a payment. Settling the payment acknowledges the entry. Until then
    /// the entry is retried: the workflow of an earlier payment with the same id may still be
    /// running.
    async fn start_payment(&self, entry: &OutboxRow) -> Result<(), RelayError> {
        let id: PaymentId = entry.subject.parse().map_err(|_| RelayError::Subject(entry.subject.clone()))?;
        let payment = payments::system::find(&self.deps.db, &id).await?;
        let Some(payment) = payment.filter(|payment| payment.state.0 == PaymentState::Pending) else {
            return Ok(self.acknowledge(entry).await?);
        };
        let input = RechargeInput { payment_id: id, tenant: payment.tenant(), kind: payment.kind.0 };
        self.deps.engine.start_payment(input, payment.amount_cents).await?;
        Ok(self.retry_later(entry).await?)
    }

    /// Starts the workflow of an export. The finished archive acknowledges the entry. Until then
    /// the entry is retried: an operator may terminate the workflow.
    async fn start_export(&self, entry: &OutboxRow) -> Result<(), RelayError> {
        let export_id = entry.subject.parse().map_err(|_| RelayError::Subject(entry.subject.clone()))?;
        self.deps.engine.start_export(ExportInput { export_id }).await?;
        Ok(self.retry_later(entry).await?)
    }

    /// Starts the workflow of an erasure. Erasing the records acknowledges the entry. Until then
    /// the entry is retried: an operator may terminate the workflow.
    async fn start_erasure(&self, entry: &OutboxRow) -> Result<(), RelayError> {
        let account_id = entry.subject.parse().map_err(|_| RelayError::Subject(entry.subject.clone()))?;
        self.deps.engine.start_erasure(ErasureInput { account_id }).await?;
        Ok(self.retry_later(entry).await?)
    }

    async fn acknowledge(&self, entry: &OutboxRow) -> Result<(), entities::Error> {
        outbox::complete(&self.deps.db, entry.kind.0, &entry.subject, Timestamp::now()).await?;
        Ok(())
    }

    async fn retry_later(&self, entry: &OutboxRow) -> Result<(), entities::Error> {
        outbox::retry_later(&self.deps.db, entry, Timestamp::now()).await?;
        Ok(())
    }
}

fn scan_of(entry: &OutboxRow) -> Result<ScanId, RelayError> {
    entry.subject.parse().map_err(|_| RelayError::Subject(entry.subject.clone()))
}

fn round_of(entry: &OutboxRow) -> Result<Round, RelayError> {
    Round::of_subject(&entry.subject).ok_or_else(|| RelayError::Subject(entry.subject.clone()))
}
