//! Compares the largest upload through a separate API process with the same bytes sent to storage.

use std::{
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context, bail, ensure};
use bytes::Bytes;
use domain::{Secret, media::MAX_API_VIDEO_BYTES};
use harness::{ApiClient, Service, clips::Clip, ports};
use media::{ObjectStore, objects};
use serde::Serialize;

use super::load::median;

/// Number of turns of each measurement.
const TURNS: usize = 5;

#[derive(Serialize)]
pub(super) struct Upload {
    pub(super) ratio: f64,
    pub(super) added_mb: f64,
    api_mb_per_second: f64,
    direct_mb_per_second: f64,
}

pub(super) async fn through_the_api(service: &Service) -> anyhow::Result<Upload> {
    let account = service.account()?;
    let api = ApiProcess::start(service).await?;
    let caller = ApiClient::new(api.url.clone(), account.key.clone());
    let video = video();
    let scan = caller.create_scan(&Clip::raw(video.to_vec())).await;
    let url = scan["upload"]["url"].as_str().context("the scan has no upload URL")?.to_owned();
    let url = format!("{}{}", api.url, url.split_once("/v1").context("the upload URL has no path")?.1);
    let store = storage(service)?;
    let http = harness::http_client();

    // A small request first: the memory of any request does not count as the upload's.
    caller.get("/me").await.expect(200);
    let before = api.memory("VmRSS")?;
    let (mut through_api, mut direct) = (Vec::new(), Vec::new());
    for turn in 0..TURNS {
        let key = format!("bench/direct-{turn}");
        let signed =
            store.presign_put(&key, "video/mp4", video.len() as u64, Duration::from_secs(600)).await?;
        let signed = signed.context("storage cannot presign URLs")?;
        let mut put = http.put(&signed.url).body(video.clone());
        for (name, value) in &signed.headers {
            put = put.header(name, value);
        }
        direct.push(timed(put).await?);
        let put = http.put(&url).bearer_auth(&account.key).header("content-type", "video/mp4");
        through_api.push(timed(put.body(video.clone())).await?);
    }
    let added_mb = api.memory("VmHWM")? - before;
    let megabytes = video.len() as f64 / 1e6;
    let (through_api, direct) = (median(through_api), median(direct));
    Ok(Upload {
        ratio: direct / through_api,
        added_mb,
        api_mb_per_second: megabytes / through_api,
        direct_mb_per_second: megabytes / direct,
    })
}

/// Returns a video of the maximum size that the API accepts: the beginning of an MP4, then padding.
fn video() -> Bytes {
    let mut video = b"\0\0\0\x20ftypisom\0\0\x02\0isomiso2mp41".to_vec();
    video.resize(MAX_API_VIDEO_BYTES as usize, 7);
    video.into()
}

async fn timed(put: reqwest::RequestBuilder) -> anyhow::Result<f64> {
    let began = Instant::now();
    let response = put.send().await?;
    ensure!(response.status().is_success(), "{}: {}", response.status(), response.text().await?);
    Ok(began.elapsed().as_secs_f64())
}

/// Returns the storage of the service, which can presign URLs.
fn storage(service: &Service) -> anyhow::Result<ObjectStore> {
    let secrets: toml::Table =
        toml::from_str(&std::fs::read_to_string(service.folder().join("secrets.toml"))?)?;
    let secret = |name: &str| secrets["storage"][name].as_str().unwrap_or_default().to_owned();
    Ok(ObjectStore::new(&objects::Settings {
        endpoint: service.storage_url(),
        public_endpoint: Some(service.storage_url()),
        access_key_id: secret("access_key_id"),
        secret_access_key: Secret::new(secret("secret_access_key")),
        ..objects::Settings::default()
    })?)
}

/// A separate `scan api` process over the database, storage and engine of the service. It is killed
/// when dropped.
struct ApiProcess {
    child: Child,
    url: String,
}

impl ApiProcess {
    async fn start(service: &Service) -> anyhow::Result<Self> {
        let [port, admin] = ports::free();
        let mut command = Command::new(harness::service::binary("scan")?);
        command.arg("api").arg("--config").arg(service.folder().join("secrets.toml"));
        command.env("SCAN__DATABASE__URL", format!("sqlite://{}", super::database_of(service).display()));
        command.env("SCAN__STORAGE__ENDPOINT", service.storage_url());
        command.env("SCAN__ENGINE__ADDRESS", service.engine_url());
        command.env("SCAN__SERVER__LISTEN", format!("127.0.0.1:{port}"));
        command.env("SCAN__SERVER__ADMIN_LISTEN", format!("127.0.0.1:{admin}"));
        command.env("SCAN__SCRATCH", service.folder().join("api-scratch"));
        command.env("SCAN__LOG__FILTER", "warn");
        let child = command.stdin(Stdio::null()).spawn()?;
        let api = Self { child, url: format!("http://127.0.0.1:{port}/v1") };
        let http = harness::http_client();
        let ready = format!("http://127.0.0.1:{admin}/readyz");
        let began = Instant::now();
        while !http.get(&ready).send().await.is_ok_and(|response| response.status().is_success()) {
            if began.elapsed() > Duration::from_secs(60) {
                bail!("the API process was not ready within a minute");
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Ok(api)
    }

    /// Returns a field of `/proc/PID/status` in megabytes: `VmRSS` is the current memory, `VmHWM`
    /// the peak.
    fn memory(&self, name: &str) -> anyhow::Result<f64> {
        let status =
            std::fs::read_to_string(Path::new("/proc").join(self.child.id().to_string()).join("status"))?;
        let line = status
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
            .with_context(|| format!("no {name} in the status of the API process"))?;
        let kilobytes: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
        Ok(kilobytes * 1024.0 / 1e6)
    }
}

impl Drop for ApiProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
