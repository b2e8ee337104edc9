//! One file (or folder) a resource: its endpoints, described and served.

pub mod auth;
pub mod bank;
pub mod billing;
pub mod events;
pub mod keys;
pub mod knowledge;
pub mod me;
pub mod media;
pub mod openapi;
pub mod scans;
mod space_documents;
pub mod spaces;
pub mod validate;
pub mod wallet;
pub mod webhook_endpoints;

use crate::contract::endpoint::Endpoint;

/// Every endpoint of the API, in the order in which a reader meets them. Of two whose paths match the same request, the earlier one serves it.
pub fn endpoints() -> Vec<Endpoint> {
    [
        spaces::endpoints(),
        scans::endpoints(),
        knowledge::endpoints(),
        media::endpoints(),
        events::endpoints(),
        me::endpoints(),
        wallet::endpoints(),
        webhook_endpoints::endpoints(),
        auth::endpoints(),
        keys::endpoints(),
        billing::endpoints(),
        bank::endpoints(),
        openapi::endpoints(),
    ]
    .concat()
}
