//! The API as its clients meet it: over HTTP, with a real database, a real object store, the real ledger,
//! and every answer held against `openapi.json`.

#![allow(clippy::disallowed_methods, reason = "tests start programs and read their environment")]

mod app;
mod at_once;
mod auth;
mod bad;
mod bank;
mod billing;
mod books;
mod by_mail;
mod closing;
mod contract;
mod conventions;
mod engine;
mod erasure;
mod errors;
mod events;
mod everywhere;
mod examples;
mod exports;
mod held;
mod keys;
mod knowledge;
mod language;
mod limits;
mod matrix;
mod media;
mod openapi;
mod pages;
mod quota;
mod receivers;
mod reference;
mod scans;
mod server;
mod shared_limits;
mod spaces;
mod start;
mod things;
#[path = "../../../outbound/tests/support/mod.rs"]
mod tls;
mod tour;
mod uploads;
mod webhook_sends;
mod webhooks;
