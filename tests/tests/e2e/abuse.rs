//! Abuse: many connections of one address, and an account at every bound. Each test runs with small
//! figures; the ignored ones run with those of the contract, and print what they measure.
#![expect(clippy::print_stdout, reason = "the measurements")]

use std::{
    fs,
    net::{IpAddr, Ipv4Addr, SocketAddr},
    time::{Duration, Instant},
};

use futures::{StreamExt, stream};
use harness::{ApiClient, Service, ServiceOptions, clips::Clip, wait};
use http_body_util::Empty;
use hyper_util::rt::{TokioExecutor, TokioIo};
use serde_json::{Value, json};
use tokio::{
    io::AsyncWriteExt,
    net::{TcpSocket, TcpStream},
    task::JoinHandle,
};

use crate::SCAN_TIMEOUT;

/// The address that takes all the connections it can get.
const ABUSER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 1);
/// Another address.
const OTHER: Ipv4Addr = Ipv4Addr::new(127, 0, 0, 2);
/// Maximum growth of the process over idle, in MB.
const MAX_GROWTH_MB: u64 = 100;
/// Number of requests of the other address in each phase.
const REQUESTS: usize = 200;
/// Maximum time of the slowest request in a hundred, on a busy machine with two cores.
const MAX_P99: Duration = Duration::from_secs(2);

/// Memory of a process in MB: now, and the highest so far.
fn memory_mb(pid: u32) -> (u64, u64) {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let kilobytes = |name: &str| -> u64 {
        let line = status.lines().find(|line| line.starts_with(name)).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    (kilobytes("VmRSS:") / 1024, kilobytes("VmHWM:") / 1024)
}

/// Returns the number of connections that the API holds.
async fn held(service: &Service) -> u64 {
    let url = format!("{}/metrics", service.admin_url());
    let text = harness::http_client().get(url).send().await.unwrap().text().await.unwrap();
    let line = text.lines().find(|line| line.starts_with("scan_api_connections ")).unwrap();
    line.split(' ').nth(1).unwrap().parse().unwrap()
}

async fn connect(to: SocketAddr) -> std::io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((ABUSER, 0).into())?;
    socket.connect(to).await
}

/// Completes a scan, so that every part of the process has its memory.
async fn warm_up(client: &ApiClient) {
    let scan = client.create_uploaded_scan(&Clip::moving(1)).await;
    client.start(&scan).await.expect(202);
    client.await_status(&scan, "complete", SCAN_TIMEOUT).await;
}

/// Measures requests of the other address, each on a connection of its own. Returns the 99th percentile.
async fn p99_of_other(service: &Service, key: &str) -> Duration {
    let client = reqwest::Client::builder()
        .no_proxy()
        .local_address(IpAddr::V4(OTHER))
        .pool_max_idle_per_host(0)
        .timeout(Duration::from_secs(10))
        .build()
        .unwrap();
    let mut times = Vec::new();
    for _ in 0..REQUESTS {
        let started = Instant::now();
        let response = client.get(format!("{}/wallet", service.api_url())).bearer_auth(key).send().await;
        assert_eq!(response.expect("a response for the other address").status(), 200);
        times.push(started.elapsed());
    }
    times.sort();
    times[REQUESTS * 99 / 100]
}

/// Holds HTTP/1 connections on which nothing is sent.
async fn idle(to: SocketAddr, count: usize) -> Vec<TcpStream> {
    stream::iter(0..count)
        .map(|_| connect(to))
        .buffer_unordered(64)
        .filter_map(async |c| c.ok())
        .collect()
        .await
}

/// Holds HTTP/1 connections that have sent a request.
async fn used(to: SocketAddr, count: usize) -> Vec<TcpStream> {
    let mut connections = idle(to, count).await;
    for connection in &mut connections {
        let _ = connection.write_all(b"GET /v1/me HTTP/1.1\r\nHost: x\r\n\r\n").await;
    }
    connections
}

/// Holds HTTP/2 connections that acknowledge every PING.
async fn http2(to: SocketAddr, count: usize) -> Vec<JoinHandle<()>> {
    let open = async || {
        let io = TokioIo::new(connect(to).await.ok()?);
        let handshake =
            hyper::client::conn::http2::handshake::<_, _, Empty<bytes::Bytes>>(TokioExecutor::new(), io);
        let (sender, connection) = handshake.await.ok()?;
        Some(tokio::spawn(async move {
            let _sender = sender;
            let _ = connection.await;
        }))
    };
    stream::iter(0..count).map(|_| open()).buffer_unordered(64).filter_map(async |c| c).collect().await
}

/// Opens `many` connections of each kind and `most` idle ones, and measures another address meanwhile.
async fn hold_connections(many: usize, most: usize) {
    let options = ServiceOptions::default().without_models().set("SERVER__HEADER_TIMEOUT_SECONDS", 5);
    let service = Service::start(options, None).await.unwrap();
    let account = service.account().unwrap();
    let api: SocketAddr =
        service.api_url().trim_start_matches("http://").trim_end_matches("/v1").parse().unwrap();
    warm_up(&service.client(&account)).await;
    let before = p99_of_other(&service, &account.key).await;
    let (idle_mb, _) = memory_mb(service.pid().unwrap());
    println!("alone: p99 {before:?}, {idle_mb} MB");
    let report = async |kind: &str, asked: usize| {
        let held = held(&service).await;
        let p99 = p99_of_other(&service, &account.key).await;
        let (now, peak) = memory_mb(service.pid().unwrap());
        println!("{kind}: {asked} opened, {held} held, others' p99 {p99:?}, {now} MB, peak {peak} MB");
        assert!(held <= 1_024 + 8, "{kind}: {held} connections held");
        assert!(p99 <= MAX_P99, "{kind}: {p99:?}");
        assert!(peak.saturating_sub(idle_mb) <= MAX_GROWTH_MB, "{kind}: {idle_mb} MB to {peak} MB");
    };

    let connections = used(api, many).await;
    report("HTTP/1", many).await;
    drop(connections);
    let connections = http2(api, many).await;
    report("HTTP/2 with PINGs", many).await;
    connections.iter().for_each(JoinHandle::abort);
    drop(connections);
    let connections = idle(api, most).await;
    report("idle", most).await;
    drop(connections);
    wait::until("the connections to end", Duration::from_secs(60), async || {
        (held(&service).await < 16).then_some(())
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_connections_of_one_address_delay_no_other() {
    hold_connections(1_200, 1_500).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "opens 18,192 connections"]
async fn thousands_of_connections_of_one_address_delay_no_other() {
    hold_connections(4_096, 10_000).await;
}

/// Numbers of an account's resources.
struct Bounds {
    spaces: usize,
    scans: usize,
    keys: usize,
    streams: usize,
}

/// Fills an account to its bounds, reads all its lists, and measures the process meanwhile.
async fn fill(bounds: &Bounds) {
    let options = ServiceOptions::default()
        .without_models()
        // The first scan has a space of its own.
        .set("SERVER__LIMITS__SPACES", bounds.spaces + 1)
        .set("SERVER__LIMITS__UNSTARTED_SCANS", bounds.scans)
        .set("SERVER__STREAMS_PER_KEY", bounds.streams)
        .set("SERVER__STREAMS_PER_ACCOUNT", bounds.streams);
    let service = Service::start(options, None).await.unwrap();
    let account = service.account().unwrap();
    let client = service.client(&account);
    warm_up(&client).await;
    let pid = service.pid().unwrap();
    let (idle_mb, _) = memory_mb(pid);

    let description = "A bright apartment. ".repeat(50);
    let new = json!({ "name": "A space", "space_type": "apartment", "description": description });
    let created: Vec<String> = stream::iter(0..bounds.spaces)
        .map(async |_| client.post("/spaces", new.clone()).await.expect(201).text("id"))
        .buffer_unordered(16)
        .collect()
        .await;
    assert_eq!(client.post("/spaces", new.clone()).await.expect(409).code(), "SPACE_LIMIT");
    let after_spaces = memory_mb(pid);

    let scan = json!({ "input": {
        "kind": "video", "language": "en", "video": { "content_type": "video/mp4", "content_length": 1 },
        "transcript": { "text": "the kitchen has a gas stove ".repeat(7_000), "segments": [] },
    } });
    let path = format!("/spaces/{}/scans", created[0]);
    stream::iter(0..bounds.scans)
        .map(async |_| drop(client.post(&path, scan.clone()).await.expect(201)))
        .buffer_unordered(8)
        .collect::<Vec<()>>()
        .await;
    assert_eq!(client.post(&path, scan.clone()).await.expect(409).code(), "UNSTARTED_SCAN_LIMIT");
    let after_scans = memory_mb(pid);

    // The account has one key already.
    for _ in 1..bounds.keys {
        service.account_with_key(&account.id).unwrap();
    }
    let http = reqwest::Client::builder().no_proxy().build().unwrap();
    let mut streams = Vec::new();
    for _ in 0..bounds.streams {
        let url = format!("{}/events/stream", service.api_url());
        let stream = http.get(url).bearer_auth(&account.key).send().await.unwrap();
        assert_eq!(stream.status(), 200);
        streams.push(stream);
    }
    for list in ["/spaces", &path, "/events"] {
        read_pages(&client, list).await;
    }
    let (now, peak) = memory_mb(pid);
    println!(
        "idle {idle_mb} MB; {} spaces {after_spaces:?}; {} scans with transcripts {after_scans:?}; with {} keys, \
         {} streams and all lists read {now} MB, peak {peak} MB",
        bounds.spaces, bounds.scans, bounds.keys, bounds.streams
    );
    drop(streams);
    assert!(peak.saturating_sub(idle_mb) <= MAX_GROWTH_MB, "{idle_mb} MB grew to {peak} MB");
}

async fn read_pages(client: &ApiClient, list: &str) {
    let mut cursor = String::new();
    loop {
        let page = client.get(&format!("{list}?limit=100{cursor}")).await.expect(200).body;
        match &page["next_cursor"] {
            Value::String(next) => cursor = format!("&cursor={next}"),
            _ => return,
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_at_its_bounds_takes_little_memory() {
    fill(&Bounds { spaces: 500, scans: 100, keys: 5, streams: 20 }).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "creates 10,000 spaces and 1,000 scans with transcripts"]
async fn an_account_at_the_bounds_of_the_defaults_takes_little_memory() {
    fill(&Bounds { spaces: 10_000, scans: 1_000, keys: 100, streams: 20 }).await;
}
