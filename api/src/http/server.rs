//! The accept loop: HTTP/1 and HTTP/2 on plain TCP or TLS, with connection limits, timeouts and graceful
//! shutdown.

use std::{
    convert::Infallible,
    future::Future,
    io,
    net::SocketAddr,
    sync::Arc,
    time::{Duration, Instant},
};

use http::Request;
use hyper::body::Incoming;
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
};
use ipnet::IpNet;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpStream},
    sync::{OwnedSemaphorePermit, Semaphore},
    task::JoinSet,
};
use tokio_util::sync::CancellationToken;
use tower::{Service, ServiceBuilder, ServiceExt};
use warp::reply::Response;

use crate::{
    App,
    http::{
        activity::{Activity, TrackedBody},
        address_budget::AddressBudget,
        agents::{Agents, ApiService},
        error_envelope::ErrorEnvelope,
        middleware::{CrossOrigin, Peer, RequestTracing},
        router::router,
        tls::Tls,
    },
    metrics::Metrics,
};

/// Maximum size of the head of an HTTP/1 request.
const MAX_HEAD_BYTES: usize = 64 * 1024;
/// Maximum size of the header list of an HTTP/2 request.
const MAX_HEADER_LIST_BYTES: u32 = 64 * 1024;
/// Maximum number of headers of an HTTP/1 request.
const MAX_HEADERS: usize = 100;
/// Maximum number of requests of one connection, so that long-lived connections spread over processes.
const MAX_REQUESTS: u64 = 10_000;

/// Time that the last write of key uses gets at shutdown.
const LAST_WRITE: Duration = Duration::from_secs(2);

/// Limits of a listener's connections.
#[derive(Debug, Clone)]
pub struct ConnectionLimits {
    /// Maximum number of concurrent connections.
    pub max_connections: usize,
    /// Maximum number of concurrent connections of one address.
    pub max_per_address: usize,
    /// Proxies that are exempt from the maximum of one address.
    pub trusted_proxies: Vec<IpNet>,
    /// Timeout for the head of each request.
    pub header_timeout: Duration,
    /// Time without progress after which a connection is closed.
    pub idle_timeout: Duration,
    /// Time that requests in flight get at shutdown.
    pub shutdown_grace: Duration,
}

/// Serves the API on a listener until `shutdown` completes. Requests in flight then get
/// `shutdown_grace_seconds` to finish.
pub async fn serve(listener: TcpListener, app: App, shutdown: impl Future<Output = ()>) {
    serve_tls(listener, None, app, shutdown).await;
}

/// Serves as [`serve`] does, with TLS if given. The certificate is reloaded when its files change.
pub async fn serve_tls(
    listener: TcpListener,
    tls: Option<Tls>,
    app: App,
    shutdown: impl Future<Output = ()>,
) {
    let settings = app.settings();
    let limits = ConnectionLimits {
        max_connections: settings.max_connections,
        max_per_address: settings.max_connections_per_address,
        trusted_proxies: settings.trusted_proxies.clone(),
        header_timeout: Duration::from_secs(settings.header_timeout_seconds),
        idle_timeout: Duration::from_secs(settings.idle_timeout_seconds),
        shutdown_grace: Duration::from_secs(settings.shutdown_grace_seconds),
    };
    let origins = settings.allowed_origins.clone();
    let routes = warp::service(router(app.clone()));
    let of_agents = ApiService::new(RequestTracing::new(app.clone(), routes.clone()));
    let service = ServiceBuilder::new()
        .layer_fn(|inner| RequestTracing::new(app.clone(), inner))
        .layer_fn(|inner| CrossOrigin::new(&origins, inner))
        .layer_fn(|inner| Agents::new(app.clone(), of_agents.clone(), inner))
        .service(routes);
    let closing = app.closing().clone();
    let shutdown = async move {
        shutdown.await;
        closing.cancel();
    };
    let reloading = CancellationToken::new();
    let _stop_reloading = reloading.clone().drop_guard();
    if let Some(tls) = tls.clone() {
        tokio::spawn(tls.reload_until(reloading));
    }
    let stop_writing = CancellationToken::new();
    let writing = tokio::spawn(app.key_uses().clone().write_until(app.db().clone(), stop_writing.clone()));
    accept((listener, tls), service, limits, Some(app.metrics().clone()), shutdown).await;
    stop_writing.cancel();
    // An unavailable database must not delay the shutdown.
    let _ = tokio::time::timeout(LAST_WRITE, writing).await;
}

/// Accepts connections, does their TLS handshake if there is a certificate, and serves each with a clone
/// of the service.
pub async fn accept<S>(
    (listener, tls): (TcpListener, Option<Tls>),
    service: S,
    limits: ConnectionLimits,
    metrics: Option<Metrics>,
    shutdown: impl Future<Output = ()>,
) where
    S: Service<Request<Incoming>, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
{
    let limits = Arc::new(limits);
    let permits = Arc::new(Semaphore::new(limits.max_connections));
    let budget = AddressBudget::new(limits.max_per_address, &limits.trusted_proxies);
    let stop = CancellationToken::new();
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
        // An address with too many connections gets no other, so that it keeps nobody else out.
        let Some(counted) = budget.admit(peer.ip()) else { continue };
        let gauge_guard = metrics.as_ref().map(Metrics::connection);
        let (service, limits, stop, tls) = (service.clone(), limits.clone(), stop.clone(), tls.clone());
        connections.spawn(async move {
            let _guards = (permit, counted, gauge_guard);
            let _ = stream.set_nodelay(true);
            let Some(tls) = tls else {
                return serve_connection(stream, Peer(peer), service, &limits, &stop).await;
            };
            match tokio::time::timeout(limits.header_timeout, tls.accept(stream)).await {
                Ok(Ok(stream)) => serve_connection(stream, Peer(peer), service, &limits, &stop).await,
                Ok(Err(error)) => tracing::debug!(%error, %peer, "TLS handshake failed"),
                Err(_elapsed) => tracing::debug!(%peer, "TLS handshake timed out"),
            }
        });
    }
    drop(listener);
    stop.cancel();
    let ended = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(limits.shutdown_grace, ended).await.is_err() {
        tracing::warn!(
            connections = connections.len(),
            "closing connections after the shutdown grace period"
        );
    }
    connections.shutdown().await;
}

type Accepted = (TcpStream, SocketAddr, OwnedSemaphorePermit);

/// Accepts the next connection once there is a free permit.
async fn accept_next(listener: &TcpListener, permits: &Arc<Semaphore>) -> io::Result<Accepted> {
    let permit = permits.clone().acquire_owned().await.map_err(io::Error::other)?;
    let (stream, peer) = listener.accept().await?;
    Ok((stream, peer, permit))
}

/// Serves a connection until the client closes it, it fails, or it is idle for too long. At shutdown
/// and after its last request, it ends with the requests in flight.
async fn serve_connection<S, C>(
    stream: C,
    peer: Peer,
    service: S,
    limits: &ConnectionLimits,
    stop: &CancellationToken,
) where
    S: Service<Request<Incoming>, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
    C: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let activity = Activity::new();
    let last_request = CancellationToken::new();
    let (of_requests, reached) = (activity.clone(), last_request.clone());
    let service = hyper::service::service_fn(move |mut request: Request<Incoming>| {
        let handling = of_requests.begin();
        if of_requests.requests() >= MAX_REQUESTS {
            reached.cancel();
        }
        request.extensions_mut().insert(peer);
        let (response, activity) = (service.clone().oneshot(request), of_requests.clone());
        async move {
            let response = response.await;
            drop(handling);
            response.map(|response| response.map(|body| TrackedBody::new(body, activity)))
        }
    });
    let builder = builder(limits);
    let connection = builder.serve_connection(TokioIo::new(ErrorEnvelope::new(stream)), service);
    tokio::pin!(connection);
    let opened = Instant::now();
    // hyper detects the protocol without a timeout.
    let silent = async {
        tokio::time::sleep(limits.header_timeout).await;
        if activity.requests() > 0 {
            std::future::pending::<()>().await;
        }
    };
    let idle = activity.idle(limits.idle_timeout);
    tokio::pin!(silent, idle);
    let mut is_ending = false;
    let outcome = loop {
        tokio::select! {
            outcome = connection.as_mut() => break outcome,
            () = &mut silent => return,
            () = &mut idle => {
                tracing::debug!(peer = %peer.0, open = ?opened.elapsed(), "closing an idle connection");
                return;
            }
            () = ending(stop, &last_request), if !is_ending => {
                is_ending = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    };
    if let Err(error) = outcome {
        tracing::debug!(%error, peer = %peer.0, "connection failed");
    }
}

/// Returns when a connection must take no further requests.
async fn ending(stop: &CancellationToken, last_request: &CancellationToken) {
    tokio::select! {
        () = stop.cancelled() => {}
        () = last_request.cancelled() => {}
    }
}

fn builder(limits: &ConnectionLimits) -> auto::Builder<TokioExecutor> {
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .max_buf_size(MAX_HEAD_BYTES)
        .max_headers(MAX_HEADERS)
        .header_read_timeout(limits.header_timeout);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(128)
        .max_header_list_size(MAX_HEADER_LIST_BYTES)
        .keep_alive_interval(limits.header_timeout)
        .keep_alive_timeout(limits.header_timeout);
    builder
}
