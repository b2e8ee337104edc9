//! The dial map: how tests and the demo receive webhooks on this machine.

use std::{collections::BTreeMap, net::SocketAddr};

use serde::{Deserialize, Serialize};

/// Host names that stand for a socket on loopback. Looked at after a URL's form was vetted, in place
/// of the look-up and the check of addresses; everything else of the path is the real one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "BTreeMap<String, SocketAddr>")]
pub struct DialMap(BTreeMap<String, SocketAddr>);

/// An entry that would open more than loopback.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the dial map may only lead to loopback, not {host} to {address}")]
pub struct InvalidDialMap {
    host: String,
    address: SocketAddr,
}

impl DialMap {
    /// A map of these names. Names are taken in lower case.
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

    /// Whether nothing is mapped, as in production.
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
