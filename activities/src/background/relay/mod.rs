//! Processes the entries of the outbox: work that a transaction has recorded for after its commit.
//!
//! An outbox entry is written in the same transaction as the change that requires the work. Often
//! the code that wrote the entry does the work at once. The relay processes the other entries, for
//! example after a crash or while the engine was unavailable. Any number of relays may run: each
//! claims its entries with a lease.
//!
//! Each kind of entry has its own [`lane`], so that a slow bank or mail server delays only its own
//! entries.
//!
//! Most entries are done when they have been processed. Entries that start a workflow stay open
//! until the workflow, or the change it makes, acknowledges them: the relay tries again until then.

mod account_mail;
mod lane;
mod method_detachment;
mod recharge_mail;

use std::{sync::Arc, time::Duration};

use domain::{EventId, PaymentId, ScanId, ScanStatus, Timestamp, payment::PaymentState};
use entities::{
    Db, OutboxRow,
    outbox::{self, Kind},
    payments, scans,
    webhook_deliveries::Round,
};
use futures::future::join_all;
use outbound::mail::MailError;
use tokio_util::sync::CancellationToken;
use workflows::{ExportInput, RechargeInput, client::EngineError, contract::ErasureInput};

pub use account_mail::send_account_mail;
pub use method_detachment::{DetachError, DetachOutcome, detach_method};

use self::lane::{Handler, Lane, Progress};
use crate::{
    Dependencies,
    background::Schedule,
    webhooks::{EmitError, emit, redeliver},
};

/// Time between two polls of the outbox. One poll serves all lanes.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// Time between two attempts to listen for the entries of other processes.
const LISTEN_INTERVAL: Duration = Duration::from_secs(5);
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
    /// The outbox entry cannot be parsed.
    #[error("the outbox entry cannot be parsed")]
    Malformed,
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
    #[error("the subject does not fit the kind of the entry")]
    Subject,
    #[error("processing took longer than {ENTRY_TIMEOUT:?}")]
    TimedOut,
    #[error("processing panicked")]
    Panicked,
}

impl RelayError {
    /// Returns the word that is stored as the entry's last error. It contains no data of the error.
    fn code(&self) -> &'static str {
        match self {
            Self::Database(_)
            | Self::Mail(MailFailed::Database(_))
            | Self::Detach(DetachError::Database(_))
            | Self::Webhooks(webhooks::Error::Store(_)) => "database",
            Self::Engine(_) => "engine",
            Self::Storage(_) => "storage",
            Self::Mail(MailFailed::Mail(_)) | Self::Webhooks(_) => "mail",
            Self::Detach(DetachError::Bank(_)) => "bank",
            Self::Subject | Self::Mail(MailFailed::Malformed) | Self::Detach(DetachError::Malformed) => {
                "malformed"
            }
            Self::TimedOut => "timed_out",
            Self::Panicked => "panicked",
        }
    }

    /// Returns whether another attempt may succeed: any error but an entry that cannot be parsed.
    fn is_retryable(&self) -> bool {
        match self {
            Self::Subject | Self::Mail(MailFailed::Malformed) | Self::Detach(DetachError::Malformed) => false,
            Self::Database(_)
            | Self::Engine(_)
            | Self::Storage(_)
            | Self::Mail(MailFailed::Database(_) | MailFailed::Mail(_))
            | Self::Webhooks(_)
            | Self::Detach(DetachError::Database(_) | DetachError::Bank(_))
            | Self::TimedOut
            | Self::Panicked => true,
        }
    }
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

    /// Runs until `stop` is cancelled and the entries in progress are processed. Errors are logged;
    /// the entry stays in the outbox.
    pub async fn run(self, stop: CancellationToken) {
        let relay = Arc::new(self);
        let lane =
            |kind| Lane { db: relay.deps.db.clone(), kind, slots: slots(kind), handler: relay.clone() };
        let lanes = join_all(Kind::ALL.map(|kind| lane(kind).run(stop.clone())));
        let db = &relay.deps.db;
        tokio::join!(lanes, poll(db, POLL_INTERVAL, &stop), listen(db, &stop));
    }
}

/// Wakes the lanes that have a due entry until `stop` is cancelled: entries whose time has come, and,
/// on SQLite, those of other processes. Errors are logged, and the next poll tries again.
async fn poll(db: &Db, interval: Duration, stop: &CancellationToken) {
    let mut polls = Schedule::every(interval, stop.clone());
    while polls.tick().await {
        if let Err(error) = within(ENTRY_TIMEOUT, outbox::wake_due(db, Timestamp::now())).await {
            tracing::warn!(%error, "the relay failed to read the outbox");
        }
    }
}

/// Ends a read of the outbox after `timeout`. A connection whose other side vanished is silent for a
/// quarter of an hour, and no lane may wait for it that long.
async fn within<T>(
    timeout: Duration,
    read: impl Future<Output = Result<T, entities::Error>>,
) -> Result<T, RelayError> {
    tokio::time::timeout(timeout, read).await.map_err(|_elapsed| RelayError::TimedOut)?.map_err(Into::into)
}

/// Wakes the lanes for entries of other processes until `stop` is cancelled. While the database
/// cannot be reached, only the polls find such entries.
async fn listen(db: &Db, stop: &CancellationToken) {
    let mut attempts = Schedule::every(LISTEN_INTERVAL, stop.clone());
    while attempts.tick().await {
        if let Some(Err(error)) = stop.run_until_cancelled(outbox::listen(db)).await {
            tracing::warn!(%error, "the relay failed to listen for outbox entries of other processes");
        }
    }
}

/// Returns how many entries of a kind one process handles at a time.
const fn slots(kind: Kind) -> usize {
    match kind {
        // A short request to the engine.
        Kind::ScanWorkflow | Kind::ScanStart | Kind::Payment | Kind::Event | Kind::Delivery => 8,
        // A mail server may take seconds.
        Kind::AccountMail => 8,
        Kind::EndpointMail | Kind::RechargeMail => 4,
        // A request to the bank, which limits our rate.
        Kind::MethodDetach => 4,
        // Rare, or never urgent.
        Kind::Export | Kind::Erasure => 2,
        Kind::Purge | Kind::PurgeAgain => 4,
    }
}

impl Handler for Relay {
    async fn handle(&self, entry: &OutboxRow) -> Result<Progress, RelayError> {
        match entry.kind.0 {
            // The workflow, or the change it makes, acknowledges these entries.
            Kind::ScanStart => return self.start_scan(entry).await,
            Kind::Payment => return self.start_payment(entry).await,
            Kind::Export => return self.start_export(entry).await,
            Kind::Erasure => return self.start_erasure(entry).await,
            // These entries hold personal data, and are deleted when they are done.
            Kind::MethodDetach => {
                let Dependencies { db, banks, .. } = self.deps.as_ref();
                return Ok(match detach_method(db, banks, entry).await? {
                    DetachOutcome::Done => Progress::Done,
                    // The bank decides about the payment, which is not a failure of this entry.
                    DetachOutcome::PaymentPending => Progress::Waiting,
                });
            }
            Kind::AccountMail => {
                let Dependencies { db, mailer, console_url, .. } = self.deps.as_ref();
                send_account_mail(db, mailer, console_url, entry, Timestamp::now()).await?;
                return Ok(Progress::Done);
            }
            // These entries are done when they have been processed.
            Kind::ScanWorkflow => self.ensure_scan_workflow(entry).await?,
            Kind::RechargeMail => recharge_mail::send(&self.deps.db, &self.deps.mailer, entry).await?,
            Kind::Event => {
                emit(&self.deps, &EventId::trusted(entry.subject.clone())).await?;
            }
            Kind::Delivery => redeliver(&self.deps, round_of(entry)?).await?,
            Kind::EndpointMail => {
                round_of(entry)?;
                webhooks::mail_endpoint_disabled(&self.deps.db, &self.deps.mailer, entry).await?;
            }
            Kind::Purge | Kind::PurgeAgain => {
                self.deps.store.delete_prefix(&entry.subject).await?;
            }
        }
        self.acknowledge(entry).await
    }
}

impl Relay {
    async fn ensure_scan_workflow(&self, entry: &OutboxRow) -> Result<(), RelayError> {
        match scans::system::find(&self.deps.db, &scan_of(entry)?).await? {
            Some(scan) if !scan.status.0.is_terminal() => {
                Ok(self.deps.engine.ensure_scan(&scan.seed()).await?)
            }
            _ => Ok(()),
        }
    }

    /// Sends the update `start` to a scan's workflow again. The stage `secure_media` acknowledges
    /// the entry; until then a repeat changes nothing.
    async fn start_scan(&self, entry: &OutboxRow) -> Result<Progress, RelayError> {
        let scan = scans::system::find(&self.deps.db, &scan_of(entry)?).await?;
        let Some(scan) = scan.filter(|s| s.status.0 == ScanStatus::Queued) else {
            return self.acknowledge(entry).await;
        };
        let key_id = scan.key_id.as_ref().map(|k| k.0.clone());
        match self.deps.engine.start_scan(&scan.seed(), key_id).await {
            Ok(outcome) => {
                tracing::info!(scan = %scan.id.0, ?outcome, "sent the update `start` again");
            }
            // The reconciler fails or restarts a scan whose workflow has ended.
            Err(EngineError::Closed) => {
                tracing::warn!(scan = %scan.id.0, "the scan is queued, and its workflow has ended");
            }
            Err(e) => return Err(e.into()),
        }
        Ok(Progress::Waiting)
    }

    /// Starts the workflow of a payment. Settling the payment acknowledges the entry. Until then
    /// the entry is retried: the workflow of an earlier payment with the same id may still be
    /// running.
    async fn start_payment(&self, entry: &OutboxRow) -> Result<Progress, RelayError> {
        let id: PaymentId = entry.subject.parse().map_err(|_| RelayError::Subject)?;
        let payment = payments::system::find(&self.deps.db, &id).await?;
        let Some(payment) = payment.filter(|payment| payment.state.0 == PaymentState::Pending) else {
            return self.acknowledge(entry).await;
        };
        let input = RechargeInput { payment_id: id, tenant: payment.tenant(), kind: payment.kind.0 };
        self.deps.engine.start_payment(input, payment.amount_cents).await?;
        Ok(Progress::Waiting)
    }

    /// Starts the workflow of an export. The finished archive acknowledges the entry. Until then
    /// the entry is retried: an operator may terminate the workflow.
    async fn start_export(&self, entry: &OutboxRow) -> Result<Progress, RelayError> {
        let export_id = entry.subject.parse().map_err(|_| RelayError::Subject)?;
        self.deps.engine.start_export(ExportInput { export_id }).await?;
        Ok(Progress::Waiting)
    }

    /// Starts the workflow of an erasure. Erasing the records acknowledges the entry. Until then
    /// the entry is retried: an operator may terminate the workflow.
    async fn start_erasure(&self, entry: &OutboxRow) -> Result<Progress, RelayError> {
        let account_id = entry.subject.parse().map_err(|_| RelayError::Subject)?;
        self.deps.engine.start_erasure(ErasureInput { account_id }).await?;
        Ok(Progress::Waiting)
    }

    async fn acknowledge(&self, entry: &OutboxRow) -> Result<Progress, RelayError> {
        outbox::complete(&self.deps.db, entry.kind.0, &entry.subject, Timestamp::now()).await?;
        Ok(Progress::Done)
    }
}

fn scan_of(entry: &OutboxRow) -> Result<ScanId, RelayError> {
    entry.subject.parse().map_err(|_| RelayError::Subject)
}

fn round_of(entry: &OutboxRow) -> Result<Round, RelayError> {
    Round::of_subject(&entry.subject).ok_or(RelayError::Subject)
}
