//! Where the client commands find the API, and what they authenticate with.

use anyhow::{Context, bail};
use clap::Args;

use super::profiles::Profiles;

/// URL of the API of a `scan up` with default ports.
const DEFAULT_API: &str = "http://127.0.0.1:8080/v1";

/// URL and key of the API. An option wins over the environment, and that over the profile.
#[derive(Debug, Clone, Default, Args)]
pub struct Connection {
    /// URL of the API, with its version. Default: that of the profile.
    #[arg(long, env = "SCAN_API_URL", global = true, help_heading = "Connection")]
    pub api: Option<String>,
    /// API key. Default: that of the profile.
    #[arg(long, env = "SCAN_API_KEY", hide_env_values = true, global = true, help_heading = "Connection")]
    pub key: Option<String>,
    /// Profile that `scan login` stored: `test` or `live`. Default: the one of the last login.
    #[arg(long, env = "SCAN_PROFILE", global = true, help_heading = "Connection")]
    pub profile: Option<String>,
}

/// What a command authenticates with.
#[derive(Clone)]
pub struct Access {
    /// URL of the API, with its version and without a slash at its end.
    pub base: String,
    /// API key, if there is one.
    pub key: Option<String>,
    /// Session cookie, if there is one: `name=value`.
    pub session: Option<String>,
    /// Mode of a session's requests: `test` or `live`.
    pub mode: String,
}

impl Connection {
    /// Returns the URL of the API, without a profile.
    pub fn base(&self) -> String {
        self.api.as_deref().unwrap_or(DEFAULT_API).trim_end_matches('/').to_owned()
    }

    /// Finds URL and key.
    ///
    /// # Errors
    /// Returns an error if the profile is unknown, or its file cannot be read.
    pub fn access(&self) -> anyhow::Result<Access> {
        let stored = match (&self.key, &self.profile) {
            // Without a home folder, options and environment are enough.
            (Some(_), None) => None,
            (_, name) => Profiles::load(&Profiles::path()?)?.find(name.as_deref())?.cloned(),
        };
        let base = match (&self.api, &stored) {
            (None, Some(profile)) => profile.api.clone(),
            _ => self.base(),
        };
        // A stored key is for the service that created it, and for no other.
        let stored = stored.filter(|profile| profile.api == base);
        let key = self.key.clone().or_else(|| Some(stored.as_ref()?.key.clone()));
        let live = key.as_ref().is_some_and(|key| key.starts_with("sc_live_"));
        let mode = if live { "live" } else { "test" }.to_owned();
        Ok(Access { base, key, session: stored.and_then(|profile| profile.session), mode })
    }
}

impl Access {
    /// Returns the key.
    ///
    /// # Errors
    /// Returns an error that says how to get one.
    pub fn require_key(&self) -> anyhow::Result<&str> {
        self.key.as_deref().with_context(|| {
            format!("there is no key for {}: run `scan login`, or pass --key or SCAN_API_KEY", self.base)
        })
    }

    /// Returns the session cookie.
    ///
    /// # Errors
    /// Returns an error that says how to get one.
    pub fn require_session(&self) -> anyhow::Result<&str> {
        match &self.session {
            Some(session) => Ok(session),
            None => bail!(
                "no API key may do this: log in with `scan login --email ADDRESS`, or use the console at {}",
                self.console("")
            ),
        }
    }

    /// Returns the URL of a page of the console.
    pub fn console(&self, page: &str) -> String {
        format!("{}/console{page}", self.origin())
    }

    /// Returns the URL of the service, without the version of the API.
    pub fn origin(&self) -> &str {
        self.base.strip_suffix("/v1").unwrap_or(&self.base)
    }
}

impl std::fmt::Debug for Access {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Access")
            .field("base", &self.base)
            .field("mode", &self.mode)
            .finish_non_exhaustive()
    }
}
