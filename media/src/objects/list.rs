//! Listing and deleting.

use aws_sdk_s3::types::Object;
use domain::Timestamp;
use futures::{StreamExt, TryStreamExt, stream};

use super::{Error, Inner, ObjectStore};

/// Deletions under way at once.
const CONCURRENT_DELETIONS: usize = 8;

/// One object of a listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedObject {
    /// Its key.
    pub key: String,
    /// Its size.
    pub bytes: u64,
    /// When it was last written, by storage's clock.
    pub modified: Timestamp,
}

impl ObjectStore {
    /// Everything whose key starts with `prefix`, in order of keys.
    ///
    /// # Errors
    /// As storage answers.
    pub async fn list(&self, prefix: &str) -> Result<Vec<ListedObject>, Error> {
        let mut all = Vec::new();
        let mut cursor = None;
        loop {
            let (page, next) = self.page(prefix, cursor).await?;
            all.extend(page);
            cursor = next;
            if cursor.is_none() {
                return Ok(all);
            }
        }
    }

    /// Deletes an object; that there is none is as good.
    ///
    /// # Errors
    /// As storage answers.
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

    /// Deletes everything whose key starts with `prefix`, which must end with `/` so that it names a
    /// folder and never, by an empty string, the bucket. Can be repeated. Returns how many there were.
    ///
    /// # Errors
    /// As storage answers; some may then be deleted and some not.
    pub async fn delete_prefix(&self, prefix: &str) -> Result<u64, Error> {
        if prefix.len() < 2 || !prefix.ends_with('/') {
            return Err(Error::Other { reason: format!("{prefix:?} is no folder to delete") });
        }
        let mut deleted = 0;
        let mut cursor = None;
        loop {
            let (page, next) = self.page(prefix, cursor).await?;
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

    /// One page of a listing, and where the next one starts.
    async fn page(
        &self,
        prefix: &str,
        cursor: Option<String>,
    ) -> Result<(Vec<ListedObject>, Option<String>), Error> {
        let Inner { client, bucket, .. } = &*self.inner;
        let request = client.list_objects_v2().bucket(bucket).prefix(prefix).set_continuation_token(cursor);
        let answer = request.send().await.map_err(|e| Error::from_sdk(e, prefix))?;
        let page = answer.contents.unwrap_or_default().into_iter().filter_map(listed).collect();
        Ok((page, answer.next_continuation_token.filter(|_| answer.is_truncated == Some(true))))
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
