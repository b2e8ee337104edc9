//! HTTP client of the API: typed calls, the API's errors, and retries while the service is busy.

use std::{path::Path, time::Duration};

use anyhow::{Context, bail};
use domain::{
    ScanId, SpaceId,
    document::SpaceDocument,
    media::ScanInput,
    scan::{Scan, UploadInstructions},
    space::NewSpace,
};
use futures::TryStreamExt;
use reqwest::{Method, RequestBuilder, Response, StatusCode};
use serde::{Deserialize, de::DeserializeOwned};
use tokio_util::io::ReaderStream;

use super::Connection;

/// Maximum total time of waiting for a busy service.
const MAX_WAIT: Duration = Duration::from_secs(15 * 60);

/// A client of the API with one key.
#[derive(Debug, Clone)]
pub struct Api {
    http: reqwest::Client,
    base: String,
    key: String,
}

/// An error response of the API.
#[derive(Debug, thiserror::Error)]
#[error("{code} ({status}): {message} [request {request_id}]")]
pub struct ApiFailure {
    /// HTTP status.
    pub status: u16,
    /// Stable error code.
    pub code: String,
    /// Human-readable message.
    pub message: String,
    /// Id of the request, for support.
    pub request_id: String,
    retry_after: Option<Duration>,
}

#[derive(Deserialize)]
struct Envelope {
    error: EnvelopeError,
}

#[derive(Deserialize)]
struct EnvelopeError {
    code: String,
    message: String,
    request_id: String,
    #[serde(default)]
    retry_after: Option<u64>,
}

/// The fields of a space that the client uses.
#[derive(Debug, Deserialize)]
pub struct Space {
    /// Id of the space.
    pub id: SpaceId,
}

/// A space with its document.
#[derive(Debug, Deserialize)]
pub struct SpaceWithDocument {
    /// The document of its last complete scan.
    pub document: Option<SpaceDocument>,
}

impl Api {
    /// Creates a client.
    ///
    /// # Errors
    /// Returns an error if the HTTP client cannot be created.
    pub fn new(connection: &Connection) -> anyhow::Result<Self> {
        let http = reqwest::Client::builder()
            .user_agent(concat!("scan-cli/", env!("CARGO_PKG_VERSION")))
            .connect_timeout(Duration::from_secs(10))
            .read_timeout(Duration::from_secs(60))
            .build()?;
        let base = connection.api.trim_end_matches('/').to_owned();
        Ok(Self { http, base, key: connection.key.clone() })
    }

    /// Creates a space.
    ///
    /// # Errors
    /// Returns [`ApiFailure`] if the API refuses the request, or another error if the network
    /// fails.
    pub async fn create_space(&self, space: &NewSpace) -> anyhow::Result<Space> {
        json(self.send_with_retries(|| self.call(Method::POST, "/spaces").json(space)).await?).await
    }

    /// Creates a scan. Repeating the call with the same `idempotency_key` returns the same scan.
    ///
    /// # Errors
    /// Returns [`ApiFailure`] if the API refuses the request, or another error if the network
    /// fails.
    pub async fn create_scan(
        &self,
        space: &SpaceId,
        input: &ScanInput,
        idempotency_key: &str,
    ) -> anyhow::Result<Scan> {
        let path = format!("/spaces/{space}/scans");
        let body = serde_json::json!({ "input": input });
        let call = || self.call(Method::POST, &path).header("idempotency-key", idempotency_key).json(&body);
        json(self.send_with_retries(call).await?).await
    }

    /// Uploads one file. Calls `on_chunk` with the size of every chunk that is sent.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read, the network fails, or the server refuses.
    pub async fn upload(
        &self,
        instructions: &UploadInstructions,
        index: Option<u32>,
        content_type: &str,
        file: &Path,
        on_chunk: impl Fn(u64) + Clone + Send + Sync + 'static,
    ) -> anyhow::Result<()> {
        let url = match (&instructions.url, &instructions.url_template, index) {
            (Some(url), _, None) => url.clone(),
            (_, Some(template), Some(index)) => template.replace("{index}", &index.to_string()),
            _ => bail!("the upload instructions contain no URL"),
        };
        let opened = tokio::fs::File::open(file).await.with_context(|| format!("{}", file.display()))?;
        let length = opened.metadata().await?.len();
        let stream = ReaderStream::with_capacity(opened, 256 * 1024)
            .inspect_ok(move |chunk| on_chunk(chunk.len() as u64));
        let mut request = self.http.put(&url).body(reqwest::Body::wrap_stream(stream));
        for (name, value) in &instructions.headers {
            if !name.eq_ignore_ascii_case("content-length") && !name.eq_ignore_ascii_case("content-type") {
                request = request.header(name, value);
            }
        }
        request = request.header("content-type", content_type).header("content-length", length);
        // A signed URL to storage needs no key, and storage must not see the key.
        if url.starts_with(&self.base) {
            request = request.bearer_auth(&self.key);
        }
        let response = request.send().await?;
        if response.status().is_success() { Ok(()) } else { Err(failure(response).await.into()) }
    }

    /// Starts a scan. Waits while too many others are in progress.
    ///
    /// # Errors
    /// Returns [`ApiFailure`] if the API refuses the request, or another error if the network
    /// fails.
    pub async fn start(&self, scan: &ScanId) -> anyhow::Result<Scan> {
        let path = format!("/scans/{scan}/start");
        json(self.send_with_retries(|| self.call(Method::POST, &path).json(&serde_json::json!({}))).await?)
            .await
    }

    /// Returns a scan.
    ///
    /// # Errors
    /// Returns [`ApiFailure`] if the API refuses the request, or another error if the network
    /// fails.
    pub async fn scan(&self, scan: &ScanId) -> anyhow::Result<Scan> {
        let path = format!("/scans/{scan}");
        json(self.send_with_retries(|| self.call(Method::GET, &path)).await?).await
    }

    /// Returns a space's document, with signed URLs of its frames.
    ///
    /// # Errors
    /// Returns [`ApiFailure`] if the API refuses the request, or another error if the network
    /// fails.
    pub async fn document(&self, space: &SpaceId) -> anyhow::Result<Option<SpaceDocument>> {
        let path = format!("/spaces/{space}");
        let space: SpaceWithDocument =
            json(self.send_with_retries(|| self.call(Method::GET, &path)).await?).await?;
        Ok(space.document)
    }

    /// Downloads a signed URL.
    ///
    /// # Errors
    /// Returns [`ApiFailure`] if the API refuses the request, or another error if the network
    /// fails.
    pub async fn fetch(&self, url: &str) -> anyhow::Result<Vec<u8>> {
        let response = self.send_with_retries(|| self.http.get(url)).await?;
        Ok(response.bytes().await?.to_vec())
    }

    /// Opens the stream of the account's events: new ones, or all after the event `last`.
    ///
    /// # Errors
    /// Returns [`ApiFailure`] if the API refuses the request, or another error if the network
    /// fails.
    pub async fn events(&self, last: Option<&str>) -> anyhow::Result<Response> {
        self.send_with_retries(|| {
            let mut call = self.call(Method::GET, "/events/stream").header("accept", "text/event-stream");
            if let Some(last) = last {
                call = call.header("last-event-id", last);
            }
            call
        })
        .await
    }

    fn call(&self, method: Method, path: &str) -> RequestBuilder {
        self.http.request(method, format!("{}{path}", self.base)).bearer_auth(&self.key)
    }

    /// Sends an idempotent request. Retries it while the service is busy or cannot be reached.
    async fn send_with_retries(&self, request: impl Fn() -> RequestBuilder) -> anyhow::Result<Response> {
        let mut waited = Duration::ZERO;
        let mut pause = Duration::from_millis(500);
        loop {
            let error: anyhow::Error = match request().send().await {
                Ok(response) if response.status().is_success() => return Ok(response),
                Ok(response) => {
                    let failure = failure(response).await;
                    if !failure.is_transient() {
                        return Err(failure.into());
                    }
                    pause = failure.retry_after.unwrap_or(pause);
                    failure.into()
                }
                Err(e) if e.is_connect() || e.is_timeout() => e.into(),
                Err(e) => return Err(e.into()),
            };
            if waited + pause > MAX_WAIT {
                return Err(error);
            }
            tracing::debug!(%error, ?pause, "waiting before a retry");
            tokio::time::sleep(pause).await;
            waited += pause;
            pause = (pause * 2).min(Duration::from_secs(10));
        }
    }
}

impl ApiFailure {
    /// Returns whether the same request can succeed later.
    fn is_transient(&self) -> bool {
        matches!(
            self.code.as_str(),
            "RATE_LIMIT_EXCEEDED" | "SCANS_IN_PROGRESS" | "ENGINE_UNAVAILABLE" | "UNAVAILABLE"
        )
    }
}

async fn json<T: DeserializeOwned>(response: Response) -> anyhow::Result<T> {
    let body = response.bytes().await?;
    serde_json::from_slice(&body).context("the API returned an unexpected body")
}

async fn failure(response: Response) -> ApiFailure {
    let status = response.status();
    let header = response.headers().get("retry-after").and_then(|v| v.to_str().ok()?.parse().ok());
    let body = response.bytes().await.unwrap_or_default();
    match serde_json::from_slice::<Envelope>(&body) {
        Ok(Envelope { error }) => ApiFailure {
            status: status.as_u16(),
            code: error.code,
            message: error.message,
            request_id: error.request_id,
            retry_after: error.retry_after.or(header).map(Duration::from_secs),
        },
        // A response of storage or a proxy.
        Err(_) => ApiFailure {
            status: status.as_u16(),
            code: if status == StatusCode::FORBIDDEN { "FORBIDDEN" } else { "UNEXPECTED_ANSWER" }.into(),
            message: String::from_utf8_lossy(&body).chars().take(300).collect(),
            request_id: "none".into(),
            retry_after: header.map(Duration::from_secs),
        },
    }
}
