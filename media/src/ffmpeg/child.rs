//! A program that reads hostile media: bound in what it may use, and gone when its parent is.

use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;

use super::FfmpegError;

/// How much of what a child says on its standard error is kept: the end.
const STDERR_BYTES: usize = 16 * 1024;

/// What one child may use.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Address space, in bytes.
    pub memory_bytes: u64,
    /// Processor time, in seconds.
    pub cpu_seconds: u64,
    /// Size of any file it writes, in bytes.
    pub file_bytes: u64,
}

/// Open files: the medium, the sound, pipes, and the libraries while they load.
const OPEN_FILES: u64 = 64;

/// A running child. Killed and reaped when dropped.
pub(super) struct Sandboxed {
    child: Child,
    stderr: Option<JoinHandle<String>>,
    killer: Killer,
    /// What the child writes; taken by who reads it.
    pub stdout: Option<ChildStdout>,
}

/// Kills a child from another thread, as long as it has not been reaped.
#[derive(Clone, Default)]
pub(super) struct Killer(Arc<Mutex<Option<Pid>>>);

impl Killer {
    /// Kills the child's whole process group; does nothing once it is gone.
    pub(super) fn kill(&self) {
        if let Some(pid) = *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = killpg(pid, Signal::SIGKILL);
        }
    }
}

/// How a child ended.
pub(super) struct Ended {
    pub status: ExitStatus,
    pub stderr: String,
}

impl Sandboxed {
    /// Starts a program in its own process group with nothing of our environment.
    ///
    /// The thread that calls must outlive the child: Linux sends the parent-death signal when the
    /// *thread* that forked ends.
    pub(super) fn spawn(
        program: &Path,
        args: &[String],
        limits: Limits,
        killer: &Killer,
    ) -> Result<Sandboxed, FfmpegError> {
        let path = resolve(program)?;
        #[expect(clippy::disallowed_methods, reason = "this is the sandbox")]
        let mut command = Command::new(&path);
        command
            .args(args)
            .env_clear()
            // One allocator arena: address space is what is limited.
            .envs([("LC_ALL", "C"), ("AV_LOG_FORCE_NOCOLOR", "1"), ("MALLOC_ARENA_MAX", "1")])
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        let parent = nix::unistd::getpid();
        #[expect(unsafe_code, reason = "`pre_exec` has no safe form")]
        // SAFETY: between fork and exec the closure makes only system calls (setrlimit, prctl, getppid);
        // it allocates nothing and takes no lock.
        unsafe {
            command.pre_exec(move || restrict(limits, parent));
        }
        let mut child =
            command.spawn().map_err(|e| FfmpegError::internal(format!("starting {}", path.display()), e))?;
        let pid = i32::try_from(child.id()).map(Pid::from_raw).ok();
        *killer.0.lock().unwrap_or_else(PoisonError::into_inner) = pid;
        let stdout = child.stdout.take();
        let stderr = child.stderr.take().map(|pipe| std::thread::spawn(move || tail(pipe)));
        Ok(Sandboxed { child, stderr, killer: killer.clone(), stdout })
    }

    /// Waits until the child has ended.
    pub(super) fn wait(mut self) -> Result<Ended, FfmpegError> {
        let status = self.reap().map_err(|e| FfmpegError::internal("waiting for ffmpeg", e))?;
        let stderr = self.stderr.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        Ok(Ended { status, stderr })
    }

    /// Waits without reaping, then reaps while nobody can kill: a killed id is never another process's.
    fn reap(&mut self) -> std::io::Result<ExitStatus> {
        if let Ok(raw) = i32::try_from(self.child.id()) {
            let _ = waitid(Id::Pid(Pid::from_raw(raw)), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT);
        }
        let mut pid = self.killer.0.lock().unwrap_or_else(PoisonError::into_inner);
        *pid = None;
        self.child.wait()
    }
}

impl Drop for Sandboxed {
    fn drop(&mut self) {
        self.killer.kill();
        let _ = self.reap();
    }
}

impl Ended {
    /// What went wrong, if anything did.
    pub(super) fn check(&self) -> Result<(), FfmpegError> {
        match self.status.signal() {
            Some(signal) if signal == Signal::SIGXCPU as i32 => {
                return Err(FfmpegError::TooCostly("processor time".to_owned()));
            }
            Some(signal) if signal == Signal::SIGXFSZ as i32 => {
                return Err(FfmpegError::TooCostly("size of the output".to_owned()));
            }
            // Not by us (we say so ourselves): the machine ran out of memory, or an operator's hand.
            Some(signal) if signal == Signal::SIGKILL as i32 || signal == Signal::SIGTERM as i32 => {
                let error = std::io::Error::other(format!("killed by signal {signal}"));
                return Err(FfmpegError::internal("decoding", error));
            }
            Some(signal) if !self.out_of_memory() => {
                return Err(FfmpegError::Unreadable(format!("the decoder crashed with signal {signal}")));
            }
            _ => {}
        }
        if self.status.success() {
            return Ok(());
        }
        self.check_size()?;
        if self.out_of_memory() {
            return Err(FfmpegError::TooCostly("memory".to_owned()));
        }
        Err(FfmpegError::Unreadable(self.last_words()))
    }

    fn out_of_memory(&self) -> bool {
        ["Cannot allocate memory", "failed to map segment", "out of memory"]
            .iter()
            .any(|words| self.stderr.contains(words))
    }

    /// Refuses media in which a decoder met pictures over `-max_pixels` (libavutil/imgutils.c,
    /// `av_image_check_size2`), also where the child went on without them.
    pub(super) fn check_size(&self) -> Result<(), FfmpegError> {
        let Some((_, rest)) = self.stderr.split_once("Picture size ") else { return Ok(()) };
        let line = rest.lines().next().unwrap_or_default();
        if !line.contains("exceeds specified max pixel count") && !line.contains("is invalid") {
            return Ok(());
        }
        let size = line.split(' ').next().and_then(|size| size.split_once('x'));
        let (width, height) = size.map_or((0, 0), |(w, h)| (w.parse().unwrap_or(0), h.parse().unwrap_or(0)));
        Err(FfmpegError::TooLarge { width, height })
    }

    /// Whether a demuxer met the end of the file before the end of a packet.
    pub(super) fn cut_off(&self) -> bool {
        ["partial file", "File ended prematurely"].iter().any(|words| self.stderr.contains(words))
    }

    /// Whether the demuxer refused to open media that lie elsewhere.
    pub(super) fn referred(&self) -> bool {
        self.stderr.contains("Skipped opening external track")
    }

    /// The last line of the child's complaints, without addresses of memory or files.
    fn last_words(&self) -> String {
        let line = self.stderr.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or("no reason given");
        let line = line
            .rsplit_once("file:")
            .map_or(line, |(_, rest)| rest.split_once(": ").map_or("cannot be read", |(_, reason)| reason));
        line.trim().chars().take(200).collect()
    }
}

/// Runs in the child, between fork and exec.
fn restrict(limits: Limits, parent: Pid) -> std::io::Result<()> {
    setrlimit(Resource::RLIMIT_AS, limits.memory_bytes, limits.memory_bytes)?;
    // Over the soft limit comes SIGXCPU, which ends it and says why.
    setrlimit(Resource::RLIMIT_CPU, limits.cpu_seconds, limits.cpu_seconds + 5)?;
    setrlimit(Resource::RLIMIT_FSIZE, limits.file_bytes, limits.file_bytes)?;
    setrlimit(Resource::RLIMIT_NOFILE, OPEN_FILES, OPEN_FILES)?;
    setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
    nix::sys::prctl::set_pdeathsig(Signal::SIGKILL)?;
    // The parent may have died before the line above.
    if nix::unistd::getppid() != parent {
        return Err(std::io::ErrorKind::NotFound.into());
    }
    Ok(())
}

/// Finds a program on our own `PATH`: the child has none.
fn resolve(program: &Path) -> Result<PathBuf, FfmpegError> {
    if program.components().count() > 1 {
        return Ok(program.to_owned());
    }
    #[expect(clippy::disallowed_methods, reason = "programs are found on the PATH")]
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|dir| dir.join(program)).find(|file| file.is_file()).ok_or_else(|| {
        let error = std::io::Error::new(std::io::ErrorKind::NotFound, "not on the PATH");
        FfmpegError::internal(format!("looking for {}", program.display()), error)
    })
}

/// Reads to the end, keeps the end.
fn tail(mut pipe: impl Read) -> String {
    let mut kept = Vec::new();
    let mut chunk = [0; 4096];
    while let Ok(read @ 1..) = pipe.read(&mut chunk) {
        kept.extend_from_slice(&chunk[..read]);
        if kept.len() > 2 * STDERR_BYTES {
            kept.drain(..kept.len() - STDERR_BYTES);
        }
    }
    String::from_utf8_lossy(&kept).into_owned()
}
