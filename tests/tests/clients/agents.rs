//! MCP: the official clients for Python and TypeScript call every tool of `scan mcp` on standard input
//! and output, and of `/mcp` over HTTP.

use std::{path::Path, time::Duration};

use harness::{Service, ServiceOptions, binary, clips::Clip};
use reqwest::Method;

use crate::packages::{node, python, workspace};

const TIMEOUT: Duration = Duration::from_secs(180);

#[tokio::test(flavor = "multi_thread")]
async fn official_clients_call_every_tool_over_both_transports() {
    let service = Service::start(ServiceOptions::default(), None).await.unwrap();
    let account = service.account().unwrap();
    // Two scans below, and one by each client.
    let grant =
        ["grant", "--account", &account.id, "--mode", "test", "--free-scans", "2", "--reference", "agents"];
    service.admin(&grant).unwrap();
    let api = service.client(&account);
    let walk = std::env::var_os("SCAN_TEST_WALK").expect("`cargo xtask test` sets SCAN_TEST_WALK");
    let clip = Clip::raw(std::fs::read(Path::new(&walk).join("video.mp4")).unwrap());
    // Two scans of one walk: no change between them.
    let first = api.create_uploaded_scan(&clip).await;
    let space = first["space_id"].as_str().unwrap().to_owned();
    let path = format!("/spaces/{space}/scans");
    let second = api.call(Method::POST, &path, Some(clip.declaration())).await.expect(201).body;
    api.upload(&second, &clip).await.expect(204);
    for scan in [&first, &second] {
        api.start(scan).await;
    }
    for scan in [&first, &second] {
        api.await_status(scan, "complete", TIMEOUT).await;
    }

    let url = format!("{}/mcp", service.api_url().trim_end_matches("/v1"));
    let video = Path::new(&walk).join("video.mp4");
    let clients = workspace().join("mcp/tests");
    let mut of_python = python();
    of_python.arg(clients.join("client.py"));
    for mut client in [of_python, node(&clients.join("client.mjs"))] {
        client.env("SCAN_PROGRAM", binary("scan").unwrap()).env("SCAN_MCP_URL", &url);
        client.env("SCAN_VIDEO", &video).env("HOME", service.folder());
        client.env("SCAN_API_URL", service.api_url()).env("SCAN_API_KEY", &account.key);
        client.env("SCAN_SPACE", &space);
        let output = tokio::task::spawn_blocking(move || client.output()).await.unwrap().unwrap();
        let (transcript, errors) =
            (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{transcript}\n{errors}");
        eprintln!("{transcript}");
    }
}
