//! Settings of object storage.

use domain::Secret;
use serde::{Deserialize, Serialize};

use super::Error;

/// Settings of object storage.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// URL at which the service reaches storage, for example
    /// `https://s3.eu-central-1.amazonaws.com`.
    pub endpoint: String,
    /// URL at which clients reach the same storage. Presigned upload URLs use it. If it is not set,
    /// clients upload videos through the API.
    pub public_endpoint: Option<String>,
    /// Region that requests are signed for.
    pub region: String,
    /// Bucket of all objects. It is created at startup if it doesn't exist.
    pub bucket: String,
    /// Access key id.
    pub access_key_id: String,
    /// Secret access key.
    pub secret_access_key: Secret,
    /// Maximum time to connect, in seconds.
    pub connect_timeout_seconds: u64,
    /// Maximum time of one attempt of a short request, in seconds.
    pub request_timeout_seconds: u64,
    /// Maximum time without data on a stream in either direction, and maximum time to wait for the
    /// response after a streamed upload, in seconds.
    pub idle_timeout_seconds: u64,
    /// Maximum time of a copy inside storage, in seconds.
    pub copy_timeout_seconds: u64,
    /// Maximum number of attempts of a request that can be retried, including the first.
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
    /// Validates the settings. Errors name the field.
    ///
    /// # Errors
    /// Returns [`Error::Settings`] if a field is invalid.
    pub fn validate(&self) -> Result<(), Error> {
        let invalid = |what: &str| Err(Error::Settings(what.into()));
        if !is_http_url(&self.endpoint) {
            return invalid("endpoint must be http(s)://host[:port]");
        }
        if self.public_endpoint.as_deref().is_some_and(|endpoint| !is_http_url(endpoint)) {
            return invalid("public_endpoint must be http(s)://host[:port]");
        }
        if self.bucket.is_empty() || self.region.is_empty() {
            return invalid("bucket and region must not be empty");
        }
        if self.access_key_id.is_empty() || self.secret_access_key.reveal().is_empty() {
            return invalid("access_key_id and secret_access_key must not be empty");
        }
        let limits = [
            self.connect_timeout_seconds,
            self.request_timeout_seconds,
            self.idle_timeout_seconds,
            self.copy_timeout_seconds,
            u64::from(self.attempts),
        ];
        if limits.contains(&0) {
            return invalid("timeouts and attempts must be at least 1");
        }
        Ok(())
    }
}

impl Settings {
    /// Returns scheme, host and port of the public address, if there is one.
    pub(super) fn public_origin(&self) -> Option<String> {
        let uri: http::Uri = self.public_endpoint.as_deref()?.parse().ok()?;
        Some(format!("{}://{}", uri.scheme_str()?, uri.authority()?))
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
    fn the_public_origin_is_the_public_endpoint_without_its_path() {
        let with = |endpoint: &str| {
            Settings { public_endpoint: Some(endpoint.into()), ..Default::default() }.public_origin()
        };
        assert_eq!(with("https://s3.example.com:9000/path").as_deref(), Some("https://s3.example.com:9000"));
        assert_eq!(Settings::default().public_origin(), None);
    }

    #[test]
    fn rejects_invalid_settings() {
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
