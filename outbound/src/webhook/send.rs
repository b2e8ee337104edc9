//! Sends an event to an endpoint once.

use std::time::Instant;

use bytes::Bytes;
use domain::{EventId, Timestamp};
use http::{HeaderMap, HeaderValue, header};
use serde::{Deserialize, Serialize};

use super::{EVENT_ID_HEADER, SIGNATURE_HEADER, SigningSecrets, USER_AGENT, sign};
use crate::dial::{DialError, Dialer, Response};

/// Maximum size of the response excerpt in an outcome, in bytes.
const MAX_EXCERPT_BYTES: usize = 20_000;

/// An attempt to deliver an event.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// URL of the endpoint. Vetted again by [`send`].
    pub url: String,
    /// Signing secrets of the endpoint.
    pub secrets: SigningSecrets,
    /// Id of the event, as in the body.
    pub event_id: EventId,
    /// Body of the event; the same for each attempt.
    pub body: Bytes,
    /// Time of the attempt, which is signed.
    pub now: Timestamp,
}

/// Result of an attempt. May be stored and shown to the endpoint's owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptOutcome {
    /// Whether the head of a 2xx response arrived in time; the body may be incomplete.
    pub ok: bool,
    /// Status of the response, if its head arrived.
    pub status: Option<u16>,
    /// Reason why the attempt failed; `None` if it succeeded.
    pub error: Option<AttemptError>,
    /// Beginning of the response body, at most 20 kB. Bytes that are not UTF-8 are replaced.
    pub response: Option<String>,
    /// Whether `response` is not the whole body.
    pub response_truncated: bool,
    /// Duration of the attempt, in milliseconds.
    pub duration_ms: u64,
}

/// Reason why an attempt failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptError {
    /// Code for programs.
    pub code: AttemptErrorCode,
    /// Sentence for people.
    pub message: String,
}

/// Code of a failed attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptErrorCode {
    /// The URL or an address of its host is not allowed.
    TargetRefused,
    /// No response arrived within the time limit.
    TimedOut,
    /// The connection failed.
    ConnectionFailed,
    /// TLS failed, or the certificate doesn't match the host.
    TlsFailed,
    /// The connection broke, or the response was not HTTP.
    HttpFailed,
    /// The endpoint responded with a redirect, which is not followed.
    Redirected,
    /// The endpoint responded with another status that isn't 2xx.
    NotAccepted,
}

impl AttemptErrorCode {
    /// Returns the code as stored and returned by the API.
    pub const fn as_str(self) -> &'static str {
        match self {
            AttemptErrorCode::TargetRefused => "target_refused",
            AttemptErrorCode::TimedOut => "timed_out",
            AttemptErrorCode::ConnectionFailed => "connection_failed",
            AttemptErrorCode::TlsFailed => "tls_failed",
            AttemptErrorCode::HttpFailed => "http_failed",
            AttemptErrorCode::Redirected => "redirected",
            AttemptErrorCode::NotAccepted => "not_accepted",
        }
    }
}

/// Signs the body and sends it once. Returns failures in the outcome. Sending twice is allowed:
/// delivery is at least once, and receivers ignore repeated event ids.
pub async fn send(dialer: &Dialer, attempt: Attempt) -> AttemptOutcome {
    let started = Instant::now();
    let result = match headers(&attempt) {
        Ok(headers) => dialer.post(&attempt.url, headers, attempt.body).await,
        Err(error) => Err(error),
    };
    let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let outcome = match result {
        Ok(response) => outcome_of_response(response, duration_ms),
        Err(error) => outcome_of_error(&error, duration_ms),
    };
    tracing::debug!(
        event_id = %attempt.event_id,
        status = outcome.status,
        error = outcome.error.as_ref().map(|error| error.code.as_str()),
        duration_ms,
        "webhook attempt"
    );
    outcome
}

fn headers(attempt: &Attempt) -> Result<HeaderMap, DialError> {
    let signature = sign(&attempt.secrets, attempt.now.as_seconds(), &attempt.body);
    let value = |text: &str| {
        HeaderValue::from_str(text).map_err(|_| DialError::Http("a header value is invalid".into()))
    };
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::USER_AGENT, HeaderValue::from_static(USER_AGENT));
    headers.insert(EVENT_ID_HEADER, value(attempt.event_id.as_str())?);
    headers.insert(SIGNATURE_HEADER, value(&signature)?);
    Ok(headers)
}

fn outcome_of_response(response: Response, duration_ms: u64) -> AttemptOutcome {
    let error = match response.status {
        200..=299 => None,
        300..=399 => Some(AttemptError {
            code: AttemptErrorCode::Redirected,
            message: format!("the endpoint responded with {}; redirects are not followed", response.status),
        }),
        status => Some(AttemptError {
            code: AttemptErrorCode::NotAccepted,
            message: format!("the endpoint responded with {status}"),
        }),
    };
    let (text, truncated) = excerpt(&response.body);
    AttemptOutcome {
        ok: error.is_none(),
        status: Some(response.status),
        error,
        response: Some(text),
        response_truncated: response.truncated || truncated,
        duration_ms,
    }
}

fn outcome_of_error(error: &DialError, duration_ms: u64) -> AttemptOutcome {
    let code = match error {
        DialError::Refused(_) => AttemptErrorCode::TargetRefused,
        DialError::TimedOut => AttemptErrorCode::TimedOut,
        DialError::Connect(_) => AttemptErrorCode::ConnectionFailed,
        DialError::Tls(_) => AttemptErrorCode::TlsFailed,
        DialError::Http(_) => AttemptErrorCode::HttpFailed,
    };
    AttemptOutcome {
        ok: false,
        status: None,
        error: Some(AttemptError { code, message: error.to_string() }),
        response: None,
        response_truncated: false,
        duration_ms,
    }
}

/// Converts bytes to text that every database accepts: valid UTF-8 without NUL, within the limit
/// after replacements (which take three bytes each). The flag tells whether the text was truncated.
fn excerpt(bytes: &[u8]) -> (String, bool) {
    let mut text = String::from_utf8_lossy(bytes).replace('\0', "\u{fffd}");
    let end = text.floor_char_boundary(MAX_EXCERPT_BYTES);
    let cut = end < text.len();
    text.truncate(end);
    (text, cut)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpt_is_valid_text_within_the_limit() {
        for (bytes, cut) in [
            (b"hello".to_vec(), false),
            (vec![0; MAX_EXCERPT_BYTES], true),
            (vec![0xff; MAX_EXCERPT_BYTES], true),
            ("é".repeat(MAX_EXCERPT_BYTES / 2).into_bytes(), false),
            ([vec![b'x'], "é".repeat(MAX_EXCERPT_BYTES / 2).into_bytes()].concat(), true),
        ] {
            let (text, was_cut) = excerpt(&bytes);
            assert!(text.len() <= MAX_EXCERPT_BYTES && !text.contains('\0'));
            assert!(!text.is_empty());
            assert_eq!(was_cut, cut);
        }
    }

    #[test]
    fn codes_match_their_serialization() {
        for code in [
            AttemptErrorCode::TargetRefused,
            AttemptErrorCode::TimedOut,
            AttemptErrorCode::ConnectionFailed,
            AttemptErrorCode::TlsFailed,
            AttemptErrorCode::HttpFailed,
            AttemptErrorCode::Redirected,
            AttemptErrorCode::NotAccepted,
        ] {
            assert_eq!(serde_json::to_value(code).unwrap(), code.as_str());
        }
    }
}
