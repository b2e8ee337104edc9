//! The database: one file a table, each with its rows and the ways to find and change them.
//!
//! Three rules hold everywhere:
//!
//! - A finder of tenant data takes a [`domain::mode::Tenant`], so a row of another account, or of the
//!   other mode, cannot be reached by forgetting a filter. The few functions that act on an id alone
//!   (activities, relays, the look-up of a key by its hash) live apart, in modules named `system`.
//! - Functions that write take a [`WriteTxn`], so that what belongs together is committed together.
//!   They may be called twice: the second call changes nothing and says what the first one did.
//! - Rows are locked in one order (account, wallet, space, scan, event stream), so writers never deadlock.

#[macro_use]
mod table;

pub mod account_exports;
pub mod account_mail;
pub mod accounts;
pub mod api_keys;
pub mod audit_log;
pub mod bank_reports;
pub mod column;
pub mod db;
pub mod detachments;
pub mod documents;
pub mod erasure;
pub mod error;
pub mod events;
pub mod failpoint;
pub mod idempotency_keys;
pub mod ledger_entries;
pub mod ledger_transactions;
pub mod outbox;
pub mod payment_methods;
pub mod payments;
pub mod scan_transitions;
pub mod scans;
pub mod search;
pub mod sessions;
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
pub use column::{Json, Millis, Text};
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
pub use spaces::Model as SpaceRow;
pub use uploads::Model as UploadRow;
pub use users::Model as UserRow;
pub use wallets::Model as WalletRow;
pub use webhook_deliveries::Model as DeliveryRow;
pub use webhook_endpoints::Model as EndpointRow;
