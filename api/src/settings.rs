//! What can be configured of the API.

use std::net::SocketAddr;

use ipnet::IpNet;
use serde::{Deserialize, Serialize};

use crate::{console::ConsoleSettings, limits::LimitSettings};

/// Configuration of the API server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Where the API listens.
    pub listen: SocketAddr,
    /// Where health, readiness and metrics are served; never make it public.
    pub admin_listen: SocketAddr,
    /// How callers reach the API, without `/v1`; links in answers begin with it.
    pub public_url: String,
    /// Origins whose pages may call the API from a browser, for example `https://console.example.com`.
    pub allowed_origins: Vec<String>,
    /// Proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// Most connections at once; more wait to be accepted.
    pub max_connections: usize,
    /// How long a client may take to send the head of a request, or leave a connection unused.
    pub header_timeout_seconds: u64,
    /// How long any request may take that is neither an upload nor a stream.
    pub request_timeout_seconds: u64,
    /// How long an upload may take in all.
    pub upload_timeout_seconds: u64,
    /// How long an upload may go without a byte.
    pub upload_idle_seconds: u64,
    /// How long an event stream is kept before the client is to connect again (so that a revoked key
    /// does not listen for ever).
    pub stream_max_seconds: u64,
    /// How long an event stream waits before it looks for new events again.
    pub stream_poll_milliseconds: u64,
    /// How long requests in flight are waited for at shutdown.
    pub shutdown_grace_seconds: u64,
    /// How long a scan can be started after its creation. The contract says 24 hours; only tests shorten it.
    pub start_window_seconds: u64,
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
            header_timeout_seconds: 20,
            request_timeout_seconds: 30,
            upload_timeout_seconds: 3600,
            upload_idle_seconds: 30,
            stream_max_seconds: 900,
            stream_poll_milliseconds: 1000,
            shutdown_grace_seconds: 20,
            start_window_seconds: domain::scan::START_WINDOW.as_secs(),
            limits: LimitSettings::default(),
            console: ConsoleSettings::default(),
        }
    }
}

impl Settings {
    /// Checks what types cannot.
    ///
    /// # Errors
    /// A sentence for each setting that is wrong.
    pub fn defects(&self) -> Vec<String> {
        let mut defects = Vec::new();
        if !(self.public_url.starts_with("https://") || self.public_url.starts_with("http://"))
            || self.public_url.ends_with('/')
        {
            defects.push("public_url must be an http or https address without a slash at its end".to_owned());
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
        ];
        defects.extend(
            positive.iter().filter(|(_, value)| *value == 0).map(|(name, _)| format!("{name} must not be 0")),
        );
        defects.extend(self.limits.defects());
        defects.extend(self.console.defects());
        defects
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_sound_and_mistakes_are_named() {
        assert_eq!(Settings::default().defects(), Vec::<String>::new());
        let wrong = Settings {
            public_url: "example.com/".into(),
            allowed_origins: vec!["*".into()],
            max_connections: 0,
            ..Settings::default()
        };
        assert_eq!(wrong.defects().len(), 3);
    }
}
