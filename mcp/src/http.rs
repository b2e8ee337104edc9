//! The tools over streamable HTTP, for the process of the API.

use std::convert::Infallible;

use bytes::Bytes;
use http::{Request, Response};
use http_body_util::{Full, combinators::BoxBody};
use rmcp::transport::streamable_http_server::{
    StreamableHttpServerConfig, StreamableHttpService, session::never::NeverSessionManager,
};
use tokio_util::sync::CancellationToken;

use crate::{api::Api, tools::SpaceTools};

/// Serves the tools over streamable HTTP. Requests are independent of each other: no state is kept
/// between them, so clients cannot pile up sessions, and any process can serve any request.
#[derive(Clone)]
pub struct HttpServer(StreamableHttpService<SpaceTools, NeverSessionManager>);

impl HttpServer {
    /// Creates a server. Each request calls the API with its own header `Authorization`. Requests in
    /// flight end when `stop` is cancelled.
    ///
    /// Requests of web pages are refused unless their origin is one of `origins`.
    pub fn new(api: &Api, origins: &[String], stop: CancellationToken) -> Self {
        let config = StreamableHttpServerConfig::default()
            .with_legacy_session_mode(false)
            .with_json_response(true)
            .with_cancellation_token(stop)
            // Every request needs a key, which a page that rebinds a name does not have.
            .disable_allowed_hosts()
            .with_allowed_origins(origins)
            .enforce_origin_validation();
        let tools = SpaceTools::with_key_of_request(api.clone());
        Self(StreamableHttpService::new(
            move || Ok(tools.clone()),
            NeverSessionManager::default().into(),
            config,
        ))
    }

    /// Responds to one request, whose body was received.
    pub async fn respond(&self, request: Request<Bytes>) -> Response<BoxBody<Bytes, Infallible>> {
        self.0.handle(request.map(Full::new)).await
    }
}

impl std::fmt::Debug for HttpServer {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("HttpServer").finish_non_exhaustive()
    }
}
