//! Calls of the HTTP API. Bodies stay JSON: the tools show parts of them.

use std::{fmt, sync::Arc};

use async_trait::async_trait;
use bytes::Bytes;
use http::{Extensions, HeaderValue, Method, Request, Response, header, request::Parts};
use serde_json::Value;
use url::Url;

/// Carries requests to the API: over the network ([`crate::Remote`]), or inside the API's own process.
#[async_trait]
pub trait Transport: Send + Sync {
    /// Sends a request. Its URL is absolute and begins with [`Transport::base`], or is the signed URL of
    /// a frame.
    ///
    /// # Errors
    /// Returns an error if the API does not respond.
    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, Unreachable>;

    /// Returns the URL of the API, with its version and without a slash at its end.
    fn base(&self) -> &str;
}

/// The API did not respond.
#[derive(Debug, Clone, Copy)]
pub struct Unreachable;

/// The API and the key to call it with. Cheap to clone.
#[derive(Clone)]
pub struct Api {
    transport: Arc<dyn Transport>,
    /// Value of the header `Authorization`.
    authorization: Option<HeaderValue>,
    /// Extensions of the request for which the API is called.
    extensions: Extensions,
}

impl fmt::Debug for Api {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Api").field("base", &self.transport.base()).finish_non_exhaustive()
    }
}

/// A failed request. Its text says what an agent can do about it.
#[derive(Debug, thiserror::Error)]
pub enum ApiFailure {
    /// The API refused the request.
    #[error("{code}: {message}{}", retry(*retry_after))]
    Refused {
        /// Stable error code of the API.
        code: String,
        /// Message of the API, written by the service.
        message: String,
        /// Seconds after which the same request may succeed.
        retry_after: Option<u64>,
    },
    /// The API did not respond as documented.
    #[error("the API at {0} could not be reached, or did not respond as documented")]
    Unreachable(String),
}

fn retry(seconds: Option<u64>) -> String {
    seconds.map(|seconds| format!(" Retry after {seconds} s.")).unwrap_or_default()
}

impl ApiFailure {
    /// Creates a refusal with a code of the API.
    pub(crate) fn refused(code: &str, message: &str) -> Self {
        Self::Refused { code: code.to_owned(), message: message.to_owned(), retry_after: None }
    }
}

impl Api {
    /// Creates a client without a key.
    pub fn new(transport: Arc<dyn Transport>) -> Self {
        Self { transport, authorization: None, extensions: Extensions::new() }
    }

    /// Returns the same client with a key.
    ///
    /// # Errors
    /// Returns an error if the key has characters that no header can have.
    pub fn with_key(self, key: &str) -> Result<Self, http::header::InvalidHeaderValue> {
        let mut authorization = HeaderValue::try_from(format!("Bearer {key}"))?;
        authorization.set_sensitive(true);
        Ok(Self { authorization: Some(authorization), ..self })
    }

    /// Returns the same client with the key and the extensions of an HTTP request.
    pub(crate) fn for_request(&self, parts: Option<&Parts>) -> Self {
        Self {
            transport: self.transport.clone(),
            authorization: parts.and_then(|parts| parts.headers.get(header::AUTHORIZATION).cloned()),
            extensions: parts.map(|parts| parts.extensions.clone()).unwrap_or_default(),
        }
    }

    /// Gets a resource. `segments` are encoded, so that an id cannot lead to another path.
    pub(crate) async fn get(
        &self,
        segments: &[&str],
        query: &[(&str, Option<String>)],
    ) -> Result<Value, ApiFailure> {
        self.json(Method::GET, self.url(segments, query)?, Bytes::new()).await
    }

    /// Posts a body.
    pub(crate) async fn post(&self, segments: &[&str], body: &Value) -> Result<Value, ApiFailure> {
        self.json(Method::POST, self.url(segments, &[])?, Bytes::from(body.to_string())).await
    }

    /// Downloads a frame by its signed URL. It is public: the key is not sent.
    pub(crate) async fn frame(&self, url: &str) -> Result<Bytes, ApiFailure> {
        let mut request = Request::get(url).body(Bytes::new()).map_err(|_| self.unreachable())?;
        request.extensions_mut().extend(self.extensions.clone());
        let response = self.transport.send(request).await.map_err(|Unreachable| self.unreachable())?;
        if response.status().is_success() { Ok(response.into_body()) } else { Err(self.unreachable()) }
    }

    fn url(&self, segments: &[&str], query: &[(&str, Option<String>)]) -> Result<Url, ApiFailure> {
        // An empty or relative segment would lead to another resource.
        if segments.iter().any(|segment| matches!(*segment, "" | "." | "..")) {
            return Err(ApiFailure::refused("NOT_FOUND", "this is not an id"));
        }
        let mut url = Url::parse(self.transport.base()).map_err(|_| self.unreachable())?;
        url.path_segments_mut().map_err(|()| self.unreachable())?.extend(segments);
        for (name, value) in query {
            if let Some(value) = value {
                url.query_pairs_mut().append_pair(name, value);
            }
        }
        Ok(url)
    }

    async fn json(&self, method: Method, url: Url, body: Bytes) -> Result<Value, ApiFailure> {
        let mut request = Request::builder().method(method).uri(url.as_str());
        if let Some(authorization) = &self.authorization {
            request = request.header(header::AUTHORIZATION, authorization);
        }
        if !body.is_empty() {
            request = request.header(header::CONTENT_TYPE, "application/json");
        }
        let mut request = request.body(body).map_err(|_| self.unreachable())?;
        request.extensions_mut().extend(self.extensions.clone());
        let response = self.transport.send(request).await.map_err(|Unreachable| self.unreachable())?;
        let success = response.status().is_success();
        let after = response.headers().get(header::RETRY_AFTER).and_then(|value| value.to_str().ok());
        let retry_after = after.and_then(|seconds| seconds.parse().ok());
        let body: Value = serde_json::from_slice(response.body()).map_err(|_| self.unreachable())?;
        if success {
            return Ok(body);
        }
        let error = &body["error"];
        match (error["code"].as_str(), error["message"].as_str()) {
            (Some(code), Some(message)) => {
                Err(ApiFailure::Refused { code: code.to_owned(), message: message.to_owned(), retry_after })
            }
            _ => Err(self.unreachable()),
        }
    }

    fn unreachable(&self) -> ApiFailure {
        ApiFailure::Unreachable(self.transport.base().to_owned())
    }
}
