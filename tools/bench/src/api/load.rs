//! Generates load: sends requests as fast as responses arrive, and measures the latency of each.

use std::time::{Duration, Instant};

use anyhow::ensure;
use serde::Serialize;

/// Requests per second, and percentiles of the latency in milliseconds.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Throughput {
    pub(super) per_second: f64,
    pub(super) p50_ms: f64,
    pub(super) p99_ms: f64,
}

/// Sends requests on `connections` connections for `time`.
pub(super) async fn run(
    request: &(impl Fn() -> reqwest::RequestBuilder + Sync),
    connections: usize,
    time: Duration,
) -> anyhow::Result<Throughput> {
    let began = Instant::now();
    let connection = async || {
        let mut latencies = Vec::new();
        while began.elapsed() < time {
            let sent = Instant::now();
            let response = request().send().await?;
            ensure!(response.status().is_success(), "{}", response.status());
            response.bytes().await?;
            latencies.push(sent.elapsed());
        }
        Ok(latencies)
    };
    let all = futures::future::try_join_all((0..connections).map(|_| connection())).await?.concat();
    let seconds = began.elapsed().as_secs_f64();
    ensure!(!all.is_empty(), "no request completed");
    let per_second = all.len() as f64 / seconds;
    Ok(Throughput { per_second, p50_ms: percentile(&all, 0.5), p99_ms: percentile(&all, 0.99) })
}

/// Returns a percentile in milliseconds.
pub(super) fn percentile(all: &[Duration], share: f64) -> f64 {
    let mut all = all.to_vec();
    all.sort_unstable();
    let at = ((all.len() as f64 * share).ceil() as usize).clamp(1, all.len().max(1)) - 1;
    all.get(at).map_or(0.0, |latency| latency.as_secs_f64() * 1000.0)
}

/// Returns the median.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}
