//! A child process that reads untrusted media in a jail. It dies with its parent.

use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use nix::sys::signal::{Signal, killpg};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;

use super::{
    FfmpegError, FfmpegSettings,
    jail::{Files, Isolation, Jail, Limits},
};

/// Number of bytes kept from the end of a child's standard error.
const KEPT_STDERR_BYTES: usize = 16 * 1024;

/// A running child process. Killed and reaped on drop.
pub(super) struct SandboxedProcess {
    child: Child,
    stderr: Option<JoinHandle<String>>,
    killer: ProcessKiller,
    /// What separates the child from the rest of the machine.
    pub isolation: Isolation,
    /// The child's standard output; taken by the reader.
    pub stdout: Option<ChildStdout>,
}

/// Kills a child process from another thread, as long as it hasn't been reaped.
#[derive(Clone, Default)]
pub(super) struct ProcessKiller(Arc<Mutex<Option<Pid>>>);

impl ProcessKiller {
    /// Kills the child's process group. Does nothing after the child was reaped.
    pub(super) fn kill(&self) {
        if let Some(pid) = *self.0.lock().unwrap_or_else(PoisonError::into_inner) {
            let _ = killpg(pid, Signal::SIGKILL);
        }
    }
}

/// Exit status and standard error of a child process.
pub(super) struct ExitReport {
    pub status: ExitStatus,
    pub stderr: String,
}

impl SandboxedProcess {
    /// Starts a program in a jail and in its own process group, without the environment of this process.
    ///
    /// The calling thread must outlive the child: Linux sends the parent-death signal when the
    /// *thread* that forked ends.
    pub(super) fn spawn(
        program: &Path,
        args: &[String],
        (files, limits): (&Files, Limits),
        killer: &ProcessKiller,
    ) -> Result<SandboxedProcess, FfmpegError> {
        let path = resolve(program)?;
        let internal = |error| FfmpegError::internal(format!("starting {}", path.display()), error);
        let (jail, report) = Jail::prepare(&path, files, limits).map_err(internal)?;
        #[expect(clippy::disallowed_methods, reason = "this is the sandbox")]
        let mut command = Command::new(&path);
        command
            .args(args)
            .env_clear()
            // One allocator arena, because the address space is limited.
            .envs([("LC_ALL", "C"), ("AV_LOG_FORCE_NOCOLOR", "1"), ("MALLOC_ARENA_MAX", "1")])
            .current_dir("/")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0);
        #[expect(unsafe_code, reason = "`pre_exec` has no safe form")]
        // SAFETY: between fork and exec the closure makes only system calls. It allocates nothing and
        // takes no lock.
        unsafe {
            command.pre_exec(move || jail.enter());
        }
        let mut child = command.spawn().map_err(internal)?;
        // Closes this process's end of the report.
        drop(command);
        let isolation = report.read();
        let pid = i32::try_from(child.id()).map(Pid::from_raw).ok();
        *killer.0.lock().unwrap_or_else(PoisonError::into_inner) = pid;
        let stdout = child.stdout.take();
        let stderr = child.stderr.take().map(|pipe| std::thread::spawn(move || read_tail(pipe)));
        Ok(SandboxedProcess { child, stderr, killer: killer.clone(), isolation, stdout })
    }

    /// Waits until the child exits.
    pub(super) fn wait(mut self) -> Result<ExitReport, FfmpegError> {
        let status = self.reap().map_err(|e| FfmpegError::internal("waiting for ffmpeg", e))?;
        let stderr = self.stderr.take().and_then(|thread| thread.join().ok()).unwrap_or_default();
        Ok(ExitReport { status, stderr })
    }

    /// Waits without reaping, then reaps while the killer is locked, so that a kill never hits a
    /// reused process id.
    fn reap(&mut self) -> std::io::Result<ExitStatus> {
        if let Ok(raw) = i32::try_from(self.child.id()) {
            let _ = waitid(Id::Pid(Pid::from_raw(raw)), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT);
        }
        let mut pid = self.killer.0.lock().unwrap_or_else(PoisonError::into_inner);
        *pid = None;
        self.child.wait()
    }
}

impl Drop for SandboxedProcess {
    fn drop(&mut self) {
        self.killer.kill();
        let _ = self.reap();
    }
}

impl ExitReport {
    /// Returns the error that the exit status and the output indicate, if any.
    pub(super) fn check(&self) -> Result<(), FfmpegError> {
        // The message of `ENOSPC`: this machine's disk is full, which says nothing about the media.
        if self.stderr.contains("No space left on device") {
            let full = std::io::ErrorKind::StorageFull.into();
            return Err(FfmpegError::internal("writing what was decoded", full));
        }
        match self.status.signal() {
            Some(signal) if signal == Signal::SIGXCPU as i32 => {
                return Err(FfmpegError::TooCostly("processor time".to_owned()));
            }
            Some(signal) if signal == Signal::SIGXFSZ as i32 => {
                return Err(FfmpegError::TooCostly("size of the output".to_owned()));
            }
            // Not killed by this process, which reports its own kills: the machine ran out of
            // memory, or an operator killed it.
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
        Err(FfmpegError::Unreadable(self.last_error_line()))
    }

    fn out_of_memory(&self) -> bool {
        ["Cannot allocate memory", "failed to map segment", "out of memory"]
            .iter()
            .any(|words| self.stderr.contains(words))
    }

    /// Returns an error if a decoder met frames over `-max_pixels` (libavutil/imgutils.c,
    /// `av_image_check_size2`), even if the child continued without them.
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

    /// Returns whether the file ended within a packet.
    pub(super) fn is_truncated(&self) -> bool {
        ["partial file", "File ended prematurely"].iter().any(|words| self.stderr.contains(words))
    }

    /// Returns whether the demuxer refused to open an external reference.
    pub(super) fn has_external_reference(&self) -> bool {
        self.stderr.contains("Skipped opening external track")
    }

    /// Returns the last line of the child's standard error, without file names.
    fn last_error_line(&self) -> String {
        let line = self.stderr.lines().rev().find(|l| !l.trim().is_empty()).unwrap_or("no reason given");
        let line = line
            .rsplit_once("file:")
            .map_or(line, |(_, rest)| rest.split_once(": ").map_or("cannot be read", |(_, reason)| reason));
        line.trim().chars().take(200).collect()
    }
}

/// Returns those of the configured programs that this process cannot find.
pub fn missing_programs(settings: &FfmpegSettings) -> Vec<PathBuf> {
    let programs = [&settings.ffmpeg, &settings.ffprobe];
    programs
        .into_iter()
        .filter(|program| !resolve(program).is_ok_and(|file| file.is_file()))
        .cloned()
        .collect()
}

/// Finds a program in the `PATH` of this process. The child has no environment.
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

/// Reads to the end and returns the last bytes.
fn read_tail(mut pipe: impl Read) -> String {
    let mut kept = Vec::new();
    let mut chunk = [0; 4096];
    while let Ok(read @ 1..) = pipe.read(&mut chunk) {
        kept.extend_from_slice(&chunk[..read]);
        if kept.len() > 2 * KEPT_STDERR_BYTES {
            kept.drain(..kept.len() - KEPT_STDERR_BYTES);
        }
    }
    String::from_utf8_lossy(&kept).into_owned()
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    #[test]
    fn a_full_disk_is_not_blamed_on_the_media() {
        let report =
            |stderr: &str| ExitReport { status: ExitStatus::from_raw(1 << 8), stderr: stderr.into() };
        let full = report("[wav @ 0x1] av_interleaved_write_frame(): No space left on device\n").check();
        let Err(FfmpegError::Internal { source, .. }) = full else { panic!("{full:?}") };
        assert_eq!(source.kind(), std::io::ErrorKind::StorageFull);
        let damaged = report("moov atom not found\n").check();
        assert!(matches!(damaged, Err(FfmpegError::Unreadable(_))), "{damaged:?}");
    }
}
