//! What can be done to money, each by one call that may be repeated: for tests in which the process dies.

use std::path::PathBuf;

use domain::{
    FailureCode, PaymentId, ScanId, Secret, Timestamp,
    mode::Tenant,
    scan::{MAX_IN_PROGRESS, ScanFailure},
};
use entities::{Db, payments, scans};
use ledger::{Credit, NewTopUp, StartRequest};
use outbound::payments::{Banks, PaymentSettings, SimulatedSettings};

/// How much [`Deed::TopUp`] and [`Deed::Grant`] bring, in cents.
pub const CENTS: i64 = 700;

/// Something that moves money.
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
            _ => return None,
        })
    }
}

/// A database and the simulated bank, whose books are files: both outlive the process.
#[derive(Clone)]
pub struct Town {
    /// The database.
    pub db: Db,
    /// The bank of both modes.
    pub banks: Banks,
}

impl Town {
    /// Opens both.
    ///
    /// # Errors
    /// When either cannot be opened.
    pub async fn open(database: &str, bank: PathBuf) -> anyhow::Result<Self> {
        let settings = entities::Settings { url: Secret::new(database), ..entities::Settings::default() };
        let simulated = SimulatedSettings { folder: Some(bank), ..SimulatedSettings::default() };
        let payments = PaymentSettings { simulated, ..PaymentSettings::default() };
        Ok(Self { db: Db::connect(&settings).await?, banks: Banks::open(&payments)? })
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
        }
        Ok(())
    }
}
