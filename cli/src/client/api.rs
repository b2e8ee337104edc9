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
use reqwest::{Method, RequestBuilder, Response};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::Value;
use tokio_util::io::ReaderStream;

pub use super::{call::Call, failure::ApiFailure};
use super::{
    connection::{Access, Connection},
    failure::failure,
};

/// Maximum total time of waiting for a busy service, in commands that run for minutes anyway.
const MAX_WAIT: Duration = Duration::from_secs(15 * 60);
/// The same for commands whose response a person waits for.
const MAX_SHORT_WAIT: Duration = Duration::from_secs(10);

/// A client of the API with one key.
#[derive(Debug, Clone)]
pub struct Api {
    http: reqwest::Client,
    access: Access,
    max_wait: Duration,
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
        Ok(Self { http, access: connection.access()?, max_wait: MAX_SHORT_WAIT })
    }

    /// Returns the same client, which waits for minutes while the service is busy.
    #[must_use]
    pub fn patient(self) -> Self {
        Self { max_wait: MAX_WAIT, ..self }
    }

    /// Returns where the API is and what the client authenticates with.
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// Returns the resource of a GET request. Retries it while the service is busy.
    ///
    /// # Errors
    /// Returns [`ApiFailure`] if the API refuses the request, or another error if the network
    /// fails.
    pub async fn get(&self, call: Call<'_>) -> anyhow::Result<Value> {
        let request = self.build(Method::GET, &call)?.build()?;
        let again = || self.http.get(request.url().clone()).headers(request.headers().clone());
        json(self.send_with_retries(again).await?).await
    }

    /// Returns a list of at most `limit` objects, from as many pages as it needs.
    ///
    /// # Errors
    /// Returns the errors of [`Api::get`].
    pub async fn list(&self, call: Call<'_>, limit: usize) -> anyhow::Result<Value> {
        const MAX_PAGE: usize = 100;
        let (mut data, mut cursor) = (Vec::new(), None);
        loop {
            let size = limit.saturating_sub(data.len()).clamp(1, MAX_PAGE);
            let mut query = call.query.to_vec();
            query.extend([("limit", Some(size.to_string())), ("cursor", cursor.take())]);
            let mut page = self.get(Call { query: &query, ..call.clone() }).await?;
            data.extend(page["data"].as_array_mut().map(std::mem::take).unwrap_or_default());
            cursor = page["next_cursor"].as_str().map(str::to_owned);
            if cursor.is_none() || data.len() >= limit {
                data.truncate(limit);
                return Ok(serde_json::json!({ "object": "list", "data": data, "next_cursor": cursor }));
            }
        }
    }

    /// Sends a request with another method, once. Returns null for a response without a body.
    ///
    /// # Errors
    /// Returns [`ApiFailure`] if the API refuses the request, or another error if the network
    /// fails.
    pub async fn send(&self, method: Method, call: Call<'_>) -> anyhow::Result<Value> {
        let response = self.build(method, &call)?.send().await?;
        if !response.status().is_success() {
            return Err(failure(response).await.into());
        }
        match response.bytes().await? {
            body if body.is_empty() => Ok(Value::Null),
            body => serde_json::from_slice(&body).context("the API returned an unexpected body"),
        }
    }

    /// Signs a user up, or logs one in, as a page of the console does.
    async fn authenticate(
        &self,
        path: &str,
        email: &str,
        password: &str,
    ) -> anyhow::Result<reqwest::Response> {
        let body = serde_json::json!({ "email": email, "password": password });
        let request = self.http.post(format!("{}{path}", self.access.base));
        let response = request.header("sec-fetch-site", "same-origin").json(&body).send().await?;
        if !response.status().is_success() {
            return Err(failure(response).await.into());
        }
        Ok(response)
    }

    /// Creates an account. The response is the same if the address already has one.
    ///
    /// # Errors
    /// Returns [`ApiFailure`] if the API refuses the request, or another error if the network
    /// fails.
    pub async fn sign_up(&self, email: &str, password: &str) -> anyhow::Result<()> {
        self.authenticate("/auth/sign-up", email, password).await.map(|_| ())
    }

    /// Logs a user in and returns the session cookie: `name=value`.
    ///
    /// # Errors
    /// Returns [`ApiFailure`] if the API refuses the request, or another error if the network
    /// fails.
    pub async fn log_in(&self, email: &str, password: &str) -> anyhow::Result<String> {
        let response = self.authenticate("/auth/log-in", email, password).await?;
        let cookie = response.headers().get("set-cookie").and_then(|cookie| cookie.to_str().ok());
        let pair = cookie.and_then(|cookie| cookie.split(';').next()).context("the API set no session")?;
        Ok(pair.to_owned())
    }

    /// Returns the same client with a session.
    #[must_use]
    pub fn in_session(&self, session: String, mode: &str) -> Self {
        let access = Access { session: Some(session), mode: mode.to_owned(), ..self.access.clone() };
        Self { access, ..self.clone() }
    }

    fn build(&self, method: Method, call: &Call<'_>) -> anyhow::Result<RequestBuilder> {
        let query: Vec<_> =
            call.query.iter().filter_map(|(name, value)| Some((*name, value.as_ref()?))).collect();
        let mut url =
            url::Url::parse(&format!("{}{}", self.access.base, call.path)).context("the URL of the API")?;
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        let mut request = self.http.request(method, url);
        request = if call.session {
            let session = self.access.require_session()?;
            // Only pages of the service itself, and programs, can send these headers.
            let request = request.header("cookie", session).header("sec-fetch-site", "same-origin");
            request.header("scan-mode", &self.access.mode)
        } else {
            request.bearer_auth(self.access.require_key()?)
        };
        Ok(match &call.body {
            Some(body) => request.json(body),
            None => request,
        })
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
        if url.starts_with(self.access.origin()) {
            request = request.bearer_auth(self.access.require_key()?);
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
        let request = self.http.request(method, format!("{}{path}", self.access.base));
        match &self.access.key {
            Some(key) => request.bearer_auth(key),
            None => request,
        }
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
            if waited + pause > self.max_wait {
                return Err(error);
            }
            tracing::debug!(%error, ?pause, "waiting before a retry");
            tokio::time::sleep(pause).await;
            waited += pause;
            pause = (pause * 2).min(Duration::from_secs(10));
        }
    }
}

async fn json<T: DeserializeOwned>(response: Response) -> anyhow::Result<T> {
    let body = response.bytes().await?;
    serde_json::from_slice(&body).context("the API returned an unexpected body")
}
