//! Sends one request to one vetted address.
//!
//! The dialler uses hyper's HTTP/1 connection over TLS over a socket instead of a client library,
//! so that this guarantee is visible in the code: it connects only to addresses of a
//! [`VettedTarget`] ([`Dialer::post`] is the only caller of [`Connector::connect`]). There is no
//! second look-up, no proxy (the environment is ignored), no redirect, no connection pool and no
//! TLS session resumption.

mod connect;
mod http;
mod map;
mod settings;
pub(crate) mod tls;

use std::{sync::Arc, time::Duration};

use ::http::HeaderMap;
use bytes::Bytes;
use rustls::ClientConfig;

pub use self::http::{DialError, Response};
pub use connect::{Connector, TcpConnector};
pub use map::{DialMap, InvalidDialMap};
pub use settings::{DialSettings, DialSettingsError};
pub use tls::TlsError;

use crate::vetting::{self, Policy, Refusal, RefusalCode, Resolver, SystemResolver, VettedTarget, VettedUrl};

/// Limits of one request.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// Maximum time for everything: look-up, connection, TLS, request and response.
    total: Duration,
    /// Maximum number of bytes of the response body that are read.
    read: usize,
    /// Maximum number of bytes of the response body that are kept.
    keep: usize,
}

/// Number of bytes of a response body after which the connection is closed.
const MAX_READ_BYTES: usize = 64 * 1024;
/// Number of bytes of a response body that are kept.
const MAX_KEPT_BYTES: usize = 20_000;

/// Sends requests to hosts that users named. Cheap to clone; holds no connection.
#[derive(Clone)]
pub struct Dialer {
    policy: Arc<Policy>,
    resolver: Arc<dyn Resolver>,
    connector: Arc<dyn Connector>,
    map: Arc<DialMap>,
    /// Trusts the public certificate authorities.
    public_tls: Arc<ClientConfig>,
    /// Also trusts the test authority. Used only for mapped targets.
    mapped_tls: Arc<ClientConfig>,
    limits: Limits,
}

impl Dialer {
    /// Builds a dialler. Reads the file of the test authority, if one is set.
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
            resolver: Arc::new(SystemResolver::default()),
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

    /// Replaces the resolver, for tests.
    #[must_use]
    pub fn with_resolver(mut self, resolver: Arc<dyn Resolver>) -> Self {
        self.resolver = resolver;
        self
    }

    /// Replaces the connector, for tests.
    #[must_use]
    pub fn with_connector(mut self, connector: Arc<dyn Connector>) -> Self {
        self.connector = connector;
        self
    }

    /// Replaces the time limit of a request.
    #[must_use]
    pub fn with_timeout(mut self, total: Duration) -> Self {
        self.limits.total = total;
        self
    }

    /// Vets the form of a URL. Makes no look-up.
    pub fn vet_url(&self, url: &str) -> Result<VettedUrl, Refusal> {
        self.policy.vet(url)
    }

    /// Vets a URL and resolves its host: the form and every address must be allowed. Called when an
    /// endpoint is added or changed; [`Dialer::post`] vets again before each request.
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

    /// Vets the URL, sends one POST request and reads the response, all within the time limit. A
    /// response counts as soon as its head has arrived; an interrupted body is only truncated.
    pub async fn post(&self, url: &str, headers: HeaderMap, body: Bytes) -> Result<Response, DialError> {
        let mut received = None;
        let exchange = async {
            let target = self.vet_untimed(url).await?;
            let tls = if target.is_mapped() { &self.mapped_tls } else { &self.public_tls };
            let socket = connect::open(&target, &*self.connector, self.limits.total).await?;
            let stream = tls::handshake(target.url().host(), socket, tls.clone()).await?;
            http::post(target.url(), headers, body, stream, self.limits, &mut received).await
        };
        let ended = tokio::time::timeout(self.limits.total, exchange).await;
        received.ok_or(match ended {
            Ok(Err(error)) => error,
            Ok(Ok(())) | Err(_) => DialError::TimedOut,
        })
    }
}

impl std::fmt::Debug for Dialer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Dialer").field("policy", &self.policy).field("map", &self.map).finish_non_exhaustive()
    }
}
