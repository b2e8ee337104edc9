//! HTTP client with limits for time, response size and retries.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use domain::Secret;
use reqwest::{Response, Url, header, redirect};
use serde_json::Value;

use super::{EndpointError, breaker::CircuitBreaker, budget::Spending, settings::EndpointSettings};
use crate::CancelFlag;

/// Maximum size of a response.
const MAX_RESPONSE_BYTES: usize = 8 * 1024 * 1024;
/// Maximum size of the reason in a rejection that is kept, in bytes.
const MAX_REASON_BYTES: usize = 2000;
/// Time limit for establishing a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);
/// Time limit for any response to a probe.
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);
/// Wait before the first retry; it doubles with each retry.
const INITIAL_BACKOFF: Duration = Duration::from_millis(500);
/// Interval at which the cancel flag is checked.
const CANCEL_POLL_INTERVAL: Duration = Duration::from_millis(200);

#[derive(Clone)]
pub(super) struct Client {
    http: reqwest::Client,
    base: Url,
    key: Option<Secret>,
    max_attempts: u32,
    max_backoff: Duration,
    /// Time limit for all attempts together.
    timeout: Option<Duration>,
    /// Someone waits for the response: a probe would take too long, and its time limit says nothing
    /// about the endpoint.
    is_interactive: bool,
    /// Timeouts open the circuit although the client is interactive.
    counts_timeouts: bool,
    breaker: Arc<CircuitBreaker>,
}

impl Client {
    pub(super) fn new(settings: &EndpointSettings) -> Result<Client, String> {
        let base = format!("{}/", settings.base_url.trim_end_matches('/'));
        let base = Url::parse(&base).map_err(|error| format!("base_url: {error}"))?;
        if !matches!(base.scheme(), "http" | "https") || base.host().is_none() {
            return Err("base_url: not an HTTP URL".to_owned());
        }
        let provider = std::sync::Arc::new(rustls::crypto::ring::default_provider());
        let roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        let tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_root_certificates(roots)
            .with_no_client_auth();
        let http = reqwest::Client::builder()
            .tls_backend_preconfigured(tls)
            .redirect(redirect::Policy::none())
            .no_proxy()
            .connect_timeout(CONNECT_TIMEOUT)
            .timeout(Duration::from_secs(settings.timeout_seconds.max(1)))
            .build()
            .map_err(|error| error.to_string())?;
        let max_backoff = Duration::from_millis(settings.longest_wait_ms);
        let (key, max_attempts) = (settings.api_key.clone(), settings.tries.max(1));
        let breaker = Arc::new(CircuitBreaker::default());
        Ok(Client {
            http,
            base,
            key,
            max_attempts,
            max_backoff,
            timeout: None,
            is_interactive: false,
            counts_timeouts: false,
            breaker,
        })
    }

    /// Returns a client that gives up after `timeout`, retries included.
    pub(super) fn with_timeout(&self, timeout: Duration) -> Client {
        Client { timeout: Some(timeout), ..self.clone() }
    }

    /// Returns a client for an interactive request: one attempt within `timeout`.
    pub(super) fn for_interactive(&self, timeout: Duration) -> Client {
        Client { max_attempts: 1, is_interactive: true, ..self.with_timeout(timeout) }
    }

    pub(super) fn post_json(
        &self,
        path: &str,
        body: &Value,
        cancel: &CancelFlag,
        spending: &mut Spending,
    ) -> Result<Value, EndpointError> {
        let body =
            serde_json::to_vec(body).map_err(|error| EndpointError::InvalidResponse(error.to_string()))?;
        self.post(path, "application/json", body, cancel, spending)
    }

    /// Returns a client with a circuit of its own, which timeouts open even though someone waits. For
    /// requests that have the same time limit each time.
    pub(super) fn with_own_circuit(&self) -> Client {
        Client { breaker: Arc::default(), counts_timeouts: true, ..self.clone() }
    }

    /// Sends a request, retries where that may help, and returns the response. Every try is counted in
    /// `spending`. Blocks; it must not be called on a thread of an asynchronous runtime.
    ///
    /// An endpoint that hasn't responded lately is probed first. After failures it is left alone for a
    /// while, so that an endpoint that never responds costs seconds and not the time limit of every
    /// request.
    pub(super) fn post(
        &self,
        path: &str,
        content_type: &str,
        body: Vec<u8>,
        cancel: &CancelFlag,
        spending: &mut Spending,
    ) -> Result<Value, EndpointError> {
        let needs_probe = self.breaker.check(Instant::now())? && !self.is_interactive;
        let url = self.base.join(path).map_err(|_| EndpointError::Unreachable)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|_| EndpointError::Unreachable)?;
        if needs_probe {
            let alive = runtime.block_on(async {
                tokio::select! {
                    alive = self.probe() => alive,
                    () = cancelled(cancel) => Err(EndpointError::Cancelled),
                }
            });
            if let Err(error) = alive {
                if error != EndpointError::Cancelled {
                    self.breaker.is_silent(Instant::now());
                }
                return Err(error);
            }
        }
        let outcome = runtime.block_on(async {
            tokio::select! {
                response = self.send_with_retries(url, content_type, body.into(), spending) => response,
                () = cancelled(cancel) => Err(EndpointError::Cancelled),
                () = deadline(self.timeout) => Err(EndpointError::Timeout),
            }
        });
        match &outcome {
            Ok(_) => self.breaker.succeeded(Instant::now()),
            Err(error) => {
                spending.lost(error);
                let is_ignored = self.is_interactive && !self.counts_timeouts;
                if !(is_ignored && *error == EndpointError::Timeout) {
                    self.breaker.failed(error, Instant::now());
                }
            }
        }
        outcome
    }

    /// Asks for the list of models. Any response shows that the endpoint is alive.
    async fn probe(&self) -> Result<(), EndpointError> {
        let url = self.base.join("models").map_err(|_| EndpointError::Unreachable)?;
        let mut request = self.http.get(url).timeout(PROBE_TIMEOUT);
        if let Some(key) = &self.key {
            request = request.bearer_auth(key.reveal());
        }
        request.send().await.map_err(|error| transport_error(&error))?;
        self.breaker.responded(Instant::now());
        Ok(())
    }

    async fn send_with_retries(
        &self,
        url: Url,
        content_type: &str,
        body: bytes::Bytes,
        spending: &mut Spending<'_>,
    ) -> Result<Value, EndpointError> {
        let mut wait = INITIAL_BACKOFF;
        for remaining in (0..self.max_attempts).rev() {
            spending.begin()?;
            match self.send_once(url.clone(), content_type, body.clone()).await {
                Ok(response) => {
                    spending.received(&response);
                    return Ok(response);
                }
                Err((error, retry_after)) => {
                    spending.lost(&error);
                    if remaining == 0 || !error.is_retryable() {
                        return Err(error);
                    }
                    tokio::time::sleep(retry_after.unwrap_or(wait).min(self.max_backoff)).await;
                    wait *= 2;
                }
            }
        }
        Err(EndpointError::RateLimited)
    }

    /// Sends one request. An error comes with the wait that the server asked for in `Retry-After`.
    async fn send_once(
        &self,
        url: Url,
        content_type: &str,
        body: bytes::Bytes,
    ) -> Result<Value, (EndpointError, Option<Duration>)> {
        let mut request = self.http.post(url).header(header::CONTENT_TYPE, content_type).body(body);
        if let Some(key) = &self.key {
            request = request.bearer_auth(key.reveal());
        }
        let response = request.send().await.map_err(|error| (transport_error(&error), None))?;
        let retry_after = response.headers().get(header::RETRY_AFTER);
        let retry_after =
            retry_after.and_then(|value| value.to_str().ok()?.parse().ok()).map(Duration::from_secs);
        match response.status().as_u16() {
            200 => {}
            429 => return Err((EndpointError::RateLimited, retry_after)),
            status @ (400 | 422) => {
                let reason = read(response).await.unwrap_or_default();
                let reason =
                    String::from_utf8_lossy(&reason[..reason.len().min(MAX_REASON_BYTES)]).into_owned();
                return Err((EndpointError::Rejected(status, reason), None));
            }
            status => return Err((EndpointError::Status(status), retry_after)),
        }
        let bytes = read(response).await.map_err(|error| (error, None))?;
        serde_json::from_slice(&bytes)
            .map_err(|error| (EndpointError::InvalidResponse(error.to_string()), None))
    }
}

async fn read(mut response: Response) -> Result<Vec<u8>, EndpointError> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| transport_error(&error))? {
        if body.len() + chunk.len() > MAX_RESPONSE_BYTES {
            return Err(EndpointError::TooLong);
        }
        body.extend_from_slice(&chunk);
    }
    Ok(body)
}

fn transport_error(error: &reqwest::Error) -> EndpointError {
    if error.is_timeout() { EndpointError::Timeout } else { EndpointError::Unreachable }
}

async fn deadline(timeout: Option<Duration>) {
    match timeout {
        Some(timeout) => tokio::time::sleep(timeout).await,
        None => std::future::pending().await,
    }
}

async fn cancelled(cancel: &CancelFlag) {
    while cancel.check().is_ok() {
        tokio::time::sleep(CANCEL_POLL_INTERVAL).await;
    }
}
