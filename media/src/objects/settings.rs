use domain::Secret;
use serde::{Deserialize, Serialize};

use super::Error;

/// How to reach object storage.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Where this service reaches storage, for example `https://s3.eu-central-1.amazonaws.com`.
    pub endpoint: String,
    /// Where clients reach the same storage; upload links are made for it. Without it, videos are
    /// uploaded through the API.
    pub public_endpoint: Option<String>,
    /// Region that requests are signed for.
    pub region: String,
    /// The one bucket everything lives in.
    pub bucket: String,
    /// Access key id.
    pub access_key_id: String,
    /// Secret access key.
    pub secret_access_key: Secret,
    /// Longest time to connect.
    pub connect_timeout_seconds: u64,
    /// Longest time to wait for the answer to one try of a short request.
    pub request_timeout_seconds: u64,
    /// Longest time a stream may stand still, in either direction, and longest wait for the answer
    /// after a streamed body.
    pub idle_timeout_seconds: u64,
    /// Longest time for a copy inside storage.
    pub copy_timeout_seconds: u64,
    /// Tries of a request that can be repeated, the first included.
    pub attempts: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            endpoint: "http://127.0.0.1:9000".into(),
            public_endpoint: None,
            region: "us-east-1".into(),
            bucket: "scan".into(),
            access_key_id: String::new(),
            secret_access_key: Secret::default(),
            connect_timeout_seconds: 3,
            request_timeout_seconds: 30,
            idle_timeout_seconds: 30,
            copy_timeout_seconds: 600,
            attempts: 3,
        }
    }
}

impl Settings {
    /// Says what is wrong, naming the field.
    ///
    /// # Errors
    /// [`Error::Settings`].
    pub fn validate(&self) -> Result<(), Error> {
        let wrong = |what: &str| Err(Error::Settings(what.into()));
        if !is_http_url(&self.endpoint) {
            return wrong("endpoint must be http(s)://host[:port]");
        }
        if self.public_endpoint.as_deref().is_some_and(|endpoint| !is_http_url(endpoint)) {
            return wrong("public_endpoint must be http(s)://host[:port]");
        }
        if self.bucket.is_empty() || self.region.is_empty() {
            return wrong("bucket and region must not be empty");
        }
        if self.access_key_id.is_empty() || self.secret_access_key.reveal().is_empty() {
            return wrong("access_key_id and secret_access_key must not be empty");
        }
        let limits = [
            self.connect_timeout_seconds,
            self.request_timeout_seconds,
            self.idle_timeout_seconds,
            self.copy_timeout_seconds,
            u64::from(self.attempts),
        ];
        if limits.contains(&0) {
            return wrong("timeouts and attempts must be at least 1");
        }
        Ok(())
    }
}

fn is_http_url(text: &str) -> bool {
    text.parse::<http::Uri>()
        .is_ok_and(|uri| matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_cannot_work() {
        let good = Settings {
            access_key_id: "id".into(),
            secret_access_key: Secret::new("secret"),
            ..Default::default()
        };
        assert!(good.validate().is_ok());
        for endpoint in ["", "localhost:9000", "ftp://host", "/path"] {
            assert!(Settings { endpoint: endpoint.into(), ..good.clone() }.validate().is_err(), "{endpoint}");
            let public = Some(endpoint.into());
            assert!(Settings { public_endpoint: public, ..good.clone() }.validate().is_err());
        }
        assert!(Settings { idle_timeout_seconds: 0, ..good.clone() }.validate().is_err());
        assert!(Settings { attempts: 0, ..good.clone() }.validate().is_err());
        assert!(Settings { secret_access_key: Secret::default(), ..good }.validate().is_err());
    }
}
