//! End-to-end tests: they run the real `scan up` as a process and call its API.
//!
//! Starting a service takes seconds (a real Temporal server, a database, storage). Each test
//! therefore starts one service and runs several cases on it concurrently, each with its own
//! account.

mod abuse;
mod accounts;
mod activity_faults;
mod activity_retries;
mod bad_input;
mod complete_scan;
mod crash_recovery;
mod doctor;
#[expect(dead_code, reason = "the tests of perception use the rest")]
#[path = "../../../perception/tests/common/server.rs"]
mod endpoint;
mod export_erasure_crash;
mod fairness;
mod forced_outcomes;
mod frame_batches;
mod ledger_invariants;
mod mail_outage;
mod metrics;
mod operators;
mod outages;
mod recharge;
mod retry_scan;
mod scan_states;
mod secret_leaks;
mod space_changes;
mod storage;
mod traces;
mod web_ui;
mod webhooks;

use std::time::Duration;

use harness::{Service, ServiceOptions};

/// Maximum time of a scan of a small clip, on a busy machine with two cores.
const SCAN_TIMEOUT: Duration = Duration::from_secs(180);

/// Runs a test on SQLite, and on PostgreSQL if the environment names a server.
async fn on_each_database(options: impl Fn() -> ServiceOptions, test: impl AsyncFn(Service)) {
    test(Service::start(options(), None).await.expect("the service on SQLite")).await;
    let Some(database) = entities::testing::TestDatabase::postgres().await else { return };
    let url = database.settings().url.reveal().to_owned();
    let options = options().set("DATABASE__URL", url);
    test(Service::start(options, None).await.expect("the service on PostgreSQL")).await;
    database.drop_database().await;
}
