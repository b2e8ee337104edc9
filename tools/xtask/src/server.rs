//! Temporary third-party servers for tests. They listen on loopback only and disappear with their
//! guards.

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

/// Maximum time that a server may take to start.
const START_TIMEOUT: Duration = Duration::from_secs(30);

/// Access key and secret key of the S3 server: the defaults of the storage tests.
const S3_KEY: &str = "test";

/// A running server. Dropping it stops the server and deletes its folder. If this process dies
/// without dropping it, the kernel stops the server.
#[derive(Debug)]
pub(crate) struct Server {
    endpoint: String,
    process: Child,
    _folder: TempDir,
}

/// Starts an S3 server (versitygw) without buckets, in a folder below `parent`. Its access key and
/// its secret key are both `test`.
///
/// # Errors
/// Returns an error if the server cannot be started or does not respond in time. The message has
/// its log.
pub(crate) fn start_storage(program: &Path, parent: &Path) -> Result<Server> {
    start(program, parent, |command_line, address, folder| {
        let objects = folder.join("objects");
        fs::create_dir(&objects)?;
        command_line.args(["--port", &address.to_string(), "posix"]).arg(&objects);
        command_line.env("ROOT_ACCESS_KEY", S3_KEY).env("ROOT_SECRET_KEY", S3_KEY);
        Ok(())
    })
}

/// Starts stripe-mock, Stripe's own mock of its API, with its log in a folder below `parent`.
///
/// # Errors
/// Returns an error if the server cannot be started or does not respond in time. The message has
/// its log.
pub(crate) fn start_stripe(program: &Path, parent: &Path) -> Result<Server> {
    start(program, parent, |command_line, address, _| {
        // It also serves HTTPS: by default on a fixed port of all addresses.
        command_line.args(["-http-addr", &address.to_string(), "-https-addr", "127.0.0.1:0"]);
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
    let mut command_line = command("setpriv");
    command_line.args(["--pdeathsig", "KILL", "--"]).arg(program);
    configure(&mut command_line, address, folder.path())?;
    command_line.stdout(log_file.try_clone()?).stderr(log_file);
    let name = program.display();
    let process = command_line.spawn().with_context(|| format!("{name} could not be started"))?;
    let mut guard = Server { endpoint: format!("http://{address}"), process, _folder: folder };
    let started = Instant::now();
    while TcpStream::connect(address).is_err() {
        let log_text = || fs::read_to_string(&log).unwrap_or_default();
        if let Some(status) = guard.process.try_wait()? {
            bail!("{name} exited during its start with {status}:\n{}", log_text());
        }
        if started.elapsed() > START_TIMEOUT {
            bail!("{name} did not respond within {START_TIMEOUT:?}:\n{}", log_text());
        }
        sleep(Duration::from_millis(20));
    }
    Ok(guard)
}

impl Server {
    /// Returns the base URL of the server.
    pub(crate) fn endpoint(&self) -> &str {
        &self.endpoint
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::setup::{self, Requirements};

    #[test]
    fn servers_respond_until_their_guards_are_dropped() {
        let tools = setup::ensure(Requirements::TEST).unwrap();
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
