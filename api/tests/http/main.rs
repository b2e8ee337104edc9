//! Tests of the API over HTTP, with a real database, a real object store and the real ledger. Every
//! response is checked against `openapi.json`.

#![allow(clippy::disallowed_methods, reason = "tests start programs and read their environment")]

mod access_control;
mod account_closing;
mod agents;
mod all_endpoints;
mod app;
mod auth;
mod bank_webhooks;
mod billing;
mod concurrency;
mod console_pages;
mod contract_checks;
mod conventions;
mod corrections;
mod docs_site;
mod erasure;
mod errors;
mod events;
mod examples;
mod exports;
mod fuzz;
mod https;
mod in_process_engine;
mod interruptions;
mod keys;
mod knowledge;
mod language_models;
mod ledger_invariants;
mod limits;
mod mail_pages;
mod mail_tokens;
mod media;
mod openapi;
mod own_account;
mod path_fixtures;
mod quota;
mod reference;
mod response_coverage;
mod retries;
mod rotation;
mod scan_start;
mod scans;
mod security_page;
mod server;
mod shared_limits;
mod shares;
mod spaces;
mod stalled_requests;
#[path = "../../../outbound/tests/support/mod.rs"]
mod tls;
mod transcripts;
mod uploads;
mod webhook_receivers;
mod webhook_sends;
mod webhooks;
