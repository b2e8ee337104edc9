//! The console in a real browser: the way of a new user, with axe on every page.
//!
//! The steps are in `console/tests`. They need Chromium, Node and the modules that
//! `cargo xtask setup` installs.

use std::{path::PathBuf, process::Stdio, time::Duration};

use harness::{Receiver, Service, ServiceOptions};
use tokio::process::Command;

/// Time of the whole way, with two scans.
const LIMIT: Duration = Duration::from_secs(600);

fn variable(name: &str) -> Option<PathBuf> {
    let value = std::env::var_os(name).map(PathBuf::from);
    assert!(value.is_some() || std::env::var_os("CI").is_none(), "{name} must be set");
    value
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_user_gets_from_sign_up_to_an_answer_in_the_console() {
    let (Some(modules), Some(walk)) = (variable("SCAN_TEST_CONSOLE_MODULES"), variable("SCAN_TEST_WALK"))
    else {
        eprintln!("SCAN_TEST_CONSOLE_MODULES or SCAN_TEST_WALK is unset: the console was not opened");
        return;
    };
    let receiver = Receiver::start().await.unwrap();
    let service = Service::start(ServiceOptions::default(), Some(&receiver)).await.unwrap();
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../console/tests/walk.mjs");
    let mut browser = Command::new("node");
    browser
        .arg(script)
        .env("CONSOLE_URL", service.api_url().trim_end_matches("/v1"))
        .env("CONSOLE_NODE_MODULES", modules)
        .env("MAIL_FOLDER", service.folder().join("mail"))
        .env("WALK", walk.join("video.mp4"))
        .env("WEBHOOK_URL", receiver.url())
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let output =
        tokio::time::timeout(LIMIT, browser.output()).await.expect("the browser ends in time").unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}\n{}", service.log_tail());
    eprintln!("{text}");
    // The test event and the replayed event were received.
    assert!(receiver.received().len() >= 2, "{} requests", receiver.received().len());
}
