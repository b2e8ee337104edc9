//! Redis, in which the processes of the API count requests together.

use std::{net::SocketAddr, path::Path};

use harness::ports;

use super::{Process, ProgramLine};

/// Starts Redis without persistence, as its counts live for seconds.
pub(super) fn start(folder: &Path) -> anyhow::Result<(Process, SocketAddr)> {
    let [port] = ports::free();
    let mut line = ProgramLine::new("redis", "redis-server".into(), folder);
    let port_text = port.to_string();
    let arguments =
        ["--port", &port_text, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", "/tmp"];
    line.arguments = arguments.iter().map(|&argument| argument.to_owned()).collect();
    Ok((Process::start(line)?, SocketAddr::from(([127, 0, 0, 1], port))))
}
