//! Settings of the dialler.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{DialMap, tls::TlsError};
use crate::vetting::{Network, Policy, PolicyError};

/// Where webhooks may go, and for how long an answer is waited.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DialSettings {
    /// Hosts that are refused with everything below them: the service's own and its network
    /// provider's.
    pub deny_hosts: Vec<String>,
    /// Networks that are refused although they are public: the service's own.
    pub deny_networks: Vec<Network>,
    /// For everything from look-up to the end of the answer.
    pub timeout_seconds: u64,
    /// Names that stand for loopback. Tests and the demo only.
    pub dial_map: DialMap,
    /// An authority (PEM) that mapped names may present certificates of. Tests and the demo only.
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

/// The dialler cannot be set up as the settings say.
#[derive(Debug, thiserror::Error)]
pub enum DialSettingsError {
    /// An entry of `deny_hosts` is not a host.
    #[error(transparent)]
    Policy(#[from] PolicyError),
    /// `test_ca_file` cannot be read.
    #[error("test_ca_file {file}: {source}")]
    TestCa {
        /// The file named.
        file: PathBuf,
        /// Why not.
        source: std::io::Error,
    },
    /// Its content is no certificate, or TLS cannot be set up.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// A limit of zero would let nothing through.
    #[error("timeout_seconds must be from 1 to 60")]
    Timeout,
    /// With live payments no name may lead to loopback and no test authority be trusted.
    #[error("{0} is for tests and the demo: it cannot be set when live payments are on")]
    TestOnly(&'static str),
}

impl DialSettings {
    pub(super) fn policy(&self) -> Result<Policy, PolicyError> {
        Policy::new(&self.deny_hosts, self.deny_networks.clone())
    }

    /// Checks what can be checked without opening a file.
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
