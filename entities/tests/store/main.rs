//! The store, on every kind of database it runs on.

mod accounts;
mod closing;
mod creation;
mod isolation;
mod lifecycle;
mod migrations;
mod outbox;
mod paging;
mod search;
mod spaces;
mod transactions;
mod uploads;
mod webhooks;
