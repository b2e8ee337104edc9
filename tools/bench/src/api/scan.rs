//! Scans: reads are compared with a bare route, creation and start with a bare engine.

use std::time::{Duration, Instant};

use anyhow::Context;
use harness::{ApiClient, Service, api_client, clips::Clip};
use serde::Serialize;
use serde_json::{Value, json};
use workflows::client::{self, Settings};

use super::{
    bare_engine,
    bare_route::BareRoute,
    database_of,
    load::{self, Throughput, median, percentile},
};

/// Concurrent connections.
const CONNECTIONS: usize = 16;
/// Number of turns of each measurement.
const TURNS: usize = 5;
/// Length of a turn of reads.
const TURN_LENGTH: Duration = Duration::from_secs(4);
/// Number of scans that are created and started.
const SCANS: usize = 40;

#[derive(Serialize)]
pub(super) struct Reads {
    pub(super) ratio: f64,
    pub(super) p99_ratio: f64,
    api: Throughput,
    bare: Throughput,
    bytes: usize,
}

/// Compares `GET /v1/scans/{id}` of a complete scan with a bare route.
pub(super) async fn reads(service: &Service) -> anyhow::Result<Reads> {
    let account = service.account()?;
    let caller = service.client(&account);
    let scan = caller.create_uploaded_scan(&Clip::moving(3)).await;
    caller.start(&scan).await.expect(202);
    let scan = caller.await_status(&scan, "complete", Duration::from_secs(300)).await;
    let id = api_client::id(&scan);
    let http = harness::http_client();
    let url = format!("{}/scans/{id}", service.api_url());
    let body = http.get(&url).bearer_auth(&account.key).send().await?.error_for_status()?.bytes().await?;
    let file = service.folder().join("response.json");
    std::fs::write(&file, &body)?;

    let bare = BareRoute::start(&database_of(service), &file)?;
    let bare_url = format!("{}/{id}", bare.url);
    let api_request = || http.get(&url).bearer_auth(&account.key);
    let bare_request = || http.get(&bare_url).bearer_auth(&account.key);
    // Opens the connections and fills the caches.
    for _ in 0..2 {
        load::run(&api_request, CONNECTIONS, Duration::from_secs(1)).await?;
        load::run(&bare_request, CONNECTIONS, Duration::from_secs(1)).await?;
    }
    let (mut turns, mut ratios, mut p99s) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..TURNS {
        let bare = load::run(&bare_request, CONNECTIONS, TURN_LENGTH).await?;
        let api = load::run(&api_request, CONNECTIONS, TURN_LENGTH).await?;
        ratios.push(api.per_second / bare.per_second);
        p99s.push(api.p99_ms / bare.p99_ms);
        turns.push((api, bare));
    }
    turns.sort_by(|a, b| a.0.per_second.total_cmp(&b.0.per_second));
    let (api, bare) = turns[TURNS / 2];
    Ok(Reads { ratio: median(ratios), p99_ratio: median(p99s), api, bare, bytes: body.len() })
}

/// Ratios to the baseline, and medians in milliseconds.
#[derive(Serialize)]
pub(super) struct Engine {
    pub(super) create: f64,
    pub(super) start: f64,
    create_p50_ms: f64,
    start_p50_ms: f64,
    bare_start_p50_ms: f64,
    bare_update_p50_ms: f64,
}

/// Compares creating a scan with one start of a workflow, and starting it with one update.
pub(super) async fn against_the_engine(service: &Service) -> anyhow::Result<Engine> {
    let account = service.account()?;
    let caller = service.client(&account);
    // Scans of this space fail immediately, so that the pipeline does not compete with the
    // measurement.
    let space = json!({ "name": "Bench", "space_type": "other", "external_id": "test:fail:ingesting" });
    let space = caller.post("/spaces", space).await.expect(201).text("id");
    let engine = Settings { address: service.engine_url(), ..Settings::default() };
    let client = client::connect(&engine, "bench", None).await?;
    bare_engine::serve(client.clone())?;

    let (mut creates, mut starts) = (Vec::new(), Vec::new());
    let (mut bare_starts, mut bare_updates) = (Vec::new(), Vec::new());
    for turn in 0..SCANS + 3 {
        let bare = bare_engine::once(&client, format!("bench-{turn}")).await?;
        let (created, started) = create_and_start(&caller, &space).await?;
        // The first turns fill the caches.
        if turn >= 3 {
            creates.push(created);
            starts.push(started);
            bare_starts.push(bare.start);
            bare_updates.push(bare.update);
        }
    }
    let p50 = |all: &[Duration]| percentile(all, 0.5);
    Ok(Engine {
        create: p50(&creates) / p50(&bare_starts),
        start: p50(&starts) / p50(&bare_updates),
        create_p50_ms: p50(&creates),
        start_p50_ms: p50(&starts),
        bare_start_p50_ms: p50(&bare_starts),
        bare_update_p50_ms: p50(&bare_updates),
    })
}

async fn create_and_start(caller: &ApiClient, space: &str) -> anyhow::Result<(Duration, Duration)> {
    let input = json!({ "input": { "kind": "frames", "language": "en", "frames": [{}] } });
    let began = Instant::now();
    let scan: Value = caller.post(&format!("/spaces/{space}/scans"), input).await.expect(201).body;
    let created = began.elapsed();
    let template =
        scan["upload"]["url_template"].as_str().context("the scan has no upload URL for photos")?;
    let photo = b"\xff\xd8\xff\xe0\0\x10JFIF\0 and no more".to_vec();
    caller.put(&template.replace("{index}", "0"), "image/jpeg", photo).await.expect(204);
    let began = Instant::now();
    caller.start(&scan).await.expect(202);
    let started = began.elapsed();
    caller.await_status(&scan, "failed", Duration::from_secs(60)).await;
    Ok((created, started))
}
