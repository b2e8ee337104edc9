//! Errors of the API, and of storage and proxies in front of it.

use std::time::Duration;

use reqwest::{Response, StatusCode};
use serde::Deserialize;

/// An error response of the API.
#[derive(Debug, thiserror::Error)]
#[error("{code} ({status}): {message} [request {request_id}]")]
pub struct ApiFailure {
    /// HTTP status.
    pub status: u16,
    /// Stable error code.
    pub code: String,
    /// Human-readable message.
    pub message: String,
    /// Id of the request, for support.
    pub request_id: String,
    pub(super) retry_after: Option<Duration>,
    /// URL of the service; `None` if a proxy or storage responded.
    origin: Option<String>,
}

#[derive(Deserialize)]
struct Envelope {
    error: EnvelopeError,
}

#[derive(Deserialize)]
struct EnvelopeError {
    code: String,
    message: String,
    request_id: String,
    #[serde(default)]
    retry_after: Option<u64>,
}

impl ApiFailure {
    /// Returns the URL of the page about the error's code.
    pub fn page(&self) -> Option<String> {
        Some(format!("{}/docs/errors/{}", self.origin.as_ref()?, self.code))
    }

    #[cfg(test)]
    pub(crate) fn test(status: u16, code: &str) -> Self {
        let origin = Some("http://127.0.0.1:8080".to_owned());
        let (message, request_id) = ("refused".to_owned(), "req_1".to_owned());
        Self { status, code: code.to_owned(), message, request_id, retry_after: None, origin }
    }

    /// Returns whether the same request can succeed later.
    pub(super) fn is_transient(&self) -> bool {
        matches!(
            self.code.as_str(),
            "RATE_LIMIT_EXCEEDED" | "SCANS_IN_PROGRESS" | "ENGINE_UNAVAILABLE" | "UNAVAILABLE"
        )
    }
}

/// Reads the error of a response.
pub(super) async fn failure(response: Response) -> ApiFailure {
    let status = response.status();
    let origin = response.url().origin().ascii_serialization();
    let header = response.headers().get("retry-after").and_then(|v| v.to_str().ok()?.parse().ok());
    let body = response.bytes().await.unwrap_or_default();
    match serde_json::from_slice::<Envelope>(&body) {
        Ok(Envelope { error }) => ApiFailure {
            status: status.as_u16(),
            code: error.code,
            message: error.message,
            request_id: error.request_id,
            retry_after: error.retry_after.or(header).map(Duration::from_secs),
            origin: Some(origin),
        },
        // A response of storage or a proxy.
        Err(_) => ApiFailure {
            status: status.as_u16(),
            code: if status == StatusCode::FORBIDDEN { "FORBIDDEN" } else { "UNEXPECTED_ANSWER" }.into(),
            message: String::from_utf8_lossy(&body).chars().take(300).collect(),
            request_id: "none".into(),
            retry_after: header.map(Duration::from_secs),
            origin: None,
        },
    }
}
