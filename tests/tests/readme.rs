//! The first calls of the README, the quick start and the guides run exactly as they are printed, and so
//! does what a user wants to do with the command line.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::{Mutex, PoisonError},
};

use serde_json::Value;

/// Returns the first `sh` block under a heading of a Markdown file.
fn shell_block(markdown: &str, heading: &str) -> String {
    let section = markdown.split_once(heading).expect("the heading is there").1;
    let block = section.split_once("```sh\n").expect("the section has a sh block").1;
    block.split_once("```").expect("the block ends").0.to_owned()
}

/// Returns every `sh` block of a Markdown file of `docs`, as one script.
fn shell_blocks(file: &str) -> String {
    let markdown = fs::read_to_string(root().join("docs").join(file)).unwrap();
    let blocks: Vec<_> =
        markdown.split("```sh\n").skip(1).map(|part| part.split("```").next().unwrap()).collect();
    assert!(!blocks.is_empty(), "{file} has no sh block");
    blocks.concat()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The scripts start `scan up` on its default ports, so only one may run at a time.
static DEFAULT_PORTS: Mutex<()> = Mutex::new(());

/// Runs a script in a new folder with `walk.mp4`, and with profiles of its own. Returns the output, and the
/// log of the service.
fn run(script: &str) -> (Output, String) {
    let _ports = DEFAULT_PORTS.lock().unwrap_or_else(PoisonError::into_inner);
    let walk = env::var_os("SCAN_TEST_WALK").expect("`cargo xtask test` sets SCAN_TEST_WALK");
    let folder = tempfile::tempdir().unwrap();
    fs::copy(Path::new(&walk).join("video.mp4"), folder.path().join("walk.mp4")).unwrap();
    let programs = harness::service::binary("scan").unwrap().parent().unwrap().to_owned();
    let path = env::join_paths(
        std::iter::once(programs).chain(env::split_paths(&env::var_os("PATH").unwrap_or_default())),
    );
    let mut shell = Command::new("bash");
    // The script leaves `scan up` running. The shell stops it and waits, so that its ports are free again.
    let script = format!("trap 'kill $(jobs -p) || true; wait' EXIT\n{script}");
    shell.args(["-euo", "pipefail", "-c", &script]);
    shell.current_dir(folder.path()).env("PATH", path.unwrap()).stdin(Stdio::null());
    // Profiles and notes of uploads; the models stay where set-up installed them.
    shell.env("XDG_CONFIG_HOME", folder.path().join("home/.config"));
    shell.env("XDG_STATE_HOME", folder.path().join("home/state"));
    let output = shell.output().unwrap();
    let log = fs::read_to_string(folder.path().join("scan.log")).unwrap_or_default();
    (output, log)
}

#[track_caller]
fn assert_success(output: &Output, log: &str) {
    let (printed, errors) =
        (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{}\n{printed}\n{errors}\n{log}", output.status);
}

#[test]
fn first_calls_run_as_printed() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let (output, log) = run(&shell_block(&readme, "## First calls"));
    assert_success(&output, &log);
    let printed: Vec<Value> =
        serde_json::Deserializer::from_slice(&output.stdout).into_iter().collect::<Result<_, _>>().unwrap();
    let [started, zones, texts, answer] = &printed[..] else { panic!("four values: {printed:?}") };
    assert_eq!(started["charge"]["kind"], "free_scan");
    assert!(!zones.as_array().unwrap().is_empty() && !texts.as_array().unwrap().is_empty(), "{printed:?}");
    assert!(["answered", "partial", "abstained"].contains(&answer["status"].as_str().unwrap()));
}

#[test]
fn the_quick_start_and_the_guides_run_as_printed() {
    let files = [
        "quick-start.md",
        "guides/command-line.md",
        "guides/upload.md",
        "guides/asking.md",
        "guides/money.md",
    ];
    let (output, log) = run(&files.map(shell_blocks).concat());
    assert_success(&output, &log);
    let printed = String::from_utf8_lossy(&output.stdout);
    for shown in ["logged in as", "zones", "free scans", "/docs"] {
        assert!(printed.contains(shown), "{shown} is missing in {printed}");
    }
}

#[test]
fn a_user_can_do_everything_with_the_command_line() {
    let start = shell_blocks("quick-start.md");
    let start = start.split("scan login").next().unwrap();
    let commands = root().join("tests/data/user_commands.sh");
    let photos = "mkdir photos; ffmpeg -v error -i walk.mp4 -vf fps=1/4 -frames:v 3 photos/%02d.jpg\n";
    let script = format!("{start}\n{photos}bash {}", commands.display());
    let (output, log) = run(&script);
    assert_success(&output, &log);
}
