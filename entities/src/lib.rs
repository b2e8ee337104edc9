//! Access to the database. Each table has a file with its row type and its queries.
//!
//! Three rules hold in every file:
//!
//! - A finder of tenant data takes a [`domain::mode::Tenant`], so that a query cannot reach rows of
//!   another account or mode. The few functions that take only an id (for activities, the relay and
//!   the lookup of a key by its hash) are in modules named `system`.
//! - Functions that write take a [`WriteTxn`], so that related changes are committed together. They
//!   are idempotent: a second call changes nothing and returns the first outcome.
//! - Rows are locked in one order (account, wallet, space, scan, event stream), so that writers
//!   never deadlock.

#[macro_use]
mod table;

pub mod account_exports;
pub mod account_mail;
pub mod accounts;
pub mod api_keys;
pub mod audit_log;
pub mod backlog;
pub mod bank_reports;
pub mod checks;
pub mod client;
pub mod clock;
pub mod column;
pub mod corrections;
pub mod db;
pub mod detachments;
pub mod documents;
pub mod email_changes;
pub mod erasure;
pub mod error;
pub mod events;
pub mod failpoint;
pub mod idempotency_keys;
pub mod key_uses;
pub mod ledger_entries;
pub mod ledger_transactions;
pub mod outbox;
pub mod payment_methods;
pub mod payments;
pub mod retention;
pub mod scan_transitions;
pub mod scans;
pub mod search;
pub mod sessions;
pub mod shares;
pub mod spaces;
#[cfg(feature = "testing")]
pub mod testing;
pub mod uploads;
pub mod user_tokens;
pub mod users;
pub mod wallets;
pub mod webhook_attempts;
pub mod webhook_deliveries;
pub mod webhook_endpoints;

pub use accounts::Model as AccountRow;
pub use api_keys::Model as KeyRow;
pub use column::{Json, LenientJson, Millis, Text};
pub use corrections::Model as CorrectionRow;
pub use db::{Db, Reader, Settings, WriteTxn};
pub use documents::Model as DocumentRow;
pub use domain::mode::Tenant;
pub use error::{Error, Result, Transient};
pub use events::Model as EventRow;
pub use outbox::Model as OutboxRow;
pub use payment_methods::Model as PaymentMethodRow;
pub use payments::Model as PaymentRow;
pub use scans::Model as ScanRow;
pub use sessions::Model as SessionRow;
pub use shares::Model as ShareRow;
pub use spaces::Model as SpaceRow;
pub use uploads::Model as UploadRow;
pub use users::Model as UserRow;
pub use wallets::Model as WalletRow;
pub use webhook_attempts::Model as AttemptRow;
pub use webhook_deliveries::Model as DeliveryRow;
pub use webhook_endpoints::Model as EndpointRow;
