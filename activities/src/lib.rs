//! What workflows ask for is done here: database, storage, media, models, the outside.
//!
//! One file a family, each implementing its definitions in `workflows::contract`. Every activity may
//! run twice for the same input, on two machines at once even: what it writes is the same, at the same
//! keys, and every change of state is a compare-and-set in the database.

mod account_mail;
mod bank_clerk;
mod billing;
mod context;
mod detach;
mod erasure;
mod error;
mod events;
mod export;
mod failpoint;
mod in_flight;
mod recharge;
mod reconcile;
mod reconcile_bank;
mod reindex;
mod relay;
mod settings;
mod stages;
mod sweeper;
mod uploads;
mod watch;
mod webhooks;

pub use self::webhooks::WebhookActivities;
pub use account_mail::send_account_mail;
pub use bank_clerk::BankClerk;
pub use billing::BillingActivities;
pub use context::{Activities, Parts};
pub use detach::{DetachError, detach_method};
pub use erasure::{AccountActivities, delete_objects};
pub use export::{ExportActivities, drop_export, export};
pub use recharge::{MailFailed, PayError, pay};
pub use reconcile::{Reconciler, ReconcilerSettings};
pub use reconcile_bank::{BankReport, reconcile_bank};
pub use reindex::reindex;
pub use relay::Relay;
pub use settings::ScanSettings;
pub use stages::StageActivities;
pub use sweeper::Sweeper;
pub use uploads::UploadActivities;
