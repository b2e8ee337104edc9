//! Copies inside storage.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use tokio::time::timeout;

use super::{Error, Inner, ObjectInfo, ObjectStore};

/// Characters that aren't percent-encoded in `x-amz-copy-source`.
const COPY_SOURCE: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'_').remove(b'.').remove(b'~');

impl ObjectStore {
    /// Copies an object of up to 5 GiB if it still has the given ETag, so that the copy has exactly
    /// the bytes that were checked. Idempotent.
    ///
    /// # Errors
    /// Returns [`Error::NotFound`] if there is no source, [`Error::PreconditionFailed`] if it has
    /// another ETag, and other errors if storage fails.
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
        let timed_out = |_| Error::unavailable(format!("the copy took longer than {} s", copy.as_secs()));
        let response =
            timeout(*copy, request).await.map_err(timed_out)?.map_err(|e| Error::from_sdk(e, from))?;

        // Some servers ignore the condition. A copy usually keeps the ETag. Where it doesn't
        // (encrypted buckets), the source must still have the expected ETag.
        let copied = response.copy_object_result.and_then(|result| result.e_tag);
        if copied.as_deref() != Some(etag) && self.head(from).await?.is_none_or(|now| now.etag != etag) {
            self.delete(to).await?;
            return Err(Error::PreconditionFailed { key: from.into() });
        }
        self.head(to).await?.ok_or_else(|| Error::NotFound { key: to.into() })
    }
}
