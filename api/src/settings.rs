//! Configuration of the API server.

use std::{net::SocketAddr, time::Duration};

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use crate::{console::ConsoleSettings, http::tls::TlsSettings, limits::LimitSettings};

/// Limits of event streams.
#[derive(Debug, Clone, Copy)]
pub(crate) struct StreamLimits {
    pub(crate) per_key: usize,
    pub(crate) per_account: usize,
    /// Time between two polls.
    pub(crate) poll: Duration,
}

/// Configuration of the API server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Address that the API listens on.
    pub listen: SocketAddr,
    /// Address of health, readiness and metrics. Never expose it to the public.
    pub admin_listen: SocketAddr,
    /// Public URL of the API, without `/v1`. Links in responses start with it.
    pub public_url: String,
    /// Origins whose pages may call the API from a browser, for example
    /// `https://console.example.com`.
    pub allowed_origins: Vec<String>,
    /// Proxies whose `X-Forwarded-For` is trusted.
    pub trusted_proxies: Vec<IpNet>,
    /// Maximum number of concurrent connections. Further ones wait to be accepted.
    pub max_connections: usize,
    /// Maximum number of concurrent connections from one IP address (for IPv6 from one /64), except
    /// trusted proxies. Further ones are closed at once.
    pub max_connections_per_address: usize,
    /// Timeout for the head of a request, and for an HTTP/1 connection between two requests.
    pub header_timeout_seconds: u64,
    /// Time after which a connection is closed if no request is processed and the client takes nothing
    /// of a response. At least 20, because event streams send a comment every 15 seconds.
    pub idle_timeout_seconds: u64,
    /// Maximum number of event streams of one API key at this process.
    pub streams_per_key: usize,
    /// Maximum number of event streams of one account and mode at this process.
    pub streams_per_account: usize,
    /// Timeout of a request that is neither an upload nor a stream.
    pub request_timeout_seconds: u64,
    /// Timeout of a whole upload.
    pub upload_timeout_seconds: u64,
    /// Timeout between two chunks of an upload.
    pub upload_idle_seconds: u64,
    /// Maximum duration of an event stream. Clients then reconnect, which checks their key again.
    pub stream_max_seconds: u64,
    /// Time between two queries for new events of all streams, and for keys that were revoked.
    pub stream_poll_milliseconds: u64,
    /// Maximum number of requests of this process that parse a Space Document, compare, answer or render
    /// at once, each on a thread of its own. A document may have 64 MB.
    pub document_threads: usize,
    /// Maximum number of concurrent calls of this process to language models.
    pub model_threads: usize,
    /// Maximum number of requests that wait for a thread of each kind (documents, models, passwords).
    /// Further ones get 503 with `Retry-After`.
    pub blocking_queue: usize,
    /// Time that requests in flight get to finish at shutdown.
    pub shutdown_grace_seconds: u64,
    /// Time after its creation within which a scan can be started. The contract says 24 hours; only
    /// tests shorten it.
    pub start_window_seconds: u64,
    /// TLS of `listen`, with HTTP/2 by ALPN. Without it, a proxy in front of the API ends TLS.
    pub tls: Option<TlsSettings>,
    /// Rate limits.
    pub limits: LimitSettings,
    /// Sign-up, log-in and sessions.
    pub console: ConsoleSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            admin_listen: SocketAddr::from(([127, 0, 0, 1], 8081)),
            public_url: "http://127.0.0.1:8080".to_owned(),
            allowed_origins: Vec::new(),
            trusted_proxies: Vec::new(),
            max_connections: 4096,
            max_connections_per_address: 1024,
            header_timeout_seconds: 20,
            idle_timeout_seconds: 60,
            streams_per_key: 5,
            streams_per_account: 20,
            request_timeout_seconds: 30,
            upload_timeout_seconds: 3600,
            upload_idle_seconds: 30,
            stream_max_seconds: 900,
            stream_poll_milliseconds: 1000,
            document_threads: 4,
            model_threads: 16,
            blocking_queue: 64,
            shutdown_grace_seconds: 20,
            start_window_seconds: domain::scan::START_WINDOW.as_secs(),
            tls: None,
            limits: LimitSettings::default(),
            console: ConsoleSettings::default(),
        }
    }
}

impl Settings {
    /// Returns the limits of event streams.
    pub(crate) fn stream_limits(&self) -> StreamLimits {
        StreamLimits {
            per_key: self.streams_per_key,
            per_account: self.streams_per_account,
            poll: Duration::from_millis(self.stream_poll_milliseconds),
        }
    }

    /// Returns a message for each invalid setting.
    pub fn defects(&self) -> Vec<String> {
        let mut defects = Vec::new();
        if !(self.public_url.starts_with("https://") || self.public_url.starts_with("http://"))
            || self.public_url.ends_with('/')
        {
            defects.push("public_url must be an http or https URL without a trailing slash".to_owned());
        }
        for origin in &self.allowed_origins {
            if origin == "*" || http::HeaderValue::from_str(origin).is_err() || !origin.contains("://") {
                defects.push(format!("allowed_origins: {origin:?} is not an origin"));
            }
        }
        let positive = [
            ("header_timeout_seconds", self.header_timeout_seconds),
            ("request_timeout_seconds", self.request_timeout_seconds),
            ("upload_timeout_seconds", self.upload_timeout_seconds),
            ("upload_idle_seconds", self.upload_idle_seconds),
            ("stream_max_seconds", self.stream_max_seconds),
            ("stream_poll_milliseconds", self.stream_poll_milliseconds),
            ("max_connections", self.max_connections as u64),
            ("max_connections_per_address", self.max_connections_per_address as u64),
            ("idle_timeout_seconds", self.idle_timeout_seconds),
            ("document_threads", self.document_threads as u64),
            ("model_threads", self.model_threads as u64),
            ("streams_per_key", self.streams_per_key as u64),
            ("streams_per_account", self.streams_per_account as u64),
        ];
        defects.extend(
            positive.iter().filter(|(_, value)| *value == 0).map(|(name, _)| format!("{name} must not be 0")),
        );
        if self.tls.is_some() && !self.public_url.starts_with("https://") {
            defects.push("tls: public_url must be an https URL".to_owned());
        }
        defects.extend(self.limits.defects());
        defects.extend(self.console.defects());
        defects
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_the_defaults_and_reports_each_invalid_setting() {
        assert_eq!(Settings::default().defects(), Vec::<String>::new());
        let invalid = Settings {
            public_url: "example.com/".into(),
            allowed_origins: vec!["*".into()],
            max_connections: 0,
            ..Settings::default()
        };
        assert_eq!(invalid.defects().len(), 3);
    }
}
