//! The commands of `docs/upgrades.md`: versions of the Worker Deployment `scan`.

use std::{process::Command, time::Duration};

use harness::until;

/// Name of the deployment in these tests.
pub(crate) const DEPLOYMENT: &str = "scan";
/// Maximum time until the workers of a version have registered all their queues.
const REGISTERED_TIMEOUT: Duration = Duration::from_secs(90);

/// Runs the `temporal` command against this server and returns its output.
///
/// # Errors
/// Returns what the command wrote to its standard error.
pub(crate) fn temporal(engine_url: &str, args: &[&str]) -> Result<String, String> {
    let address = engine_url.trim_start_matches("http://");
    let output = Command::new(cli::serve::temporal::find_command().unwrap())
        .args(args)
        .args(["--address", address])
        .output()
        .unwrap();
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// Waits until the workers of a version poll these queues, and makes the version current.
pub(crate) async fn make_current(engine_url: &str, build_id: &str, queues: &[&str]) {
    let version = ["--deployment-name", DEPLOYMENT, "--build-id", build_id];
    until(&format!("the workers of {build_id}"), REGISTERED_TIMEOUT, async || {
        let describe = ["worker", "deployment", "describe-version", "-o", "json"];
        let described = temporal(engine_url, &[&describe[..], &version[..]].concat()).ok()?;
        queues.iter().all(|queue| described.contains(&format!("\"{queue}\""))).then_some(())
    })
    .await;
    // The server refuses a version that lacks a queue of the current one, and learns of queues with a
    // delay.
    until(&format!("{build_id} to become current"), REGISTERED_TIMEOUT, async || {
        let set = ["worker", "deployment", "set-current-version", "--yes"];
        let set = temporal(engine_url, &[&set[..], &version[..]].concat());
        set.inspect_err(|error| eprintln!("{error}")).ok()
    })
    .await;
}
