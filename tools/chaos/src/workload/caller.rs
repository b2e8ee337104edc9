//! A client of the API that repeats a request until the service can process it.

use std::time::Duration;

use harness::ApiResponse;
use reqwest::{Method, StatusCode};
use serde_json::Value;
use tokio::time::Instant;

/// Timeout of one request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(20);
/// Pause between two attempts.
const PAUSE: Duration = Duration::from_millis(500);
/// Maximum time in which a request is repeated: much longer than an outage.
const GIVE_UP_AFTER: Duration = Duration::from_secs(300);

/// A request that may be repeated.
#[derive(Debug, Clone)]
pub struct Request {
    method: Method,
    /// Path below the base, or a whole URL.
    url: String,
    body: Body,
    idempotency_key: Option<String>,
}

#[derive(Debug, Clone)]
enum Body {
    Nothing,
    Json(Value),
    Bytes(&'static str, Vec<u8>),
}

impl Request {
    /// Builds a `GET` request.
    pub fn get(path: &str) -> Self {
        Self { method: Method::GET, url: path.to_owned(), body: Body::Nothing, idempotency_key: None }
    }

    /// Builds a `DELETE` request.
    pub fn delete(path: &str) -> Self {
        Self { method: Method::DELETE, ..Self::get(path) }
    }

    /// Builds a `POST` request.
    pub fn post(path: &str, body: Value) -> Self {
        Self { method: Method::POST, body: Body::Json(body), ..Self::get(path) }
    }

    /// Builds a `PUT` request with bytes.
    pub fn put(url: &str, content_type: &'static str, bytes: Vec<u8>) -> Self {
        Self { method: Method::PUT, body: Body::Bytes(content_type, bytes), ..Self::get(url) }
    }

    /// Returns method and path, for messages.
    pub fn describe(&self) -> String {
        format!("{} {}", self.method, self.url)
    }

    /// Sets the `Idempotency-Key`.
    #[must_use]
    pub fn with_key(self, key: &str) -> Self {
        Self { idempotency_key: Some(key.to_owned()), ..self }
    }
}

/// Calls the API with a key.
#[derive(Debug, Clone)]
pub struct Caller {
    http: reqwest::Client,
    base: String,
    key: String,
}

impl Caller {
    /// Builds a client of the API at `base`, including the version.
    pub fn new(base: String, key: String) -> Self {
        Self { http: harness::http_client(), base, key }
    }

    /// Sends a request once.
    ///
    /// # Errors
    /// Returns an error if there is no response.
    pub async fn send(&self, request: &Request) -> reqwest::Result<ApiResponse> {
        let url = if request.url.starts_with('/') {
            format!("{}{}", self.base, request.url)
        } else {
            request.url.clone()
        };
        let mut builder = self.http.request(request.method.clone(), url).bearer_auth(&self.key);
        builder = builder.timeout(REQUEST_TIMEOUT);
        if let Some(key) = &request.idempotency_key {
            builder = builder.header("idempotency-key", key);
        }
        builder = match &request.body {
            Body::Nothing => builder,
            Body::Json(json) => builder.json(json),
            Body::Bytes(content_type, bytes) => {
                builder.header("content-type", *content_type).body(bytes.clone())
            }
        };
        let response = builder.send().await?;
        let (status, headers) = (response.status(), response.headers().clone());
        let bytes = response.bytes().await?;
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        Ok(ApiResponse { status, headers, body })
    }

    /// Repeats a request until there is a response that is neither busy (408, 429) nor unavailable (503).
    /// After some minutes, returns the last response, or `None` if there was none.
    pub async fn insist(&self, request: &Request) -> Option<ApiResponse> {
        let (began, mut last) = (Instant::now(), None);
        while began.elapsed() < GIVE_UP_AFTER {
            if let Ok(response) = self.send(request).await {
                if !is_temporary(response.status) {
                    return Some(response);
                }
                last = Some(response);
            }
            tokio::time::sleep(PAUSE).await;
        }
        last
    }
}

fn is_temporary(status: StatusCode) -> bool {
    matches!(
        status,
        StatusCode::REQUEST_TIMEOUT | StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE
    )
}
