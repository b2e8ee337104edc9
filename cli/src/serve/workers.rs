//! `scan worker --queues a,b`: runs workers. A process that serves the queue `scans` also runs the
//! relay, and keeps the schedules of the periodic tasks in the engine.

use std::sync::Arc;

use activities::{Activities, Dependencies, Relay, UpkeepSchedules};
use anyhow::{Context, ensure};
use futures::future::join_all;
use media::ffmpeg::{self, Isolation};
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::sync::CancellationToken;
use worker::Queue;

use super::{monitor::Monitor, services::Services};
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
    if queues.contains(&Queue::Media) {
        let settings = &config.perception.ffmpeg;
        let isolation = ffmpeg::isolation(settings).context("cannot start a decoder")?;
        check_isolation(isolation, settings.require_isolation)?;
    }
    let deps = services.dependencies(config).await?;
    let client = services.await_engine(&stop).await?;
    let tasks = if queues.contains(&Queue::Scans) {
        spawn_background_tasks(config, &deps, &stop)
    } else {
        Vec::new()
    };
    let served = worker::run(
        client,
        Activities::new(deps),
        queues,
        config.workers.clone(),
        Some(&services.metrics.sdk),
        stop.clone(),
    )
    .await;
    // A failed worker stops the whole process, so that its supervisor restarts it.
    stop.cancel();
    join_all(tasks).await;
    Ok(served?)
}

/// Runs like [`run`], and serves the admin port on `admin`, if there is one.
///
/// # Errors
/// Returns an error if the engine rejects the connection, or a worker ends by itself.
pub async fn run_with_admin(
    config: &Config,
    services: &Services,
    queues: Vec<Queue>,
    admin: Option<TcpListener>,
    stop: CancellationToken,
) -> anyhow::Result<()> {
    let Some(listener) = admin else { return run(config, services, queues, stop).await };
    tracing::info!(admin = %listener.local_addr()?, "health and metrics");
    let monitor = Arc::new(Monitor::new(services.clone(), stop.clone())?);
    // The port is served until the last activity has finished.
    let served = CancellationToken::new();
    let working = async {
        let outcome = run(config, services, queues, stop).await;
        served.cancel();
        outcome
    };
    let (outcome, ()) = tokio::join!(working, api::http::admin::serve(listener, monitor, served.cancelled()));
    outcome
}

/// Logs what separates a decoder from the rest of this machine.
///
/// # Errors
/// Returns an error if the configuration requires more than the kernel can do.
fn check_isolation(isolation: Isolation, is_required: bool) -> anyhow::Result<()> {
    if isolation.is_complete() {
        tracing::info!(?isolation, "decoders are isolated");
        return Ok(());
    }
    ensure!(
        !is_required,
        "this kernel cannot isolate decoders ({isolation:?}), and perception.ffmpeg.require_isolation is set"
    );
    tracing::warn!(?isolation, "this kernel cannot isolate decoders: hostile media may reach this machine");
    Ok(())
}

fn spawn_background_tasks(
    config: &Config,
    deps: &Dependencies,
    stop: &CancellationToken,
) -> Vec<JoinHandle<()>> {
    let schedules = UpkeepSchedules::new(deps.engine.clone(), config.reconciler, config.upkeep);
    vec![tokio::spawn(Relay::new(deps.clone()).run(stop.clone())), tokio::spawn(schedules.run(stop.clone()))]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worker_refuses_a_kernel_that_cannot_isolate_if_isolation_is_required() {
        let complete = Isolation { namespaces: false, files: true, processes: false, system_calls: true };
        check_isolation(complete, true).unwrap();
        for weak in [Isolation { files: false, ..complete }, Isolation { system_calls: false, ..complete }] {
            check_isolation(weak, false).unwrap();
            let error = check_isolation(weak, true).unwrap_err().to_string();
            assert!(error.contains("require_isolation"), "{error}");
        }
    }
}
