//! The HTTP side of the client: typed calls, errors as the API says them, and patience where it asks.

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

/// Longest the client waits in all for a busy service before it gives up.
const PATIENCE: Duration = Duration::from_secs(15 * 60);

/// A caller of the API.
#[derive(Debug, Clone)]
pub struct Api {
    http: reqwest::Client,
    base: String,
    key: String,
}

/// An error answer of the API.
#[derive(Debug, thiserror::Error)]
#[error("{code} ({status}): {message} [request {request_id}]")]
pub struct ApiFailure {
    /// HTTP status.
    pub status: u16,
    /// Stable code.
    pub code: String,
    /// For people.
    pub message: String,
    /// For support.
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

/// A space, as far as the client cares.
#[derive(Debug, Deserialize)]
pub struct Space {
    /// Its id.
    pub id: SpaceId,
}

/// A space with its document.
#[derive(Debug, Deserialize)]
pub struct SpaceWithDocument {
    /// The document of its last complete scan.
    pub document: Option<SpaceDocument>,
}

impl Api {
    /// A caller with this key.
    ///
    /// # Errors
    /// When the HTTP client cannot be made.
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
    /// [`ApiFailure`], or the network's.
    pub async fn create_space(&self, space: &NewSpace) -> anyhow::Result<Space> {
        json(self.patiently(|| self.call(Method::POST, "/spaces").json(space)).await?).await
    }

    /// Creates a scan; the same `idempotency_key` creates it once.
    ///
    /// # Errors
    /// [`ApiFailure`], or the network's.
    pub async fn create_scan(
        &self,
        space: &SpaceId,
        input: &ScanInput,
        idempotency_key: &str,
    ) -> anyhow::Result<Scan> {
        let path = format!("/spaces/{space}/scans");
        let body = serde_json::json!({ "input": input });
        let call = || self.call(Method::POST, &path).header("idempotency-key", idempotency_key).json(&body);
        json(self.patiently(call).await?).await
    }

    /// Uploads one file as the instructions say; `sent` is told of every chunk's size.
    ///
    /// # Errors
    /// [`ApiFailure`], or the network's, or the file's.
    pub async fn upload(
        &self,
        instructions: &UploadInstructions,
        index: Option<u32>,
        content_type: &str,
        file: &Path,
        sent: impl Fn(u64) + Clone + Send + Sync + 'static,
    ) -> anyhow::Result<()> {
        let url = match (&instructions.url, &instructions.url_template, index) {
            (Some(url), _, None) => url.clone(),
            (_, Some(template), Some(index)) => template.replace("{index}", &index.to_string()),
            _ => bail!("the API gave no upload address"),
        };
        let opened = tokio::fs::File::open(file).await.with_context(|| format!("{}", file.display()))?;
        let length = opened.metadata().await?.len();
        let stream =
            ReaderStream::with_capacity(opened, 256 * 1024).inspect_ok(move |chunk| sent(chunk.len() as u64));
        let mut request = self.http.put(&url).body(reqwest::Body::wrap_stream(stream));
        for (name, value) in &instructions.headers {
            if !name.eq_ignore_ascii_case("content-length") && !name.eq_ignore_ascii_case("content-type") {
                request = request.header(name, value);
            }
        }
        request = request.header("content-type", content_type).header("content-length", length);
        // A signed link to storage is its own permission; the key goes to the API only.
        if url.starts_with(&self.base) {
            request = request.bearer_auth(&self.key);
        }
        let answer = request.send().await?;
        if answer.status().is_success() { Ok(()) } else { Err(failure(answer).await.into()) }
    }

    /// Starts a scan, waiting while too many others are in progress.
    ///
    /// # Errors
    /// [`ApiFailure`], or the network's.
    pub async fn start(&self, scan: &ScanId) -> anyhow::Result<Scan> {
        let path = format!("/scans/{scan}/start");
        json(self.patiently(|| self.call(Method::POST, &path).json(&serde_json::json!({}))).await?).await
    }

    /// A scan as it is now.
    ///
    /// # Errors
    /// [`ApiFailure`], or the network's.
    pub async fn scan(&self, scan: &ScanId) -> anyhow::Result<Scan> {
        let path = format!("/scans/{scan}");
        json(self.patiently(|| self.call(Method::GET, &path)).await?).await
    }

    /// A space's document, with signed addresses of its frames.
    ///
    /// # Errors
    /// [`ApiFailure`], or the network's.
    pub async fn document(&self, space: &SpaceId) -> anyhow::Result<Option<SpaceDocument>> {
        let path = format!("/spaces/{space}");
        let space: SpaceWithDocument = json(self.patiently(|| self.call(Method::GET, &path)).await?).await?;
        Ok(space.document)
    }

    /// Fetches a signed address.
    ///
    /// # Errors
    /// [`ApiFailure`], or the network's.
    pub async fn fetch(&self, url: &str) -> anyhow::Result<Vec<u8>> {
        let answer = self.patiently(|| self.http.get(url)).await?;
        Ok(answer.bytes().await?.to_vec())
    }

    /// The stream of the account's events, from now on or after `last` (an event's id).
    ///
    /// # Errors
    /// [`ApiFailure`], or the network's.
    pub async fn events(&self, last: Option<&str>) -> anyhow::Result<Response> {
        self.patiently(|| {
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

    /// Sends a request that may be repeated, again and again while the service asks to wait.
    async fn patiently(&self, request: impl Fn() -> RequestBuilder) -> anyhow::Result<Response> {
        let mut waited = Duration::ZERO;
        let mut pause = Duration::from_millis(500);
        loop {
            let trouble: anyhow::Error = match request().send().await {
                Ok(answer) if answer.status().is_success() => return Ok(answer),
                Ok(answer) => {
                    let failure = failure(answer).await;
                    if !failure.is_passing() {
                        return Err(failure.into());
                    }
                    pause = failure.retry_after.unwrap_or(pause);
                    failure.into()
                }
                Err(e) if e.is_connect() || e.is_timeout() => e.into(),
                Err(e) => return Err(e.into()),
            };
            if waited + pause > PATIENCE {
                return Err(trouble);
            }
            tracing::debug!(%trouble, ?pause, "waiting");
            tokio::time::sleep(pause).await;
            waited += pause;
            pause = (pause * 2).min(Duration::from_secs(10));
        }
    }
}

impl ApiFailure {
    /// Whether the same request is worth repeating: the service is busy, or three scans are.
    fn is_passing(&self) -> bool {
        matches!(
            self.code.as_str(),
            "RATE_LIMIT_EXCEEDED" | "SCANS_IN_PROGRESS" | "ENGINE_UNAVAILABLE" | "UNAVAILABLE"
        )
    }
}

async fn json<T: DeserializeOwned>(answer: Response) -> anyhow::Result<T> {
    let body = answer.bytes().await?;
    serde_json::from_slice(&body).context("the API answered something unexpected")
}

async fn failure(answer: Response) -> ApiFailure {
    let status = answer.status();
    let header = answer.headers().get("retry-after").and_then(|v| v.to_str().ok()?.parse().ok());
    let body = answer.bytes().await.unwrap_or_default();
    match serde_json::from_slice::<Envelope>(&body) {
        Ok(Envelope { error }) => ApiFailure {
            status: status.as_u16(),
            code: error.code,
            message: error.message,
            request_id: error.request_id,
            retry_after: error.retry_after.or(header).map(Duration::from_secs),
        },
        // Storage and proxies answer in their own way.
        Err(_) => ApiFailure {
            status: status.as_u16(),
            code: if status == StatusCode::FORBIDDEN { "FORBIDDEN" } else { "UNEXPECTED_ANSWER" }.into(),
            message: String::from_utf8_lossy(&body).chars().take(300).collect(),
            request_id: "none".into(),
            retry_after: header.map(Duration::from_secs),
        },
    }
}
