//! Reading.

use std::{ops::Range, path::Path, time::Duration};

use aws_sdk_s3::{operation::get_object::GetObjectOutput, primitives::ByteStream};
use bytes::{Bytes, BytesMut};
use futures::{StreamExt, TryStreamExt, stream::BoxStream};
use sha2::{Digest, Sha256};
use tokio::{fs, io::AsyncWriteExt, time::timeout};

use super::{Error, Inner, ObjectInfo, ObjectStore, error::chain, info};

/// An object on its way.
pub struct ObjectStream {
    /// What storage says of it.
    pub info: ObjectInfo,
    /// Its bytes. A silence longer than the idle timeout ends it with [`Error::Unavailable`].
    pub chunks: BoxStream<'static, Result<Bytes, Error>>,
}

/// An object that was written to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Downloaded {
    /// Size.
    pub bytes: u64,
    /// SHA-256 of the bytes, hex.
    pub sha256: String,
}

impl ObjectStore {
    /// A whole object in memory.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::TooLarge`], otherwise as storage answers.
    pub async fn get_bytes(&self, key: &str, max_bytes: u64) -> Result<Bytes, Error> {
        let object = self.get_stream(key).await?;
        if object.info.bytes > max_bytes {
            return Err(Error::TooLarge { key: key.into(), limit: max_bytes });
        }
        collect(object.chunks, key, max_bytes).await
    }

    /// The part of an object that lies in `range` (bytes, end exclusive); as much of it as there is,
    /// so possibly nothing.
    ///
    /// # Errors
    /// [`Error::NotFound`], otherwise as storage answers.
    pub async fn get_range(&self, key: &str, range: Range<u64>) -> Result<Bytes, Error> {
        let Inner { client, bucket, idle, .. } = &*self.inner;
        let Some(last) = range.end.checked_sub(1).filter(|last| *last >= range.start) else {
            return Ok(Bytes::new());
        };
        let header = format!("bytes={}-{last}", range.start);
        match client.get_object().bucket(bucket).key(key).range(header).send().await {
            // Storage may ignore the header and send everything; what is not asked for is refused.
            Ok(answer) => collect(chunks(answer.body, *idle), key, range.end - range.start).await,
            Err(error) if error.raw_response().is_some_and(|raw| raw.status().as_u16() == 416) => {
                Ok(Bytes::new())
            }
            Err(error) => Err(Error::from_sdk(error, key)),
        }
    }

    /// The first bytes of an object, at most `count`; enough to tell what kind of file it is.
    ///
    /// # Errors
    /// As [`ObjectStore::get_range`].
    pub async fn get_head_bytes(&self, key: &str, count: u64) -> Result<Bytes, Error> {
        self.get_range(key, 0..count).await
    }

    /// A whole object as a stream, for passing on.
    ///
    /// # Errors
    /// [`Error::NotFound`], otherwise as storage answers.
    pub async fn get_stream(&self, key: &str) -> Result<ObjectStream, Error> {
        let Inner { client, bucket, idle, .. } = &*self.inner;
        let answer = client.get_object().bucket(bucket).key(key).send().await;
        let GetObjectOutput { body, content_length, e_tag, content_type, .. } =
            answer.map_err(|e| Error::from_sdk(e, key))?;
        Ok(ObjectStream { info: info(content_length, e_tag, content_type)?, chunks: chunks(body, *idle) })
    }

    /// Writes an object to `path`, replacing what is there. The file appears whole or not at all;
    /// while it is written it is called `path` with `.part` added.
    ///
    /// # Errors
    /// [`Error::NotFound`], [`Error::TooLarge`], [`Error::File`], otherwise as storage answers.
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

/// A body as a stream in which no silence is longer than `idle`.
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
