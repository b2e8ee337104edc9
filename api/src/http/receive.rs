//! Receives uploads: checks the media while they stream to storage.

use std::{
    sync::{Arc, OnceLock},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use domain::{
    ApiErrorCode,
    media::{agrees, sniff},
};
use futures::{Stream, StreamExt};
use media::{ObjectInfo, objects};
use tokio::{io::AsyncWriteExt, time::timeout};

use crate::{
    App,
    http::{
        body::{Body, IncompleteBody, incomplete_body, too_large},
        error::{ApiError, ApiResult},
    },
};

/// Number of leading bytes that identify a file type.
const HEAD_BYTES: usize = 64;

/// Requirements of an upload.
#[derive(Debug)]
pub(crate) struct Expected {
    /// Media type in `Content-Type`.
    pub(crate) content_type: String,
    /// Exact size in bytes, if it was declared when the scan was created.
    pub(crate) bytes: Option<u64>,
    /// Maximum size in bytes.
    pub(crate) limit: u64,
}

/// Stores a body at `key` if it meets the requirements. Otherwise the object at `key` is unchanged.
///
/// # Errors
/// Returns `PAYLOAD_TOO_LARGE`, `UPLOAD_MISMATCH`, `REQUEST_TIMEOUT`, `VALIDATION_FAILED` if the
/// body is incomplete, or `UNAVAILABLE` if storage is unavailable.
pub(crate) async fn receive(
    app: &App,
    key: &str,
    expected: &Expected,
    mut body: Body,
) -> ApiResult<ObjectInfo> {
    let length = expected.bytes.or(body.declared());
    if let Some(declared) = body.declared() {
        check_length(expected, declared)?;
    }
    let idle = Duration::from_secs(app.settings().upload_idle_seconds);
    let head = read_head(&mut body, idle).await?;
    let found = sniff(&head);
    if !found.is_some_and(|found| agrees(&expected.content_type, found)) {
        let found = found.unwrap_or("an unknown media type");
        let declared = &expected.content_type;
        return Err(mismatch(format!("The content is {found}, not {declared}.")));
    }
    let fault = FaultCell::default();
    let stream = std::pin::pin!(limited_stream(head, &mut body, idle, expected.limit, fault.clone()));
    let stored = match length {
        Some(length) => {
            app.with_storage(app.objects().put_stream(key, &expected.content_type, length, stream)).await
        }
        None => store_through_file(app, key, expected, stream).await,
    };
    match stored {
        Ok(info) => {
            app.metrics().record_upload(info.bytes);
            Ok(info)
        }
        Err(error) => Err(fault.take(expected).unwrap_or_else(|| storage_error(error))),
    }
}

/// Checks the `Content-Length`.
fn check_length(expected: &Expected, declared: u64) -> ApiResult<()> {
    if declared > expected.limit {
        return Err(too_large(expected.limit));
    }
    match expected.bytes {
        Some(bytes) if bytes != declared => {
            Err(mismatch(format!("`Content-Length` is {declared} bytes, but {bytes} bytes were declared.")))
        }
        _ => Ok(()),
    }
}

/// Reads the first [`HEAD_BYTES`] bytes of a body, or all if there are fewer.
async fn read_head(body: &mut Body, idle: Duration) -> ApiResult<Bytes> {
    let mut head = BytesMut::new();
    while head.len() < HEAD_BYTES {
        match timeout(idle, body.next()).await {
            Err(_) => return Err(ApiError::new(ApiErrorCode::RequestTimeout)),
            Ok(None) => break,
            Ok(Some(chunk)) => head.extend_from_slice(&chunk.map_err(incomplete_body)?),
        }
    }
    Ok(head.freeze())
}

/// The reason why a stream failed. Storage reports only that it failed.
#[derive(Clone, Default)]
struct FaultCell(Arc<OnceLock<StreamFault>>);

#[derive(Clone, Copy)]
enum StreamFault {
    TooLong,
    TooSlow,
    Incomplete,
}

impl FaultCell {
    fn set(&self, fault: StreamFault) -> IncompleteBody {
        let _ = self.0.set(fault);
        let text = match fault {
            StreamFault::TooLong => "too long",
            StreamFault::TooSlow => "too slow",
            StreamFault::Incomplete => "incomplete",
        };
        IncompleteBody(text.to_owned())
    }

    fn take(&self, expected: &Expected) -> Option<ApiError> {
        Some(match self.0.get()? {
            StreamFault::TooLong => too_large(expected.limit),
            StreamFault::TooSlow => ApiError::new(ApiErrorCode::RequestTimeout),
            StreamFault::Incomplete => incomplete_body(IncompleteBody("while it was stored".to_owned())),
        })
    }
}

/// Returns the head and the rest of a body. Fails if it exceeds `limit` bytes, or if no bytes
/// arrive for `idle`.
fn limited_stream<'a>(
    head: Bytes,
    body: &'a mut Body,
    idle: Duration,
    limit: u64,
    fault: FaultCell,
) -> impl Stream<Item = Result<Bytes, IncompleteBody>> + Send + 'a {
    let remaining = limit.saturating_sub(head.len() as u64);
    let rest = futures::stream::unfold(Some((body, fault, remaining)), move |state| async move {
        let (body, fault, remaining) = state?;
        let error = match timeout(idle, body.next()).await {
            Ok(None) => return None,
            Ok(Some(Ok(chunk))) => match remaining.checked_sub(chunk.len() as u64) {
                Some(remaining) => return Some((Ok(chunk), Some((body, fault, remaining)))),
                None => StreamFault::TooLong,
            },
            Ok(Some(Err(_))) => StreamFault::Incomplete,
            Err(_) => StreamFault::TooSlow,
        };
        Some((Err(fault.set(error)), None))
    });
    futures::stream::once(std::future::ready(Ok(head))).chain(rest)
}

/// Stores a stream of unknown length (`Transfer-Encoding: chunked`) through a temporary file,
/// because storage requires the length first.
async fn store_through_file(
    app: &App,
    key: &str,
    expected: &Expected,
    mut stream: impl Stream<Item = Result<Bytes, IncompleteBody>> + Unpin,
) -> Result<ObjectInfo, objects::Error> {
    let folder = app.scratch().folder("upload")?;
    let path = folder.file("body");
    let mut file = tokio::fs::File::create(&path).await?;
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|error| objects::Error::Source { reason: error.to_string() })?;
        file.write_all(&chunk).await?;
    }
    file.shutdown().await?;
    app.with_storage(app.objects().put_file(key, &expected.content_type, &path)).await
}

fn mismatch(message: String) -> ApiError {
    ApiError::new(ApiErrorCode::UploadMismatch).message(message)
}

/// Maps an error of storage.
fn storage_error(error: objects::Error) -> ApiError {
    match error {
        objects::Error::LengthMismatch { declared, received } => {
            let received = if received > declared { "more".to_owned() } else { received.to_string() };
            mismatch(format!("{declared} bytes were declared, {received} were received."))
        }
        other => other.into(),
    }
}
