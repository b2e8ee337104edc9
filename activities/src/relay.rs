//! The relay: does what was promised in the database and not done yet.
//!
//! A promise (an outbox row) is written with what makes it necessary, in one transaction. Mostly it is
//! kept at once by who made it; the relay keeps the others, after a crash or while the engine was away.
//! Any number of relays may run.

use std::{sync::Arc, time::Duration};

use domain::{EventId, PaymentId, ScanId, ScanStatus, Timestamp, payment::PaymentState};
use entities::{
    OutboxRow,
    outbox::{self, Kind},
    payments, scans,
    webhook_deliveries::Round,
};
use tokio_util::sync::CancellationToken;
use workflows::{ExportInput, RechargeInput, client::EngineError, contract::ErasureInput};

use crate::{Parts, account_mail, context::seed, detach, events, recharge};

/// How often a relay looks for promises that are due.
const INTERVAL: Duration = Duration::from_secs(1);
/// Promises taken at once.
const BATCH: u64 = 32;
/// How long other relays leave a taken promise alone.
const LEASE: Duration = Duration::from_secs(60);
/// How long keeping one promise may take: shorter than the lease, whatever a mail relay does.
const PATIENCE: Duration = Duration::from_secs(40);

/// Keeps promises until it is stopped.
pub struct Relay {
    parts: Arc<Parts>,
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
    Mail(#[from] recharge::MailFailed),
    #[error(transparent)]
    Webhooks(#[from] webhooks::Error),
    #[error(transparent)]
    Detach(#[from] detach::DetachError),
    #[error("subject {0:?} is not what its kind says")]
    Subject(String),
    #[error("it took longer than {PATIENCE:?}")]
    Slow,
}

impl From<events::EmitError> for RelayError {
    fn from(error: events::EmitError) -> Self {
        match error {
            events::EmitError::Database(error) => Self::Database(error),
            events::EmitError::Engine(error) => Self::Engine(error),
        }
    }
}

impl Relay {
    /// A relay over these parts.
    pub fn new(parts: Parts) -> Self {
        Self { parts: Arc::new(parts) }
    }

    /// Runs until `stop` is cancelled. Trouble is logged and tried again later; nothing is lost.
    pub async fn run(self, stop: CancellationToken) {
        let mut tick = tokio::time::interval(INTERVAL);
        tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = tick.tick() => {}
            }
            if let Err(error) = self.once().await {
                tracing::warn!(%error, "the relay could not look for work");
            }
        }
    }

    /// Keeps what is due now and says how many promises that were.
    ///
    /// # Errors
    /// When the database cannot be asked.
    pub async fn once(&self) -> Result<usize, entities::Error> {
        let due = outbox::claim_due(&self.parts.db, BATCH, Timestamp::now(), LEASE).await?;
        // All at once: a bank or mail relay that is slow holds nobody else up.
        let mut keeping = Vec::with_capacity(due.len());
        for promise in &due {
            keeping.push(self.keep_or_retry(promise));
        }
        let kept = futures::future::join_all(keeping).await;
        kept.into_iter().try_fold(0, |sum, kept| Ok(sum + usize::from(kept?)))
    }

    /// Says whether the promise was kept.
    async fn keep_or_retry(&self, promise: &OutboxRow) -> Result<bool, entities::Error> {
        let kept = tokio::time::timeout(PATIENCE, self.keep(promise)).await;
        let Err(error) = kept.unwrap_or(Err(RelayError::Slow)) else { return Ok(true) };
        tracing::warn!(kind = promise.kind.as_str(), subject = promise.subject, %error, "not yet");
        outbox::retry_later(&self.parts.db, promise, Timestamp::now()).await?;
        Ok(false)
    }

    async fn keep(&self, promise: &OutboxRow) -> Result<(), RelayError> {
        match promise.kind.0 {
            Kind::ScanWorkflow => self.ensure_workflow(promise).await?,
            // Done when the workflow says so itself: it may have heard and not yet acted.
            Kind::ScanStart => return self.tell_start(promise).await,
            // Done with the settling of the payment.
            Kind::Payment => return self.pursue_payment(promise).await,
            // Forgotten when it is detached: it names a customer of the bank.
            Kind::MethodDetach => {
                let Parts { db, banks, .. } = self.parts.as_ref();
                return Ok(detach::detach_method(db, banks, promise).await?);
            }
            Kind::RechargeMail => {
                recharge::tell_by_mail(&self.parts.db, &self.parts.mailer, promise).await?;
            }
            // Done when the archive is made.
            Kind::Export => return self.pursue_export(promise).await,
            // Done when it is erased.
            Kind::Erasure => return self.pursue_erasure(promise).await,
            // Forgotten when it is sent: it names an address.
            Kind::AccountMail => {
                let Parts { db, mailer, console_url, .. } = self.parts.as_ref();
                let sent =
                    account_mail::send_account_mail(db, mailer, console_url, promise, Timestamp::now());
                return Ok(sent.await?);
            }
            Kind::Event => {
                events::emit(&self.parts, &EventId::trusted(promise.subject.clone())).await?;
            }
            Kind::Delivery => events::deliver_again(&self.parts, round_of(promise)?).await?,
            Kind::EndpointMail => {
                webhooks::mail_endpoint_disabled(&self.parts.db, &self.parts.mailer, promise).await?;
            }
            Kind::Purge | Kind::PurgeAgain => {
                self.parts.store.delete_prefix(&promise.subject).await?;
            }
        }
        outbox::done(&self.parts.db, promise.kind.0, &promise.subject, Timestamp::now()).await?;
        Ok(())
    }

    async fn ensure_workflow(&self, promise: &OutboxRow) -> Result<(), RelayError> {
        match scans::system::find(&self.parts.db, &scan_of(promise)?).await? {
            Some(scan) if !scan.status.0.is_terminal() => {
                Ok(self.parts.engine.ensure_scan(&seed(&scan)).await?)
            }
            _ => Ok(()),
        }
    }

    async fn pursue_payment(&self, promise: &OutboxRow) -> Result<(), RelayError> {
        let id: PaymentId =
            promise.subject.parse().map_err(|_| RelayError::Subject(promise.subject.clone()))?;
        let payment = payments::system::find(&self.parts.db, &id).await?;
        let Some(payment) = payment.filter(|payment| payment.state.0 == PaymentState::Pending) else {
            outbox::done(&self.parts.db, promise.kind.0, &promise.subject, Timestamp::now()).await?;
            return Ok(());
        };
        let input = RechargeInput { payment_id: id, tenant: payment.tenant(), kind: payment.kind.0 };
        self.parts.engine.start_payment(input, payment.amount_cents).await?;
        // Claimed again until it is settled: the workflow of an earlier payment may still be ending.
        outbox::retry_later(&self.parts.db, promise, Timestamp::now()).await?;
        Ok(())
    }

    async fn pursue_export(&self, promise: &OutboxRow) -> Result<(), RelayError> {
        let export_id = promise.subject.parse().map_err(|_| RelayError::Subject(promise.subject.clone()))?;
        self.parts.engine.start_export(ExportInput { export_id }).await?;
        // Claimed again until it is done: someone may terminate the workflow.
        outbox::retry_later(&self.parts.db, promise, Timestamp::now()).await?;
        Ok(())
    }

    async fn pursue_erasure(&self, promise: &OutboxRow) -> Result<(), RelayError> {
        let account_id = promise.subject.parse().map_err(|_| RelayError::Subject(promise.subject.clone()))?;
        self.parts.engine.start_erasure(ErasureInput { account_id }).await?;
        // Claimed again until it is done: someone may terminate the workflow.
        outbox::retry_later(&self.parts.db, promise, Timestamp::now()).await?;
        Ok(())
    }

    async fn tell_start(&self, promise: &OutboxRow) -> Result<(), RelayError> {
        let scan = scans::system::find(&self.parts.db, &scan_of(promise)?).await?;
        let Some(scan) = scan.filter(|s| s.status.0 == ScanStatus::Queued) else {
            outbox::done(&self.parts.db, promise.kind.0, &promise.subject, Timestamp::now()).await?;
            return Ok(());
        };
        let key_id = scan.key_id.as_ref().map(|k| k.0.clone());
        match self.parts.engine.start_scan(&seed(&scan), key_id).await {
            Ok(outcome) => {
                tracing::info!(scan = %scan.id.0, ?outcome, "told the workflow of its start again")
            }
            // The reconciler decides about workflows that ended without the scan.
            Err(EngineError::Closed) => {
                tracing::warn!(scan = %scan.id.0, "queued, and its workflow has ended")
            }
            Err(e) => return Err(e.into()),
        }
        // Claimed again unless it is acknowledged: a repeat changes nothing.
        outbox::retry_later(&self.parts.db, promise, Timestamp::now()).await?;
        Ok(())
    }
}

fn scan_of(promise: &OutboxRow) -> Result<ScanId, RelayError> {
    promise.subject.parse().map_err(|_| RelayError::Subject(promise.subject.clone()))
}

fn round_of(promise: &OutboxRow) -> Result<Round, RelayError> {
    Round::of_subject(&promise.subject).ok_or_else(|| RelayError::Subject(promise.subject.clone()))
}
