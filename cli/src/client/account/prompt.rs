//! Questions to a person at the terminal.

use std::io::{BufRead, IsTerminal, Write};

use anyhow::{Context, bail};
use nix::sys::termios::{LocalFlags, SetArg, tcgetattr, tcsetattr};

/// Asks for a line.
///
/// # Errors
/// Returns an error if standard input is no terminal, or has ended.
pub fn line(question: &str) -> anyhow::Result<String> {
    if !std::io::stdin().is_terminal() {
        bail!("standard input is no terminal: pass --key, or --email with --password-stdin");
    }
    eprint!("{question}");
    std::io::stderr().flush()?;
    read_line()
}

/// Asks for a password, which is not shown.
///
/// # Errors
/// Returns an error if standard input is no terminal, or has ended.
pub fn password(question: &str) -> anyhow::Result<String> {
    let stdin = std::io::stdin();
    if !stdin.is_terminal() {
        bail!("standard input is no terminal: pass --password-stdin");
    }
    let shown = tcgetattr(&stdin)?;
    let mut hidden = shown.clone();
    hidden.local_flags.remove(LocalFlags::ECHO);
    eprint!("{question}");
    std::io::stderr().flush()?;
    tcsetattr(&stdin, SetArg::TCSANOW, &hidden)?;
    let password = read_line();
    tcsetattr(&stdin, SetArg::TCSANOW, &shown)?;
    eprintln!();
    password
}

/// Reads one line of standard input.
///
/// # Errors
/// Returns an error if standard input has ended or cannot be read.
pub fn read_line() -> anyhow::Result<String> {
    let mut line = String::new();
    let read = std::io::stdin().lock().read_line(&mut line).context("standard input")?;
    if read == 0 {
        bail!("standard input has ended");
    }
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}
