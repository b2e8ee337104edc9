//! What a decoder may do: use the processor and its memory, read its programs and one file, and write
//! one file.
//!
//! Several mechanisms of the kernel do the same, so that a defect of one is not the end:
//!
//! - a user namespace of its own, so that it has no capability, and namespaces without a network;
//! - Landlock: no file outside its own, no TCP, no signal to and no socket of another process;
//! - seccomp: no socket, no new process, no access to the memory of another process;
//! - limits of memory, processor time, written bytes and open files.
//!
//! A container or an old kernel may not allow the first two. [`Isolation`] says what was in force.
//!
//! Everything that allocates is done before the fork. Between fork and exec there are only system
//! calls.

use std::{
    collections::BTreeMap,
    io::{self, Read},
    os::fd::{AsRawFd, OwnedFd},
    path::{Path, PathBuf},
};

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreatedAttr, Scope, path_beneath_rules,
};
use nix::{
    libc,
    sys::{
        resource::{Resource, setrlimit},
        signal::Signal,
    },
    unistd::Pid,
};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};
use serde::Serialize;

/// Folders of programs and libraries. A decoder may read them.
const PROGRAM_FOLDERS: [&str; 8] =
    ["/usr", "/bin", "/lib", "/lib64", "/nix/store", "/etc/ld.so.cache", "/dev/null", "/dev/urandom"];

/// Maximum number of open files: the input, the audio output, pipes, and libraries while they load.
const MAX_OPEN_FILES: u64 = 64;
/// Maximum number of threads. It counts only in a user namespace of its own.
const MAX_THREADS: u64 = 64;

/// The rights that are restricted: those of the newest kernel that was tested. An older kernel
/// restricts those that it knows.
const RIGHTS: ABI = ABI::V6;

/// Resource limits of a child process.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Address space in bytes.
    pub memory_bytes: u64,
    /// Processor time in seconds.
    pub cpu_seconds: u64,
    /// Maximum size of any file that it writes, in bytes.
    pub file_bytes: u64,
}

/// The files of a child process.
#[derive(Debug, Clone, Default)]
pub(super) struct Files {
    /// The file that it reads.
    pub input: Option<PathBuf>,
    /// The file that it writes. It must exist.
    pub output: Option<PathBuf>,
}

/// What separates a decoder from the rest of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Isolation {
    /// It has a user namespace and a network namespace of its own.
    pub namespaces: bool,
    /// Landlock restricts its files.
    pub files: bool,
    /// Landlock restricts TCP, signals and the sockets of other processes too.
    pub processes: bool,
    /// seccomp refuses sockets, new processes and the memory of other processes.
    pub system_calls: bool,
}

impl Isolation {
    /// Returns whether a decoder that was taken over reaches neither files nor the network.
    pub fn is_complete(self) -> bool {
        self.files && self.system_calls
    }
}

/// A prepared jail: file descriptors and filters, which the child applies to itself.
pub(super) struct Jail {
    limits: Limits,
    parent: Pid,
    ruleset: Option<OwnedFd>,
    filters: Vec<BpfProgram>,
    report: OwnedFd,
}

/// The parent's end of the pipe on which the child reports what is in force.
pub(super) struct Report {
    pipe: OwnedFd,
    restricts_processes: bool,
}

/// Bits of the child's report.
const NAMESPACES: u8 = 1;
const FILES: u8 = 2;
const SYSTEM_CALLS: u8 = 4;

impl Jail {
    /// Prepares the jail of a child that runs `program`.
    pub(super) fn prepare(program: &Path, files: &Files, limits: Limits) -> io::Result<(Self, Report)> {
        let (read, write) = io::pipe()?;
        let (ruleset, restricts_processes) = ruleset(program, files).map_err(io::Error::other)?;
        let jail = Self {
            limits,
            parent: nix::unistd::getpid(),
            ruleset,
            filters: filters().map_err(io::Error::other)?,
            report: write.into(),
        };
        Ok((jail, Report { pipe: read.into(), restricts_processes }))
    }

    /// Enters the jail. Runs in the child, between fork and exec: it makes only system calls, allocates
    /// nothing and takes no lock.
    pub(super) fn enter(&self) -> io::Result<()> {
        let mut in_force = 0;
        let namespaces = libc::CLONE_NEWUSER | libc::CLONE_NEWNET | libc::CLONE_NEWIPC | libc::CLONE_NEWUTS;
        #[expect(unsafe_code, reason = "there is no safe form of this system call")]
        // SAFETY: the argument is a number. The child has one thread, and no code depends on the
        // namespaces.
        if unsafe { libc::unshare(namespaces) } == 0 {
            in_force |= NAMESPACES;
            setrlimit(Resource::RLIMIT_NPROC, MAX_THREADS, MAX_THREADS)?;
        }
        self.limit_resources()?;
        // Files that were opened without close-on-exec, by a library for example.
        #[expect(unsafe_code, reason = "there is no safe form of these system calls")]
        // SAFETY: the arguments are numbers, and the descriptor is open.
        unsafe {
            // Kernels before 5.11 refuse; Rust opens every file with close-on-exec.
            libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC);
            if libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 {
                return Err(io::Error::last_os_error());
            }
            if let Some(ruleset) = &self.ruleset {
                if libc::syscall(libc::SYS_landlock_restrict_self, ruleset.as_raw_fd(), 0) != 0 {
                    return Err(io::Error::last_os_error());
                }
                in_force |= FILES;
            }
        }
        let filtered = self.filters.iter().all(|filter| seccompiler::apply_filter(filter).is_ok());
        if filtered && !self.filters.is_empty() {
            in_force |= SYSTEM_CALLS;
        }
        nix::unistd::write(&self.report, &[in_force])?;
        Ok(())
    }

    fn limit_resources(&self) -> io::Result<()> {
        let Limits { memory_bytes, cpu_seconds, file_bytes } = self.limits;
        setrlimit(Resource::RLIMIT_AS, memory_bytes, memory_bytes)?;
        // The soft limit sends SIGXCPU, so the exit status tells the reason.
        setrlimit(Resource::RLIMIT_CPU, cpu_seconds, cpu_seconds + 5)?;
        setrlimit(Resource::RLIMIT_FSIZE, file_bytes, file_bytes)?;
        setrlimit(Resource::RLIMIT_NOFILE, MAX_OPEN_FILES, MAX_OPEN_FILES)?;
        setrlimit(Resource::RLIMIT_CORE, 0, 0)?;
        nix::sys::prctl::set_pdeathsig(Signal::SIGKILL)?;
        // The parent may have died before the call above.
        if nix::unistd::getppid() != self.parent {
            return Err(io::ErrorKind::NotFound.into());
        }
        Ok(())
    }
}

impl Report {
    /// Returns what is in force in a child that has started.
    pub(super) fn read(self) -> Isolation {
        let mut in_force = [0];
        // No report is the same as nothing in force.
        let _ = io::PipeReader::from(self.pipe).read_exact(&mut in_force);
        let has = |bit| in_force[0] & bit != 0;
        Isolation {
            namespaces: has(NAMESPACES),
            files: has(FILES),
            processes: has(FILES) && self.restricts_processes,
            system_calls: has(SYSTEM_CALLS),
        }
    }
}

/// Creates the Landlock ruleset. `None` if the kernel has no Landlock. Also returns whether it
/// restricts more than files.
fn ruleset(
    program: &Path,
    files: &Files,
) -> Result<(Option<OwnedFd>, bool), Box<dyn std::error::Error + Send + Sync>> {
    let mut created = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(RIGHTS))?
        .handle_access(AccessNet::from_all(RIGHTS))?
        .scope(Scope::from_all(RIGHTS))?
        .create()?;
    let own_folder = program.parent().map(Path::to_owned);
    let programs = PROGRAM_FOLDERS.iter().map(PathBuf::from).chain(own_folder);
    created = created.add_rules(path_beneath_rules(programs, AccessFs::from_read(RIGHTS)))?;
    let write = AccessFs::WriteFile | AccessFs::ReadFile | AccessFs::Truncate;
    let own: [(_, BitFlags<AccessFs>); 2] =
        [(&files.input, AccessFs::ReadFile.into()), (&files.output, write)];
    for (path, access) in own {
        if let Some(path) = path {
            created = created.add_rule(PathBeneath::new(PathFd::new(path)?, access))?;
        }
    }
    let ruleset: Option<OwnedFd> = created.into();
    let restricts_processes = ruleset.is_some() && restricts_processes();
    Ok((ruleset, restricts_processes))
}

/// Returns whether the kernel knows the newest of the rights, which restrict signals and sockets.
fn restricts_processes() -> bool {
    Ruleset::default().set_compatibility(CompatLevel::HardRequirement).scope(Scope::from_all(RIGHTS)).is_ok()
}

/// System calls that no decoder needs.
const REFUSED: [libc::c_long; 40] = [
    // Other machines and processes.
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_sendto,
    libc::SYS_sendmsg,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_kill,
    libc::SYS_kcmp,
    // Attack surface of the kernel.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_kexec_load,
    libc::SYS_open_by_handle_at,
    // Another view of the machine.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_fsopen,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_setuid,
    libc::SYS_setgid,
];

/// Creates the seccomp filters. None if this processor has none.
fn filters() -> Result<Vec<BpfProgram>, seccompiler::BackendError> {
    let Ok(arch) = TargetArch::try_from(std::env::consts::ARCH) else { return Ok(Vec::new()) };
    let mut refused: BTreeMap<i64, Vec<SeccompRule>> =
        REFUSED.into_iter().map(|call| (call, Vec::new())).collect();
    // A new thread is allowed, a new process is not.
    let thread = u64::try_from(libc::CLONE_THREAD).unwrap_or_default();
    let new_process = SeccompCondition::new(0, SeccompCmpArgLen::Qword, SeccompCmpOp::MaskedEq(thread), 0)?;
    refused.insert(libc::SYS_clone, vec![SeccompRule::new(vec![new_process])?]);
    #[cfg(target_arch = "x86_64")]
    for call in [libc::SYS_fork, libc::SYS_vfork] {
        refused.insert(call, Vec::new());
    }
    let denied = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let refused = SeccompFilter::new(refused, SeccompAction::Allow, denied, arch)?;
    // A filter cannot read the arguments of `clone3`. The C library uses `clone` where it is missing.
    let missing = [(libc::SYS_clone3, Vec::new())].into();
    let absent = SeccompAction::Errno(libc::ENOSYS.unsigned_abs());
    let missing = SeccompFilter::new(missing, SeccompAction::Allow, absent, arch)?;
    Ok(vec![refused.try_into()?, missing.try_into()?])
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, clippy::print_stdout, reason = "a test plays a taken-over decoder")]
mod tests {
    use std::{
        net::{TcpListener, TcpStream},
        os::unix::net::{UnixListener, UnixStream},
        process::Command,
    };

    use super::*;
    use crate::ffmpeg::sandbox::{ProcessKiller, SandboxedProcess};

    const LIMITS: Limits = Limits { memory_bytes: 4 << 30, cpu_seconds: 60, file_bytes: 1 << 20 };
    /// Name of the test that plays a decoder that was taken over.
    const INTRUDER: &str = "ffmpeg::jail::tests::intruder";

    /// Attempts of the intruder, each with the path, port or process id that follows its name.
    fn attempt(what: &str, on: &str) -> io::Result<()> {
        let pid = || Pid::from_raw(on.parse().unwrap());
        match what {
            "read" => std::fs::read(on).map(|_| ()),
            "list" => std::fs::read_dir(on).map(|_| ()),
            "write" => std::fs::write(on, "x"),
            "delete" => std::fs::remove_file(on),
            "tcp" => TcpStream::connect(format!("127.0.0.1:{on}")).map(|_| ()),
            "unix" => UnixStream::connect(on).map(|_| ()),
            "signal" => nix::sys::signal::kill(pid(), Signal::SIGCONT).map_err(Into::into),
            "run" => Command::new(on).status().map(|_| ()),
            _ => panic!("{what}"),
        }
    }

    #[test]
    #[ignore = "runs in the jail of another test"]
    fn intruder() {
        for argument in std::env::args().filter(|argument| argument.contains('=')) {
            let (what, on) = argument.split_once('=').unwrap();
            let outcome = attempt(what, on).map_or_else(|error| error.kind().to_string(), |()| "done".into());
            println!("\n{argument} -> {outcome}");
        }
    }

    #[test]
    fn taken_over_decoder_reaches_only_its_two_files() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        for name in ["input", "output", "secret"] {
            std::fs::write(folder.path().join(name), "bytes").unwrap();
        }
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let _unix = UnixListener::bind(folder.path().join("socket")).unwrap();
        let own = std::process::id();
        let allowed = [format!("read={}", path("input")), format!("write={}", path("output"))];
        let refused = [
            format!("read={}", path("secret")),
            format!("write={}", path("input")),
            format!("write={}", path("new")),
            format!("delete={}", path("output")),
            format!("list={}", path("")),
            format!("read=/proc/{own}/environ"),
            format!("read=/proc/{own}/maps"),
            "read=/etc/passwd".to_owned(),
            format!("tcp={}", tcp.local_addr().unwrap().port()),
            format!("unix={}", path("socket")),
            format!("signal={own}"),
            "run=/bin/true".to_owned(),
        ];
        let mut args: Vec<String> =
            ["--exact", INTRUDER, "--ignored", "--nocapture"].map(str::to_owned).into();
        args.extend(allowed.iter().chain(&refused).cloned());
        // Everything is possible outside the jail, so the test can fail.
        let free = Command::new(std::env::current_exe().unwrap()).args(&args).output().unwrap();
        let free = String::from_utf8(free.stdout).unwrap();
        for attempt in allowed.iter().chain(&refused).filter(|attempt| !attempt.starts_with("delete=")) {
            assert!(free.contains(&format!("{attempt} -> done")), "{attempt}: {free}");
        }
        std::fs::write(folder.path().join("output"), "bytes").unwrap();
        let _ = std::fs::remove_file(folder.path().join("new"));

        let files =
            Files { input: Some(folder.path().join("input")), output: Some(folder.path().join("output")) };
        let program = std::env::current_exe().unwrap();
        let killer = ProcessKiller::default();
        let mut child = SandboxedProcess::spawn(&program, &args, (&files, LIMITS), &killer).unwrap();
        let isolation = child.isolation;
        eprintln!("in force on this kernel: {isolation:?}");
        let mut output = String::new();
        child.stdout.take().unwrap().read_to_string(&mut output).unwrap();
        let report = child.wait().unwrap();
        assert!(report.status.success(), "{output}\n{}", report.stderr);
        for attempt in &allowed {
            assert!(output.contains(&format!("{attempt} -> done")), "{attempt}: {output}");
        }
        for attempt in &refused {
            let needs_landlock =
                ["read=", "write=", "delete=", "list="].iter().any(|p| attempt.starts_with(p));
            if (needs_landlock && !isolation.files) || !isolation.system_calls {
                eprintln!("note: this kernel cannot refuse {attempt}");
                continue;
            }
            assert!(output.contains(&format!("{attempt} -> ")), "{attempt}: {output}");
            assert!(!output.contains(&format!("{attempt} -> done")), "{attempt}: {output}");
        }
    }
}
