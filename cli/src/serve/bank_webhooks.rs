//! The simulated bank's post: what it has to tell is brought to the service's own door, as a bank would.

use std::{net::SocketAddr, time::Duration};

use anyhow::Context;
use outbound::payments::simulated::{Bank, Delivery};
use tokio_util::sync::CancellationToken;

/// How often there may be something to tell.
const INTERVAL: Duration = Duration::from_secs(1);
/// How long the door may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Delivers until `stop` is cancelled. What the door does not take is brought again.
///
/// # Errors
/// When there is no HTTP client to be had.
pub async fn run(bank: Bank, api: SocketAddr, stop: CancellationToken) -> anyhow::Result<()> {
    let door = format!("http://{}/v1/bank/webhooks", reachable(api));
    let client = reqwest::Client::builder().no_proxy().timeout(PATIENCE).build()?;
    let mut tick = tokio::time::interval(INTERVAL);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            () = stop.cancelled() => return Ok(()),
            _ = tick.tick() => {}
        }
        if let Err(error) = round(&bank, &client, &door).await {
            tracing::warn!(%error, "the simulated bank's post is brought again");
        }
    }
}

async fn round(bank: &Bank, client: &reqwest::Client, door: &str) -> anyhow::Result<()> {
    for delivery in bank.due().await? {
        let Delivery { id, headers, body, .. } = delivery.clone();
        let request = client.post(door).headers(headers).header("content-type", "application/json");
        let answer = request.body(body).send().await.context("the door does not open")?;
        answer.error_for_status().with_context(|| format!("{id} is not taken"))?;
        bank.acknowledge(&delivery).await?;
    }
    Ok(())
}

/// Where a listener of this machine can be reached from it.
fn reachable(listener: SocketAddr) -> SocketAddr {
    let ip = match listener {
        SocketAddr::V4(v4) if v4.ip().is_unspecified() => std::net::Ipv4Addr::LOCALHOST.into(),
        SocketAddr::V6(v6) if v6.ip().is_unspecified() => std::net::Ipv6Addr::LOCALHOST.into(),
        other => other.ip(),
    };
    SocketAddr::new(ip, listener.port())
}
