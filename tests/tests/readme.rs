//! The first calls of the README run exactly as they are printed.

use std::{
    env, fs,
    os::unix::process::CommandExt,
    path::Path,
    process::{Command, Stdio},
};

use nix::{
    sys::signal::{Signal, killpg},
    unistd::Pid,
};
use serde_json::Value;

/// Returns the first `sh` block under a heading of a Markdown file.
fn shell_block(markdown: &str, heading: &str) -> String {
    let section = markdown.split_once(heading).expect("the heading is there").1;
    let block = section.split_once("```sh\n").expect("the section has a sh block").1;
    block.split_once("```").expect("the block ends").0.to_owned()
}

/// The block starts `scan up` on its default ports, which must be free.
#[test]
fn first_calls_run_as_printed() {
    let walk = env::var_os("SCAN_TEST_WALK").expect("`cargo xtask test` sets SCAN_TEST_WALK");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let readme = fs::read_to_string(root.join("README.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::copy(Path::new(&walk).join("video.mp4"), folder.path().join("walk.mp4")).unwrap();
    let programs = harness::service::binary("scan").unwrap().parent().unwrap().to_owned();
    let path = env::join_paths(
        std::iter::once(programs).chain(env::split_paths(&env::var_os("PATH").unwrap_or_default())),
    );

    let mut shell = Command::new("bash");
    shell.args(["-euo", "pipefail", "-c", &shell_block(&readme, "## First calls")]);
    shell.current_dir(folder.path()).env("PATH", path.unwrap()).stdin(Stdio::null());
    // The block leaves `scan up` running in the background: its process group is stopped as a whole.
    let shell = shell.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let group = Pid::from_raw(i32::try_from(shell.id()).unwrap());
    let output = shell.wait_with_output().unwrap();
    killpg(group, Signal::SIGTERM).expect("scan up still runs");

    let log = fs::read_to_string(folder.path().join("scan.log")).unwrap_or_default();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}\n{errors}\n{log}", output.status);
    let printed: Vec<Value> =
        serde_json::Deserializer::from_slice(&output.stdout).into_iter().collect::<Result<_, _>>().unwrap();
    let [started, zones, texts, answer] = &printed[..] else { panic!("four values: {printed:?}") };
    assert_eq!(started["charge"]["kind"], "free_scan");
    assert!(!zones.as_array().unwrap().is_empty() && !texts.as_array().unwrap().is_empty(), "{printed:?}");
    assert!(["answered", "partial", "abstained"].contains(&answer["status"].as_str().unwrap()));
}
