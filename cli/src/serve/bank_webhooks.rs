//! Webhook delivery of the simulated bank: posts its events to the API, as a real bank would.

use std::{net::SocketAddr, time::Duration};

use anyhow::Context;
use outbound::payments::simulated::{Bank, Delivery};
use tokio_util::sync::CancellationToken;

/// Time between two polls for events.
const INTERVAL: Duration = Duration::from_secs(1);
/// Maximum time of one request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// Delivers events until `stop` is cancelled. Failed deliveries are retried.
///
/// # Errors
/// Returns an error if the HTTP client cannot be created.
pub async fn run(bank: Bank, api: SocketAddr, stop: CancellationToken) -> anyhow::Result<()> {
    let url = format!("http://{}/v1/bank/webhooks", local_address(api));
    let client = reqwest::Client::builder().no_proxy().timeout(REQUEST_TIMEOUT).build()?;
    let mut tick = tokio::time::interval(INTERVAL);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => return Ok(()),
            _ = tick.tick() => {}
        }
        if let Err(error) = deliver_due(&bank, &client, &url).await {
            tracing::warn!(%error, "failed to deliver an event of the simulated bank; it will be retried");
        }
    }
}

/// Delivers all events that are due, and stops at the first failure.
async fn deliver_due(bank: &Bank, client: &reqwest::Client, url: &str) -> anyhow::Result<()> {
    for delivery in bank.due().await? {
        let Delivery { id, headers, body, .. } = delivery.clone();
        let request = client.post(url).headers(headers).header("content-type", "application/json");
        let response = request.body(body).send().await.context("cannot reach the API")?;
        response.error_for_status().with_context(|| format!("the API refused the event {id}"))?;
        bank.acknowledge(&delivery).await?;
    }
    Ok(())
}

/// Returns the address at which this machine reaches one of its listeners.
fn local_address(listener: SocketAddr) -> SocketAddr {
    let ip = match listener {
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => std::net::Ipv4Addr::LOCALHOST.into(),
        SocketAddr::V6(v6) if v6.ip().is_unspecified() => std::net::Ipv6Addr::LOCALHOST.into(),
        other => other.ip(),
    };
    SocketAddr::new(ip, listener.port())
}
