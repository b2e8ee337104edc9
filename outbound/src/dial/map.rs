//! The dial map, with which tests and the demo receive webhooks on this machine.

use std::{collections::BTreeMap, net::SocketAddr};

use serde::{Deserialize, Serialize};

/// Maps host names to sockets on loopback. The map replaces only the DNS look-up and the check of
/// addresses; the form of a URL is vetted first, as always.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, SocketAddr>")]
pub struct DialMap(BTreeMap<String, SocketAddr>);

/// Error of a dial map with an address that isn't loopback.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the dial map may contain only loopback addresses, but {host} maps to {address}")]
pub struct InvalidDialMap {
    host: String,
    address: SocketAddr,
}

impl DialMap {
    /// Builds a map. Converts names to lower case.
    pub fn new(entries: impl IntoIterator<Item = (String, SocketAddr)>) -> Result<Self, InvalidDialMap> {
        let mut map = BTreeMap::new();
        for (host, address) in entries {
            if !address.ip().is_loopback() {
                return Err(InvalidDialMap { host, address });
            }
            map.insert(host.to_ascii_lowercase(), address);
        }
        Ok(Self(map))
    }

    /// Returns whether the map is empty, as in production.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn get(&self, host: &str) -> Option<SocketAddr> {
        self.0.get(host).copied()
    }
}

impl TryFrom<BTreeMap<String, SocketAddr>> for DialMap {
    type Error = InvalidDialMap;

    fn try_from(entries: BTreeMap<String, SocketAddr>) -> Result<Self, InvalidDialMap> {
        Self::new(entries)
    }
}
