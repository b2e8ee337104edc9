//! `scan worker --queues a,b`: workers, and with the queue `scans` the relay, the reconciler, the
//! sweeper and the clerk.

use activities::{Activities, BankClerk, Reconciler, Relay, Sweeper};
use tokio_util::sync::CancellationToken;
use worker::Queue;

use super::parts::Base;
use crate::config::Config;

/// Serves the queues until `stop` is cancelled and running work has finished (or its grace is over).
///
/// # Errors
/// When the engine refuses, or a worker ends by itself.
pub async fn run(
    config: &Config,
    base: &Base,
    queues: Vec<Queue>,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let parts = base.activity_parts(config).await?;
    let client = base.await_engine(&stop).await?;
    let keepers = queues.contains(&Queue::Scans).then(|| {
        let relay = Relay::new(parts.clone());
        let reconciler = Reconciler::new(parts.clone(), config.reconciler);
        let sweeper = Sweeper::new(parts.db.clone());
        let clerk = BankClerk::new(base.db.clone(), base.banks.clone());
        (
            tokio::spawn(relay.run(stop.clone())),
            tokio::spawn(reconciler.run(stop.clone())),
            tokio::spawn(sweeper.run(stop.clone())),
            tokio::spawn(clerk.run(stop.clone())),
        )
    });
    let served =
        worker::run(client, Activities::new(parts), queues, config.workers.clone(), stop.clone()).await;
    // A worker that failed takes its process along: whoever supervises starts it again.
    stop.cancel();
    if let Some((relay, reconciler, sweeper, clerk)) = keepers {
        let _ = tokio::join!(relay, reconciler, sweeper, clerk);
    }
    Ok(served?)
}
