//! Harness of the end-to-end tests, the measurements and the demo.
//!
//! Tests drive the product as a user does: through its commands, its API and its console. The
//! harness opens the database only to set up what no command offers and to check invariants.
//!
//! - [`Service`] runs the real `scan up` in its own folder.
//! - [`Fleet`] runs workers as processes of their own, which a test may kill.
//! - [`ApiClient`] calls the API with a key, [`ConsoleClient`] with a session.
//! - [`Receiver`] receives webhooks over real TLS, [`Mailbox`] receives mail over SMTP.
//! - [`Stack`] runs `scan api` and `scan worker` on a database, a storage and an engine that a test can
//!   cut off or stop.
//! - [`SmallDisk`] is a disk that a test can fill.
//! - [`Failpoints`] makes activities fail or wait.
//! - [`Operation`] runs one operation on a [`TestBackend`], in a process that a test may kill.

pub mod api_client;
pub mod backend;
pub mod clips;
pub mod collector;
pub mod console_client;
pub mod failpoints;
pub mod fleet;
pub mod mailbox;
pub mod operations;
pub mod paying_account;
pub mod ports;
pub mod proxy;
pub mod receiver;
pub mod service;
pub mod small_disk;
pub mod stack;
pub mod wait;

pub use api_client::{ApiClient, ApiResponse};
pub use backend::TestBackend;
pub use collector::Collector;
pub use console_client::ConsoleClient;
pub use failpoints::Failpoints;
pub use fleet::Fleet;
pub use mailbox::{Mailbox, Message};
pub use operations::Operation;
pub use paying_account::{create_paying_account, insert_paying_account};
pub use proxy::{Network, Proxy};
pub use receiver::{Received, Receiver};
pub use service::{Account, Service, ServiceOptions, WorkerProcess, binary};
pub use small_disk::SmallDisk;
pub use stack::{Dependency, Outage, Stack};
pub use wait::until;

/// Builds an HTTP client. Installs the TLS provider that it needs, once in a process.
pub fn http_client() -> reqwest::Client {
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::new()
}
