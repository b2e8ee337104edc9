//! Every call to the outside: webhooks through a vetted dialler, payments, mail; and the sealing of
//! the secrets that such calls need.
//!
//! Nothing else in the service opens a connection to a host that a user named. What a user may
//! name is decided in [`vetting`]; [`dial`] connects to exactly the address that was vetted there.

pub mod dial;
pub mod mail;
pub mod payments;
pub mod seal;
pub mod settings;
pub mod vetting;
pub mod webhook;

pub use settings::{Settings, SettingsError};
