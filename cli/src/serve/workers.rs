//! `scan worker --queues a,b`: runs workers. A process that serves the queue `scans` also runs the
//! relay, and keeps the schedules of the periodic tasks in the engine.

use activities::{Activities, Dependencies, Relay, UpkeepSchedules};
use futures::future::join_all;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use worker::Queue;

use super::services::Services;
use crate::config::Config;

/// Serves the queues until `stop` is cancelled and running work has finished, or the grace period
/// is over.
///
/// # Errors
/// Returns an error if the engine rejects the connection, or a worker ends by itself.
pub async fn run(
    config: &Config,
    services: &Services,
    queues: Vec<Queue>,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let deps = services.dependencies(config).await?;
    let client = services.await_engine(&stop).await?;
    let tasks = if queues.contains(&Queue::Scans) {
        spawn_background_tasks(config, &deps, &stop)
    } else {
        Vec::new()
    };
    let served =
        worker::run(client, Activities::new(deps), queues, config.workers.clone(), stop.clone()).await;
    // A failed worker stops the whole process, so that its supervisor restarts it.
    stop.cancel();
    join_all(tasks).await;
    Ok(served?)
}

fn spawn_background_tasks(
    config: &Config,
    deps: &Dependencies,
    stop: &CancellationToken,
) -> Vec<JoinHandle<()>> {
    let schedules = UpkeepSchedules::new(deps.engine.clone(), config.reconciler, config.upkeep);
    vec![tokio::spawn(Relay::new(deps.clone()).run(stop.clone())), tokio::spawn(schedules.run(stop.clone()))]
}
