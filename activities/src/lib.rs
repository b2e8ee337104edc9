//! The work of the service: activities that workflows call, and background tasks.
//!
//! | folder | kind | content |
//! |---|---|---|
//! | `stages` | activities | the five stages of a scan |
//! | `uploads` | activities | verify, secure and discard a scan's uploads; cancel a scan |
//! | `billing` | activities | charge, refund, payments |
//! | `accounts` | activities | erase and export an account |
//! | `webhooks` | activities | emit an event, deliver it to an endpoint |
//! | `upkeep` | activities | one round of a periodic task |
//! | `background` | background tasks | the relay of the outbox, and the periodic tasks |
//!
//! Activities implement the definitions in `workflows::contract`. An activity may run twice for the
//! same input, even on two machines at the same time. So every change of state is a compare-and-set
//! in the database, and objects are written at deterministic keys.

mod accounts;
mod attempt;
mod background;
mod billing;
mod dependencies;
mod error;
mod failpoint;
mod heartbeat;
mod metrics;
mod reindex;
mod settings;
mod stages;
mod stop;
mod system_metrics;
mod upkeep;
mod uploads;
mod webhooks;

pub use self::webhooks::WebhookActivities;
pub use accounts::{AccountActivities, ExportActivities, delete_objects, drop_export, export};
pub use background::{
    DailyReconciliation, Defect, DeliveryDefect, DetachError, DetachOutcome, MailFailed, ReconcileError,
    Reconciler, ReconcilerSettings, Relay, Repair, ScanDefect, Sweeper, UpkeepSchedules, UpkeepSettings,
    Walk, check_ledger, detach_method, record_bank_check, retention, send_account_mail, verify_ledger,
};
pub use billing::{BankReport, BillingActivities, PayError, inspect_bank, pay, reconcile_bank};
pub use dependencies::{Activities, Dependencies};
pub use metrics::Metrics;
pub use reindex::reindex;
pub use settings::{RetentionSettings, ScanSettings};
pub use stages::StageActivities;
pub use stop::stoppable;
pub use system_metrics::SystemMetrics;
pub use upkeep::UpkeepActivities;
pub use uploads::UploadActivities;
