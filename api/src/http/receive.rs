//! Taking in media: checked while they stream to storage, never whole in memory.

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
        body::{Body, BodyBroken, broken, too_large},
        error::{ApiError, ApiResult},
    },
};

/// As many first bytes as tell what kind of file it is.
const HEAD: usize = 64;

/// What an upload must be.
#[derive(Debug)]
pub(crate) struct Expected {
    /// Media type, as the header says it.
    pub(crate) content_type: String,
    /// Exact size, where it was declared when the scan was created.
    pub(crate) bytes: Option<u64>,
    /// Most bytes.
    pub(crate) limit: u64,
}

/// Stores a body at `key` if it is what is expected, in the place of what was there. Otherwise what was
/// there stays.
///
/// # Errors
/// `PAYLOAD_TOO_LARGE`, `UPLOAD_MISMATCH`, `REQUEST_TIMEOUT`, `VALIDATION_FAILED` for a body that breaks
/// off, `UNAVAILABLE` when storage is.
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
    let head = head(&mut body, idle).await?;
    let found = sniff(&head);
    if !found.is_some_and(|found| agrees(&expected.content_type, found)) {
        let found = found.unwrap_or("nothing that can be told");
        let declared = &expected.content_type;
        return Err(mismatch(format!("The bytes are {found}, not {declared}.")));
    }
    let fault = Fault::default();
    let stream = std::pin::pin!(watched(head, &mut body, idle, expected.limit, fault.clone()));
    let stored = match length {
        Some(length) => app.objects().put_stream(key, &expected.content_type, length, stream).await,
        None => through_a_file(app, key, expected, stream).await,
    };
    match stored {
        Ok(info) => {
            app.metrics().uploaded(info.bytes);
            Ok(info)
        }
        Err(error) => Err(fault.take(expected).unwrap_or_else(|| refused(error))),
    }
}

/// Refuses by the `Content-Length` alone what cannot become right.
fn check_length(expected: &Expected, declared: u64) -> ApiResult<()> {
    if declared > expected.limit {
        return Err(too_large(expected.limit));
    }
    match expected.bytes {
        Some(bytes) if bytes != declared => {
            Err(mismatch(format!("{declared} bytes are announced, {bytes} were declared.")))
        }
        _ => Ok(()),
    }
}

/// The first bytes of a body: [`HEAD`] of them, or all there are.
async fn head(body: &mut Body, idle: Duration) -> ApiResult<Bytes> {
    let mut head = BytesMut::new();
    while head.len() < HEAD {
        match timeout(idle, body.next()).await {
            Err(_) => return Err(ApiError::new(ApiErrorCode::RequestTimeout)),
            Ok(None) => break,
            Ok(Some(chunk)) => head.extend_from_slice(&chunk.map_err(broken)?),
        }
    }
    Ok(head.freeze())
}

/// What was wrong with a stream, for who sees only that it failed.
#[derive(Clone, Default)]
struct Fault(Arc<OnceLock<Wrong>>);

#[derive(Clone, Copy)]
enum Wrong {
    TooLong,
    TooSlow,
    Broken,
}

impl Fault {
    fn set(&self, wrong: Wrong) -> BodyBroken {
        let _ = self.0.set(wrong);
        let text = match wrong {
            Wrong::TooLong => "too long",
            Wrong::TooSlow => "too slow",
            Wrong::Broken => "broken off",
        };
        BodyBroken(text.to_owned())
    }

    fn take(&self, expected: &Expected) -> Option<ApiError> {
        Some(match self.0.get()? {
            Wrong::TooLong => too_large(expected.limit),
            Wrong::TooSlow => ApiError::new(ApiErrorCode::RequestTimeout),
            Wrong::Broken => broken(BodyBroken("while it was stored".to_owned())),
        })
    }
}

/// The head and the rest of a body, no longer than `limit` and never silent for longer than `idle`.
fn watched<'a>(
    head: Bytes,
    body: &'a mut Body,
    idle: Duration,
    limit: u64,
    fault: Fault,
) -> impl Stream<Item = Result<Bytes, BodyBroken>> + Send + 'a {
    let room = limit.saturating_sub(head.len() as u64);
    let rest = futures::stream::unfold(Some((body, fault, room)), move |state| async move {
        let (body, fault, room) = state?;
        let wrong = match timeout(idle, body.next()).await {
            Ok(None) => return None,
            Ok(Some(Ok(chunk))) => match room.checked_sub(chunk.len() as u64) {
                Some(room) => return Some((Ok(chunk), Some((body, fault, room)))),
                None => Wrong::TooLong,
            },
            Ok(Some(Err(_))) => Wrong::Broken,
            Err(_) => Wrong::TooSlow,
        };
        Some((Err(fault.set(wrong)), None))
    });
    futures::stream::once(std::future::ready(Ok(head))).chain(rest)
}

/// Stores a stream of unknown length (`Transfer-Encoding: chunked`): storage wants to know the length
/// first, so it goes through a file.
async fn through_a_file(
    app: &App,
    key: &str,
    expected: &Expected,
    mut stream: impl Stream<Item = Result<Bytes, BodyBroken>> + Unpin,
) -> Result<ObjectInfo, objects::Error> {
    let folder = app.scratch().folder("upload")?;
    let path = folder.file("body");
    let mut file = tokio::fs::File::create(&path).await?;
    while let Some(chunk) = stream.next().await {
        let chunk = chunk.map_err(|error| objects::Error::Source { reason: error.to_string() })?;
        file.write_all(&chunk).await?;
    }
    file.shutdown().await?;
    app.objects().put_file(key, &expected.content_type, &path).await
}

fn mismatch(message: String) -> ApiError {
    ApiError::new(ApiErrorCode::UploadMismatch).message(message)
}

/// What storage says of a stream that is not at fault by itself.
fn refused(error: objects::Error) -> ApiError {
    match error {
        objects::Error::LengthMismatch { declared, received } => {
            let came = if received > declared { "more".to_owned() } else { format!("{received}") };
            mismatch(format!("{declared} bytes were declared, {came} came."))
        }
        other => other.into(),
    }
}
