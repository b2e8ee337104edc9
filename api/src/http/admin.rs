//! The admin port of a process: liveness, readiness and metrics. Never expose it to the public.

use std::{future::Future, sync::Arc, time::Duration};

use http::{StatusCode, header};
use serde::Serialize;
use tokio::net::TcpListener;
use warp::{
    Filter,
    filters::BoxedFilter,
    reply::{Reply, Response},
};

use crate::{
    App,
    http::server::{ConnectionLimits, accept},
};

/// Timeout of one readiness check.
const CHECK_TIMEOUT: Duration = Duration::from_secs(2);

/// Body of `/readyz`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Readiness {
    /// Whether the process can do its work: everything below is reachable, and it is not stopping.
    pub ready: bool,
    /// Whether the database responds.
    pub database: bool,
    /// Whether object storage responds.
    pub storage: bool,
    /// Whether the engine responds.
    pub engine: bool,
}

impl Readiness {
    /// Runs the three checks at the same time, each with a time limit.
    pub async fn check(
        database: impl Future<Output = bool>,
        storage: impl Future<Output = bool>,
        engine: impl Future<Output = bool>,
        is_stopping: bool,
    ) -> Self {
        let (database, storage, engine) = tokio::join!(
            check_with_timeout(database),
            check_with_timeout(storage),
            check_with_timeout(engine)
        );
        Self { ready: database && storage && engine && !is_stopping, database, storage, engine }
    }
}

/// What the admin port shows of a process.
#[async_trait::async_trait]
pub trait Process: Send + Sync {
    /// Returns whether the process can do its work.
    async fn readiness(&self) -> Readiness;

    /// Returns all metrics in the text format of Prometheus.
    async fn metrics(&self) -> prometheus::Result<Vec<u8>>;
}

#[async_trait::async_trait]
impl Process for App {
    async fn readiness(&self) -> Readiness {
        let is_stopping = self.closing().is_cancelled();
        Readiness::check(self.database_ready(), self.storage_ready(), self.engine_ready(), is_stopping).await
    }

    async fn metrics(&self) -> prometheus::Result<Vec<u8>> {
        App::metrics(self).text()
    }
}

/// Serves the admin port until `shutdown` completes.
pub async fn serve(listener: TcpListener, process: Arc<dyn Process>, shutdown: impl Future<Output = ()>) {
    let limits = ConnectionLimits {
        max_connections: 64,
        max_per_address: 64,
        trusted_proxies: Vec::new(),
        header_timeout: Duration::from_secs(10),
        idle_timeout: Duration::from_secs(60),
        shutdown_grace: Duration::from_secs(1),
    };
    accept((listener, None), warp::service(routes(process)), limits, None, shutdown).await;
}

/// Returns the routes `/healthz` (the process runs), `/readyz` (its dependencies are reachable) and
/// `/metrics`.
pub fn routes(process: Arc<dyn Process>) -> BoxedFilter<(Response,)> {
    let healthy = warp::path!("healthz").map(|| "ok\n".into_response());
    let ready = {
        let process = process.clone();
        warp::path!("readyz").then(move || readiness(process.clone()))
    };
    let metrics = warp::path!("metrics").then(move || metrics(process.clone()));
    warp::get().and(healthy.or(ready).unify().or(metrics).unify()).boxed()
}

async fn check_with_timeout(check: impl Future<Output = bool>) -> bool {
    tokio::time::timeout(CHECK_TIMEOUT, check).await.unwrap_or(false)
}

async fn readiness(process: Arc<dyn Process>) -> Response {
    let readiness = process.readiness().await;
    let status = if readiness.ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    warp::reply::with_status(warp::reply::json(&readiness), status).into_response()
}

async fn metrics(process: Arc<dyn Process>) -> Response {
    match process.metrics().await {
        Ok(text) => {
            warp::reply::with_header(text, header::CONTENT_TYPE, "text/plain; version=0.0.4").into_response()
        }
        Err(error) => {
            tracing::error!(%error, "metrics cannot be encoded");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
