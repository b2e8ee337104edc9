//! Settings of the webhook dialler.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{DialMap, tls::TlsError};
use crate::vetting::{Network, Policy, PolicyError};

/// Settings of webhook requests.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DialSettings {
    /// Hosts to which webhooks are refused, including all subdomains. List the hosts of this
    /// service and of its network provider.
    pub deny_hosts: Vec<String>,
    /// Public networks to which webhooks are refused, for example `203.0.113.0/24`. List the
    /// networks of this service.
    pub deny_networks: Vec<Network>,
    /// Maximum time of a request in seconds, from the look-up to the end of the response; 1 to 60.
    pub timeout_seconds: u64,
    /// Host names that lead to an address on loopback. For tests and the demo only.
    pub dial_map: DialMap,
    /// PEM file of a certificate authority that is trusted for hosts of the dial map. For tests and
    /// the demo only.
    pub test_ca_file: Option<PathBuf>,
}

impl Default for DialSettings {
    fn default() -> Self {
        Self {
            deny_hosts: Vec::new(),
            deny_networks: Vec::new(),
            timeout_seconds: 10,
            dial_map: DialMap::default(),
            test_ca_file: None,
        }
    }
}

/// Error of invalid dialler settings.
#[derive(Debug, thiserror::Error)]
pub enum DialSettingsError {
    /// An entry of `deny_hosts` is not a host.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// `test_ca_file` cannot be read.
    #[error("test_ca_file {file}: {source}")]
    TestCa {
        /// The file.
        file: PathBuf,
        /// The cause.
        source: std::io::Error,
    },
    /// The file contains no certificate, or TLS cannot be set up.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The timeout is out of range.
    #[error("timeout_seconds must be from 1 to 60")]
    Timeout,
    /// The dial map and the test authority are not allowed together with live payments.
    #[error("{0} is for tests and the demo: it cannot be set when live payments are on")]
    TestOnly(&'static str),
}

impl DialSettings {
    pub(super) fn policy(&self) -> Result<Policy, PolicyError> {
        Policy::new(&self.deny_hosts, self.deny_networks.clone())
    }

    /// Validates everything that can be checked without opening a file.
    pub fn validate(&self, live_payments: bool) -> Result<(), DialSettingsError> {
        self.policy()?;
        if !(1..=60).contains(&self.timeout_seconds) {
            return Err(DialSettingsError::Timeout);
        }
        if live_payments && !self.dial_map.is_empty() {
            return Err(DialSettingsError::TestOnly("dial_map"));
        }
        if live_payments && self.test_ca_file.is_some() {
            return Err(DialSettingsError::TestOnly("test_ca_file"));
        }
        Ok(())
    }
}
