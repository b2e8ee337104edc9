//! The admin port: liveness, readiness and metrics. Never expose it to the public.

use std::{future::Future, time::Duration};

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
#[derive(Debug, Serialize)]
struct Readiness {
    ready: bool,
    database: bool,
    storage: bool,
    engine: bool,
}

/// Serves the admin port until `shutdown` completes.
pub async fn serve(listener: TcpListener, app: App, shutdown: impl Future<Output = ()>) {
    let limits = ConnectionLimits {
        max_connections: 64,
        max_per_address: 64,
        trusted_proxies: Vec::new(),
        header_timeout: Duration::from_secs(10),
        idle_timeout: Duration::from_secs(60),
        shutdown_grace: Duration::from_secs(1),
    };
    accept((listener, None), warp::service(routes(app)), limits, None, shutdown).await;
}

/// Returns the routes `/healthz` (the process runs), `/readyz` (its dependencies are reachable) and
/// `/metrics`.
pub fn routes(app: App) -> BoxedFilter<(Response,)> {
    let healthy = warp::path!("healthz").map(|| "ok\n".into_response());
    let ready = {
        let app = app.clone();
        warp::path!("readyz").then(move || readiness(app.clone()))
    };
    let metrics = warp::path!("metrics").map(move || metrics(&app));
    warp::get().and(healthy.or(ready).unify().or(metrics).unify()).boxed()
}

async fn check_with_timeout(check: impl Future<Output = bool>) -> bool {
    tokio::time::timeout(CHECK_TIMEOUT, check).await.unwrap_or(false)
}

async fn readiness(app: App) -> Response {
    let (database, storage, engine) = tokio::join!(
        check_with_timeout(app.database_ready()),
        check_with_timeout(app.storage_ready()),
        check_with_timeout(app.engine_ready())
    );
    let closing = app.closing().is_cancelled();
    let ready = database && storage && engine && !closing;
    let status = if ready { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    let body = warp::reply::json(&Readiness { ready, database, storage, engine });
    warp::reply::with_status(body, status).into_response()
}

fn metrics(app: &App) -> Response {
    match app.metrics().text() {
        Ok(text) => {
            warp::reply::with_header(text, header::CONTENT_TYPE, "text/plain; version=0.0.4").into_response()
        }
        Err(error) => {
            tracing::error!(%error, "metrics cannot be encoded");
            StatusCode::INTERNAL_SERVER_ERROR.into_response()
        }
    }
}
