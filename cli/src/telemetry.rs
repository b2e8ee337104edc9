//! Structured logs on standard error.

use tracing_subscriber::{EnvFilter, fmt, layer::SubscriberExt, util::SubscriberInitExt};

use crate::config::Log;

/// Starts logging. `RUST_LOG` overrides the configured filter. A second call has no effect.
pub fn start(log: &Log) {
    let filter = EnvFilter::try_from_default_env()
        .or_else(|_| EnvFilter::try_new(&log.filter))
        .unwrap_or_else(|_| EnvFilter::new("info"));
    let lines = fmt::layer().with_writer(std::io::stderr);
    let registry = tracing_subscriber::registry().with(filter);
    let started = if log.json {
        registry.with(lines.json().flatten_event(true)).try_init()
    } else {
        registry.with(lines.compact().with_target(false)).try_init()
    };
    // Fails only in tests that start several services in one process.
    drop(started);
}
