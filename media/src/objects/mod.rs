//! A client of S3-compatible object storage.
//!
//! The same client talks to the [embedded server](crate::embedded), to S3 and to compatible
//! servers. Connecting, requests, idle streams and retries are bounded. Objects are streamed,
//! except by the methods that take or return bytes.

mod copy;
mod error;
mod get;
mod list;
mod presign;
mod put;
mod settings;

use std::{sync::Arc, time::Duration};

use aws_sdk_s3::{
    Client,
    config::{
        BehaviorVersion, Credentials, Region, RequestChecksumCalculation, ResponseChecksumValidation,
        SharedHttpClient, StalledStreamProtectionConfig, retry::RetryConfig, timeout::TimeoutConfig,
    },
    types::{BucketLocationConstraint, CreateBucketConfiguration},
};
use aws_smithy_http_client::{Builder, tls};

pub use error::Error;
pub use get::{Downloaded, ObjectStream};
pub use list::ListedObject;
pub use presign::PresignedPut;
pub use settings::Settings;

/// Metadata of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectInfo {
    /// Size in bytes.
    pub bytes: u64,
    /// The ETag as returned by storage, quotes included. It changes whenever the bytes change.
    pub etag: String,
    /// Media type that the object was stored with.
    pub content_type: String,
}

/// One bucket of an S3 server. Clones share connections.
#[derive(Debug, Clone)]
pub struct ObjectStore {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    /// For short requests.
    client: Client,
    /// For streams and copies, which have their own time limits.
    streaming: Client,
    /// For presigned URLs; absent if storage has no public address.
    public: Option<Client>,
    /// Origin of presigned URLs; absent if storage has no public address.
    public_origin: Option<String>,
    bucket: String,
    region: String,
    idle: Duration,
    copy: Duration,
    attempts: u32,
}

/// Maximum delay between two attempts.
const MAX_BACKOFF: Duration = Duration::from_secs(2);

impl ObjectStore {
    /// Creates a client. Sends nothing.
    ///
    /// # Errors
    /// Returns [`Error::Settings`] if an address isn't a valid `http(s)` URL.
    pub fn new(settings: &Settings) -> Result<Self, Error> {
        settings.validate()?;
        let timeouts =
            TimeoutConfig::builder().connect_timeout(Duration::from_secs(settings.connect_timeout_seconds));
        let with_read_timeout =
            timeouts.clone().read_timeout(Duration::from_secs(settings.request_timeout_seconds)).build();
        let streaming = timeouts.disable_read_timeout().build();

        let http = http_client(&settings.endpoint);
        let internal = configure(settings, &settings.endpoint, http);
        let public = settings
            .public_endpoint
            .as_deref()
            .map(|endpoint| Client::from_conf(configure(settings, endpoint, http_client(endpoint)).build()));
        Ok(Self {
            inner: Arc::new(Inner {
                client: Client::from_conf(internal.clone().timeout_config(with_read_timeout).build()),
                streaming: Client::from_conf(internal.timeout_config(streaming).build()),
                public,
                public_origin: settings.public_origin(),
                bucket: settings.bucket.clone(),
                region: settings.region.clone(),
                idle: Duration::from_secs(settings.idle_timeout_seconds),
                copy: Duration::from_secs(settings.copy_timeout_seconds),
                attempts: settings.attempts,
            }),
        })
    }

    /// Creates the bucket if it doesn't exist. Idempotent, also under concurrent calls.
    ///
    /// # Errors
    /// Returns an error if storage fails, and [`Error::Denied`] if the credentials may neither read
    /// nor create the bucket.
    pub async fn ensure_bucket(&self) -> Result<(), Error> {
        let Inner { client, bucket, region, .. } = &*self.inner;
        if self.bucket_exists().await? {
            return Ok(());
        }
        // S3 rejects its default region as a location constraint.
        let location = (region != "us-east-1").then(|| {
            CreateBucketConfiguration::builder()
                .location_constraint(BucketLocationConstraint::from(region.as_str()))
                .build()
        });
        let created =
            client.create_bucket().bucket(bucket).set_create_bucket_configuration(location).send().await;
        let Err(error) = created else { return Ok(()) };
        // Another process may have created it in the meantime. Only its existence matters.
        match client.head_bucket().bucket(bucket).send().await {
            Ok(_) => Ok(()),
            Err(_) => Err(Error::from_sdk(error, bucket)),
        }
    }

    /// Returns the metadata of an object, or `None` if it doesn't exist.
    ///
    /// # Errors
    /// Returns an error if storage fails.
    pub async fn head(&self, key: &str) -> Result<Option<ObjectInfo>, Error> {
        let Inner { client, bucket, .. } = &*self.inner;
        let response = client.head_object().bucket(bucket).key(key).send().await;
        match response.map_err(|e| Error::from_sdk(e, key)) {
            Ok(head) => info(head.content_length, head.e_tag, head.content_type).map(Some),
            // The response to HEAD has no body, so it doesn't say whether the object or the bucket is
            // missing.
            Err(Error::NotFound { .. }) if self.bucket_exists().await? => Ok(None),
            Err(Error::NotFound { .. }) => {
                Err(Error::unavailable(format!("the bucket {bucket} does not exist")))
            }
            Err(error) => Err(error),
        }
    }

    async fn bucket_exists(&self) -> Result<bool, Error> {
        let Inner { client, bucket, .. } = &*self.inner;
        match client.head_bucket().bucket(bucket).send().await {
            Ok(_) => Ok(true),
            Err(error) if error.raw_response().is_some_and(|raw| raw.status().as_u16() == 404) => Ok(false),
            Err(error) => Err(Error::from_sdk(error, bucket)),
        }
    }
}

fn configure(settings: &Settings, endpoint: &str, http: SharedHttpClient) -> aws_sdk_s3::config::Builder {
    let credentials = Credentials::new(
        settings.access_key_id.clone(),
        settings.secret_access_key.reveal(),
        None,
        None,
        "settings",
    );
    aws_sdk_s3::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .http_client(http)
        .endpoint_url(endpoint)
        .force_path_style(true)
        .region(Region::new(settings.region.clone()))
        .credentials_provider(credentials)
        // Many S3 servers don't know the newer checksum headers. This client checks lengths and
        // ETags.
        .request_checksum_calculation(RequestChecksumCalculation::WhenRequired)
        .response_checksum_validation(ResponseChecksumValidation::WhenRequired)
        // This client bounds the idle time itself, for each chunk and in both directions.
        .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
        .retry_config(
            RetryConfig::standard().with_max_attempts(settings.attempts).with_max_backoff(MAX_BACKOFF),
        )
}

/// Uses TLS only for `https:`, so that a machine without root certificates can reach a local
/// server.
fn http_client(endpoint: &str) -> SharedHttpClient {
    if endpoint.starts_with("https:") {
        let ring = tls::Provider::Rustls(tls::rustls_provider::CryptoMode::Ring);
        Builder::new().tls_provider(ring).build_https()
    } else {
        Builder::new().build_http()
    }
}

fn info(bytes: Option<i64>, etag: Option<String>, content_type: Option<String>) -> Result<ObjectInfo, Error> {
    let bytes = bytes.and_then(|n| u64::try_from(n).ok());
    let (Some(bytes), Some(etag)) = (bytes, etag) else {
        return Err(Error::Other { reason: "storage returned no size or no ETag".into() });
    };
    let content_type = content_type.unwrap_or_else(|| "application/octet-stream".into());
    Ok(ObjectInfo { bytes, etag, content_type })
}
