//! A throw-away S3 server that is not ours, for tests: own folder, loopback only, gone with its guard.

use std::{
    fs,
    net::{TcpListener, TcpStream},
    path::Path,
    process::Child,
    thread::sleep,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use crate::system::command;

/// How long the server may take to answer after its start.
const START_LIMIT: Duration = Duration::from_secs(30);

/// Both halves of the key, as the storage suite has them by default.
const KEY: &str = "test";

/// A running server. Dropping it stops the server and deletes its folder; when this process dies without
/// dropping it, the kernel stops the server.
#[derive(Debug)]
pub struct Storage {
    endpoint: String,
    server: Child,
    _folder: TempDir,
}

/// Starts `program` (versitygw) with no buckets, in a folder below `parent`.
///
/// # Errors
/// When it cannot be started or does not answer in time; the message carries its log.
pub fn start_temporary(program: &Path, parent: &Path) -> Result<Storage> {
    let folder = tempfile::Builder::new().prefix("scan-storage-").tempdir_in(parent)?;
    let (objects, log) = (folder.path().join("objects"), folder.path().join("log"));
    fs::create_dir(&objects)?;
    let log_file = fs::File::create(&log)?;
    let address = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?;
    let mut line = command("setpriv");
    line.args(["--pdeathsig", "KILL", "--"]).arg(program);
    line.args(["--port", &address.to_string(), "posix"]).arg(&objects);
    line.env("ROOT_ACCESS_KEY", KEY).env("ROOT_SECRET_KEY", KEY);
    line.stdout(log_file.try_clone()?).stderr(log_file);
    let server = line.spawn().context("the S3 server could not be started")?;
    let mut guard = Storage { endpoint: format!("http://{address}"), server, _folder: folder };
    let started = Instant::now();
    while TcpStream::connect(address).is_err() {
        let log_text = || fs::read_to_string(&log).unwrap_or_default();
        if let Some(status) = guard.server.try_wait()? {
            bail!("the S3 server ended at once with {status}:\n{}", log_text());
        }
        if started.elapsed() > START_LIMIT {
            bail!("the S3 server did not answer within {START_LIMIT:?}:\n{}", log_text());
        }
        sleep(Duration::from_millis(20));
    }
    Ok(guard)
}

impl Storage {
    /// Its address; id and secret of its key are both `test`.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }
}

impl Drop for Storage {
    fn drop(&mut self) {
        // Nothing of it is worth keeping.
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::{self, Needs};

    #[test]
    fn it_answers_and_is_gone_with_its_guard() {
        let program = setup::ensure(Needs::TEST).unwrap().versitygw.unwrap();
        let parent = tempfile::tempdir().unwrap();
        let guard = start_temporary(&program, parent.path()).unwrap();
        let (folder, address) =
            (guard._folder.path().to_owned(), guard.endpoint()["http://".len()..].to_owned());
        assert!(TcpStream::connect(&address).is_ok());
        drop(guard);
        assert!(!folder.exists());
        assert!(TcpStream::connect(&address).is_err());
    }
}
