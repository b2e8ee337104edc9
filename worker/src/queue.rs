//! The task queues, and the workflows and activities of each.

use std::{fmt, str::FromStr, time::Duration};

use activities::Activities;
use temporalio_sdk::{
    WorkerOptions,
    runtime::worker_tuner::{FixedSizeSlotSupplier, TunerHolder},
};
use workflows::{
    ErasureWorkflow, ExportWorkflow, RechargeWorkflow, ScanWorkflow, UpkeepWorkflow, WebhookDeliveryWorkflow,
    queues,
};

use crate::Settings;

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
}

/// The name of a queue is unknown.
#[derive(Debug, thiserror::Error)]
#[error("unknown task queue {0:?}; the task queues are scans, media, vision, fusion, billing and webhooks")]
pub struct UnknownQueue(String);

impl Queue {
    /// Every queue.
    pub const ALL: [Queue; 6] =
        [Queue::Scans, Queue::Media, Queue::Vision, Queue::Fusion, Queue::Billing, Queue::Webhooks];

    /// Returns the name of the queue in Temporal.
    pub const fn as_str(self) -> &'static str {
        match self {
            Queue::Scans => queues::SCANS,
            Queue::Media => queues::MEDIA,
            Queue::Vision => queues::VISION,
            Queue::Fusion => queues::FUSION,
            Queue::Billing => queues::BILLING,
            Queue::Webhooks => queues::WEBHOOKS,
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
        }
    }

    /// Builds the options of a worker: its slots, workflows and activities.
    pub(crate) fn options(
        self,
        activities: &Activities,
        settings: &Settings,
    ) -> Result<WorkerOptions, String> {
        let slots = FixedSizeSlotSupplier::new;
        let tuner = TunerHolder::builder()
            .workflow_task_slot_supplier(slots(settings.database_slots.max(2)))
            .activity_task_slot_supplier(slots(self.activity_slots(settings)))
            .local_activity_task_slot_supplier(slots(settings.database_slots))
            .nexus_task_slot_supplier(slots(1))
            .build();
        let options = WorkerOptions::new(self.as_str())
            .tuner(tuner)
            .graceful_shutdown_period(Duration::from_secs(settings.grace_seconds));
        let options = match self {
            Queue::Scans => options
                .register_workflow::<ScanWorkflow>()
                .and_then(|o| o.register_workflow::<WebhookDeliveryWorkflow>())
                .and_then(|o| o.register_workflow::<RechargeWorkflow>())
                .and_then(|o| o.register_workflow::<ErasureWorkflow>())
                .and_then(|o| o.register_workflow::<ExportWorkflow>())
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
        };
        Ok(options.build())
    }
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
