//! One request, one answer, one connection.

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

/// Bytes of an answer's head that are read.
const MAX_HEAD_BYTES: usize = 64 * 1024;

/// An answer that arrived whole, or as much of it as is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// The HTTP status.
    pub status: u16,
    /// The beginning of the body: at most 20 kB.
    pub body: Vec<u8>,
    /// Whether there was more than `body` holds.
    pub truncated: bool,
}

/// No whole answer arrived.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct PostError {
    /// The status, when the head of an answer arrived before things went wrong.
    pub status: Option<u16>,
    /// What went wrong.
    pub error: DialError,
}

/// What went wrong between here and the other side. Texts are fit to be shown to the endpoint's owner.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DialError {
    /// The target is not one that may be called; no connection was made.
    #[error("{0}")]
    Refused(#[from] Refusal),
    /// The limit on the whole exchange was reached.
    #[error("no complete answer in time")]
    TimedOut,
    /// No connection.
    #[error("the connection failed: {0}")]
    Connect(String),
    /// No TLS, or a certificate that does not prove the host.
    #[error("TLS failed: {0}")]
    Tls(String),
    /// The connection broke, or what came over it was not HTTP.
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
        // The outer text is hyper's own wording; the inner may hold what the other side sent.
        DialError::Http(error.to_string())
    }
}

/// Sends the request and reads the answer up to the limits. `status` is set as soon as it is known.
pub(super) async fn post(
    url: &VettedUrl,
    headers: HeaderMap,
    body: Bytes,
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    limits: Limits,
    status: &mut Option<u16>,
) -> Result<Response, DialError> {
    let mut builder = http1::Builder::new();
    builder.max_header_size(MAX_HEAD_BYTES).max_buf_size(MAX_HEAD_BYTES);
    let (mut sender, connection) = builder.handshake(TokioIo::new(stream)).await?;
    // Dropping the set, on any way out of here, closes the connection.
    let mut driver = JoinSet::new();
    driver.spawn(connection);

    let response = sender.send_request(request(url, headers, body)?).await?;
    let code = response.status().as_u16();
    *status = Some(code);

    let mut body = response.into_body();
    let (mut kept, mut read) = (Vec::new(), 0);
    while read < limits.read {
        let Some(frame) = body.frame().await else { break };
        let Ok(data) = frame?.into_data() else { continue };
        let room = limits.keep - kept.len();
        kept.extend_from_slice(&data[..data.len().min(room)]);
        read += data.len();
    }
    Ok(Response { status: code, truncated: read > kept.len(), body: kept })
}

fn request(url: &VettedUrl, headers: HeaderMap, body: Bytes) -> Result<Request<Full<Bytes>>, DialError> {
    let unsendable = |error: http::Error| DialError::Http(error.to_string());
    let host = HeaderValue::from_str(url.host()).map_err(|error| unsendable(error.into()))?;
    let mut request = Request::builder()
        .method(Method::POST)
        .uri(url.path_and_query())
        .body(Full::new(body))
        .map_err(unsendable)?;
    *request.headers_mut() = headers;
    request.headers_mut().insert(header::HOST, host);
    request.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    Ok(request)
}
