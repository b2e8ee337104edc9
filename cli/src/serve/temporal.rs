//! The embedded engine: Temporal's dev server as a child process.
//!
//! The kernel kills the child when its parent dies, also by SIGKILL (parent-death signal), so the
//! next start finds the port free. The state is in one SQLite file, so scans continue after
//! a restart.

use std::{
    net::SocketAddr,
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use anyhow::{Context, bail};

/// Retention of closed workflows: 30 days, for operators who investigate a failed scan.
const RETENTION: &str = "720h";

/// Dynamic configuration of the dev server.
const DYNAMIC_CONFIG: [&str; 3] = [
    "frontend.enableUpdateWorkflowExecution=true",
    "matching.numTaskqueueReadPartitions=1",
    "matching.numTaskqueueWritePartitions=1",
];

/// Dynamic configuration without which the server ignores the fairness keys of activities.
const FAIRNESS: [&str; 2] = ["matching.useNewMatcher=true", "matching.enableFairness=true"];

/// Addresses and state folder of the dev server.
#[derive(Debug, Clone)]
pub struct DevServer {
    /// Folder of its database and log.
    pub folder: PathBuf,
    /// Address of the gRPC API, on loopback.
    pub frontend: SocketAddr,
    /// Address of the Web UI, on loopback.
    pub ui: SocketAddr,
}

/// A running dev server. Dropping it stops the server.
#[derive(Debug)]
pub struct Running {
    child: Child,
}

/// Finds the `temporal` command: on the PATH, or in the cache folder, where `cargo xtask setup`
/// puts it.
///
/// # Errors
/// Returns an error if there is none. The message says how to install it.
pub fn find_command() -> anyhow::Result<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "programs are found on the PATH")]
    let on_path = std::env::var_os("PATH")
        .into_iter()
        .flat_map(|path| std::env::split_paths(&path).collect::<Vec<_>>())
        .map(|folder| folder.join("temporal"));
    let in_cache = crate::config::cache_folder().map(|cache| cache.join("bin/temporal"));
    match on_path.chain(in_cache).find(|candidate| candidate.is_file()) {
        Some(command) => Ok(command),
        None => bail!(
            "the command `temporal` is neither on the PATH nor in the cache folder; \
             the release archive has it, `cargo xtask setup` installs it, or see https://docs.temporal.io/cli"
        ),
    }
}

impl DevServer {
    /// Starts the server. It accepts connections a moment later.
    ///
    /// # Errors
    /// Returns an error if the command is missing or cannot be started.
    pub fn start(&self) -> anyhow::Result<Running> {
        let command = find_command()?;
        std::fs::create_dir_all(&self.folder)
            .with_context(|| format!("cannot create the folder {}", self.folder.display()))?;
        let log = log_file(&self.folder.join("temporal.log"))?;
        #[expect(clippy::disallowed_methods, reason = "the dev server that `scan up` embeds")]
        let mut server = Command::new(&command);
        server
            .args(["server", "start-dev", "--log-level", "warn", "--log-format", "json"])
            .arg("--db-filename")
            .arg(self.folder.join("temporal.db"))
            .args(["--ip", &self.frontend.ip().to_string(), "--port", &self.frontend.port().to_string()])
            .args(["--ui-ip", &self.ui.ip().to_string(), "--ui-port", &self.ui.port().to_string()])
            .args(DYNAMIC_CONFIG.iter().chain(&FAIRNESS).flat_map(|value| ["--dynamic-config-value", *value]))
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log);
        die_with_parent(&mut server);
        let child = server.spawn().with_context(|| format!("cannot start {}", command.display()))?;
        tracing::info!(pid = child.id(), frontend = %self.frontend, ui = %self.ui, "engine started");
        Ok(Running { child })
    }

    /// Raises the retention of closed workflows. The server's default is one day.
    ///
    /// # Errors
    /// Returns an error if the command fails.
    pub fn raise_retention(&self, namespace: &str) -> anyhow::Result<()> {
        #[expect(clippy::disallowed_methods, reason = "the CLI of the dev server")]
        let output = Command::new(find_command()?)
            .args(["operator", "namespace", "update", "--namespace", namespace, "--retention", RETENTION])
            .args(["--address", &self.frontend.to_string()])
            .output()
            .context("cannot run `temporal operator namespace update`")?;
        if !output.status.success() {
            bail!("cannot set the engine's retention: {}", String::from_utf8_lossy(&output.stderr).trim());
        }
        Ok(())
    }
}

impl Running {
    /// Returns the process id of the server.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Returns whether the server has exited.
    pub fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Stops the server with SIGTERM, and kills it after five seconds.
    pub fn stop(&mut self) {
        let Ok(pid) = i32::try_from(self.child.id()) else { return };
        let _ = nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), nix::sys::signal::Signal::SIGTERM);
        for _ in 0..50 {
            if self.has_ended() {
                return;
            }
            #[expect(
                clippy::disallowed_methods,
                reason = "runs at the end of the process, outside the runtime"
            )]
            std::thread::sleep(Duration::from_millis(100));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stop();
    }
}

fn log_file(path: &Path) -> anyhow::Result<std::fs::File> {
    std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .with_context(|| format!("cannot open the log file {}", path.display()))
}

/// Makes the kernel kill the child when the thread that started it ends. Call this from a thread
/// that lives as long as the process.
fn die_with_parent(command: &mut Command) {
    let parent = nix::unistd::getpid();
    #[expect(unsafe_code, reason = "`pre_exec` has no safe form")]
    // SAFETY: between fork and exec the closure makes two system calls and does not access the
    // parent's memory.
    unsafe {
        command.pre_exec(move || {
            nix::sys::prctl::set_pdeathsig(nix::sys::signal::Signal::SIGKILL)?;
            // The parent may have died before the call above.
            if nix::unistd::getppid() == parent { Ok(()) } else { Err(std::io::ErrorKind::BrokenPipe.into()) }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::FAIRNESS;

    #[test]
    fn the_shipped_server_enables_fairness_too() {
        let shipped = include_str!("../../../temporal-dynamic-config.yaml");
        for value in FAIRNESS {
            let (key, value) = value.split_once('=').unwrap();
            assert!(shipped.contains(&format!("{key}:\n  - value: {value}\n")), "{key}");
        }
    }
}
