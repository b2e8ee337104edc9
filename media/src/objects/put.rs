//! Uploads. A stream is stored completely and with its declared length, or not at all.

use std::{
    path::Path,
    pin::{Pin, pin},
    task::{Context, Poll},
    time::Duration,
};

use aws_sdk_s3::{
    operation::put_object::PutObjectOutput,
    primitives::{ByteStream, SdkBody},
};
use bytes::Bytes;
use futures::{Stream, StreamExt};
use http_body::{Frame, SizeHint};
use tokio::{sync::mpsc, time::timeout};
use tokio_util::io::ReaderStream;

use super::{Error, Inner, ObjectInfo, ObjectStore, info};

/// Size of the chunks read from a file.
const FILE_CHUNK_BYTES: usize = 256 * 1024;

impl ObjectStore {
    /// Stores bytes from memory. Replaces an existing object.
    ///
    /// # Errors
    /// Returns an error if storage fails.
    pub async fn put_bytes(
        &self,
        key: &str,
        content_type: &str,
        bytes: impl Into<Bytes>,
    ) -> Result<ObjectInfo, Error> {
        let Inner { client, bucket, .. } = &*self.inner;
        let bytes = bytes.into();
        let length = bytes.len() as u64;
        let response = client
            .put_object()
            .bucket(bucket)
            .key(key)
            .content_type(content_type)
            .body(ByteStream::from(bytes))
            .send()
            .await
            .map_err(|e| Error::from_sdk(e, key))?;
        object_info(response, content_type, length)
    }

    /// Stores a stream of exactly `length` bytes and replaces an existing object. Holds only a few
    /// chunks in memory. The last chunk is sent only after the stream has ended at that length. A
    /// stream that fails, stalls, or is too short or too long leaves an existing object unchanged,
    /// and so does dropping the future.
    ///
    /// # Errors
    /// Returns [`Error::LengthMismatch`] or [`Error::Source`] for faults of the stream, and other
    /// errors if storage fails. Never retries, because the stream can be read only once.
    pub async fn put_stream<S, E>(
        &self,
        key: &str,
        content_type: &str,
        length: u64,
        stream: S,
    ) -> Result<ObjectInfo, Error>
    where
        S: Stream<Item = Result<Bytes, E>> + Send,
        E: std::fmt::Display,
    {
        let Inner { streaming, bucket, idle, .. } = &*self.inner;
        let signed_length = i64::try_from(length)
            .map_err(|_| Error::Other { reason: "the length is too large for an object".into() })?;
        let (sender, receiver) = mpsc::channel(1);
        let body = PipedBody { receiver, remaining: length };
        let request = streaming
            .put_object()
            .bucket(bucket)
            .key(key)
            .content_type(content_type)
            .content_length(signed_length)
            .body(ByteStream::new(SdkBody::from_body_1_x(body)));

        let mut stream = pin!(stream);
        if length == 0 {
            // An empty body is sent without being polled, so the stream is read first.
            let mut lookahead = Lookahead::new(length);
            while let Some(item) = next_chunk(&mut stream, *idle).await? {
                lookahead.push(item)?;
            }
        }
        let mut request = pin!(request.send());
        let pumped = if length == 0 {
            Ok(())
        } else {
            tokio::select! {
                // Storage responded early. The rest need not be sent.
                response = &mut request => {
                    let response = response.map_err(|e| Error::from_sdk(e, key))?;
                    return Err(Error::Other {
                        reason: format!("storage responded before the body ended: {:?}", response.e_tag),
                    });
                }
                pumped = pump(stream, length, sender, *idle) => pumped,
            }
        };
        // Waits after a fault too, so that no request is running when the caller sees the error.
        let response = timeout(*idle, request).await;
        pumped?;
        let response = response.map_err(|_| Error::unavailable("no response after the body was sent"))?;
        object_info(response.map_err(|e| Error::from_sdk(e, key))?, content_type, length)
    }

    /// Stores a file. Streams it and retries a bounded number of times.
    ///
    /// # Errors
    /// Returns [`Error::File`] if the file cannot be read, and other errors if storage fails.
    pub async fn put_file(&self, key: &str, content_type: &str, path: &Path) -> Result<ObjectInfo, Error> {
        let mut attempt = 1;
        loop {
            let file = tokio::fs::File::open(path).await?;
            let length = file.metadata().await?.len();
            let chunks = ReaderStream::with_capacity(file, FILE_CHUNK_BYTES);
            match self.put_stream(key, content_type, length, chunks).await {
                Err(error) if error.is_retryable() && attempt < self.inner.attempts => {
                    tracing::debug!(key, attempt, %error, "storing a file failed, retrying");
                    tokio::time::sleep(Duration::from_millis(100 << attempt.min(4))).await;
                    attempt += 1;
                }
                outcome => return outcome,
            }
        }
    }
}

fn object_info(response: PutObjectOutput, content_type: &str, length: u64) -> Result<ObjectInfo, Error> {
    info(i64::try_from(length).ok(), response.e_tag, Some(content_type.into()))
}

/// Moves the stream into the request's body and reports a fault to both sides.
async fn pump<S, E>(
    mut stream: Pin<&mut S>,
    length: u64,
    body: mpsc::Sender<Result<Bytes, std::io::Error>>,
    idle: Duration,
) -> Result<(), Error>
where
    S: Stream<Item = Result<Bytes, E>>,
    E: std::fmt::Display,
{
    let connection_lost = || Error::unavailable("the connection was lost while sending");
    let mut lookahead = Lookahead::new(length);
    let outcome: Result<(), Error> = async {
        loop {
            let ready = match next_chunk(&mut stream, idle).await? {
                Some(chunk) => lookahead.push(chunk)?,
                None => {
                    if let Some(last) = lookahead.finish()? {
                        body.send(Ok(last)).await.map_err(|_| connection_lost())?;
                    }
                    return Ok(());
                }
            };
            if let Some(chunk) = ready {
                let sent = timeout(idle, body.send(Ok(chunk))).await;
                sent.map_err(|_| Error::unavailable("storage stopped reading"))?
                    .map_err(|_| connection_lost())?;
            }
        }
    }
    .await;
    if let Err(fault) = &outcome {
        // Breaks the connection so that storage discards the partial body. If the receiver is gone
        // or doesn't read, dropping the sender has the same effect.
        let _ = body.try_send(Err(std::io::Error::other(fault.to_string())));
    }
    outcome
}

async fn next_chunk<S, E>(stream: &mut Pin<&mut S>, idle: Duration) -> Result<Option<Bytes>, Error>
where
    S: Stream<Item = Result<Bytes, E>>,
    E: std::fmt::Display,
{
    match timeout(idle, stream.next()).await {
        Ok(None) => Ok(None),
        Ok(Some(Ok(chunk))) => Ok(Some(chunk)),
        Ok(Some(Err(error))) => Err(Error::Source { reason: error.to_string() }),
        Err(_) => Err(Error::Source { reason: format!("no data for {} s", idle.as_secs()) }),
    }
}

/// Counts the bytes and holds the newest chunk back until the next chunk or the end arrives. The
/// last byte must not be sent before the stream is known to end there.
struct Lookahead {
    declared: u64,
    received: u64,
    newest: Option<Bytes>,
}

impl Lookahead {
    fn new(declared: u64) -> Self {
        Self { declared, received: 0, newest: None }
    }

    /// Accepts a chunk and returns the previous one.
    fn push(&mut self, chunk: Bytes) -> Result<Option<Bytes>, Error> {
        if chunk.is_empty() {
            return Ok(None);
        }
        self.received = self.received.saturating_add(chunk.len() as u64);
        if self.received > self.declared {
            return Err(Error::LengthMismatch { declared: self.declared, received: self.received });
        }
        Ok(self.newest.replace(chunk))
    }

    /// Returns the last chunk if the stream ended at the declared length.
    fn finish(self) -> Result<Option<Bytes>, Error> {
        if self.received < self.declared {
            return Err(Error::LengthMismatch { declared: self.declared, received: self.received });
        }
        Ok(self.newest)
    }
}

/// The receiving end of [`pump`], as a body of known length.
struct PipedBody {
    receiver: mpsc::Receiver<Result<Bytes, std::io::Error>>,
    remaining: u64,
}

impl http_body::Body for PipedBody {
    type Data = Bytes;
    type Error = std::io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, std::io::Error>>> {
        let Poll::Ready(item) = self.receiver.poll_recv(cx) else { return Poll::Pending };
        let aborted = || std::io::Error::other("the upload was aborted");
        Poll::Ready(match item {
            Some(Ok(chunk)) => {
                self.remaining = self.remaining.saturating_sub(chunk.len() as u64);
                Some(Ok(Frame::data(chunk)))
            }
            Some(Err(error)) => Some(Err(error)),
            None if self.remaining > 0 => Some(Err(aborted())),
            None => None,
        })
    }

    fn is_end_stream(&self) -> bool {
        self.remaining == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.remaining)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_chunk_is_held_until_the_stream_ends() {
        let mut lookahead = Lookahead::new(5);
        assert_eq!(lookahead.push(Bytes::from_static(b"abc")).unwrap(), None);
        assert_eq!(lookahead.push(Bytes::new()).unwrap(), None);
        assert_eq!(lookahead.push(Bytes::from_static(b"de")).unwrap().unwrap(), "abc");
        assert_eq!(lookahead.finish().unwrap().unwrap(), "de");
    }

    #[test]
    fn detects_a_wrong_length_before_the_last_chunk_is_sent() {
        let mut long = Lookahead::new(3);
        assert_eq!(long.push(Bytes::from_static(b"abc")).unwrap(), None);
        assert!(matches!(
            long.push(Bytes::from_static(b"d")),
            Err(Error::LengthMismatch { declared: 3, received: 4 })
        ));
        let mut short = Lookahead::new(3);
        short.push(Bytes::from_static(b"ab")).unwrap();
        assert!(matches!(short.finish(), Err(Error::LengthMismatch { declared: 3, received: 2 })));
    }
}
