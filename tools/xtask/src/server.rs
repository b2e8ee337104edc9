//! Throw-away servers that are not ours, for tests: own folder, loopback only, gone with their guard.

use std::{
    fs,
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    process::{Child, Command},
    thread::sleep,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use tempfile::TempDir;

use crate::system::command;

/// How long a server may take to answer after its start.
const START_LIMIT: Duration = Duration::from_secs(30);

/// Both halves of the S3 server's key, as the storage suite has them by default.
const KEY: &str = "test";

/// A running server. Dropping it stops the server and deletes its folder; when this process dies without
/// dropping it, the kernel stops the server.
#[derive(Debug)]
pub struct Server {
    endpoint: String,
    process: Child,
    _folder: TempDir,
}

/// Starts an S3 server (versitygw) with no buckets, in a folder below `parent`. Id and secret of its key are
/// both `test`.
///
/// # Errors
/// When it cannot be started or does not answer in time; the message carries its log.
pub fn start_storage(program: &Path, parent: &Path) -> Result<Server> {
    start(program, parent, |line, address, folder| {
        let objects = folder.join("objects");
        fs::create_dir(&objects)?;
        line.args(["--port", &address.to_string(), "posix"]).arg(&objects);
        line.env("ROOT_ACCESS_KEY", KEY).env("ROOT_SECRET_KEY", KEY);
        Ok(())
    })
}

/// Starts a stand-in for Stripe (stripe-mock), with its log in a folder below `parent`.
///
/// # Errors
/// When it cannot be started or does not answer in time; the message carries its log.
pub fn start_stripe(program: &Path, parent: &Path) -> Result<Server> {
    start(program, parent, |line, address, _| {
        // It serves HTTPS too, on a fixed port of every address unless told otherwise.
        line.args(["-http-addr", &address.to_string(), "-https-addr", "127.0.0.1:0"]);
        Ok(())
    })
}

fn start(
    program: &Path,
    parent: &Path,
    configure: impl FnOnce(&mut Command, SocketAddr, &Path) -> Result<()>,
) -> Result<Server> {
    let folder = tempfile::Builder::new().prefix("scan-server-").tempdir_in(parent)?;
    let log = folder.path().join("log");
    let log_file = fs::File::create(&log)?;
    let address = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?;
    let mut line = command("setpriv");
    line.args(["--pdeathsig", "KILL", "--"]).arg(program);
    configure(&mut line, address, folder.path())?;
    line.stdout(log_file.try_clone()?).stderr(log_file);
    let name = program.display();
    let process = line.spawn().with_context(|| format!("{name} could not be started"))?;
    let mut guard = Server { endpoint: format!("http://{address}"), process, _folder: folder };
    let started = Instant::now();
    while TcpStream::connect(address).is_err() {
        let log_text = || fs::read_to_string(&log).unwrap_or_default();
        if let Some(status) = guard.process.try_wait()? {
            bail!("{name} ended at once with {status}:\n{}", log_text());
        }
        if started.elapsed() > START_LIMIT {
            bail!("{name} did not answer within {START_LIMIT:?}:\n{}", log_text());
        }
        sleep(Duration::from_millis(20));
    }
    Ok(guard)
}

impl Server {
    /// Its address.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Nothing of it is worth keeping.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::{self, Needs};

    #[test]
    fn they_answer_and_are_gone_with_their_guards() {
        let tools = setup::ensure(Needs::TEST).unwrap();
        let parent = tempfile::tempdir().unwrap();
        let storage = start_storage(&tools.versitygw.unwrap(), parent.path()).unwrap();
        let stripe = start_stripe(&tools.stripe_mock.unwrap(), parent.path()).unwrap();
        for guard in [storage, stripe] {
            let folder = guard._folder.path().to_owned();
            let address = guard.endpoint()["http://".len()..].to_owned();
            assert!(TcpStream::connect(&address).is_ok());
            drop(guard);
            assert!(!folder.exists());
            assert!(TcpStream::connect(&address).is_err());
        }
    }
}
