//! End-to-end tests: the real `scan up` as a process, spoken to through its API.
//!
//! Starting a service takes seconds (a real Temporal server, a database, storage), so each test here
//! starts one and plays several scenes on it at once, each with an account of its own.

mod accounts;
mod activity_retries;
mod bad_input;
mod complete_scan;
mod crash_recovery;
#[allow(dead_code, reason = "tests of perception use more of it")]
#[path = "../../../perception/tests/common/server.rs"]
mod endpoint;
mod export_erasure_crash;
mod forced_outcomes;
mod frame_batches;
mod ledger_invariants;
mod operators;
mod recharge;
mod scan_states;
mod secret_leaks;
mod storage;
mod webhooks;

use std::time::Duration;

use harness::{Service, ServiceOptions};

/// How long a scan of a small clip may take on a busy machine with two cores.
const SCAN_TIMEOUT: Duration = Duration::from_secs(180);

/// The database that a test runs on: an SQLite file, or PostgreSQL where the environment names a server.
async fn on_each_database(options: impl Fn() -> ServiceOptions, play: impl AsyncFn(Service)) {
    play(Service::start(options(), None).await.expect("the service on SQLite")).await;
    let Some(database) = entities::testing::TestDatabase::postgres().await else { return };
    let url = database.settings().url.reveal().to_owned();
    let options = options().set("DATABASE__URL", url);
    play(Service::start(options, None).await.expect("the service on PostgreSQL")).await;
    database.drop_database().await;
}
