//! Listing and deletion of objects.

use aws_sdk_s3::types::Object;
use domain::Timestamp;
use futures::{StreamExt, TryStreamExt, stream};

use super::{Error, Inner, ObjectStore};

/// Maximum number of concurrent deletions.
const CONCURRENT_DELETIONS: usize = 8;

/// An object in a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedObject {
    /// Key of the object.
    pub key: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Time of the last write, by the clock of storage.
    pub modified: Timestamp,
}

impl ObjectStore {
    /// Lists all objects whose key starts with `prefix`, sorted by key.
    ///
    /// # Errors
    /// Returns an error if storage fails.
    pub async fn list(&self, prefix: &str) -> Result<Vec<ListedObject>, Error> {
        let mut all = Vec::new();
        let mut cursor = None;
        loop {
            let (page, next) = self.list_page(prefix, cursor).await?;
            all.extend(page);
            cursor = next;
            if cursor.is_none() {
                return Ok(all);
            }
        }
    }

    /// Deletes an object. Idempotent.
    ///
    /// # Errors
    /// Returns an error if storage fails.
    pub async fn delete(&self, key: &str) -> Result<(), Error> {
        let Inner { client, bucket, .. } = &*self.inner;
        match client.delete_object().bucket(bucket).key(key).send().await {
            Ok(_) => Ok(()),
            Err(error) => match Error::from_sdk(error, key) {
                Error::NotFound { .. } => Ok(()),
                error => Err(error),
            },
        }
    }

    /// Deletes all objects whose key starts with `prefix` and returns their number. The prefix must
    /// end with `/`, so that an empty string never names the whole bucket. Idempotent.
    ///
    /// # Errors
    /// Returns an error if storage fails. Some of the objects may already be deleted.
    pub async fn delete_prefix(&self, prefix: &str) -> Result<u64, Error> {
        if prefix.len() < 2 || !prefix.ends_with('/') {
            return Err(Error::Other { reason: format!("{prefix:?} is not a folder prefix") });
        }
        let mut deleted = 0;
        let mut cursor = None;
        loop {
            let (page, next) = self.list_page(prefix, cursor).await?;
            deleted += page.len() as u64;
            stream::iter(page)
                .map(Ok)
                .try_for_each_concurrent(CONCURRENT_DELETIONS, |object| async move {
                    self.delete(&object.key).await
                })
                .await?;
            cursor = next;
            if cursor.is_none() {
                return Ok(deleted);
            }
        }
    }

    /// Returns one page of a listing, sorted by key, and the cursor of the next one.
    ///
    /// # Errors
    /// Returns an error if storage fails.
    pub async fn list_page(
        &self,
        prefix: &str,
        cursor: Option<String>,
    ) -> Result<(Vec<ListedObject>, Option<String>), Error> {
        let Inner { client, bucket, .. } = &*self.inner;
        let request = client.list_objects_v2().bucket(bucket).prefix(prefix).set_continuation_token(cursor);
        let response = request.send().await.map_err(|e| Error::from_sdk(e, prefix))?;
        let page = response.contents.unwrap_or_default().into_iter().filter_map(listed).collect();
        Ok((page, response.next_continuation_token.filter(|_| response.is_truncated == Some(true))))
    }
}

fn listed(object: Object) -> Option<ListedObject> {
    Some(ListedObject {
        key: object.key?,
        bytes: object.size.and_then(|n| u64::try_from(n).ok()).unwrap_or_default(),
        modified: Timestamp::from_millis(
            object.last_modified.and_then(|t| t.to_millis().ok()).unwrap_or_default(),
        ),
    })
}
