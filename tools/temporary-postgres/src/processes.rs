//! Signals to every process of the server. PostgreSQL puts each of its processes into a session of its
//! own, so a signal to a process group does not reach them.

use std::{fs, process::Child};

use anyhow::Result;
use nix::{
    errno::Errno,
    sys::signal::{Signal, kill},
    unistd::Pid,
};

/// Sends a signal to the server and to the processes that it started. The server is first, so that it
/// starts no further ones.
pub(crate) fn signal_tree(server: &Child, signal: Signal) -> Result<()> {
    let server = i32::try_from(server.id())?;
    let children = children_of(server)?;
    for process in std::iter::once(server).chain(children) {
        match kill(Pid::from_raw(process), signal) {
            // It ended in the meantime.
            Ok(()) | Err(Errno::ESRCH) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

fn children_of(parent: i32) -> Result<Vec<i32>> {
    let processes = fs::read_dir("/proc")?.flatten();
    let ids = processes.filter_map(|entry| entry.file_name().to_str()?.parse::<i32>().ok());
    Ok(ids.filter(|process| parent_of(*process) == Some(parent)).collect())
}

/// Returns the parent of a process: the second field after its name, which is in parentheses.
fn parent_of(process: i32) -> Option<i32> {
    let status = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    status.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()
}
