//! Sends one HTTP/1.1 request over an open stream and reads the response.

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, header};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    task::JoinSet,
};

use super::Limits;
use crate::vetting::{Refusal, RefusalCode, VettedUrl};

/// Maximum size of a response's head.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// A response, with a body that may be truncated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The beginning of the body, at most 20 kB.
    pub body: Vec<u8>,
    /// Whether `body` is not the whole body: it was longer, or it did not arrive completely.
    pub truncated: bool,
}

/// Reason why a request got no response. The texts may be shown to the endpoint's owner.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DialError {
    /// The target is not allowed. No connection was opened.
    #[error("{0}")]
    Refused(#[from] Refusal),
    /// The time limit of the whole request was reached.
    #[error("no response in time")]
    TimedOut,
    /// The connection failed.
    #[error("the connection failed: {0}")]
    Connect(String),
    /// The TLS handshake failed, or the certificate doesn't match the host.
    #[error("TLS failed: {0}")]
    Tls(String),
    /// The connection broke, or the response was not HTTP.
    #[error("the HTTP exchange failed: {0}")]
    Http(String),
}

impl From<RefusalCode> for DialError {
    fn from(code: RefusalCode) -> Self {
        DialError::Refused(code.into())
    }
}

impl From<hyper::Error> for DialError {
    fn from(error: hyper::Error) -> Self {
        // Uses only hyper's own text. The inner error may contain data from the other side.
        DialError::Http(error.to_string())
    }
}

/// Sends the request and reads the response up to the limits. Sets `received` as soon as the head has
/// arrived and then adds the body to it, so that the caller keeps what arrived before a failure.
pub(super) async fn post(
    url: &VettedUrl,
    headers: HeaderMap,
    body: Bytes,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    limits: Limits,
    received: &mut Option<Response>,
) -> Result<(), DialError> {
    let mut builder = http1::Builder::new();
    builder.max_header_size(MAX_HEAD_BYTES).max_buf_size(MAX_HEAD_BYTES);
    let (mut sender, connection) = builder.handshake(TokioIo::new(stream)).await?;
    // Dropping the set closes the connection on every return path.
    let mut driver = JoinSet::new();
    driver.spawn(connection);

    let response = sender.send_request(request(url, headers, body)?).await?;
    let status = response.status().as_u16();
    let received = received.insert(Response { status, body: Vec::new(), truncated: true });

    let mut body = response.into_body();
    let mut read = 0;
    while read < limits.read {
        let Some(frame) = body.frame().await else {
            received.truncated = read > received.body.len();
            break;
        };
        let Ok(data) = frame?.into_data() else { continue };
        let capacity = limits.keep - received.body.len();
        received.body.extend_from_slice(&data[..data.len().min(capacity)]);
        read += data.len();
    }
    Ok(())
}

fn request(url: &VettedUrl, headers: HeaderMap, body: Bytes) -> Result<Request<Full<Bytes>>, DialError> {
    let invalid = |error: http::Error| DialError::Http(error.to_string());
    let host = HeaderValue::from_str(url.host()).map_err(|error| invalid(error.into()))?;
    let mut request = Request::builder()
        .method(Method::POST)
        .uri(url.path_and_query())
        .body(Full::new(body))
        .map_err(invalid)?;
    *request.headers_mut() = headers;
    request.headers_mut().insert(header::HOST, host);
    request.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    Ok(request)
}
