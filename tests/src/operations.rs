//! Single operations on scans, money and accounts, for tests that kill the process in the middle of one.

use std::time::Duration;

use anyhow::Context;
use domain::{
    AccountId, ExportId, FailureCode, PaymentId, ScanId, SpaceId, Timestamp, layout,
    media::UploadSlot,
    mode::Tenant,
    scan::{MAX_IN_PROGRESS, ScanFailure},
};
use entities::{
    Db, erasure, payments, scans,
    scans::Idempotency,
    testing,
    uploads::{self, NewUpload},
};
use ledger::{Adjustment, Credit, NewTopUp, StartRequest};

use crate::TestBackend;

/// Amount that [`Operation::TopUp`] and [`Operation::Grant`] add and [`Operation::Adjust`] removes,
/// in cents.
pub const CENTS: i64 = 700;
/// Quota of the account's uploads, in bytes.
const UPLOAD_QUOTA: u64 = 1_000_000;
/// How long the archive of an export is kept.
const EXPORT_TTL: Duration = Duration::from_secs(3_600);

/// An operation that prepares a scan, moves money, or closes, erases or exports an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Operation {
    /// Creates a scan of this space, with an idempotency key.
    Create(Tenant, SpaceId),
    /// Records the upload of a scan's video.
    Upload(ScanId),
    /// Cancels a scan.
    Cancel(ScanId),
    /// Starts a scan: charges its account or refuses the start.
    Start(ScanId),
    /// Fails a scan and refunds its charge.
    Fail(ScanId),
    /// Creates a top-up.
    TopUp(Tenant),
    /// Requests a payment from the bank.
    Pay(PaymentId),
    /// Grants money and a free scan.
    Grant(Tenant),
    /// Removes money by an adjustment.
    Adjust(Tenant),
    /// Closes an account.
    Close(AccountId),
    /// Erases a closed account, with the steps of the erasure workflow.
    Erase(AccountId),
    /// Builds the archive of an export.
    Export(ExportId),
    /// Deletes an expired archive.
    DropExport(ExportId),
}

impl Operation {
    /// Returns the name and the subject as command-line arguments, for [`Operation::parse`].
    pub fn to_args(&self) -> [String; 2] {
        let subject = |tenant: &Tenant| format!("{}/{}", tenant.account_id, tenant.mode.livemode());
        match self {
            Operation::Create(tenant, space) => ["create".into(), format!("{}/{space}", subject(tenant))],
            Operation::Upload(scan) => ["upload".into(), scan.to_string()],
            Operation::Cancel(scan) => ["cancel".into(), scan.to_string()],
            Operation::Start(scan) => ["start".into(), scan.to_string()],
            Operation::Fail(scan) => ["fail".into(), scan.to_string()],
            Operation::TopUp(tenant) => ["top-up".into(), subject(tenant)],
            Operation::Pay(payment) => ["pay".into(), payment.to_string()],
            Operation::Grant(tenant) => ["grant".into(), subject(tenant)],
            Operation::Adjust(tenant) => ["adjust".into(), subject(tenant)],
            Operation::Close(account) => ["close".into(), account.to_string()],
            Operation::Erase(account) => ["erase".into(), account.to_string()],
            Operation::Export(export) => ["export".into(), export.to_string()],
            Operation::DropExport(export) => ["drop-export".into(), export.to_string()],
        }
    }

    /// Parses the arguments that [`Operation::to_args`] returns.
    pub fn parse(name: &str, id: &str) -> Option<Self> {
        let mut parts = id.split('/');
        let mut tenant = || {
            let (account, live) = (parts.next()?, parts.next()?);
            let mode = domain::Mode::from_livemode(live == "true");
            Some(Tenant { account_id: account.parse().ok()?, mode })
        };
        Some(match name {
            "create" => Operation::Create(tenant()?, parts.next()?.parse().ok()?),
            "upload" => Operation::Upload(id.parse().ok()?),
            "cancel" => Operation::Cancel(id.parse().ok()?),
            "start" => Operation::Start(id.parse().ok()?),
            "fail" => Operation::Fail(id.parse().ok()?),
            "top-up" => Operation::TopUp(tenant()?),
            "pay" => Operation::Pay(id.parse().ok()?),
            "grant" => Operation::Grant(tenant()?),
            "adjust" => Operation::Adjust(tenant()?),
            "close" => Operation::Close(id.parse().ok()?),
            "erase" => Operation::Erase(id.parse().ok()?),
            "export" => Operation::Export(id.parse().ok()?),
            "drop-export" => Operation::DropExport(id.parse().ok()?),
            _ => return None,
        })
    }

    /// Runs the operation. Idempotent.
    ///
    /// # Errors
    /// Returns an error if the bank, the storage or the database is unavailable.
    pub async fn run(&self, backend: &TestBackend) -> anyhow::Result<()> {
        let (db, now) = (&backend.db, Timestamp::now());
        match self {
            Operation::Create(tenant, space) => create_scan(db, tenant, space, now).await?,
            Operation::Upload(scan) => record_upload(db, scan, now).await?,
            Operation::Cancel(scan) => {
                db.write(async |txn| scans::cancel(&txn, scan, now).await).await?;
            }
            Operation::Start(scan) => start_scan(db, scan, now).await?,
            Operation::Fail(scan) => {
                let code = FailureCode::MediaUnreadable;
                let message = code.message().into();
                let failure = ScanFailure { code, message, stage: None, retryable: false };
                ledger::fail_scan(db, scan, &failure, now).await?;
            }
            Operation::TopUp(tenant) => {
                let new = NewTopUp {
                    tenant: tenant.clone(),
                    amount_cents: CENTS,
                    idempotency_key: "my-only-top-up".into(),
                    requested_by: "someone".into(),
                };
                ledger::begin_top_up(db, &new, now).await?;
            }
            Operation::Pay(payment) => {
                let payment = payments::system::find(db, payment).await?;
                if let Some(payment) = payment {
                    activities::pay(db, &backend.banks, &payment.id, now).await?;
                }
            }
            Operation::Grant(tenant) => {
                let reference = format!("gift to {}", tenant.account_id);
                let gift = Credit { tenant: tenant.clone(), cents: CENTS, free_scans: 1, reference };
                ledger::grant(db, &gift, now).await?;
            }
            Operation::Adjust(tenant) => adjust(db, tenant, now).await?,
            Operation::Close(account) => {
                db.write(async |txn| erasure::close(&txn, account, now).await).await?;
            }
            Operation::Erase(account) => {
                db.write(async |txn| erasure::settle(&txn, account, now).await).await?;
                activities::delete_objects(db, &backend.store, account).await.map_err(failed)?;
                db.write(async |txn| erasure::erase(&txn, account, now).await).await?;
            }
            Operation::Export(export) => {
                activities::export(db, &backend.store, &backend.scratch, export, EXPORT_TTL)
                    .await
                    .map_err(failed)?;
            }
            Operation::DropExport(export) => {
                activities::drop_export(db, &backend.store, export).await.map_err(failed)?;
            }
        }
        Ok(())
    }
}

async fn create_scan(db: &Db, tenant: &Tenant, space: &SpaceId, now: Timestamp) -> anyhow::Result<()> {
    let mut new = testing::new_scan(tenant, space, testing::video_input());
    let (key, request_hash) = ("my-only-scan".into(), "the same body".into());
    new.idempotency = Some(Idempotency { key, request_hash });
    db.write(async |txn| scans::create(&txn, &new, now).await).await?;
    Ok(())
}

async fn record_upload(db: &Db, scan: &ScanId, now: Timestamp) -> anyhow::Result<()> {
    let found = scans::system::find(db, scan).await?.context("no such scan")?;
    let slot = UploadSlot::Video;
    let upload = NewUpload {
        slot,
        object_key: layout::upload(scan, slot),
        content_type: "video/mp4".into(),
        bytes: 1_000,
        etag: "etag".into(),
        sha256: None,
    };
    let (tenant, quota) = (found.tenant(), UPLOAD_QUOTA);
    db.write(async |txn| uploads::put_within(&txn, &tenant, scan, &upload, quota, now).await).await?;
    Ok(())
}

async fn start_scan(db: &Db, scan: &ScanId, now: Timestamp) -> anyhow::Result<()> {
    let found = scans::system::find(db, scan).await?;
    let request = StartRequest {
        scan_id: scan.clone(),
        key_id: found.and_then(|scan| scan.key_id).map(|key| key.0),
        now,
        prices: Default::default(),
        max_in_progress: MAX_IN_PROGRESS,
    };
    ledger::start_scan(db, &request).await?;
    Ok(())
}

async fn adjust(db: &Db, tenant: &Tenant, now: Timestamp) -> anyhow::Result<()> {
    let (reason, reference) = ("given twice".into(), format!("take from {}", tenant.account_id));
    let (tenant, cents) = (tenant.clone(), -CENTS);
    let adjustment = Adjustment { tenant, cents, reason, reference, may_overdraw: false };
    ledger::adjust(db, &adjustment, now).await?;
    Ok(())
}

/// Converts the failure of an activity, which doesn't implement `Error`.
fn failed(error: impl std::fmt::Debug) -> anyhow::Error {
    anyhow::anyhow!("{error:?}")
}
