//! One attempt to deliver an event.

use std::time::Instant;

use bytes::Bytes;
use domain::{EventId, Timestamp};
use http::{HeaderMap, HeaderValue, header};
use serde::{Deserialize, Serialize};

use super::{EVENT_ID_HEADER, SIGNATURE_HEADER, SigningSecrets, USER_AGENT, sign};
use crate::dial::{DialError, Dialer, PostError, Response};

/// Most bytes of an answer that an outcome keeps.
const MAX_EXCERPT_BYTES: usize = 20_000;

/// What is sent, and to whom.
#[derive(Debug, Clone)]
pub struct Attempt {
    /// The endpoint's URL. Vetted here, whatever was vetted before.
    pub url: String,
    /// The endpoint's secrets.
    pub secrets: SigningSecrets,
    /// The event's id, as in the body.
    pub event_id: EventId,
    /// The bytes of the event: the same for each attempt.
    pub body: Bytes,
    /// When the attempt is made: the time that is signed.
    pub now: Timestamp,
}

/// How an attempt ended. Fit to be stored and shown to the endpoint's owner.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptOutcome {
    /// Whether a 2xx arrived in time.
    pub ok: bool,
    /// The status of the answer, as soon as there was one.
    pub status: Option<u16>,
    /// Why the attempt failed; nothing when it did not.
    pub error: Option<AttemptError>,
    /// The beginning of the answer's body: at most 20 kB, bytes that are not text replaced.
    pub response: Option<String>,
    /// Whether the body was longer than `response`.
    pub response_truncated: bool,
    /// How long the attempt took, in milliseconds.
    pub duration_ms: u64,
}

/// Why an attempt failed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AttemptError {
    /// For programs.
    pub code: AttemptErrorCode,
    /// For people.
    pub message: String,
}

/// The kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AttemptErrorCode {
    /// The URL, or an address of its host, is not allowed (any more).
    TargetRefused,
    /// No complete answer within the time limit.
    TimedOut,
    /// No connection.
    ConnectionFailed,
    /// TLS failed, or the certificate is not the host's.
    TlsFailed,
    /// The connection broke, or the answer was not HTTP.
    HttpFailed,
    /// A 3xx: redirects are not followed.
    Redirected,
    /// Any other status that is not 2xx.
    NotAccepted,
}

impl AttemptErrorCode {
    /// The code as it is stored and shown.
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

/// Signs the body and sends it once. Never fails: what went wrong is in the outcome. Sending twice is
/// allowed by the contract (at least once; receivers ignore repeats by id).
pub async fn send(dialer: &Dialer, attempt: Attempt) -> AttemptOutcome {
    let started = Instant::now();
    let result = match headers(&attempt) {
        Ok(headers) => dialer.post(&attempt.url, headers, attempt.body).await,
        Err(error) => Err(PostError { status: None, error }),
    };
    let duration_ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    let outcome = match result {
        Ok(answer) => outcome_of_response(answer, duration_ms),
        Err(failure) => outcome_of_error(failure, duration_ms),
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
        HeaderValue::from_str(text).map_err(|_| DialError::Http("a header cannot be sent".into()))
    };
    let mut headers = HeaderMap::new();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(header::USER_AGENT, HeaderValue::from_static(USER_AGENT));
    headers.insert(EVENT_ID_HEADER, value(attempt.event_id.as_str())?);
    headers.insert(SIGNATURE_HEADER, value(&signature)?);
    Ok(headers)
}

fn outcome_of_response(answer: Response, duration_ms: u64) -> AttemptOutcome {
    let error = match answer.status {
        200..=299 => None,
        300..=399 => Some(AttemptError {
            code: AttemptErrorCode::Redirected,
            message: format!("the endpoint answered {}; redirects are not followed", answer.status),
        }),
        status => Some(AttemptError {
            code: AttemptErrorCode::NotAccepted,
            message: format!("the endpoint answered {status}"),
        }),
    };
    let (response, cut) = excerpt(&answer.body);
    AttemptOutcome {
        ok: error.is_none(),
        status: Some(answer.status),
        error,
        response: Some(response),
        response_truncated: answer.truncated || cut,
        duration_ms,
    }
}

fn outcome_of_error(failure: PostError, duration_ms: u64) -> AttemptOutcome {
    let code = match &failure.error {
        DialError::Refused(_) => AttemptErrorCode::TargetRefused,
        DialError::TimedOut => AttemptErrorCode::TimedOut,
        DialError::Connect(_) => AttemptErrorCode::ConnectionFailed,
        DialError::Tls(_) => AttemptErrorCode::TlsFailed,
        DialError::Http(_) => AttemptErrorCode::HttpFailed,
    };
    AttemptOutcome {
        ok: false,
        status: failure.status,
        error: Some(AttemptError { code, message: failure.error.to_string() }),
        response: None,
        response_truncated: false,
        duration_ms,
    }
}

/// Text that any database takes: valid UTF-8 without NUL, and still within the limit after what is
/// not text was replaced (a replacement is three bytes). The flag says whether something was cut off.
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
    fn an_excerpt_is_text_within_the_limit_whatever_came() {
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
    fn codes_are_written_as_they_are_serialized() {
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
