//! One process of the stack, which a fault may kill, stop or start again.

use std::{
    fmt::Display,
    fs::File,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
};

use anyhow::{Context, bail};
use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};

/// Number of lines of a log that an error message shows.
const SHOWN_LINES: usize = 40;

/// Program, arguments and environment of a process.
#[derive(Debug, Clone)]
pub struct ProgramLine {
    /// Name of the process in results and of its log.
    pub name: String,
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Its environment, besides that of this process.
    pub environment: Vec<(String, String)>,
    /// File to which its output is appended.
    pub log: PathBuf,
}

impl ProgramLine {
    /// Builds a line without arguments. The log lies in `folder`.
    pub fn new(name: &str, program: PathBuf, folder: &Path) -> Self {
        let log = folder.join("log").join(format!("{name}.log"));
        Self { name: name.to_owned(), program, arguments: Vec::new(), environment: Vec::new(), log }
    }

    /// Sets a variable of the environment.
    pub fn set(&mut self, name: &str, value: impl Display) {
        self.environment.retain(|(existing, _)| existing != name);
        self.environment.push((name.to_owned(), value.to_string()));
    }
}

/// A process. Killed when dropped.
#[derive(Debug)]
pub struct Process {
    line: ProgramLine,
    child: Child,
}

impl Process {
    /// Starts the process.
    ///
    /// # Errors
    /// Returns an error if the program cannot be started.
    pub fn start(line: ProgramLine) -> anyhow::Result<Self> {
        let child = spawn(&line, &[])?;
        Ok(Self { line, child })
    }

    /// Returns the name.
    pub fn name(&self) -> &str {
        &self.line.name
    }

    /// Returns the process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Returns whether the process runs.
    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Checks that the process runs.
    ///
    /// # Errors
    /// Returns an error with the end of its log if it ended.
    pub fn check_running(&mut self) -> anyhow::Result<()> {
        if let Some(status) = self.child.try_wait()? {
            bail!("{} ended with {status}:\n{}", self.line.name, self.log_tail());
        }
        Ok(())
    }

    /// Kills the process (`SIGKILL`).
    pub fn kill(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Sends a signal.
    ///
    /// # Errors
    /// Returns an error if the process does not run.
    pub fn signal(&self, signal: Signal) -> anyhow::Result<()> {
        let pid = Pid::from_raw(i32::try_from(self.child.id())?);
        kill(pid, signal).with_context(|| format!("{signal} to {}", self.line.name))
    }

    /// Starts the process again after its end, with additional variables.
    ///
    /// # Errors
    /// Returns an error if the program cannot be started.
    pub fn restart(&mut self, variables: &[(&str, String)]) -> anyhow::Result<()> {
        self.kill();
        self.child = spawn(&self.line, variables)?;
        Ok(())
    }

    /// Returns the end of the log.
    pub fn log_tail(&self) -> String {
        let log = std::fs::read_to_string(&self.line.log).unwrap_or_default();
        let lines: Vec<_> = log.lines().collect();
        lines[lines.len().saturating_sub(SHOWN_LINES)..].join("\n")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Starts a program that the kernel kills when this thread ends.
fn spawn(line: &ProgramLine, variables: &[(&str, String)]) -> anyhow::Result<Child> {
    if let Some(folder) = line.log.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let log = File::options().create(true).append(true).open(&line.log)?;
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", "--"]).arg(&line.program).args(&line.arguments);
    command.envs(line.environment.iter().cloned());
    command.envs(variables.iter().map(|(name, value)| (name, value)));
    command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log);
    command.spawn().with_context(|| format!("{} could not be started", line.name))
}
