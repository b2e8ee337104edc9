//! Opens a page in the user's browser.

use std::process::{Command, Stdio};

/// Returns the program that opens an address with the browser of the user, and its arguments.
fn opener() -> &'static [&'static str] {
    if cfg!(target_os = "macos") {
        &["open"]
    } else if cfg!(target_os = "windows") {
        &["cmd", "/C", "start", ""]
    } else {
        &["xdg-open"]
    }
}

/// Opens an address. A machine without a browser is no reason to stop: callers log the error.
pub(crate) fn open(url: &str) -> std::io::Result<()> {
    start(opener(), url)
}

/// Starts a command with the address as its last argument, and does not wait for it.
fn start(command: &[&str], url: &str) -> std::io::Result<()> {
    let [program, arguments @ ..] = command else { return Ok(()) };
    #[expect(clippy::disallowed_methods, reason = "the user's browser, at the user's request")]
    let mut child = Command::new(program)
        .args(arguments)
        .arg(url)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    // The browser may live longer; a thread collects its exit status.
    std::thread::spawn(move || child.wait());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_receives_the_address_and_a_missing_one_is_an_error() {
        let file = std::env::temp_dir().join(format!("opened-{}", std::process::id()));
        let copy = format!("printf %s \"$1\" > {0}.part && mv {0}.part {0}", file.display());
        start(&["sh", "-c", &copy, "open"], "http://127.0.0.1:8080/console").unwrap();
        while !file.exists() {
            std::thread::yield_now();
        }
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "http://127.0.0.1:8080/console");
        std::fs::remove_file(&file).unwrap();
        assert!(start(&["no-such-browser"], "x").is_err());
    }
}
