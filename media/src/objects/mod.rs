//! Object storage, spoken to through the S3 API.
//!
//! The same code serves the [embedded server](crate::embedded), any S3-compatible server and S3
//! itself. Everything is bounded: connecting, waiting for an answer, a stream that goes silent, the
//! number of tries. Media are streamed; only what a caller asks for as bytes is held in memory.

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

/// What storage says of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ObjectInfo {
    /// Size.
    pub bytes: u64,
    /// The ETag as storage gave it, quotes included. It changes whenever the bytes change.
    pub etag: String,
    /// Media type it was stored with.
    pub content_type: String,
}

/// One bucket of an S3 server. Clones share connections.
#[derive(Debug, Clone)]
pub struct ObjectStore {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    /// For everything that is answered promptly.
    client: Client,
    /// For streams and copies, whose length the caller bounds.
    streaming: Client,
    /// For addresses given to clients; absent when storage has no public address.
    public: Option<Client>,
    bucket: String,
    region: String,
    idle: Duration,
    copy: Duration,
    attempts: u32,
}

/// Longest wait between two tries.
const MAX_BACKOFF: Duration = Duration::from_secs(2);

impl ObjectStore {
    /// Prepares a client; nothing is sent yet.
    ///
    /// # Errors
    /// [`Error::Settings`] when an address is not a usable `http(s)` one.
    pub fn new(settings: &Settings) -> Result<Self, Error> {
        settings.validate()?;
        let timeouts =
            TimeoutConfig::builder().connect_timeout(Duration::from_secs(settings.connect_timeout_seconds));
        let prompt =
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
                client: Client::from_conf(internal.clone().timeout_config(prompt).build()),
                streaming: Client::from_conf(internal.timeout_config(streaming).build()),
                public,
                bucket: settings.bucket.clone(),
                region: settings.region.clone(),
                idle: Duration::from_secs(settings.idle_timeout_seconds),
                copy: Duration::from_secs(settings.copy_timeout_seconds),
                attempts: settings.attempts,
            }),
        })
    }

    /// Makes the bucket unless it is there. May run any number of times, also at once.
    ///
    /// # Errors
    /// As storage answers; [`Error::Denied`] when these credentials may neither see nor make it.
    pub async fn ensure_bucket(&self) -> Result<(), Error> {
        let Inner { client, bucket, region, .. } = &*self.inner;
        let seen = client.head_bucket().bucket(bucket).send().await;
        match seen.map_err(|e| Error::from_sdk(e, bucket)) {
            Ok(_) => return Ok(()),
            Err(Error::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
        // S3 refuses its default region as a constraint.
        let place = (region != "us-east-1").then(|| {
            CreateBucketConfiguration::builder()
                .location_constraint(BucketLocationConstraint::from(region.as_str()))
                .build()
        });
        let made = client.create_bucket().bucket(bucket).set_create_bucket_configuration(place).send().await;
        let Err(error) = made else { return Ok(()) };
        // Someone else may have made it meanwhile; what counts is that it can be used.
        match client.head_bucket().bucket(bucket).send().await {
            Ok(_) => Ok(()),
            Err(_) => Err(Error::from_sdk(error, bucket)),
        }
    }

    /// What storage knows of an object, or `None` when there is none.
    ///
    /// # Errors
    /// As storage answers.
    pub async fn head(&self, key: &str) -> Result<Option<ObjectInfo>, Error> {
        let Inner { client, bucket, .. } = &*self.inner;
        let answer = client.head_object().bucket(bucket).key(key).send().await;
        match answer.map_err(|e| Error::from_sdk(e, key)) {
            Ok(head) => info(head.content_length, head.e_tag, head.content_type).map(Some),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error),
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
        // Other S3 servers do not know the newer checksum headers; length and ETag are checked here.
        .request_checksum_calculation(RequestChecksumCalculation::WhenRequired)
        .response_checksum_validation(ResponseChecksumValidation::WhenRequired)
        // Idle time is bounded here, by chunk and in both directions, with one meaning.
        .stalled_stream_protection(StalledStreamProtectionConfig::disabled())
        .retry_config(
            RetryConfig::standard().with_max_attempts(settings.attempts).with_max_backoff(MAX_BACKOFF),
        )
}

/// Plain for `http:`, so that a machine without root certificates can speak to a server beside it.
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
        return Err(Error::Other { reason: "storage left out the size or the ETag".into() });
    };
    let content_type = content_type.unwrap_or_else(|| "application/octet-stream".into());
    Ok(ObjectInfo { bytes, etag, content_type })
}
