//! The S3 operations on a [`Folder`].

use std::{
    io::{self, Seek, SeekFrom},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use futures::StreamExt;
use s3s::{
    S3, S3Error, S3Request, S3Response, S3Result,
    crypto::{Checksum as _, Md5},
    dto::*,
    s3_error,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufWriter};
use tokio_util::io::ReaderStream;

use super::{
    folder::{self, CopyError, Folder},
    format::Description,
    listing::{self, Entry, Query},
};

/// Maximum idle time within a request's body.
const BODY_IDLE_TIMEOUT: Duration = Duration::from_secs(60);
/// Size of reads from and writes to disk.
const CHUNK_BYTES: usize = 256 * 1024;
/// Maximum number of entries in a page, as in S3.
const MAX_PAGE_ENTRIES: usize = 1000;

/// Implements S3 on a folder.
#[derive(Debug, Clone)]
pub(super) struct FolderService(pub(super) Arc<Folder>);

impl FolderService {
    /// Returns the folder of an existing bucket.
    fn bucket(&self, bucket: &str) -> S3Result<PathBuf> {
        let path = self.0.bucket(bucket).ok_or_else(|| s3_error!(InvalidBucketName))?;
        if path.is_dir() { Ok(path) } else { Err(s3_error!(NoSuchBucket)) }
    }

    /// Returns the file of an object in an existing bucket.
    fn object(&self, bucket: &str, key: &str) -> S3Result<PathBuf> {
        self.bucket(bucket)?;
        self.0.object(bucket, key).ok_or_else(|| s3_error!(InvalidArgument, "The key is not supported"))
    }
}

#[async_trait::async_trait]
impl S3 for FolderService {
    async fn create_bucket(
        &self,
        req: S3Request<CreateBucketInput>,
    ) -> S3Result<S3Response<CreateBucketOutput>> {
        let path = self.0.bucket(&req.input.bucket).ok_or_else(|| s3_error!(InvalidBucketName))?;
        run_blocking(move || match std::fs::create_dir(path) {
            Ok(()) => Ok(S3Response::new(CreateBucketOutput::default())),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => Err(s3_error!(BucketAlreadyOwnedByYou)),
            Err(e) => Err(internal(e)),
        })
        .await
    }

    async fn head_bucket(&self, req: S3Request<HeadBucketInput>) -> S3Result<S3Response<HeadBucketOutput>> {
        self.bucket(&req.input.bucket)?;
        Ok(S3Response::new(HeadBucketOutput::default()))
    }

    async fn head_object(&self, req: S3Request<HeadObjectInput>) -> S3Result<S3Response<HeadObjectOutput>> {
        let path = self.object(&req.input.bucket, &req.input.key)?;
        let (file, description) = run_blocking(move || folder::open(&path).map_err(no_such_key)).await?;
        Ok(S3Response::new(HeadObjectOutput {
            content_length: i64::try_from(description.bytes).ok(),
            last_modified: modified(&file),
            e_tag: Some(ETag::Strong(description.etag)),
            content_type: description.content_type,
            metadata: Some(description.metadata),
            ..Default::default()
        }))
    }

    async fn get_object(&self, req: S3Request<GetObjectInput>) -> S3Result<S3Response<GetObjectOutput>> {
        let input = req.input;
        if input.if_match.is_some() || input.if_none_match.is_some() {
            return Err(s3_error!(NotImplemented, "Conditional reads are not supported"));
        }
        let path = self.object(&input.bucket, &input.key)?;
        let (mut file, description) = run_blocking(move || folder::open(&path).map_err(no_such_key)).await?;
        let full_range = 0..description.bytes;
        let selected = match input.range {
            Some(range) => range.check(description.bytes).map_err(|_| s3_error!(InvalidRange))?,
            None => full_range.clone(),
        };
        file.seek(SeekFrom::Start(selected.start)).map_err(internal)?;
        let last_modified = modified(&file);
        let length = selected.end - selected.start;
        let body = ReaderStream::with_capacity(tokio::fs::File::from_std(file).take(length), CHUNK_BYTES);
        Ok(S3Response::new(GetObjectOutput {
            body: Some(StreamingBlob::wrap(body)),
            content_length: i64::try_from(length).ok(),
            content_range: (input.range.is_some())
                .then(|| format!("bytes {}-{}/{}", selected.start, selected.end - 1, full_range.end)),
            last_modified,
            e_tag: Some(ETag::Strong(description.etag)),
            content_type: description.content_type,
            metadata: Some(description.metadata),
            ..Default::default()
        }))
    }

    async fn put_object(&self, req: S3Request<PutObjectInput>) -> S3Result<S3Response<PutObjectOutput>> {
        let mut input = req.input;
        let path = self.object(&input.bucket, &input.key)?;
        if input.if_match.is_some() || input.if_none_match.is_some() {
            return Err(s3_error!(NotImplemented, "Conditional writes are not supported"));
        }
        let declared = input.content_length.and_then(|n| u64::try_from(n).ok());
        let declared = declared.ok_or_else(|| s3_error!(MissingContentLength))?;
        let mut body = input.body.take().ok_or_else(|| s3_error!(IncompleteBody))?;

        let store = self.0.clone();
        let (draft, file) = run_blocking(move || store.draft().map_err(internal)).await?;
        let mut writer = BufWriter::with_capacity(CHUNK_BYTES, tokio::fs::File::from_std(file));
        let mut md5 = Md5::new();
        let mut sums = super::checksums::ExpectedChecksums::of(&input);
        let mut received = 0_u64;
        loop {
            let idle = |_| s3_error!(RequestTimeout, "The body was idle for too long");
            let Some(chunk) = tokio::time::timeout(BODY_IDLE_TIMEOUT, body.next()).await.map_err(idle)?
            else {
                break;
            };
            let chunk = chunk.map_err(|e| S3Error::with_source(s3s::S3ErrorCode::IncompleteBody, e))?;
            received += chunk.len() as u64;
            if received > declared {
                return Err(s3_error!(IncompleteBody, "The body is longer than announced"));
            }
            md5.update(&chunk);
            sums.update(&chunk);
            writer.write_all(&chunk).await.map_err(internal)?;
        }
        if received != declared {
            return Err(s3_error!(IncompleteBody, "The body is shorter than announced"));
        }
        let md5 = md5.finalize();
        sums.verify(md5.as_ref(), req.trailing_headers)?;
        writer.flush().await.map_err(internal)?;
        let file = writer.into_inner().into_std().await;

        let description = Description {
            bytes: received,
            etag: hex::encode(md5),
            content_type: input.content_type,
            metadata: input.metadata.unwrap_or_default(),
        };
        let etag = ETag::Strong(description.etag.clone());
        let store = self.0.clone();
        run_blocking(move || store.publish(draft, file, &description, &path).map_err(placement_error))
            .await?;
        Ok(S3Response::new(PutObjectOutput { e_tag: Some(etag), ..Default::default() }))
    }

    async fn copy_object(&self, req: S3Request<CopyObjectInput>) -> S3Result<S3Response<CopyObjectOutput>> {
        let input = req.input;
        let CopySource::Bucket { bucket, key, version_id: None } = &input.copy_source else {
            return Err(s3_error!(NotImplemented));
        };
        let unsupported = [
            input.copy_source_if_none_match.is_some(),
            input.copy_source_if_modified_since.is_some(),
            input.copy_source_if_unmodified_since.is_some(),
            input.metadata_directive.is_some_and(|d| d.as_str() != MetadataDirective::COPY),
        ];
        if unsupported.contains(&true) {
            return Err(s3_error!(
                NotImplemented,
                "Only unmodified copies with an ETag condition are supported"
            ));
        }
        let from = self.object(bucket, key)?;
        let to = self.object(&input.bucket, &input.key)?;
        let expected = input.copy_source_if_match;
        let store = self.0.clone();
        let description = run_blocking(move || {
            let matches = |found: &Description| match &expected {
                Some(ETagCondition::ETag(etag)) => etag.as_strong() == Some(found.etag.as_str()),
                Some(ETagCondition::Any) | None => true,
            };
            store.copy(&from, &to, matches).map_err(|error| match error {
                CopyError::Changed => s3_error!(PreconditionFailed),
                CopyError::Io(e) if e.kind() == io::ErrorKind::NotFound => s3_error!(NoSuchKey),
                CopyError::Io(e) => placement_error(e),
            })
        })
        .await?;
        let result = CopyObjectResult { e_tag: Some(ETag::Strong(description.etag)), ..Default::default() };
        Ok(S3Response::new(CopyObjectOutput { copy_object_result: Some(result), ..Default::default() }))
    }

    async fn delete_object(
        &self,
        req: S3Request<DeleteObjectInput>,
    ) -> S3Result<S3Response<DeleteObjectOutput>> {
        let bucket = self.bucket(&req.input.bucket)?;
        let path = self.object(&req.input.bucket, &req.input.key)?;
        let store = self.0.clone();
        run_blocking(move || store.remove(&path, &bucket).map_err(internal)).await?;
        Ok(S3Response::new(DeleteObjectOutput::default()))
    }

    async fn list_objects_v2(
        &self,
        req: S3Request<ListObjectsV2Input>,
    ) -> S3Result<S3Response<ListObjectsV2Output>> {
        let input = req.input;
        let bucket = self.bucket(&input.bucket)?;
        let group_by_folder = match input.delimiter.as_deref() {
            None | Some("") => false,
            Some("/") => true,
            Some(_) => return Err(s3_error!(NotImplemented, "The only supported delimiter is a slash")),
        };
        let limit = input
            .max_keys
            .and_then(|n| usize::try_from(n).ok())
            .unwrap_or(MAX_PAGE_ENTRIES)
            .min(MAX_PAGE_ENTRIES);
        // A continuation token is the last key of the previous page.
        let after = input.continuation_token.clone().max(input.start_after.clone()).unwrap_or_default();
        let query = Query { prefix: input.prefix.clone().unwrap_or_default(), after, group_by_folder, limit };
        let (contents, folders, next) = run_blocking(move || page(&bucket, &query).map_err(internal)).await?;
        Ok(S3Response::new(ListObjectsV2Output {
            key_count: i32::try_from(contents.len() + folders.len()).ok(),
            max_keys: i32::try_from(limit).ok(),
            is_truncated: Some(next.is_some()),
            contents: Some(contents),
            common_prefixes: Some(folders),
            continuation_token: input.continuation_token,
            next_continuation_token: next,
            delimiter: input.delimiter,
            name: Some(input.bucket),
            prefix: input.prefix,
            start_after: input.start_after,
            ..Default::default()
        }))
    }
}

/// Returns one page: objects, folders, and the last key if there are more entries.
fn page(bucket: &Path, query: &Query) -> io::Result<(Vec<Object>, Vec<CommonPrefix>, Option<String>)> {
    let (entries, more) = listing::list(bucket, query)?;
    let (mut objects, mut folders, mut last) = (Vec::new(), Vec::new(), None);
    for entry in entries {
        match entry {
            Entry::Object { key, path } => {
                last = Some(key.clone());
                match folder::open(&path) {
                    Ok((file, description)) => objects.push(Object {
                        key: Some(key),
                        size: i64::try_from(description.bytes).ok(),
                        e_tag: Some(ETag::Strong(description.etag)),
                        last_modified: modified(&file),
                        ..Default::default()
                    }),
                    // Deleted meanwhile.
                    Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                    Err(error) => {
                        tracing::warn!(%key, %error, "skipped an unreadable file in the storage folder")
                    }
                }
            }
            Entry::Folder(prefix) => {
                last = Some(prefix.clone());
                folders.push(CommonPrefix { prefix: Some(prefix) });
            }
        }
    }
    Ok((objects, folders, last.filter(|_| more)))
}

fn modified(file: &std::fs::File) -> Option<Timestamp> {
    file.metadata().and_then(|found| found.modified()).ok().map(Timestamp::from)
}

async fn run_blocking<T: Send + 'static>(work: impl FnOnce() -> S3Result<T> + Send + 'static) -> S3Result<T> {
    tokio::task::spawn_blocking(work).await.map_err(|e| internal(io::Error::other(e)))?
}

fn no_such_key(error: io::Error) -> S3Error {
    if error.kind() == io::ErrorKind::NotFound { s3_error!(NoSuchKey) } else { internal(error) }
}

/// Converts the errors of conflicting keys: an object cannot replace a folder or be below an
/// object.
fn placement_error(error: io::Error) -> S3Error {
    use io::ErrorKind::{AlreadyExists, DirectoryNotEmpty, IsADirectory, NotADirectory};
    match error.kind() {
        AlreadyExists | DirectoryNotEmpty | IsADirectory | NotADirectory => {
            s3_error!(InvalidArgument, "A key cannot be both an object and a folder of other keys")
        }
        _ => internal(error),
    }
}

fn internal(error: io::Error) -> S3Error {
    tracing::error!(%error, "the storage folder failed");
    S3Error::with_source(s3s::S3ErrorCode::InternalError, Box::new(error))
}
