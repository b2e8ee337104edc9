//! What activities work with.

use std::sync::Arc;

use domain::ScanId;
use entities::{Db, ScanRow, scans};
use media::{objects::ObjectStore, scratch::ScratchRoot};
use outbound::{dial::Dialer, mail::Mailer, payments::Banks, seal::Sealer};
use perception::models::Models;
use temporalio_sdk::activities::ActivityError;
use workflows::{RetrySchedule, ScanSeed, client::Engine};

use crate::{
    AccountActivities, BillingActivities, ExportActivities, ScanSettings, StageActivities, UploadActivities,
    WebhookActivities, error::database, in_flight::InFlight,
};

/// The parts that activities are made of; whoever wires the process makes them.
#[derive(Clone)]
pub struct Parts {
    /// The database.
    pub db: Db,
    /// Object storage.
    pub store: ObjectStore,
    /// The engine, to start deliveries.
    pub engine: Engine,
    /// What looks and listens.
    pub models: Models,
    /// Sends webhooks.
    pub dialer: Dialer,
    /// Opens the secrets of endpoints.
    pub sealer: Arc<Sealer>,
    /// Where money comes from.
    pub banks: Banks,
    /// Sends mail.
    pub mailer: Mailer,
    /// Where the console's pages are, for links in mail.
    pub console_url: String,
    /// Working folders.
    pub scratch: Arc<ScratchRoot>,
    /// What a scan is and costs.
    pub scans: ScanSettings,
    /// How media are looked at.
    pub perception: perception::Settings,
    /// When a failed delivery is tried again.
    pub retries: RetrySchedule,
}

/// All activities of this process. Cheap to clone.
#[derive(Clone)]
pub struct Activities {
    parts: Arc<Parts>,
    in_flight: InFlight,
}

impl Activities {
    /// Activities that work with these parts.
    pub fn new(parts: Parts) -> Self {
        Self { parts: Arc::new(parts), in_flight: InFlight::default() }
    }

    /// Uploads verified, secured, dropped.
    pub fn uploads(&self) -> UploadActivities {
        UploadActivities { parts: self.parts.clone() }
    }

    /// The end of accounts.
    pub fn accounts(&self) -> AccountActivities {
        AccountActivities { parts: self.parts.clone() }
    }

    /// Archives of accounts.
    pub fn exports(&self) -> ExportActivities {
        ExportActivities { parts: self.parts.clone() }
    }

    /// Charge, refund and payments.
    pub fn billing(&self) -> BillingActivities {
        BillingActivities { parts: self.parts.clone() }
    }

    /// The five stages.
    pub fn stages(&self) -> StageActivities {
        StageActivities { parts: self.parts.clone() }
    }

    /// Deliveries.
    pub fn webhooks(&self) -> WebhookActivities {
        WebhookActivities { parts: self.parts.clone(), in_flight: self.in_flight.clone() }
    }
}

impl Parts {
    /// The scan an activity was called for. A scan that is gone (its account was erased) ends the work.
    pub(crate) async fn scan(&self, id: &ScanId) -> Result<ScanRow, ActivityError> {
        scans::system::find(&self.db, id).await.map_err(database)?.ok_or_else(|| {
            crate::error::give_up(domain::FailureCode::MediaMissing, format!("there is no scan {id}"))
        })
    }
}

/// What the engine must know of a scan.
pub(crate) fn seed(scan: &ScanRow) -> ScanSeed {
    ScanSeed {
        scan_id: scan.id.0.clone(),
        account_id: scan.account_id.0.clone(),
        space_id: scan.space_id.0.clone(),
        mode: domain::Mode::from_livemode(scan.livemode),
        kind: scan.input.kind,
        created_at: scan.created_at.0,
        deadline_at: scan.deadline_at.0,
    }
}
