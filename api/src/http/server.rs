//! The accept loop: HTTP/1 and HTTP/2 on plain TCP, with connection limits, timeouts and graceful
//! shutdown.

use std::{
    convert::Infallible,
    future::Future,
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use http::Request;
use hyper::body::Incoming;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::{conn::auto, graceful::GracefulShutdown},
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::JoinSet,
};
use tower::{Service, ServiceBuilder, ServiceExt};
use warp::reply::Response;

use crate::{
    App,
    http::{
        middleware::{CrossOrigin, Peer, RequestTracing},
        router::router,
    },
    metrics::Metrics,
};

/// Limits of a listener's connections.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionLimits {
    /// Maximum number of concurrent connections.
    pub max_connections: usize,
    /// Timeout for the head of each request.
    pub header_timeout: Duration,
    /// Time that requests in flight get at shutdown.
    pub shutdown_grace: Duration,
}

/// Serves the API on a listener until `shutdown` completes. Requests in flight then get
/// `shutdown_grace_seconds` to finish.
pub async fn serve(listener: TcpListener, app: App, shutdown: impl Future<Output = ()>) {
    let settings = app.settings();
    let limits = ConnectionLimits {
        max_connections: settings.max_connections,
        header_timeout: Duration::from_secs(settings.header_timeout_seconds),
        shutdown_grace: Duration::from_secs(settings.shutdown_grace_seconds),
    };
    let origins = settings.allowed_origins.clone();
    let service = ServiceBuilder::new()
        .layer_fn(|inner| RequestTracing::new(app.clone(), inner))
        .layer_fn(|inner| CrossOrigin::new(&origins, inner))
        .service(warp::service(router(app.clone())));
    let closing = app.closing().clone();
    let shutdown = async move {
        shutdown.await;
        closing.cancel();
    };
    accept(listener, service, limits, Some(app.metrics().clone()), shutdown).await;
}

/// Accepts connections and serves each with a clone of the service.
pub async fn accept<S>(
    listener: TcpListener,
    service: S,
    limits: ConnectionLimits,
    metrics: Option<Metrics>,
    shutdown: impl Future<Output = ()>,
) where
    S: Service<Request<Incoming>, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    let graceful = GracefulShutdown::new();
    let permits = Arc::new(Semaphore::new(limits.max_connections));
    let mut connections = JoinSet::new();
    tokio::pin!(shutdown);
    loop {
        while connections.try_join_next().is_some() {}
        let accepted = tokio::select! {
            () = &mut shutdown => break,
            accepted = accept_next(&listener, &permits) => accepted,
        };
        let (stream, peer, permit) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                // Most likely out of file descriptors: wait for connections to end.
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            }
        };
        let gauge_guard = metrics.as_ref().map(Metrics::connection);
        let (service, watcher) = (service.clone(), graceful.watcher());
        connections.spawn(async move {
            let _guards = (permit, gauge_guard);
            serve_connection(stream, Peer(peer), service, limits.header_timeout, watcher).await;
        });
    }
    drop(listener);
    if tokio::time::timeout(limits.shutdown_grace, graceful.shutdown()).await.is_err() {
        tracing::warn!(
            connections = connections.len(),
            "closing connections after the shutdown grace period"
        );
    }
    connections.shutdown().await;
}

type Accepted = (TcpStream, std::net::SocketAddr, tokio::sync::OwnedSemaphorePermit);

/// Accepts the next connection once there is a free permit.
async fn accept_next(listener: &TcpListener, permits: &Arc<Semaphore>) -> io::Result<Accepted> {
    let permit = permits.clone().acquire_owned().await.map_err(io::Error::other)?;
    let (stream, peer) = listener.accept().await?;
    Ok((stream, peer, permit))
}

async fn serve_connection<S>(
    stream: TcpStream,
    peer: Peer,
    service: S,
    header_timeout: Duration,
    watcher: hyper_util::server::graceful::Watcher,
) where
    S: Service<Request<Incoming>, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    let _ = stream.set_nodelay(true);
    let received_request = Arc::new(AtomicBool::new(false));
    let flag = received_request.clone();
    let service = hyper::service::service_fn(move |mut request: Request<Incoming>| {
        flag.store(true, Ordering::Relaxed);
        request.extensions_mut().insert(peer);
        service.clone().oneshot(request)
    });
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(header_timeout);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(128)
        .max_header_list_size(64 * 1024)
        .keep_alive_interval(header_timeout)
        .keep_alive_timeout(header_timeout);
    let connection = builder.serve_connection(TokioIo::new(stream), service).into_owned();
    let connection = watcher.watch(connection);
    tokio::pin!(connection);
    // hyper detects the protocol without a timeout. Without this timeout, a client that sends
    // nothing would keep its connection open forever.
    let outcome = tokio::select! {
        outcome = &mut connection => outcome,
        () = tokio::time::sleep(header_timeout) => {
            if !received_request.load(Ordering::Relaxed) {
                return;
            }
            connection.await
        }
    };
    if let Err(error) = outcome {
        tracing::debug!(%error, peer = %peer.0, "connection failed");
    }
}
