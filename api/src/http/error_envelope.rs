//! Gives errors of the HTTP layer itself the error envelope.
//!
//! hyper answers a request that it cannot parse, before any service sees it, with a response of its
//! own without a body. This wrapper of the connection replaces those responses.

use std::{
    io::{self, IoSlice},
    pin::Pin,
    task::{Context, Poll, ready},
};

use domain::{ApiErrorCode, RequestId};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use crate::http::error::ApiError;

/// Maximum length of a response of hyper, which has no headers but length, date and connection.
const MAX_BARE_BYTES: usize = 256;

/// A connection whose bare error responses get a body.
pub(super) struct ErrorEnvelope<S> {
    stream: S,
    /// Rest of a replaced response, to be written before anything else.
    pending: Vec<u8>,
}

impl<S: AsyncWrite + Unpin> ErrorEnvelope<S> {
    pub(super) fn new(stream: S) -> Self {
        Self { stream, pending: Vec::new() }
    }

    fn poll_pending(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.pending.is_empty() {
            let written = ready!(Pin::new(&mut self.stream).poll_write(context, &self.pending))?;
            if written == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.pending.drain(..written);
        }
        Poll::Ready(Ok(()))
    }
}

/// Returns the status of a whole response that hyper made: an error without a body.
fn bare_status(response: &[u8]) -> Option<u16> {
    if response.len() > MAX_BARE_BYTES || !response.starts_with(b"HTTP/1.1 4") {
        return None;
    }
    let head = std::str::from_utf8(response).ok()?.strip_suffix("\r\n\r\n")?;
    let mut lines = head.split("\r\n");
    let status = lines.next()?.split(' ').nth(1)?.parse().ok()?;
    let names: Vec<String> =
        lines.filter_map(|line| line.split_once(':')).map(|(name, _)| name.to_ascii_lowercase()).collect();
    let is_bare = names.iter().all(|name| matches!(name.as_str(), "content-length" | "date" | "connection"));
    (is_bare && head.contains("content-length: 0")).then_some(status)
}

/// Builds the response with the envelope.
fn enveloped(status: u16) -> Vec<u8> {
    let (code, message) = match status {
        431 => (ApiErrorCode::HeadersTooLarge, "The head of the request is too large."),
        414 => (ApiErrorCode::HeadersTooLarge, "The URL of the request is too long."),
        _ => (ApiErrorCode::ValidationFailed, "The request is not valid HTTP."),
    };
    let id = RequestId::new();
    let body = ApiError::new(code).message(message).into_json(&id);
    let reason = http::StatusCode::from_u16(code.status()).ok().and_then(|status| status.canonical_reason());
    let head = format!(
        "HTTP/1.1 {} {}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\
         cache-control: no-store\r\nx-content-type-options: nosniff\r\nx-request-id: {id}\r\n\r\n",
        code.status(),
        reason.unwrap_or_default(),
        body.len(),
    );
    [head.as_bytes(), &body].concat()
}

impl<S: AsyncRead + Unpin> AsyncRead for ErrorEnvelope<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ErrorEnvelope<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_pending(context))?;
        let Some(status) = bare_status(bytes) else {
            return Pin::new(&mut self.stream).poll_write(context, bytes);
        };
        self.pending = enveloped(status);
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        ready!(self.poll_pending(context))?;
        match parts {
            [only] => self.poll_write(context, only),
            _ => Pin::new(&mut self.stream).poll_write_vectored(context, parts),
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_pending(context))?;
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.poll_pending(context))?;
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_responses_without_a_service() {
        let bare = b"HTTP/1.1 431 Request Header Fields Too Large\r\ncontent-length: 0\r\ndate: x\r\n\r\n";
        assert_eq!(bare_status(bare), Some(431));
        for other in [
            &b"HTTP/1.1 404 Not Found\r\nx-request-id: req_1\r\ncontent-length: 0\r\n\r\n"[..],
            b"HTTP/1.1 400 Bad Request\r\ncontent-length: 2\r\n\r\n{}",
            b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
            b"HTTP/1.1 4",
        ] {
            assert_eq!(bare_status(other), None);
        }
    }
}
