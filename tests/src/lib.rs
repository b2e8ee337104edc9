//! The harness of end-to-end tests and of the demo: real processes, spoken to as a user would.
//!
//! [`Service`] runs the real `scan up` in a folder of its own; [`Receiver`] is a webhook receiver with
//! real TLS; [`Caller`] calls the API. Nothing here reaches into the service but through its commands,
//! its API and (to check invariants) its database.

pub mod caller;
pub mod console;
pub mod mailbox;
pub mod media;
pub mod money;
pub mod payer;
pub mod ports;
pub mod receiver;
pub mod service;
pub mod wait;

pub use caller::{Answer, Caller};
pub use console::Console;
pub use mailbox::{Mailbox, Message};
pub use payer::payer;
pub use receiver::{Received, Receiver};
pub use service::{Account, Service, ServiceOptions};
pub use wait::until;

/// An HTTP client, and (once in a process) the TLS provider that it needs.
pub fn http_client() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::new()
}
