//! Middleware around the router. Every request gets an id, counts towards the limit of its address,
//! is logged and measured; a panic becomes an `INTERNAL` response.

use std::{
    convert::Infallible,
    net::{IpAddr, SocketAddr},
    panic::AssertUnwindSafe,
    sync::Arc,
    task::{Context, Poll},
    time::Instant,
};

use domain::ApiErrorCode;
use entities::client::{self, Client};
use futures::{
    FutureExt,
    future::{BoxFuture, Either},
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, header};
use ipnet::IpNet;
use telemetry::Span;
use tower::{Layer, Service};
use tower_http::cors::{AllowOrigin, Cors, CorsLayer};
use warp::reply::Response;

use crate::{
    App,
    http::{error::ApiError, request::Trace},
};

/// Header with the request id.
pub const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Browsers use TLS only for two years.
const HSTS: &str = "max-age=63072000";

/// Remote address of the connection.
#[derive(Debug, Clone, Copy)]
pub struct Peer(pub SocketAddr);

/// The outermost service: assigns the request id, applies the limit per address, catches panics,
/// logs and measures.
#[derive(Clone)]
pub struct RequestTracing<S> {
    app: App,
    inner: S,
}

impl<S> RequestTracing<S> {
    /// Wraps a service.
    pub fn new(app: App, inner: S) -> Self {
        Self { app, inner }
    }
}

impl<S, B> Service<Request<B>> for RequestTracing<S>
where
    S: Service<Request<B>, Response = Response, Error = Infallible> + Clone + Send + 'static,
    S::Future: Send,
    B: Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response, Infallible>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        // Only the original was polled for readiness, so it serves the request.
        let clone = self.inner.clone();
        let ready = std::mem::replace(&mut self.inner, clone);
        trace_request(self.app.clone(), ready, request).map(Ok).boxed()
    }
}

async fn trace_request<S, B>(app: App, inner: S, mut request: Request<B>) -> Response
where
    S: Service<Request<B>, Response = Response, Error = Infallible>,
{
    let began = Instant::now();
    let peer = request.extensions().get::<Peer>().map_or(IpAddr::from([0, 0, 0, 0]), |peer| peer.0.ip());
    let client = client_address(peer, request.headers(), &app.settings().trusted_proxies);
    let trace = Arc::new(Trace::new(client));
    request.extensions_mut().insert(trace.clone());
    let (method, path) = (request.method().clone(), redacted(request.uri().path()));
    let _in_flight = app.metrics().in_flight();

    let user_agent = request.headers().get(header::USER_AGENT).and_then(|value| value.to_str().ok());
    let acting = Client::new(Some(trace.client.to_string()), user_agent);
    let span = Span::root("request");
    let work = span.run(client::acting_for(acting, admit_and_serve(&app, &trace, inner, request)));
    let mut response = match AssertUnwindSafe(work).catch_unwind().await {
        Ok(response) => response,
        Err(panic) => ApiError::internal(panic_message(panic.as_ref())).into_response(&trace.id),
    };
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(trace.id.as_str()) {
        headers.insert(X_REQUEST_ID, id);
    }
    // Responses are private unless their route says otherwise.
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    headers.entry(header::X_CONTENT_TYPE_OPTIONS).or_insert(HeaderValue::from_static("nosniff"));
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
        (header::X_FRAME_OPTIONS, "DENY"),
        (header::REFERRER_POLICY, "no-referrer"),
    ] {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    if app.settings().public_url.starts_with("https://") {
        headers.insert(header::STRICT_TRANSPORT_SECURITY, HeaderValue::from_static(HSTS));
    }
    let operation = trace.operation.get().copied().unwrap_or("unmatched");
    let (status, took) = (response.status().as_u16(), began.elapsed());
    app.metrics().record_response(operation, status, took);
    span.rename(format!("{method} {operation}"));
    span.set("request.id", trace.id.to_string());
    span.set("http.response.status_code", i64::from(status));
    if status >= 500 {
        span.fail("the response is an error of the service");
    }
    tracing::info!(
        trace_id = span.trace_id(),
        request_id = %trace.id, %method, path, operation, status,
        milliseconds = took.as_millis() as u64,
        client = %trace.client,
        key = trace.key.get().map_or("", |key| key.as_str()),
        account = trace.account.get().map_or("", |account| account.as_str()),
        "request served"
    );
    response
}

/// Refuses CONNECT, which warp cannot route, and addresses over their rate limit.
async fn admit_and_serve<S, B>(app: &App, trace: &Trace, mut inner: S, request: Request<B>) -> Response
where
    S: Service<Request<B>, Response = Response, Error = Infallible>,
{
    if request.method() == Method::CONNECT {
        let error = ApiError::new(ApiErrorCode::MethodNotAllowed);
        return error.header(header::ALLOW, HeaderValue::from_static("")).into_response(&trace.id);
    }
    if let Err(error) = app.admit_address(trace.client).await {
        return error.into_response(&trace.id);
    }
    match inner.call(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    }
}

/// Returns the message of a panic.
fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
    let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
    format!("panic: {}", text.unwrap_or_default())
}

/// Returns the client's address: the peer, or, if the peer is a trusted proxy, the last address in
/// `X-Forwarded-For` that is not a trusted proxy. Earlier addresses may be forged.
pub fn client_address(peer: IpAddr, headers: &HeaderMap, trusted: &[IpNet]) -> IpAddr {
    let trusts = |address: IpAddr| trusted.iter().any(|net| net.contains(&address.to_canonical()));
    let mut client = peer.to_canonical();
    let forwarded = headers.get_all("x-forwarded-for").iter().filter_map(|value| value.to_str().ok());
    let forwarded: Vec<&str> = forwarded.flat_map(|value| value.split(',')).map(str::trim).collect();
    for text in forwarded.into_iter().rev() {
        if !trusts(client) {
            break;
        }
        let Ok(address) = text.parse::<IpAddr>() else { break };
        client = address.to_canonical();
    }
    client
}

/// Applies CORS for the configured origins. An OPTIONS request that is not a preflight passes on to
/// the router, which responds with the methods of the path.
#[derive(Clone)]
pub struct CrossOrigin<S> {
    cors: Cors<S>,
    plain: S,
}

impl<S: Clone> CrossOrigin<S> {
    /// Wraps a service.
    pub fn new(allowed_origins: &[String], inner: S) -> Self {
        let origins: Vec<HeaderValue> =
            allowed_origins.iter().filter_map(|origin| HeaderValue::from_str(origin).ok()).collect();
        let layer = CorsLayer::new()
            .allow_origin(AllowOrigin::list(origins))
            .allow_methods([Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE])
            .allow_headers([
                header::AUTHORIZATION,
                header::CONTENT_TYPE,
                HeaderName::from_static("idempotency-key"),
                HeaderName::from_static("last-event-id"),
                // Those of MCP clients in a browser.
                HeaderName::from_static("mcp-protocol-version"),
                HeaderName::from_static("mcp-method"),
                HeaderName::from_static("mcp-name"),
            ])
            .expose_headers([
                X_REQUEST_ID,
                header::RETRY_AFTER,
                header::LINK,
                HeaderName::from_static("ratelimit"),
                HeaderName::from_static("ratelimit-policy"),
                HeaderName::from_static("idempotent-replayed"),
            ])
            .max_age(std::time::Duration::from_secs(600));
        Self { cors: layer.layer(inner.clone()), plain: inner }
    }
}

impl<S, B> Service<Request<B>> for CrossOrigin<S>
where
    S: Service<Request<B>, Response = Response, Error = Infallible> + Clone,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Either<S::Future, <Cors<S> as Service<Request<B>>>::Future>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.plain.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let has_origin = request.headers().contains_key(header::ORIGIN);
        let preflight = request.headers().contains_key(header::ACCESS_CONTROL_REQUEST_METHOD);
        if has_origin && (preflight || request.method() != Method::OPTIONS) {
            Either::Right(self.cors.call(request))
        } else {
            Either::Left(self.plain.call(request))
        }
    }
}

/// Returns a path for the log, with API keys and signing secrets replaced.
fn redacted(path: &str) -> String {
    let is_secret = |part: &str| ["sc_test_", "sc_live_", "whsec_"].iter().any(|known| part.contains(known));
    let parts: Vec<_> = path.split('/').map(|part| if is_secret(part) { "[secret]" } else { part }).collect();
    parts.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trusts_forwarded_addresses_of_trusted_proxies_only() {
        let trusted: Vec<IpNet> = vec!["10.0.0.0/8".parse().unwrap()];
        let mut headers = HeaderMap::new();
        headers.append("x-forwarded-for", "6.6.6.6, 203.0.113.9".parse().unwrap());
        headers.append("x-forwarded-for", "10.1.1.1".parse().unwrap());
        let address = |text: &str| text.parse::<IpAddr>().unwrap();
        let client = |peer: &str| client_address(address(peer), &headers, &trusted);
        assert_eq!(client("10.0.0.1"), address("203.0.113.9"));
        assert_eq!(client("198.51.100.1"), address("198.51.100.1"));
        assert_eq!(client("::ffff:10.0.0.1"), address("203.0.113.9"));
    }
}
