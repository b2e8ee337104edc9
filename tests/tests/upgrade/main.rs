//! Upgrades: releases of the workers side by side, replaced workers, and the schema of another
//! release. The tests start real processes and a real Temporal server.

mod deployment;
mod history;
mod patched;
mod restarts;
mod rolling;
mod schema;

use std::time::Duration;

/// Maximum time of a scan of a small clip, on a busy machine with two cores.
const SCAN_TIMEOUT: Duration = Duration::from_secs(240);
