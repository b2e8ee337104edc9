//! `/mcp`: the MCP server for agents, in the process of the API.
//!
//! Its tools call the API's own endpoints, through the same middleware and router as any request, with
//! the key of the agent. Scopes, limits, tenants and modes are therefore those of the API.

use std::{
    convert::Infallible,
    net::SocketAddr,
    sync::Arc,
    task::{Context, Poll},
    time::Duration,
};

use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use domain::ApiErrorCode;
use futures::{
    FutureExt,
    future::{BoxFuture, Either},
};
use http::{HeaderMap, HeaderValue, Method, Request, StatusCode, Uri, header};
use http_body_util::{BodyExt, Full};
use hyper::body::Body;
use mcp::{Api, HttpServer, Transport, Unreachable};
use tower::{Service, ServiceExt, util::BoxCloneSyncService};
use warp::reply::{Reply, Response};

use crate::{
    App,
    http::{
        auth,
        body::{IncompleteBody, MAX_JSON_BYTES, incomplete_body, too_large},
        error::{ApiError, ApiResult},
        middleware::Peer,
        path::BASE,
        request::Trace,
    },
};

/// Path of the MCP server.
pub const PATH: &str = "/mcp";

/// Timeout for receiving a message.
const READ_TIMEOUT: Duration = Duration::from_secs(15);
/// Time for which the rest of a body that is too large is drained, so that its sender receives the
/// response instead of a broken connection.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

/// The API as a service, for requests whose body is in memory.
pub type ApiService = BoxCloneSyncService<Request<Full<Bytes>>, Response, Infallible>;

/// Serves [`PATH`]; passes all other requests on.
#[derive(Clone)]
pub struct Agents<S> {
    app: App,
    server: HttpServer,
    inner: S,
}

impl<S> Agents<S> {
    /// Wraps a service. `api` serves the requests of the tools.
    pub fn new(app: App, api: ApiService, inner: S) -> Self {
        let settings = app.settings();
        let base = format!("{}{BASE}", settings.public_url);
        let origins =
            [settings.allowed_origins.as_slice(), std::slice::from_ref(&settings.public_url)].concat();
        let public_url: Uri = settings.public_url.parse().unwrap_or_default();
        let prefix = public_url.path().trim_end_matches('/').to_owned();
        let transport = InProcess { api, prefix, base };
        let server = HttpServer::new(&Api::new(Arc::new(transport)), &origins, app.closing().clone());
        Self { app, server, inner }
    }
}

impl<S, B> Service<Request<B>> for Agents<S>
where
    S: Service<Request<B>, Response = Response, Error = Infallible>,
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: std::fmt::Display + Send,
{
    type Response = Response;
    type Error = Infallible;
    type Future = Either<S::Future, BoxFuture<'static, Result<Response, Infallible>>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        if request.uri().path() != PATH {
            return Either::Left(self.inner.call(request));
        }
        Either::Right(respond(self.app.clone(), self.server.clone(), request).map(Ok).boxed())
    }
}

async fn respond<B>(app: App, server: HttpServer, request: Request<B>) -> Response
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: std::fmt::Display + Send,
{
    let no_client = || Arc::new(Trace::new([0, 0, 0, 0].into()));
    let trace = request.extensions().get::<Arc<Trace>>().cloned().unwrap_or_else(no_client);
    let _ = trace.operation.set("mcp");
    if *request.method() != Method::POST {
        return not_post(request.method(), &trace);
    }
    let limit = Duration::from_secs(app.settings().request_timeout_seconds);
    let work = exchange(&app, &server, &trace, request);
    let busy = || ApiError::new(ApiErrorCode::Unavailable).retry_after(5);
    let outcome = tokio::time::timeout(limit, work).await.unwrap_or_else(|_| Err(busy()));
    outcome.unwrap_or_else(|error| error.into_response(&trace.id))
}

fn not_post(method: &Method, trace: &Trace) -> Response {
    let mut response = if *method == Method::OPTIONS {
        StatusCode::NO_CONTENT.into_response()
    } else {
        ApiError::new(ApiErrorCode::MethodNotAllowed).into_response(&trace.id)
    };
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static("POST, OPTIONS"));
    response
}

/// Authenticates a message and responds to it. Its tool calls authenticate again, and are counted.
async fn exchange<B>(
    app: &App,
    server: &HttpServer,
    trace: &Trace,
    request: Request<B>,
) -> ApiResult<Response>
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: std::fmt::Display + Send,
{
    let (parts, body) = request.into_parts();
    let caller = app.with_database(auth::authenticate(app, &parts.method, &parts.headers, false)).await??;
    if let Some(key) = caller.key_id() {
        let _ = trace.key.set(key);
    }
    let _ = trace.account.set(caller.tenant.account_id.clone());
    let slow = |_| ApiError::new(ApiErrorCode::RequestTimeout);
    let message = tokio::time::timeout(READ_TIMEOUT, receive(body)).await.map_err(slow)??;
    let sent_json = is_json(&parts.headers);
    let response = server.respond(Request::from_parts(parts, message)).await;
    let (parts, body) = response.into_parts();
    let body = body.collect().await.unwrap_or_else(|never| match never {}).to_bytes();
    if parts.status.is_client_error() && !is_json(&parts.headers) {
        return Err(refusal(parts.status, sent_json, &String::from_utf8_lossy(&body)));
    }
    Ok(Response::from_parts(parts, body.into()))
}

/// Returns whether the media type is `application/json`.
fn is_json(headers: &HeaderMap) -> bool {
    let value = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = value.split(';').next().unwrap_or_default();
    essence.trim().eq_ignore_ascii_case("application/json")
}

/// Returns the error of the API for a refusal of the MCP library, which has a plain text. The library
/// refuses every body that is no JSON with 415, also one with the right media type.
fn refusal(status: StatusCode, sent_json: bool, text: &str) -> ApiError {
    let error = match status {
        StatusCode::FORBIDDEN => {
            return ApiError::new(ApiErrorCode::OriginRefused)
                .message("Requests of web pages are accepted from `server.allowed_origins` only.");
        }
        StatusCode::UNSUPPORTED_MEDIA_TYPE if !sent_json => ApiError::new(ApiErrorCode::UnsupportedMediaType),
        _ => ApiError::new(ApiErrorCode::ValidationFailed),
    };
    error.message(text.to_owned())
}

/// Reads a whole body.
///
/// # Errors
/// Returns `PAYLOAD_TOO_LARGE` as soon as more than [`MAX_JSON_BYTES`] are received.
async fn receive<B>(body: B) -> ApiResult<Bytes>
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: std::fmt::Display + Send,
{
    let mut body = Box::pin(body);
    let mut received = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| incomplete_body(IncompleteBody(error.to_string())))?;
        let Ok(data) = frame.into_data() else { continue };
        if received.len() + data.len() > MAX_JSON_BYTES {
            tokio::spawn(tokio::time::timeout(DRAIN_TIMEOUT, async move {
                while let Some(Ok(_)) = body.frame().await {}
            }));
            return Err(too_large(MAX_JSON_BYTES as u64));
        }
        received.extend_from_slice(&data);
    }
    Ok(received.freeze())
}

/// Carries the requests of the tools to the API of this process.
struct InProcess {
    api: ApiService,
    /// Path below which a proxy serves the service; empty without one.
    prefix: String,
    base: String,
}

#[async_trait]
impl Transport for InProcess {
    async fn send(&self, request: Request<Bytes>) -> Result<http::Response<Bytes>, Unreachable> {
        let mut request = request.map(Full::new);
        // The tool's request counts towards the limits of the agent's address.
        if let Some(trace) = request.extensions().get::<Arc<Trace>>().cloned() {
            request.extensions_mut().insert(Peer(SocketAddr::new(trace.client, 0)));
        }
        let path = request.uri().path_and_query().map_or("/", |path| path.as_str());
        let path = path.strip_prefix(&self.prefix).ok_or(Unreachable)?;
        *request.uri_mut() = path.parse().map_err(|_| Unreachable)?;
        let response = self.api.clone().oneshot(request).await.unwrap_or_else(|never| match never {});
        let (parts, body) = response.into_parts();
        let body = body.collect().await.map_err(|_| Unreachable)?.to_bytes();
        Ok(http::Response::from_parts(parts, body))
    }

    fn base(&self) -> &str {
        &self.base
    }
}
