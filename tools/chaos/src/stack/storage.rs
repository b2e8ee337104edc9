//! The S3 server (versitygw), which keeps objects in a folder.

use std::{fs, net::SocketAddr, path::Path};

use harness::ports;

use super::{Process, ProgramLine, Programs};

/// Access key and secret key.
pub(super) const KEY: &str = "stack-storage-key";

/// Starts the server without buckets. The service creates its bucket.
pub(super) fn start(programs: &Programs, folder: &Path) -> anyhow::Result<(Process, SocketAddr)> {
    let objects = folder.join("objects");
    fs::create_dir_all(&objects)?;
    let [port] = ports::free();
    let address = SocketAddr::from(([127, 0, 0, 1], port));
    let mut line = ProgramLine::new("storage", programs.versitygw.clone(), folder);
    line.arguments =
        vec!["--port".to_owned(), address.to_string(), "posix".to_owned(), objects.display().to_string()];
    line.set("ROOT_ACCESS_KEY", KEY);
    line.set("ROOT_SECRET_KEY", KEY);
    Ok((Process::start(line)?, address))
}
