//! Verifies deliveries with Stripe's libraries for Python, Node and Go, which use the same
//! signature scheme with another header.
//!
//! `SCAN_TEST_VERIFIERS` names the folder into which `cargo xtask setup` installed them.

#![allow(clippy::disallowed_methods, reason = "tests start programs and read their environment")]

mod support;

use std::{
    io::Write,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use domain::{EventId, Secret, Timestamp};
use outbound::webhook::{Attempt, SigningSecrets, generate_secret, send};
use serde_json::{Value, json};
use support::{Authority, Endpoint, HOST};

const BODY: &str =
    r#"{"id":"evt_1","object":"event","type":"scan.completed","data":{"test":true,"text":"é“”"}}"#;

fn verifiers() -> Option<PathBuf> {
    let folder = std::env::var_os("SCAN_TEST_VERIFIERS").map(PathBuf::from);
    assert!(folder.is_some() || std::env::var_os("CI").is_none(), "SCAN_TEST_VERIFIERS must name a folder");
    if folder.is_none() {
        eprintln!("SCAN_TEST_VERIFIERS is unset: not verified with the libraries of receivers");
    }
    folder
}

/// Sends one delivery, signed at this time, and returns the header and the body that arrived.
async fn delivered(secrets: SigningSecrets, at: Timestamp) -> (String, String) {
    let authority = Authority::new();
    let ok = "HTTP/1.1 204 No Content\r\n\r\n";
    let endpoint = Endpoint::responding(authority.server(HOST), ok).await;
    let attempt = Attempt {
        url: format!("https://{HOST}/hook"),
        secrets,
        event_id: EventId::trusted("evt_1"),
        body: BODY.into(),
        now: at,
    };
    assert!(send(&authority.dialer(endpoint.address), attempt).await.ok);
    let [request] = &endpoint.received()[..] else { panic!("one request") };
    let header = request.header("scan-signature").unwrap().to_owned();
    (header, String::from_utf8(request.body.clone()).unwrap())
}

fn case((header, body): (String, String), secret: &Secret) -> Value {
    json!({ "header": header, "body": body, "secret": secret.reveal() })
}

/// Runs a verifier on the cases and returns its results.
fn run_verifier(mut verifier: Command, cases: &Value) -> Vec<String> {
    let mut running = verifier.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    running.stdin.take().unwrap().write_all(cases.to_string().as_bytes()).unwrap();
    let output = running.wait_with_output().unwrap();
    assert!(output.status.success(), "{verifier:?} ended with {}", output.status);
    serde_json::from_slice(&output.stdout).unwrap()
}

fn programs(folder: &Path) -> [Command; 3] {
    let mut python = Command::new("python3");
    python.arg(folder.join("python/verify.py")).env("PYTHONPATH", folder.join("python/site"));
    let mut node = Command::new("node");
    node.arg(folder.join("node/verify.mjs"));
    [python, node, Command::new(folder.join("go/verify"))]
}

#[tokio::test]
async fn stripe_libraries_verify_deliveries() {
    let Some(folder) = verifiers() else { return };
    let (secret, before) = (generate_secret(), generate_secret());
    let rotating = SigningSecrets { current: secret.clone(), retiring: Some(before.clone()) };
    let ago = |seconds: u64| Timestamp::now().minus(Duration::from_secs(seconds));

    let fresh = delivered(secret.clone().into(), ago(0)).await;
    let both = delivered(rotating, ago(0)).await;
    let good = [
        case(fresh.clone(), &secret),
        case(both.clone(), &secret),
        case(both, &before),
        case(delivered(secret.clone().into(), ago(200)).await, &secret),
    ];
    // Flips one bit of one letter: `evt_1` becomes `evt_0`.
    let flipped = (fresh.0.clone(), fresh.1.replace("evt_1", "evt_0"));
    assert_ne!(flipped, fresh);
    let forged = [case(flipped, &secret), case(fresh, &generate_secret())];
    let late = [case(delivered(secret.clone().into(), ago(301)).await, &secret)];

    let cases = json!([&good[..], &forged[..], &late[..]].concat());
    for program in programs(&folder) {
        let name = format!("{program:?}");
        let results = run_verifier(program, &cases);
        let (accepted, rejected) = results.split_at(good.len());
        assert!(accepted.iter().all(|result| result == "ok"), "{name}: {results:?}");
        let (forged, late) = rejected.split_at(forged.len());
        assert!(forged.iter().all(|result| result.contains("signature")), "{name}: {results:?}");
        assert!(late.len() == 1 && late[0].contains("tolerance"), "{name}: {results:?}");
    }
}
