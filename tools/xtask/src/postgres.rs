//! A temporary PostgreSQL server for tests and benchmarks. It listens on loopback only and
//! disappears with its guard.

use std::{
    fmt::Write as _,
    fs,
    io::Read as _,
    net::TcpListener,
    os::unix::fs::{PermissionsExt, chown},
    path::Path,
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use nix::{
    sys::signal::{Signal, kill},
    unistd::{Pid, User, geteuid},
};
use tempfile::TempDir;

use crate::{
    setup::postgres_bin,
    system::{command, output_of},
};

/// Maximum time that the server may take to start.
const START_TIMEOUT: Duration = Duration::from_secs(30);

/// A running server. Dropping it stops the server and deletes its folder. If this process dies
/// without dropping it, the kernel stops the server.
#[derive(Debug)]
pub(crate) struct Postgres {
    url: String,
    server: Child,
    _folder: TempDir,
}

/// Starts a server with an empty cluster below `parent`, on `port` or on a free one.
///
/// The server never syncs to disk, which trades durability for speed. PostgreSQL refuses to run as
/// root, so root starts it as the user `postgres`, which its package creates. The kernel stops the
/// server when the thread that started it ends: call this function from a thread that lives long
/// enough.
///
/// # Errors
/// Returns an error if a program fails or the server does not respond in time. The message has the
/// server's log.
pub(crate) fn start_temporary(parent: &Path, port: Option<u16>) -> Result<Postgres> {
    let bin = postgres_bin().context("PostgreSQL is not installed: run `cargo xtask setup`")?;
    let user = ServerUser::choose()?;
    user.allow_traversal(parent)?;
    let folder = tempfile::Builder::new().prefix("scan-postgres-").tempdir_in(parent)?;
    user.take_ownership(folder.path())?;
    let (data, log) = (folder.path().join("data"), folder.path().join("log"));

    let password = random_hex()?;
    let password_file = folder.path().join("password");
    fs::write(&password_file, &password)?;
    user.take_ownership(&password_file)?;
    let mut initdb = user.command(&bin.join("initdb"));
    initdb.args(["--no-sync", "--no-instructions", "-U", "admin", "-E", "UTF8", "--locale=C.UTF-8"]);
    initdb.args(["--auth=password", "--pwfile"]).arg(&password_file).arg("-D").arg(&data);
    output_of(initdb.current_dir(folder.path()))
        .with_context(|| format!("cannot create a cluster in {}", folder.path().display()))?;

    let port = port.map_or_else(free_port, Ok)?;
    let server = serve(&user, &bin, &data, port, &log)?;
    let url = format!("postgres://admin:{password}@127.0.0.1:{port}/postgres");
    let mut guard = Postgres { url, server, _folder: folder };
    guard.wait_until_ready(&bin, port, &log)?;
    Ok(guard)
}

fn serve(user: &ServerUser, bin: &Path, data: &Path, port: u16, log: &Path) -> Result<Child> {
    let mut postgres = user.command(&bin.join("postgres"));
    postgres.arg("-D").arg(data).arg("-p").arg(port.to_string());
    let settings = [
        "listen_addresses=127.0.0.1",
        "unix_socket_directories=",
        "fsync=off",
        "synchronous_commit=off",
        "full_page_writes=off",
        "max_connections=300",
        "shared_buffers=64MB",
        "logging_collector=off",
    ];
    for setting in settings {
        postgres.args(["-c", setting]);
    }
    let log_file = fs::File::create(log)?;
    postgres.current_dir(data).stdout(log_file.try_clone()?).stderr(log_file);
    postgres.spawn().context("postgres could not be started")
}

impl Postgres {
    /// Returns the connection URL of the administrator, who may create databases. It contains the
    /// password.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    fn wait_until_ready(&mut self, bin: &Path, port: u16, log: &Path) -> Result<()> {
        let started = Instant::now();
        loop {
            let log_text = || fs::read_to_string(log).unwrap_or_default();
            if let Some(status) = self.server.try_wait()? {
                bail!("postgres exited during its start with {status}:\n{}", log_text());
            }
            let mut is_ready = command(bin.join("pg_isready"));
            is_ready.args(["-q", "-h", "127.0.0.1", "-p", &port.to_string()]).stderr(Stdio::null());
            if is_ready.status()?.success() {
                return Ok(());
            }
            if started.elapsed() > START_TIMEOUT {
                bail!("postgres did not respond within {START_TIMEOUT:?}:\n{}", log_text());
            }
            sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        // SIGQUIT asks PostgreSQL for an immediate shutdown, without saving anything.
        let pid = i32::try_from(self.server.id()).map(Pid::from_raw);
        if pid.is_ok_and(|pid| kill(pid, Signal::SIGQUIT).is_ok()) {
            let _ = self.server.wait();
        }
    }
}

/// The user that runs the server: the current user, or `postgres` if the current user is root.
struct ServerUser(Option<User>);

impl ServerUser {
    fn choose() -> Result<Self> {
        if !geteuid().is_root() {
            return Ok(Self(None));
        }
        let user = User::from_name("postgres")?
            .context("PostgreSQL does not run as root and there is no user postgres")?;
        Ok(Self(Some(user)))
    }

    /// Lets the user pass through `folder`, without letting it list the folder.
    fn allow_traversal(&self, folder: &Path) -> Result<()> {
        let mode = fs::metadata(folder)?.permissions().mode();
        if self.0.is_some() && mode & 0o001 == 0 {
            fs::set_permissions(folder, fs::Permissions::from_mode(mode | 0o011))?;
        }
        Ok(())
    }

    /// Makes the user the owner of `path`. Nobody else can read it.
    fn take_ownership(&self, path: &Path) -> Result<()> {
        let mode = if path.is_dir() { 0o700 } else { 0o600 };
        fs::set_permissions(path, fs::Permissions::from_mode(mode))?;
        if let Some(user) = &self.0 {
            chown(path, Some(user.uid.as_raw()), Some(user.gid.as_raw()))?;
        }
        Ok(())
    }

    /// Returns a command that runs `program` as this user. The kernel stops it when the thread that
    /// started it ends.
    fn command(&self, program: &Path) -> Command {
        let mut command_line = command("setpriv");
        if let Some(user) = &self.0 {
            command_line.args([
                "--reuid",
                &user.uid.to_string(),
                "--regid",
                &user.gid.to_string(),
                "--clear-groups",
            ]);
        }
        command_line.args(["--pdeathsig", "QUIT", "--"]).arg(program);
        command_line
    }
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

fn random_hex() -> Result<String> {
    let mut bytes = [0_u8; 16];
    fs::File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    let mut text = String::new();
    for byte in bytes {
        write!(text, "{byte:02x}")?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn server_responds_until_its_guard_is_dropped() {
        let parent = tempfile::tempdir().unwrap();
        let guard = start_temporary(parent.path(), None).unwrap();
        let folder = guard._folder.path().to_owned();
        let psql = postgres_bin().unwrap().join("psql");
        let query = |url: &str, sql: &str| output_of(command(&psql).args([url, "-Atc", sql]));
        assert_eq!(query(guard.url(), "select 6 * 7").unwrap().trim(), "42");
        let url = guard.url().to_owned();
        drop(guard);
        assert!(!folder.exists());
        assert!(query(&url, "select 1").is_err());
    }
}
