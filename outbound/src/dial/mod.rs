//! One request to one vetted address.
//!
//! Built on hyper's HTTP/1 connection over a TLS stream over a socket, not on a client library, so that
//! the guarantee can be read here: the socket is opened to an address out of [`VettedTarget`] and to
//! nothing else ([`Dialer::post`] is the only caller of [`Connector::connect`]). There is no second
//! look-up, no proxy (the environment is not read), no redirect (an answer is an answer), no pool (the
//! connection is dropped with the request), no TLS session kept for the next time.

mod connect;
mod http;
mod map;
mod settings;
pub(crate) mod tls;

use std::{sync::Arc, time::Duration};

use ::http::HeaderMap;
use bytes::Bytes;
use rustls::ClientConfig;

pub use self::http::{DialError, PostError, Response};
pub use connect::{Connector, TcpConnector};
pub use map::{DialMap, InvalidDialMap};
pub use settings::{DialSettings, DialSettingsError};
pub use tls::TlsError;

use crate::vetting::{self, Policy, Refusal, RefusalCode, Resolver, SystemResolver, VettedTarget, VettedUrl};

/// What one exchange may take.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// For everything: look-up, connection, TLS, sending, head and body of the answer.
    total: Duration,
    /// Bytes of the answer's body that are read.
    read: usize,
    /// Bytes of the answer's body that are kept.
    keep: usize,
}

/// Bytes of an answer's body that are read before the connection is dropped.
const MAX_READ_BYTES: usize = 64 * 1024;
/// Bytes of an answer's body that are kept.
const MAX_KEPT_BYTES: usize = 20_000;

/// Sends requests to user-named hosts. Cheap to clone; holds no connection.
#[derive(Clone)]
pub struct Dialer {
    policy: Arc<Policy>,
    resolver: Arc<dyn Resolver>,
    connector: Arc<dyn Connector>,
    map: Arc<DialMap>,
    /// Trusts the public authorities.
    public_tls: Arc<ClientConfig>,
    /// Trusts the test authority as well; only ever used with mapped targets.
    mapped_tls: Arc<ClientConfig>,
    limits: Limits,
}

impl Dialer {
    /// A dialler as the settings say. Reads the test authority's file, when there is one.
    pub fn new(settings: &DialSettings) -> Result<Self, DialSettingsError> {
        let public_tls = Arc::new(tls::client_config(None)?);
        let mapped_tls = match &settings.test_ca_file {
            Some(file) => {
                let pem = std::fs::read(file)
                    .map_err(|source| DialSettingsError::TestCa { file: file.clone(), source })?;
                Arc::new(tls::client_config(Some(&pem))?)
            }
            None => public_tls.clone(),
        };
        Ok(Self {
            policy: Arc::new(settings.policy()?),
            resolver: Arc::new(SystemResolver),
            connector: Arc::new(TcpConnector),
            map: Arc::new(settings.dial_map.clone()),
            public_tls,
            mapped_tls,
            limits: Limits {
                total: Duration::from_secs(settings.timeout_seconds),
                read: MAX_READ_BYTES,
                keep: MAX_KEPT_BYTES,
            },
        })
    }

    /// Replaces the resolver (tests lie with it).
    #[must_use]
    pub fn with_resolver(mut self, resolver: Arc<dyn Resolver>) -> Self {
        self.resolver = resolver;
        self
    }

    /// Replaces what opens sockets (tests watch with it).
    #[must_use]
    pub fn with_connector(mut self, connector: Arc<dyn Connector>) -> Self {
        self.connector = connector;
        self
    }

    /// Replaces the limit on the whole exchange.
    #[must_use]
    pub fn with_timeout(mut self, total: Duration) -> Self {
        self.limits.total = total;
        self
    }

    /// Whether the URL may be named as a target, by its form alone.
    pub fn vet_url(&self, url: &str) -> Result<VettedUrl, Refusal> {
        self.policy.vet(url)
    }

    /// Whether a request to the URL would be sent now: its form, and every address of its host. Asked
    /// when an endpoint is added or changed; [`Dialer::post`] asks again before each request.
    pub async fn vet(&self, url: &str) -> Result<VettedTarget, Refusal> {
        let unresolved = |_| Refusal::from(RefusalCode::HostUnresolved);
        tokio::time::timeout(self.limits.total, self.vet_untimed(url)).await.map_err(unresolved)?
    }

    async fn vet_untimed(&self, url: &str) -> Result<VettedTarget, Refusal> {
        let url = self.policy.vet(url)?;
        match self.map.get(url.host()) {
            Some(address) => Ok(vetting::mapped(url, address)),
            None => vetting::resolve(url, &self.policy, &*self.resolver).await,
        }
    }

    /// Vets the URL, then sends one POST and reads its answer, all within the time limit.
    pub async fn post(&self, url: &str, headers: HeaderMap, body: Bytes) -> Result<Response, PostError> {
        // Kept outside of the timed part, so that a limit hit in mid-body still tells the status.
        let mut status = None;
        let exchange = async {
            let target = self.vet_untimed(url).await?;
            let tls = if target.is_mapped() { &self.mapped_tls } else { &self.public_tls };
            let socket = connect::open(&target, &*self.connector, self.limits.total).await?;
            let stream = tls::handshake(target.url().host(), socket, tls.clone()).await?;
            http::post(target.url(), headers, body, stream, self.limits, &mut status).await
        };
        let result = tokio::time::timeout(self.limits.total, exchange).await;
        result.unwrap_or(Err(DialError::TimedOut)).map_err(|error| PostError { status, error })
    }
}

impl std::fmt::Debug for Dialer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dialer").field("policy", &self.policy).field("map", &self.map).finish_non_exhaustive()
    }
}
