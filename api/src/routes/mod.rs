//! The endpoints: one module per resource, with descriptions, examples and handlers.

pub mod auth;
pub mod bank;
pub mod billing;
pub mod corrections;
pub mod events;
pub mod keys;
pub mod knowledge;
pub mod me;
pub mod media;
pub mod openapi;
pub mod scans;
pub mod shares;
mod space_changes;
mod space_documents;
mod space_fields;
pub mod spaces;
pub mod validate;
pub mod wallet;
pub mod webhook_endpoints;

use crate::contract::endpoint::Endpoint;

/// Returns every endpoint of the API, in the order of `openapi.json` and the reference pages.
pub fn endpoints() -> Vec<Endpoint> {
    [
        spaces::endpoints(),
        corrections::endpoints(),
        shares::endpoints(),
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::reference::curl::command;

    #[test]
    fn every_operation_has_a_complete_shell_command() {
        let endpoints = endpoints();
        let command_of = |operation: &str| {
            let endpoint = endpoints.iter().find(|endpoint| endpoint.operation == operation).unwrap();
            command(endpoint, "https://api.example.com/v1")
        };
        let create = command_of("createSpace");
        assert!(create.starts_with("curl \"https://api.example.com/v1/spaces\" \\\n  -H \"Authorization:"));
        assert!(create.contains("--json '{\"name\":\"Unit 4B\""), "{create}");
        assert!(command_of("cancelScan").starts_with("curl -X DELETE "));
        assert!(command_of("createKey").contains("-H \"Origin: https://api.example.com\""));
        assert!(
            command_of("putFrame").contains("/frames/0\"")
                && command_of("putFrame").contains("--data-binary @image.jpeg")
        );
        assert!(command_of("getMedia").contains("?expires=$expires&signature=$signature"));
        for endpoint in &endpoints {
            assert!(!command(endpoint, "https://x").contains(['{', '}']) || endpoint.body.is_some());
        }
    }
}
