//! Does one thing to money or to an account, and is killed by signal 9 at one of its lines: before a statement, before or after a
//! commit, between the bank's work and ours. `tests/tests/crash` runs it for every line and looks at what
//! is left.
//!
//! `crash_at_line <database> <folder> <storage> <line> <what> <id>`; ends in order when there is no such line.

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
    let [database, folder, storage, line, what, id] = args.as_slice() else {
        bail!("crash_at_line <database> <folder> <storage> <line> <what> <id>")
    };
    let backend = TestBackend::open(database, Path::new(folder), storage).await?;
    let operation = Operation::parse(what, id).context("no such deed")?;
    let (line, passed) = (line.parse::<usize>()?, AtomicUsize::new(0));
    let die = move || {
        if passed.fetch_add(1, Ordering::SeqCst) == line {
            // Nothing is flushed, closed or undone after this.
            let _ = kill(Pid::this(), Signal::SIGKILL);
        }
    };
    fail::cfg_callback("line", die).map_err(anyhow::Error::msg)?;
    operation.run(&backend).await
}
