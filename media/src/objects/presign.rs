//! Upload links that clients use without our API key.

use std::{collections::BTreeMap, time::Duration};

use aws_sdk_s3::presigning::PresigningConfig;

use super::{Error, Inner, ObjectStore};

/// How a client puts one object straight into storage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PresignedPut {
    /// Address, signature included: whoever holds it can upload until it expires.
    pub url: String,
    /// Headers that must be sent as they are: `Content-Type` and `Content-Length` are signed.
    pub headers: BTreeMap<String, String>,
}

impl ObjectStore {
    /// Whether clients can reach storage, so that [`ObjectStore::presign_put`] gives a link.
    pub fn has_public_address(&self) -> bool {
        self.inner.public.is_some()
    }

    /// A link to upload exactly `content_length` bytes of `content_type` to `key`, for `ttl` from now.
    /// `None` when storage has no public address. Nothing is sent: this cannot wait.
    ///
    /// # Errors
    /// [`Error::Other`] when `ttl` is zero or more than a week.
    pub async fn presign_put(
        &self,
        key: &str,
        content_type: &str,
        content_length: u64,
        ttl: Duration,
    ) -> Result<Option<PresignedPut>, Error> {
        let Inner { public: Some(client), bucket, .. } = &*self.inner else { return Ok(None) };
        let other = |reason: String| Error::Other { reason };
        let length = i64::try_from(content_length).map_err(|e| other(e.to_string()))?;
        if ttl.is_zero() {
            return Err(other("a link must be good for some time".into()));
        }
        let terms = PresigningConfig::expires_in(ttl).map_err(|e| other(e.to_string()))?;
        let request = client
            .put_object()
            .bucket(bucket)
            .key(key)
            .content_type(content_type)
            .content_length(length)
            .presigned(terms)
            .await
            .map_err(|e| Error::from_sdk(e, key))?;
        let headers = request.headers().map(|(name, value)| (title_case(name), value.to_owned())).collect();
        Ok(Some(PresignedPut { url: request.uri().to_owned(), headers }))
    }
}

/// `content-type` as people write it.
fn title_case(header: &str) -> String {
    let mut start = true;
    let letters = header.chars().map(|letter| {
        let cased = if start { letter.to_ascii_uppercase() } else { letter };
        start = letter == '-';
        cased
    });
    letters.collect()
}
