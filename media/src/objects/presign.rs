//! Presigned URLs, with which clients upload directly to storage.

use std::{collections::BTreeMap, time::Duration};

use aws_sdk_s3::presigning::PresigningConfig;

use super::{Error, Inner, ObjectStore};

/// A presigned upload of one object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PresignedPut {
    /// The URL with its signature. Anyone who has it can upload until it expires.
    pub url: String,
    /// Headers that the client must send unchanged. `Content-Type` and `Content-Length` are signed.
    pub headers: BTreeMap<String, String>,
}

impl ObjectStore {
    /// Returns whether clients can reach storage, so that [`ObjectStore::presign_put`] returns a
    /// URL.
    pub fn has_public_address(&self) -> bool {
        self.inner.public.is_some()
    }

    /// Returns the origin (scheme, host and port) of [`ObjectStore::presign_put`]'s URLs, if storage has
    /// a public address.
    pub fn public_origin(&self) -> Option<&str> {
        self.inner.public_origin.as_deref()
    }

    /// Returns a URL with which a client can upload exactly `content_length` bytes of
    /// `content_type` to `key` for the next `ttl`. Returns `None` if storage has no public address.
    /// Sends no request.
    ///
    /// # Errors
    /// Returns [`Error::Other`] if `ttl` is zero or more than a week.
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
            return Err(other("the lifetime of a presigned URL must not be zero".into()));
        }
        let config = PresigningConfig::expires_in(ttl).map_err(|e| other(e.to_string()))?;
        let request = client
            .put_object()
            .bucket(bucket)
            .key(key)
            .content_type(content_type)
            .content_length(length)
            .presigned(config)
            .await
            .map_err(|e| Error::from_sdk(e, key))?;
        let headers = request.headers().map(|(name, value)| (title_case(name), value.to_owned())).collect();
        Ok(Some(PresignedPut { url: request.uri().to_owned(), headers }))
    }
}

/// Converts `content-type` to `Content-Type`.
fn title_case(header: &str) -> String {
    let mut start = true;
    let letters = header.chars().map(|letter| {
        let cased = if start { letter.to_ascii_uppercase() } else { letter };
        start = letter == '-';
        cased
    });
    letters.collect()
}
