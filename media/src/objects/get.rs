//! Downloads.

use std::{ops::Range, path::Path, time::Duration};

use aws_sdk_s3::{operation::get_object::GetObjectOutput, primitives::ByteStream};
use bytes::{Bytes, BytesMut};
use futures::{StreamExt, TryStreamExt, stream::BoxStream};
use sha2::{Digest, Sha256};
use tokio::{fs, io::AsyncWriteExt, time::timeout};

use super::{Error, Inner, ObjectInfo, ObjectStore, error::chain, info};

/// A download in progress.
pub struct ObjectStream {
    /// Metadata of the object.
    pub info: ObjectInfo,
    /// The bytes. The stream ends with [`Error::Unavailable`] if it is idle for longer than the
    /// idle timeout.
    pub chunks: BoxStream<'static, Result<Bytes, Error>>,
}

/// An object that was downloaded to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Downloaded {
    /// Size in bytes.
    pub bytes: u64,
    /// SHA-256 of the bytes, in hex.
    pub sha256: String,
}

impl ObjectStore {
    /// Reads a whole object into memory.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`], [`Error::TooLarge`] if the object has more than `max_bytes`,
    /// and other errors if storage fails.
    pub async fn get_bytes(&self, key: &str, max_bytes: u64) -> Result<Bytes, Error> {
        let object = self.get_stream(key).await?;
        if object.info.bytes > max_bytes {
            return Err(Error::TooLarge { key: key.into(), limit: max_bytes });
        }
        collect(object.chunks, key, max_bytes).await
    }

    /// Reads the given byte range of an object (end exclusive). The result is shorter, or empty, if
    /// the object ends earlier.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`], and other errors if storage fails.
    pub async fn get_range(&self, key: &str, range: Range<u64>) -> Result<Bytes, Error> {
        let Inner { client, bucket, idle, .. } = &*self.inner;
        let Some(last) = range.end.checked_sub(1).filter(|last| *last >= range.start) else {
            return Ok(Bytes::new());
        };
        let header = format!("bytes={}-{last}", range.start);
        match client.get_object().bucket(bucket).key(key).range(header).send().await {
            // Storage may ignore the header and send the whole object; more than the requested
            // length is an error.
            Ok(response) => collect(chunks(response.body, *idle), key, range.end - range.start).await,
            Err(error) if error.raw_response().is_some_and(|raw| raw.status().as_u16() == 416) => {
                Ok(Bytes::new())
            }
            Err(error) => Err(Error::from_sdk(error, key)),
        }
    }

    /// Reads at most the first `count` bytes of an object, for example to detect its media type.
    ///
    /// # Errors
    /// Same as for [`ObjectStore::get_range`].
    pub async fn get_head_bytes(&self, key: &str, count: u64) -> Result<Bytes, Error> {
        self.get_range(key, 0..count).await
    }

    /// Returns a whole object as a stream.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`], and other errors if storage fails.
    pub async fn get_stream(&self, key: &str) -> Result<ObjectStream, Error> {
        let Inner { client, bucket, idle, .. } = &*self.inner;
        let response = client.get_object().bucket(bucket).key(key).send().await;
        let GetObjectOutput { body, content_length, e_tag, content_type, .. } =
            response.map_err(|e| Error::from_sdk(e, key))?;
        Ok(ObjectStream { info: info(content_length, e_tag, content_type)?, chunks: chunks(body, *idle) })
    }

    /// Returns a byte range of an object (end exclusive) as a stream. `info.bytes` is the length of the
    /// range.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`], and other errors if storage fails, also if the range is not within
    /// the object.
    pub async fn get_range_stream(&self, key: &str, range: Range<u64>) -> Result<ObjectStream, Error> {
        let Inner { client, bucket, idle, .. } = &*self.inner;
        let length = range.end.saturating_sub(range.start);
        let header = format!("bytes={}-{}", range.start, range.end.saturating_sub(1));
        let response = client.get_object().bucket(bucket).key(key).range(header).send().await;
        let GetObjectOutput { body, content_length, e_tag, content_type, .. } =
            response.map_err(|e| Error::from_sdk(e, key))?;
        let info = info(content_length, e_tag, content_type)?;
        if info.bytes != length {
            return Err(Error::unavailable(format!(
                "storage sent {} of {length} bytes of {key}",
                info.bytes
            )));
        }
        Ok(ObjectStream { info, chunks: chunks(body, *idle) })
    }

    /// Downloads an object to `path` and replaces an existing file. The file appears only when it
    /// is complete; until then its name ends in `.part`.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`], [`Error::TooLarge`] if the object has more than `max_bytes`,
    /// [`Error::File`] if the file cannot be written, and other errors if storage fails.
    pub async fn get_to_file(&self, key: &str, path: &Path, max_bytes: u64) -> Result<Downloaded, Error> {
        let object = self.get_stream(key).await?;
        if object.info.bytes > max_bytes {
            return Err(Error::TooLarge { key: key.into(), limit: max_bytes });
        }
        let mut part = path.as_os_str().to_owned();
        part.push(".part");
        let part = Path::new(&part);
        let outcome: Result<Downloaded, Error> = async {
            let downloaded = write(object, part, key).await?;
            fs::rename(part, path).await?;
            Ok(downloaded)
        }
        .await;
        if outcome.is_err() {
            let _ = fs::remove_file(part).await;
        }
        outcome
    }
}

async fn write(mut object: ObjectStream, path: &Path, key: &str) -> Result<Downloaded, Error> {
    let mut file = tokio::io::BufWriter::with_capacity(1 << 20, fs::File::create(path).await?);
    let mut hash = Sha256::new();
    let mut bytes = 0_u64;
    while let Some(chunk) = object.chunks.try_next().await? {
        bytes += chunk.len() as u64;
        if bytes > object.info.bytes {
            return Err(Error::TooLarge { key: key.into(), limit: object.info.bytes });
        }
        hash.update(&chunk);
        file.write_all(&chunk).await?;
    }
    if bytes < object.info.bytes {
        return Err(Error::unavailable(format!("{key} ended after {bytes} of {} bytes", object.info.bytes)));
    }
    file.shutdown().await?;
    Ok(Downloaded { bytes, sha256: hex::encode(hash.finalize()) })
}

async fn collect(
    mut chunks: BoxStream<'static, Result<Bytes, Error>>,
    key: &str,
    limit: u64,
) -> Result<Bytes, Error> {
    let mut all = BytesMut::new();
    while let Some(chunk) = chunks.try_next().await? {
        if (all.len() + chunk.len()) as u64 > limit {
            return Err(Error::TooLarge { key: key.into(), limit });
        }
        all.extend_from_slice(&chunk);
    }
    Ok(all.freeze())
}

/// Converts a body to a stream that fails if it is idle for longer than `idle`.
fn chunks(body: ByteStream, idle: Duration) -> BoxStream<'static, Result<Bytes, Error>> {
    futures::stream::try_unfold(body, move |mut body| async move {
        match timeout(idle, body.next()).await {
            Ok(None) => Ok(None),
            Ok(Some(Ok(chunk))) => Ok(Some((chunk, body))),
            Ok(Some(Err(error))) => Err(Error::unavailable(chain(&error))),
            Err(_) => Err(Error::unavailable(format!("storage sent nothing for {} s", idle.as_secs()))),
        }
    })
    .boxed()
}
