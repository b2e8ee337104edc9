//! Clients that run scans of one photo, or of a given video, and the receiver of their webhooks.

use std::time::{Duration, Instant};

use anyhow::Context;
use chaos::workload::{Account, Media, Medium, Request};
use domain::Timestamp;
use futures::stream::{StreamExt, TryStreamExt};
use harness::{Receiver, clips::Clip, until};
use serde_json::{Value, json};

/// Maximum time until the webhook of a scan arrives, also behind many others.
const WEBHOOK_TIMEOUT: Duration = Duration::from_secs(1_800);

/// Clients, and the receiver of their webhooks.
pub(super) struct Clients {
    pub(super) accounts: Vec<Account>,
    pub(super) media: Media,
    pub(super) receiver: Receiver,
}

impl Clients {
    /// Runs `count` scans, `concurrency` at a time, until their webhooks, and returns their ids.
    pub(super) async fn scan_many(&self, count: usize, concurrency: usize) -> anyhow::Result<Vec<String>> {
        let scans = (0..count).map(|number| self.scan(number));
        futures::stream::iter(scans).buffer_unordered(concurrency).try_collect().await
    }

    /// Runs a scan of one photo until its webhook, and returns its id.
    pub(super) async fn scan(&self, number: usize) -> anyhow::Result<String> {
        let id = self.start(&self.accounts[number % self.accounts.len()]).await?;
        self.await_webhook(&id).await;
        Ok(id)
    }

    /// Returns the median time of scans that run one after the other, each until its webhook.
    pub(super) async fn median_scan(&self, count: usize) -> anyhow::Result<Duration> {
        let mut times = Vec::new();
        for number in 0..count {
            let began = Instant::now();
            self.scan(number).await?;
            times.push(began.elapsed());
        }
        times.sort();
        times.get(times.len() / 2).copied().context("no scan")
    }

    /// Creates, uploads and starts a scan of one photo, and returns its id.
    pub(super) async fn start(&self, account: &Account) -> anyhow::Result<String> {
        let declaration = self.media.declaration(Medium::OnePhoto);
        self.start_with(account, declaration, |scan| self.media.uploads(Medium::OnePhoto, scan)).await
    }

    /// Runs a scan of a video until its webhook, and returns it.
    pub(super) async fn scan_video(&self, video: &Clip) -> anyhow::Result<Value> {
        let account = &self.accounts[0];
        let id = self
            .start_with(account, video.declaration(), |scan| {
                let url = scan["upload"]["url"].as_str().unwrap_or_default().to_owned();
                vec![(url, video.content_type, video.bytes.clone())]
            })
            .await?;
        self.await_webhook(&id).await;
        call(account, &Request::get(&format!("/scans/{id}"))).await
    }

    async fn start_with(
        &self,
        account: &Account,
        declaration: Value,
        uploads: impl FnOnce(&Value) -> Vec<(String, &'static str, Vec<u8>)>,
    ) -> anyhow::Result<String> {
        let space = json!({ "name": "A", "space_type": "other" });
        let space = call(account, &Request::post("/spaces", space)).await?;
        let path = format!("/spaces/{}/scans", space["id"].as_str().context("no id")?);
        let scan = call(account, &Request::post(&path, declaration)).await?;
        for (url, content_type, bytes) in uploads(&scan) {
            call(account, &Request::put(&url, content_type, bytes)).await?;
        }
        let id = scan["id"].as_str().context("no id")?.to_owned();
        call(account, &Request::post(&format!("/scans/{id}/start"), json!({}))).await?;
        Ok(id)
    }

    async fn await_webhook(&self, scan: &str) {
        let event = format!("evt_{scan}_completed");
        self.receiver.await_request(WEBHOOK_TIMEOUT, |received| received.event_id == event).await;
    }

    /// Waits until nothing of these scans waits for its webhook's attempt to end.
    pub(super) async fn await_responses(&self, scans: &[String]) {
        until("the responses to the webhooks", WEBHOOK_TIMEOUT, async || {
            let received = self.receiver.received();
            let responded = received.iter().filter(|r| r.responded.is_some() && is_of(&r.event_id, scans));
            (responded.count() >= scans.len()).then_some(())
        })
        .await;
    }

    /// Returns the 95th percentile of the times from the end of each of these scans to the first attempt
    /// of its webhook, in milliseconds.
    pub(super) fn webhook_p95_ms(&self, scans: &[String]) -> anyhow::Result<f64> {
        let mut delays = Vec::new();
        for scan in scans {
            let event = format!("evt_{scan}_completed");
            let all = self.receiver.received();
            let first = all.iter().find(|received| received.event_id == event).context("no webhook")?;
            let created: Timestamp = serde_json::from_value(first.json()["created_at"].clone())?;
            delays.push(first.at.since(created).as_secs_f64() * 1_000.0);
        }
        Ok(percentile(&mut delays, 0.95))
    }
}

/// Sends a request until the service can process it.
async fn call(account: &Account, request: &Request) -> anyhow::Result<Value> {
    let response = account.caller.insist(request).await.context("no response")?;
    anyhow::ensure!(response.status.is_success(), "{}: {}", request.describe(), response.body);
    Ok(response.body)
}

fn is_of(event: &str, scans: &[String]) -> bool {
    let scan = event.strip_prefix("evt_").and_then(|rest| rest.strip_suffix("_completed"));
    scan.is_some_and(|scan| scans.iter().any(|id| id == scan))
}

/// Returns the smallest value that at least this share of the values does not exceed; 0 if there is none.
fn percentile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let position = (values.len() as f64 * share).ceil() as usize;
    values.get(position.saturating_sub(1)).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::percentile;

    #[test]
    fn percentile_is_one_of_the_values() {
        let mut values: Vec<_> = (1..=20).rev().map(f64::from).collect();
        assert!((percentile(&mut values, 0.95) - 19.0).abs() < f64::EPSILON);
        assert!((percentile(&mut values, 1.0) - 20.0).abs() < f64::EPSILON);
    }
}
