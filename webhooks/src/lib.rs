//! Webhook endpoints and deliveries: the use cases of the console, `scan admin` and the delivery
//! activities.
//!
//! [`Webhooks`] and [`Actor`] manage endpoints: they vet every URL, and write every change to the
//! audit log in the same transaction. [`load_delivery`], [`send_delivery`], [`record_attempt`] and
//! [`finish_round`] are the steps of one delivery attempt; the delivery workflow decides when they
//! run. [`mail_endpoint_disabled`] informs the owner of an endpoint that was disabled after too
//! many failures.

mod delivery;
mod disabled_mail;
mod endpoints;
mod error;
mod reseal;

pub use delivery::{Delivery, finish_round, load_delivery, record_attempt, send_delivery};
pub use disabled_mail::mail_endpoint_disabled;
pub use endpoints::{Actor, AddEndpoint, AddedEndpoint, Webhooks};
pub use error::{Error, Result};
pub use reseal::{ResealReport, reseal};
