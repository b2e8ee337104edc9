//! Dependencies of activities and background tasks, and the activities of a process.

use std::sync::Arc;

use domain::ScanId;
use entities::{Db, ScanRow, scans};
use media::{objects::ObjectStore, scratch::ScratchRoot};
use outbound::{dial::Dialer, mail::Mailer, payments::PaymentProviders, seal::Sealer};
use perception::models::Models;
use temporalio_sdk::activities::ActivityError;
use workflows::{RetrySchedule, client::Engine};

use crate::{
    AccountActivities, BillingActivities, ExportActivities, Metrics, ReconcilerSettings, RetentionSettings,
    ScanSettings, StageActivities, UpkeepActivities, UploadActivities, WebhookActivities, error::database,
    webhooks::DeliveryLimiter,
};

/// Dependencies of activities and background tasks. The binary creates them from its configuration.
#[derive(Clone)]
pub struct Dependencies {
    /// The database.
    pub db: Db,
    /// Object storage.
    pub store: ObjectStore,
    /// Client of the engine. Starts deliveries, for example.
    pub engine: Engine,
    /// Models for images, sound and text.
    pub models: Models,
    /// HTTP client for webhooks: refuses private addresses.
    pub dialer: Dialer,
    /// Decrypts the signing secrets of endpoints.
    pub sealer: Arc<Sealer>,
    /// The payment providers of live and test mode.
    pub banks: PaymentProviders,
    /// Sends mail.
    pub mailer: Mailer,
    /// URL of the console, for links in mail.
    pub console_url: String,
    /// Temporary folders.
    pub scratch: Arc<ScratchRoot>,
    /// Prices, limits and retention of scans.
    pub scans: ScanSettings,
    /// Retention of records.
    pub retention: RetentionSettings,
    /// Settings of the stages.
    pub perception: perception::Settings,
    /// Schedule of webhook retries.
    pub retries: RetrySchedule,
    /// Settings of the comparison of database and engine.
    pub reconciler: ReconcilerSettings,
    /// Counters of this process.
    pub metrics: Metrics,
}

/// All activities of this process. Cheap to clone.
#[derive(Clone)]
pub struct Activities {
    deps: Arc<Dependencies>,
    limiter: DeliveryLimiter,
}

impl Activities {
    /// Creates the activities.
    pub fn new(deps: Dependencies) -> Self {
        Self { deps: Arc::new(deps), limiter: DeliveryLimiter::default() }
    }

    /// Returns the activities on uploads.
    pub fn uploads(&self) -> UploadActivities {
        UploadActivities { deps: self.deps.clone() }
    }

    /// Returns the activities that erase accounts.
    pub fn accounts(&self) -> AccountActivities {
        AccountActivities { deps: self.deps.clone() }
    }

    /// Returns the activities that export accounts.
    pub fn exports(&self) -> ExportActivities {
        ExportActivities { deps: self.deps.clone() }
    }

    /// Returns the activities that move money.
    pub fn billing(&self) -> BillingActivities {
        BillingActivities { deps: self.deps.clone() }
    }

    /// Returns the activities of the five stages.
    pub fn stages(&self) -> StageActivities {
        StageActivities { deps: self.deps.clone() }
    }

    /// Returns the activity that runs the rounds of periodic tasks.
    pub fn upkeep(&self) -> UpkeepActivities {
        UpkeepActivities { deps: self.deps.clone() }
    }

    /// Returns the activities that deliver events.
    pub fn webhooks(&self) -> WebhookActivities {
        WebhookActivities { deps: self.deps.clone(), limiter: self.limiter.clone() }
    }
}

impl Dependencies {
    /// Reads a scan. Fails without retries if the scan does not exist, because its account was
    /// erased.
    pub(crate) async fn scan(&self, id: &ScanId) -> Result<ScanRow, ActivityError> {
        scans::system::find(&self.db, id).await.map_err(database)?.ok_or_else(|| {
            crate::error::give_up(domain::FailureCode::MediaMissing, format!("there is no scan {id}"))
        })
    }
}
