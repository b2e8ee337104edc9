//! The task queues, and the workflows and activities of each.

use std::{fmt, str::FromStr, time::Duration};

use activities::Activities;
use temporalio_common::worker::{VersioningBehavior, WorkerDeploymentOptions, WorkerDeploymentVersion};
use temporalio_sdk::{
    WorkerOptions, WorkerOptionsBuilder,
    runtime::worker_tuner::{FixedSizeSlotSupplier, TunerHolder},
    worker_options_builder::IsComplete,
};
use workflows::{
    ErasureWorkflow, ExportWorkflow, RechargeWorkflow, ScanWorkflow, UpkeepWorkflow, WebhookDeliveryWorkflow,
    queues,
};

use crate::{Settings, activity_interceptor::ActivityInterceptor};

/// Maximum time between two heartbeats of an activity that reach the server, and so the maximum time
/// until the activity notices that its workflow has cancelled it. Without a maximum, the SDK sends
/// one after 80 % of the heartbeat time-out.
const MAX_HEARTBEAT_INTERVAL: Duration = Duration::from_secs(5);

/// A task queue that a worker can serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Queue {
    /// Workflows, and activities on accounts and uploads.
    Scans,
    /// Decoding with ffmpeg.
    Media,
    /// Models for images and sound.
    Vision,
    /// The stages `fuse`, `enrich` and `save`.
    Fusion,
    /// Refunds and payments.
    Billing,
    /// Webhook deliveries.
    Webhooks,
    /// Workflows of periodic tasks. Workers of `scans` serve it, too.
    Upkeep,
}

/// The name of a queue is unknown.
#[derive(Debug, thiserror::Error)]
#[error(
    "unknown task queue {0:?}; the task queues are scans, media, vision, fusion, billing, webhooks and upkeep"
)]
pub struct UnknownQueue(String);

impl Queue {
    /// Every queue.
    pub const ALL: [Queue; 7] = [
        Queue::Scans,
        Queue::Media,
        Queue::Vision,
        Queue::Fusion,
        Queue::Billing,
        Queue::Webhooks,
        Queue::Upkeep,
    ];

    /// Returns the name of the queue in Temporal.
    pub const fn as_str(self) -> &'static str {
        match self {
            Queue::Scans => queues::SCANS,
            Queue::Media => queues::MEDIA,
            Queue::Vision => queues::VISION,
            Queue::Fusion => queues::FUSION,
            Queue::Billing => queues::BILLING,
            Queue::Webhooks => queues::WEBHOOKS,
            Queue::Upkeep => queues::UPKEEP,
        }
    }

    /// Returns how many activities a worker of the queue runs at a time.
    const fn activity_slots(self, settings: &Settings) -> usize {
        match self {
            Queue::Scans | Queue::Billing => settings.database_slots,
            Queue::Media => settings.media_slots,
            Queue::Vision => settings.vision_slots,
            Queue::Fusion => settings.fusion_slots,
            Queue::Webhooks => settings.webhook_slots,
            // Its activities run on the queue `scans`.
            Queue::Upkeep => 1,
        }
    }

    /// Builds the options of a worker: its slots, workflows and activities.
    pub(crate) fn options(
        self,
        activities: &Activities,
        settings: &Settings,
        interceptor: ActivityInterceptor,
    ) -> Result<WorkerOptions, String> {
        let options = self.empty_options(settings).activity_inbound_interceptor(interceptor);
        let options = match self {
            Queue::Scans => options
                .register_workflow::<ScanWorkflow>()
                .and_then(|o| o.register_workflow::<WebhookDeliveryWorkflow>())
                .and_then(|o| o.register_workflow::<RechargeWorkflow>())
                .and_then(|o| o.register_workflow::<ErasureWorkflow>())
                .and_then(|o| o.register_workflow::<ExportWorkflow>())
                // Rounds that a schedule of the last release started.
                .and_then(|o| o.register_workflow::<UpkeepWorkflow>())
                .map_err(|e| e.to_string())?
                .register_activities(activities.accounts())
                .register_activities(activities.exports())
                .register_activities(activities.uploads())
                .register_activities(activities.upkeep())
                .register_activities(activities.billing()),
            Queue::Media | Queue::Vision | Queue::Fusion => options.register_activities(activities.stages()),
            Queue::Billing => options.register_activities(activities.billing()),
            Queue::Webhooks => options.register_activities(activities.webhooks()),
            Queue::Upkeep => options.register_workflow::<UpkeepWorkflow>().map_err(|e| e.to_string())?,
        };
        Ok(options.build())
    }

    /// Builds the options without any code.
    fn empty_options(self, settings: &Settings) -> WorkerOptionsBuilder<impl IsComplete> {
        let slots = FixedSizeSlotSupplier::new;
        let tuner = TunerHolder::builder()
            .workflow_task_slot_supplier(slots(settings.database_slots.max(2)))
            .activity_task_slot_supplier(slots(self.activity_slots(settings)))
            .local_activity_task_slot_supplier(slots(settings.database_slots))
            .nexus_task_slot_supplier(slots(1))
            .build();
        // Without a graceful shutdown period: the interceptor stops the activities.
        WorkerOptions::new(self.as_str())
            .tuner(tuner)
            .maybe_deployment_options(deployment(settings))
            .max_heartbeat_throttle_interval(MAX_HEARTBEAT_INTERVAL)
    }
}

/// Returns the version of the workers, if they are versioned.
///
/// A scan stays on the version that it began on. The client starts workflows of other types with an
/// override, because they may live for days.
fn deployment(settings: &Settings) -> Option<WorkerDeploymentOptions> {
    let (Some(name), Some(build_id)) = (&settings.deployment_name, &settings.build_id) else { return None };
    let version = WorkerDeploymentVersion::builder().deployment_name(name).build_id(build_id).build();
    let options = WorkerDeploymentOptions::new(version)
        .use_worker_versioning(true)
        .default_versioning_behavior(VersioningBehavior::Pinned);
    Some(options.build())
}

impl FromStr for Queue {
    type Err = UnknownQueue;

    fn from_str(name: &str) -> Result<Self, UnknownQueue> {
        Self::ALL.into_iter().find(|q| q.as_str() == name).ok_or_else(|| UnknownQueue(name.to_owned()))
    }
}

impl fmt::Display for Queue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(settings: &Settings) -> WorkerOptions {
        Queue::Vision.empty_options(settings).build()
    }

    #[test]
    fn activities_notice_a_cancellation_within_seconds() {
        let interval = options(&Settings::default()).max_heartbeat_throttle_interval;
        assert!(interval <= Duration::from_secs(5), "{interval:?}");
    }

    #[test]
    fn a_replaced_worker_cancels_no_activity() {
        assert_eq!(options(&Settings::default()).graceful_shutdown_period, None);
    }

    #[test]
    fn workers_are_versioned_only_on_request() {
        assert!(!options(&Settings::default()).deployment_options.use_worker_versioning);
        let (name, build_id) = (Some("scan".to_owned()), Some("v1".to_owned()));
        let settings = Settings { deployment_name: name, build_id, ..Settings::default() };
        let deployment = options(&settings).deployment_options;
        assert!(deployment.use_worker_versioning);
        assert_eq!(deployment.default_versioning_behavior, Some(VersioningBehavior::Pinned));
        assert_eq!((&*deployment.version.deployment_name, &*deployment.version.build_id), ("scan", "v1"));
    }
}
