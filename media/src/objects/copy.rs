//! Copying inside storage.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use tokio::time::timeout;

use super::{Error, Inner, ObjectInfo, ObjectStore};

/// What `x-amz-copy-source` carries as it is; everything else is percent-encoded.
const COPY_SOURCE: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

impl ObjectStore {
    /// Copies an object if it still has the given ETag, so that the copy is known to hold the bytes
    /// that were looked at. Up to 5 GiB. Doing it again does the same again.
    ///
    /// # Errors
    /// [`Error::NotFound`] without a source, [`Error::PreconditionFailed`] when it has another ETag,
    /// otherwise as storage answers.
    pub async fn copy_if_match(&self, from: &str, to: &str, etag: &str) -> Result<ObjectInfo, Error> {
        let Inner { streaming, bucket, copy, .. } = &*self.inner;
        let source = format!("{bucket}/{}", utf8_percent_encode(from, COPY_SOURCE));
        let request = streaming
            .copy_object()
            .bucket(bucket)
            .key(to)
            .copy_source(source)
            .copy_source_if_match(etag)
            .send();
        let slow = |_| Error::unavailable(format!("no copy after {} s", copy.as_secs()));
        let answer = timeout(*copy, request).await.map_err(slow)?.map_err(|e| Error::from_sdk(e, from))?;

        // Some servers ignore the condition. Usually a copy keeps the ETag; where it does not (encrypted
        // buckets), the source must still be the one that was looked at.
        let copied = answer.copy_object_result.and_then(|result| result.e_tag);
        if copied.as_deref() != Some(etag) && self.head(from).await?.is_none_or(|now| now.etag != etag) {
            self.delete(to).await?;
            return Err(Error::PreconditionFailed { key: from.into() });
        }
        self.head(to).await?.ok_or_else(|| Error::NotFound { key: to.into() })
    }
}
