//! A temporary PostgreSQL server for tests and benchmarks. It listens on loopback only and
//! disappears with its guard. A test can kill, stop and restart it.

mod processes;
mod user;

use std::{
    env,
    fmt::Write as _,
    fs,
    io::Read as _,
    net::TcpListener,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread::sleep,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use nix::sys::signal::Signal;
use tempfile::TempDir;

use crate::user::ServerUser;

/// Maximum time that the server may take to start.
const START_TIMEOUT: Duration = Duration::from_secs(30);

/// Settings of every server.
const SETTINGS: [&str; 7] = [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    // The kernel keeps what was written when the server dies; only the machine's own death loses it.
    "fsync=off",
    "full_page_writes=off",
    "max_connections=300",
    "shared_buffers=64MB",
    "logging_collector=off",
];

/// What a server guarantees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    /// A commit may be lost if the server is killed: the fastest.
    None,
    /// A commit survives the death of the server.
    OfCommits,
}

/// A running server. Dropping it stops the server and deletes its folder. If this process dies
/// without dropping it, the kernel stops the server.
#[derive(Debug)]
pub struct Postgres {
    url: String,
    port: u16,
    durability: Durability,
    bin: PathBuf,
    user: ServerUser,
    server: Child,
    folder: TempDir,
}

/// Returns the folder of PostgreSQL's programs: those of the newest version that is installed.
pub fn installed() -> Option<PathBuf> {
    let versions = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut found: Vec<(u32, PathBuf)> = versions
        .filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin"))))
        .filter(|(_, bin)| has_server(bin))
        .collect();
    found.sort();
    let on_path = || env::split_paths(&env::var_os("PATH")?).find(|bin| has_server(bin));
    found.pop().map(|(_, bin)| bin).or_else(on_path)
}

fn has_server(bin: &Path) -> bool {
    let is_executable =
        |file: PathBuf| fs::metadata(file).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0);
    ["initdb", "postgres", "pg_isready"].iter().all(|name| is_executable(bin.join(name)))
}

impl Postgres {
    /// Starts a server with an empty cluster below `parent`, on `port` or on a free one.
    ///
    /// PostgreSQL refuses to run as root, so root starts it as the user `postgres`, which its package
    /// creates. The kernel stops the server when the thread that started it ends: call this function
    /// from a thread that lives long enough.
    ///
    /// # Errors
    /// Returns an error if PostgreSQL is not installed, a program fails, or the server does not
    /// respond in time. The message has the server's log.
    pub fn start(parent: &Path, port: Option<u16>, durability: Durability) -> Result<Self> {
        let bin = installed().context("PostgreSQL is not installed: run `cargo xtask setup`")?;
        let user = ServerUser::choose()?;
        user.allow_traversal(parent)?;
        let folder = tempfile::Builder::new().prefix("scan-postgres-").tempdir_in(parent)?;
        user.take_ownership(folder.path())?;

        let password = random_hex()?;
        let password_file = folder.path().join("password");
        fs::write(&password_file, &password)?;
        user.take_ownership(&password_file)?;
        let mut initdb = user.command(&bin.join("initdb"));
        initdb.args(["--no-sync", "--no-instructions", "-U", "admin", "-E", "UTF8", "--locale=C.UTF-8"]);
        initdb.args(["--auth=password", "--pwfile"]).arg(&password_file);
        initdb.arg("-D").arg(folder.path().join("data")).current_dir(folder.path());
        run(&mut initdb)
            .with_context(|| format!("cannot create a cluster in {}", folder.path().display()))?;

        let port = port.map_or_else(free_port, Ok)?;
        let url = format!("postgres://admin:{password}@127.0.0.1:{port}/postgres");
        let server = serve(&user, &bin, folder.path(), port, durability)?;
        let mut postgres = Self { url, port, durability, bin, user, server, folder };
        postgres.wait_until_ready()?;
        Ok(postgres)
    }

    /// Returns the connection URL of the administrator, who may create databases. It contains the
    /// password.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the process id of the server, the parent of its other processes.
    pub fn pid(&self) -> u32 {
        self.server.id()
    }

    /// Kills every process of the server (`SIGKILL`).
    ///
    /// # Errors
    /// Returns an error if a signal cannot be sent.
    pub fn kill(&mut self) -> Result<()> {
        processes::signal_tree(&self.server, Signal::SIGKILL)?;
        self.server.wait()?;
        Ok(())
    }

    /// Stops every process of the server (`SIGSTOP`): connections, old and new, hang.
    ///
    /// # Errors
    /// Returns an error if a signal cannot be sent.
    pub fn stop(&self) -> Result<()> {
        processes::signal_tree(&self.server, Signal::SIGSTOP)
    }

    /// Continues a stopped server, or starts a killed one on the same port with its data.
    ///
    /// # Errors
    /// Returns an error if a signal cannot be sent, or the server does not start.
    pub fn bring_back(&mut self) -> Result<()> {
        if self.server.try_wait()?.is_none() {
            return processes::signal_tree(&self.server, Signal::SIGCONT);
        }
        self.server = serve(&self.user, &self.bin, self.folder.path(), self.port, self.durability)?;
        self.wait_until_ready()
    }

    fn wait_until_ready(&mut self) -> Result<()> {
        let started = Instant::now();
        loop {
            let log_text = || fs::read_to_string(log(self.folder.path())).unwrap_or_default();
            if let Some(status) = self.server.try_wait()? {
                bail!("postgres exited during its start with {status}:\n{}", log_text());
            }
            let mut is_ready = Command::new(self.bin.join("pg_isready"));
            is_ready.args(["-q", "-h", "127.0.0.1", "-p", &self.port.to_string()]);
            if is_ready.stdin(Stdio::null()).stderr(Stdio::null()).status()?.success() {
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
        // SIGQUIT asks PostgreSQL for an immediate shutdown, without saving anything. A stopped process
        // handles it once it continues. A killed one is gone.
        for signal in [Signal::SIGQUIT, Signal::SIGCONT] {
            let _ = processes::signal_tree(&self.server, signal);
        }
        let _ = self.server.wait();
    }
}

fn log(folder: &Path) -> PathBuf {
    folder.join("log")
}

fn serve(user: &ServerUser, bin: &Path, folder: &Path, port: u16, durability: Durability) -> Result<Child> {
    let data = folder.join("data");
    let mut postgres = user.command(&bin.join("postgres"));
    postgres.arg("-D").arg(&data).arg("-p").arg(port.to_string());
    let commits = match durability {
        Durability::None => "synchronous_commit=off",
        Durability::OfCommits => "synchronous_commit=on",
    };
    for setting in SETTINGS.into_iter().chain([commits]) {
        postgres.args(["-c", setting]);
    }
    let log = fs::File::options().create(true).append(true).open(log(folder))?;
    postgres.current_dir(data).stdout(log.try_clone()?).stderr(log);
    postgres.spawn().context("postgres could not be started")
}

/// Runs a program whose output matters only if it fails.
fn run(command: &mut Command) -> Result<()> {
    let output = command.output()?;
    if !output.status.success() {
        bail!("{}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
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

    fn query(url: &str, sql: &str) -> Option<String> {
        let mut psql = Command::new(installed().unwrap().join("psql"));
        let output = psql.args([url, "-Atc", sql]).stdin(Stdio::null()).output().unwrap();
        output.status.success().then(|| String::from_utf8(output.stdout).unwrap().trim().to_owned())
    }

    #[test]
    fn server_responds_until_its_guard_is_dropped() {
        let parent = tempfile::tempdir().unwrap();
        let server = Postgres::start(parent.path(), None, Durability::None).unwrap();
        let (folder, url) = (server.folder.path().to_owned(), server.url().to_owned());
        assert_eq!(query(&url, "select 6 * 7").unwrap(), "42");
        drop(server);
        assert!(!folder.exists());
        assert_eq!(query(&url, "select 1"), None);
    }

    #[test]
    fn commits_survive_a_killed_server_and_a_stopped_one_continues() {
        let parent = tempfile::tempdir().unwrap();
        let mut server = Postgres::start(parent.path(), None, Durability::OfCommits).unwrap();
        let url = format!("{}?connect_timeout=2", server.url());
        query(&url, "create table kept (value int); insert into kept values (7)").unwrap();
        server.kill().unwrap();
        assert_eq!(query(&url, "select 1"), None);
        server.bring_back().unwrap();
        assert_eq!(query(&url, "select value from kept").unwrap(), "7");
        server.stop().unwrap();
        assert_eq!(query(&url, "select 1"), None);
        server.bring_back().unwrap();
        assert_eq!(query(&url, "select value from kept").unwrap(), "7");
    }
}
