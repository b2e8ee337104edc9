//! The console in a real browser: the way of a new user, with axe on every page.
//!
//! The steps are in `console/tests`. They need Chromium, Node and the modules that
//! `cargo xtask setup` installs.

use std::{path::PathBuf, process::Stdio, time::Duration};

use domain::{Mode, mode::Tenant};
use entities::{testing, users};
use harness::{ConsoleClient, Receiver, Service, ServiceOptions};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    process::Command,
};

/// Time of the whole way, with two scans.
const LIMIT: Duration = Duration::from_secs(600);

fn variable(name: &str) -> Option<PathBuf> {
    let value = std::env::var_os(name).map(PathBuf::from);
    assert!(value.is_some() || std::env::var_os("CI").is_none(), "{name} must be set");
    value
}

/// Spaces of the user in the test of bad conditions.
const SPACES: usize = 1000;

/// Returns the command that runs a script of `console/tests` in Chromium.
fn script(name: &str, modules: PathBuf, service: &Service) -> Command {
    let mut browser = Command::new("node");
    browser
        .arg(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../console/tests").join(name))
        .env("CONSOLE_URL", service.api_url().trim_end_matches("/v1"))
        .env("CONSOLE_NODE_MODULES", modules)
        .kill_on_drop(true);
    browser
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
    let mut browser = script("walk.mjs", modules, &service);
    browser
        .env("MAIL_FOLDER", service.folder().join("mail"))
        .env("WALK", walk.join("video.mp4"))
        .env("WEBHOOK_URL", receiver.url())
        .stdin(Stdio::null());
    let output =
        tokio::time::timeout(LIMIT, browser.output()).await.expect("the browser ends in time").unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{errors}\n{}", service.log_tail());
    eprintln!("{text}");
    // The test event and the replayed event were received.
    assert!(receiver.received().len() >= 2, "{} requests", receiver.received().len());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_console_survives_a_restart_a_thousand_spaces_an_hour_and_an_ended_session() {
    let Some(modules) = variable("SCAN_TEST_CONSOLE_MODULES") else {
        eprintln!("SCAN_TEST_CONSOLE_MODULES is unset: the console was not opened");
        return;
    };
    let mut service = Service::start(ServiceOptions::default(), None).await.unwrap();
    let (email, password) = ("many@example.com", "four unrelated plain words");
    ConsoleClient::new(&service).sign_up(email, password).await.expect(202);
    let db = service.database().await.unwrap();
    let user = users::find_by_email(&db, email).await.unwrap().expect("the new user");
    let tenant = Tenant { account_id: user.account_id.0, mode: Mode::Test };
    for _ in 0..SPACES {
        testing::space(&db, &tenant).await;
    }
    let mut browser = script("robust.mjs", modules, &service);
    browser.env("EMAIL", email).env("PASSWORD", password).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut browser = browser.spawn().unwrap();
    let (mut answers, output) = (browser.stdin.take().unwrap(), browser.stdout.take().unwrap());
    let mut lines = BufReader::new(output).lines();
    let mut report = String::new();
    let following = async {
        while let Some(line) = lines.next_line().await.unwrap() {
            match line.as_str() {
                "stop" => service.kill(),
                "start" => service.restart().await.unwrap(),
                _ => {
                    report.push_str(&line);
                    report.push('\n');
                    continue;
                }
            }
            answers.write_all(b"done\n").await.unwrap();
        }
        browser.wait().await.unwrap()
    };
    let status = tokio::time::timeout(LIMIT, following).await.expect("the browser ends in time");
    assert!(status.success(), "{report}\n{}", service.log_tail());
    eprintln!("{report}");
}
