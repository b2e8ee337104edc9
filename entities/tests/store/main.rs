//! Tests of the crate on each kind of database.

#![allow(clippy::disallowed_methods, reason = "a test connects past `entities::Db`")]

mod accounts;
mod backlog;
mod closing;
mod corrections;
mod creation;
mod erasure;
mod exports;
mod isolation;
mod lifecycle;
mod migrations;
mod outbox;
mod paging;
mod query_plan;
mod retention;
mod retries;
mod search;
mod shares;
mod spaces;
mod transactions;
mod uploads;
mod walks;
mod webhooks;
