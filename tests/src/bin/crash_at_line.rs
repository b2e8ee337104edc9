//! Runs one [`Operation`] and kills its own process with signal 9 at one of its lines: before a
//! statement, before or after a commit, or between the response of the bank and the service's work.
//! `tests/tests/crash` runs it for every line and checks the resulting state.
//!
//! `crash_at_line <database> <folder> <storage> <line> <operation> <id>`; exits normally if there
//! is no such line.

use std::{
    path::Path,
    sync::atomic::{AtomicUsize, Ordering},
};

use anyhow::{Context, bail};
use harness::{Operation, TestBackend};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [database, folder, storage, line, name, id] = args.as_slice() else {
        bail!("crash_at_line <database> <folder> <storage> <line> <operation> <id>")
    };
    let backend = TestBackend::open(database, Path::new(folder), storage).await?;
    let operation = Operation::parse(name, id).context("unknown operation")?;
    let (line, passed_lines) = (line.parse::<usize>()?, AtomicUsize::new(0));
    let kill_at_line = move || {
        if passed_lines.fetch_add(1, Ordering::SeqCst) == line {
            // Nothing is flushed, closed or rolled back.
            let _ = kill(Pid::this(), Signal::SIGKILL);
        }
    };
    fail::cfg_callback("line", kill_at_line).map_err(anyhow::Error::msg)?;
    operation.run(&backend).await
}
