//! End-to-end tests: the real `scan up` as a process, spoken to through its API.
//!
//! Starting a service takes seconds (a real Temporal server, a database, storage), so each test here
//! starts one and plays several scenes on it at once, each with an account of its own.

mod accounts;
mod bad_input;
mod books;
mod crash;
#[expect(dead_code, reason = "tests of perception use more of it")]
#[path = "../../../perception/tests/common/server.rs"]
mod endpoint;
mod fan_out;
mod farewell;
mod forced;
mod happy;
mod operators;
mod recharge;
mod secrets;
mod states;
mod storage;
mod twice;
mod webhooks;

use std::time::Duration;

use tests::{Service, ServiceOptions};

/// How long a scan of a small clip may take on a busy machine with two cores.
const PATIENCE: Duration = Duration::from_secs(180);

/// The database that a test runs on: an SQLite file, or PostgreSQL where the environment names a server.
async fn on_each_database(options: impl Fn() -> ServiceOptions, play: impl AsyncFn(Service)) {
    play(Service::start(options(), None).await.expect("the service on SQLite")).await;
    let Some(database) = entities::testing::TestDatabase::postgres().await else { return };
    let url = database.settings().url.reveal().to_owned();
    let options = options().set("DATABASE__URL", url);
    play(Service::start(options, None).await.expect("the service on PostgreSQL")).await;
    database.drop_database().await;
}
