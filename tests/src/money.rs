//! What can be done to money and accounts, each by one call that may be repeated: for tests in which the process
//! dies.

use std::{path::Path, sync::Arc, time::Duration};

use domain::{
    AccountId, ExportId, FailureCode, PaymentId, ScanId, Secret, Timestamp,
    mode::Tenant,
    scan::{MAX_IN_PROGRESS, ScanFailure},
};
use entities::{Db, erasure, payments, scans};
use ledger::{Adjustment, Credit, NewTopUp, StartRequest};
use media::{ObjectStore, embedded, objects, scratch::ScratchRoot};
use outbound::payments::{Banks, PaymentSettings, SimulatedSettings};
use tokio::net::TcpListener;

/// How much [`Deed::TopUp`] and [`Deed::Grant`] bring, and [`Deed::Adjust`] takes, in cents.
pub const CENTS: i64 = 700;
/// How long archives are kept.
const KEPT: Duration = Duration::from_secs(3_600);

/// Something that moves money, or ends, empties or copies an account.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    /// A scan is started: charged, or refused.
    Start(ScanId),
    /// A scan fails: refunded.
    Fail(ScanId),
    /// A top-up is decided on.
    TopUp(Tenant),
    /// The bank is asked for a payment.
    Pay(PaymentId),
    /// Money is given.
    Grant(Tenant),
    /// An operator takes money back.
    Adjust(Tenant),
    /// An account is ended by its owner.
    Close(AccountId),
    /// A closed account is erased, step by step as its workflow does.
    Erase(AccountId),
    /// The archive of an account is made.
    Export(ExportId),
    /// The archive is deleted, its time over.
    DropExport(ExportId),
}

impl Deed {
    /// Its name and its subject, as [`Deed::parse`] reads them.
    pub fn words(&self) -> [String; 2] {
        let of = |tenant: &Tenant| format!("{}/{}", tenant.account_id, tenant.mode.livemode());
        match self {
            Deed::Start(scan) => ["start".into(), scan.to_string()],
            Deed::Fail(scan) => ["fail".into(), scan.to_string()],
            Deed::TopUp(tenant) => ["top-up".into(), of(tenant)],
            Deed::Pay(payment) => ["pay".into(), payment.to_string()],
            Deed::Grant(tenant) => ["grant".into(), of(tenant)],
            Deed::Adjust(tenant) => ["adjust".into(), of(tenant)],
            Deed::Close(account) => ["close".into(), account.to_string()],
            Deed::Erase(account) => ["erase".into(), account.to_string()],
            Deed::Export(export) => ["export".into(), export.to_string()],
            Deed::DropExport(export) => ["drop-export".into(), export.to_string()],
        }
    }

    /// Reads [`Deed::words`].
    pub fn parse(what: &str, id: &str) -> Option<Self> {
        let tenant = || {
            let (account, live) = id.split_once('/')?;
            let mode = domain::Mode::from_livemode(live == "true");
            Some(Tenant { account_id: account.parse().ok()?, mode })
        };
        Some(match what {
            "start" => Deed::Start(id.parse().ok()?),
            "fail" => Deed::Fail(id.parse().ok()?),
            "top-up" => Deed::TopUp(tenant()?),
            "pay" => Deed::Pay(id.parse().ok()?),
            "grant" => Deed::Grant(tenant()?),
            "adjust" => Deed::Adjust(tenant()?),
            "close" => Deed::Close(id.parse().ok()?),
            "erase" => Deed::Erase(id.parse().ok()?),
            "export" => Deed::Export(id.parse().ok()?),
            "drop-export" => Deed::DropExport(id.parse().ok()?),
            _ => return None,
        })
    }
}

/// A database, the simulated bank and object storage, both of which are files: all outlive the process.
#[derive(Clone)]
pub struct Town {
    /// The database.
    pub db: Db,
    /// The bank of both modes.
    pub banks: Banks,
    /// Object storage.
    pub store: ObjectStore,
    scratch: Arc<ScratchRoot>,
    endpoint: String,
    /// Serves as long as someone has the town.
    _storage: Option<Arc<embedded::Server>>,
}

impl Town {
    /// Opens them; bank and storage are in this folder, and storage is served by this process.
    ///
    /// # Errors
    /// When one of them cannot be opened.
    pub async fn found(database: &str, folder: &Path) -> anyhow::Result<Self> {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let storage = embedded::serve(&folder.join("objects"), listener, credentials())?;
        let mut town = Self::open(database, folder, &storage.endpoint()).await?;
        town.store.ensure_bucket().await?;
        town._storage = Some(Arc::new(storage));
        Ok(town)
    }

    /// Opens them, with the storage that another process serves.
    ///
    /// # Errors
    /// When one of them cannot be opened.
    pub async fn open(database: &str, folder: &Path, storage: &str) -> anyhow::Result<Self> {
        let _ = rustls::crypto::ring::default_provider().install_default();
        let settings = entities::Settings { url: Secret::new(database), ..entities::Settings::default() };
        let simulated =
            SimulatedSettings { folder: Some(folder.join("bank")), ..SimulatedSettings::default() };
        let payments = PaymentSettings { simulated, ..PaymentSettings::default() };
        let embedded::Credentials { access_key_id, secret_access_key } = credentials();
        let objects = objects::Settings {
            endpoint: storage.to_owned(),
            access_key_id,
            secret_access_key,
            ..objects::Settings::default()
        };
        let scratch = folder.join(format!("scratch-{}", std::process::id()));
        Ok(Self {
            db: Db::connect(&settings).await?,
            banks: Banks::open(&payments)?,
            store: ObjectStore::new(&objects)?,
            scratch: Arc::new(ScratchRoot::open(&scratch)?),
            endpoint: storage.to_owned(),
            _storage: None,
        })
    }

    /// The address of the storage.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Does it, or finds it done.
    ///
    /// # Errors
    /// When bank or database cannot be asked, or there is nothing by that name.
    pub async fn perform(&self, deed: &Deed) -> anyhow::Result<()> {
        let (db, now) = (&self.db, Timestamp::now());
        match deed {
            Deed::Start(scan) => {
                let found = scans::system::find(db, scan).await?;
                let request = StartRequest {
                    scan_id: scan.clone(),
                    key_id: found.and_then(|scan| scan.key_id).map(|key| key.0),
                    now,
                    prices: Default::default(),
                    max_in_progress: MAX_IN_PROGRESS,
                };
                ledger::start_scan(db, &request).await?;
            }
            Deed::Fail(scan) => {
                let code = FailureCode::MediaUnreadable;
                let message = code.message().into();
                let failure = ScanFailure { code, message, stage: None, retryable: false };
                ledger::fail_scan(db, scan, &failure, now).await?;
            }
            Deed::TopUp(tenant) => {
                let new = NewTopUp {
                    tenant: tenant.clone(),
                    amount_cents: CENTS,
                    idempotency_key: "my-only-top-up".into(),
                    asked_by: "someone".into(),
                };
                ledger::begin_top_up(db, &new, now).await?;
            }
            Deed::Pay(payment) => {
                let payment = payments::system::find(db, payment).await?;
                if let Some(payment) = payment {
                    activities::pay(db, &self.banks, &payment.id, now).await?;
                }
            }
            Deed::Grant(tenant) => {
                let reference = format!("gift to {}", tenant.account_id);
                let gift = Credit { tenant: tenant.clone(), cents: CENTS, free_scans: 1, reference };
                ledger::grant(db, &gift, now).await?;
            }
            Deed::Adjust(tenant) => {
                let (reason, reference) = ("given twice".into(), format!("take from {}", tenant.account_id));
                let (tenant, cents) = (tenant.clone(), -CENTS);
                let wanted = Adjustment { tenant, cents, reason, reference, may_overdraw: false };
                ledger::adjust(db, &wanted, now).await?;
            }
            Deed::Close(account) => {
                db.write(async |txn| erasure::close(&txn, account, now).await).await?;
            }
            Deed::Erase(account) => {
                db.write(async |txn| erasure::settle(&txn, account, now).await).await?;
                activities::delete_objects(db, &self.store, account).await.map_err(failed)?;
                db.write(async |txn| erasure::erase(&txn, account, now).await).await?;
            }
            Deed::Export(export) => {
                activities::export(db, &self.store, &self.scratch, export, KEPT).await.map_err(failed)?;
            }
            Deed::DropExport(export) => {
                activities::drop_export(db, &self.store, export).await.map_err(failed)?;
            }
        }
        Ok(())
    }
}

/// What an activity fails with is no error of Rust's.
fn failed(error: impl std::fmt::Debug) -> anyhow::Error {
    anyhow::anyhow!("{error:?}")
}

fn credentials() -> embedded::Credentials {
    embedded::Credentials { access_key_id: "test".into(), secret_access_key: Secret::new("secret") }
}
