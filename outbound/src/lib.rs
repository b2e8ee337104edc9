//! Connections to other services: webhooks, payments and mail. Also encrypts the secrets that these
//! connections need.
//!
//! No other crate connects to a host that a user named. [`vetting`] decides which hosts are
//! allowed, and [`dial`] connects only to the vetted address.

pub mod dial;
pub mod mail;
pub mod payments;
pub mod seal;
pub mod settings;
pub mod vetting;
pub mod webhook;

pub use settings::{Settings, SettingsError};
