//! Classifies IP addresses as public or not.
//!
//! The table follows the IANA special-purpose registries (RFC 6890 and updates) and adds the
//! addresses of cloud providers' internal services. IPv6 is denied by default: only addresses in
//! global unicast (2000::/3) can be public.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Class of an IP address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AddressClass {
    /// A host on the public internet. The only class that is dialled.
    Public,
    /// "This" network, and the unspecified address.
    Unspecified,
    /// Loopback: this machine.
    Loopback,
    /// Private use (RFC 1918).
    Private,
    /// Carrier-grade NAT (RFC 6598).
    CarrierGradeNat,
    /// Link-local; the usual place of cloud metadata services.
    LinkLocal,
    /// A metadata or control service of a cloud provider at an otherwise public address.
    Metadata,
    /// Reserved for protocols: IETF assignments, ORCHID, AS112, AMT, SRv6 SIDs.
    ProtocolAssignment,
    /// Documentation.
    Documentation,
    /// Benchmarking of network devices.
    Benchmarking,
    /// Multicast.
    Multicast,
    /// Reserved, limited broadcast, or not allocated.
    Reserved,
    /// An address that carries an IPv4 address: mapped, compatible, NAT64, 6to4, Teredo, ISATAP.
    Tunnel,
    /// IPv6 unique local.
    UniqueLocal,
    /// IPv6 site-local (deprecated).
    SiteLocal,
    /// IPv6 discard-only.
    Discard,
    /// IPv6 outside of global unicast.
    NotGlobalUnicast,
    /// Public, but denied by the operator's settings.
    Denied,
}

use AddressClass::*;

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> Network {
    Network { base: IpAddr::V4(Ipv4Addr::new(a, b, c, d)), prefix }
}

const fn v6(segments: [u16; 8], prefix: u8) -> Network {
    let [a, b, c, d, e, f, g, h] = segments;
    Network { base: IpAddr::V6(Ipv6Addr::new(a, b, c, d, e, f, g, h)), prefix }
}

/// Special networks. The first one that contains an address decides its class.
const SPECIAL: &[(Network, AddressClass)] = &[
    (v4(0, 0, 0, 0, 8), Unspecified),
    (v4(10, 0, 0, 0, 8), Private),
    (v4(100, 64, 0, 0, 10), CarrierGradeNat),
    (v4(127, 0, 0, 0, 8), Loopback),
    // Azure's platform services (DNS, DHCP, agent) for every virtual machine.
    (v4(168, 63, 129, 16, 32), Metadata),
    (v4(169, 254, 0, 0, 16), LinkLocal),
    (v4(172, 16, 0, 0, 12), Private),
    (v4(192, 0, 0, 0, 24), ProtocolAssignment),
    (v4(192, 0, 2, 0, 24), Documentation),
    (v4(192, 31, 196, 0, 24), ProtocolAssignment),
    (v4(192, 52, 193, 0, 24), ProtocolAssignment),
    (v4(192, 88, 99, 0, 24), Tunnel),
    (v4(192, 168, 0, 0, 16), Private),
    (v4(192, 175, 48, 0, 24), ProtocolAssignment),
    (v4(198, 18, 0, 0, 15), Benchmarking),
    (v4(198, 51, 100, 0, 24), Documentation),
    (v4(203, 0, 113, 0, 24), Documentation),
    (v4(224, 0, 0, 0, 4), Multicast),
    (v4(240, 0, 0, 0, 4), Reserved),
    (v6([0, 0, 0, 0, 0, 0, 0, 0], 128), Unspecified),
    (v6([0, 0, 0, 0, 0, 0, 0, 1], 128), Loopback),
    (v6([0, 0, 0, 0, 0, 0, 0, 0], 96), Tunnel),
    (v6([0, 0, 0, 0, 0, 0xffff, 0, 0], 96), Tunnel),
    (v6([0, 0, 0, 0, 0xffff, 0, 0, 0], 96), Tunnel),
    (v6([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96), Tunnel),
    (v6([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48), Tunnel),
    (v6([0x100, 0, 0, 0, 0, 0, 0, 0], 64), Discard),
    (v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 32), Tunnel),
    (v6([0x2001, 2, 0, 0, 0, 0, 0, 0], 48), Benchmarking),
    (v6([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32), Documentation),
    // IETF protocol assignments, with ORCHID (2001:10::/28) and ORCHIDv2 (2001:20::/28).
    (v6([0x2001, 0, 0, 0, 0, 0, 0, 0], 23), ProtocolAssignment),
    (v6([0x2002, 0, 0, 0, 0, 0, 0, 0], 16), Tunnel),
    (v6([0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0], 48), ProtocolAssignment),
    // 6bone, returned and not allocated again.
    (v6([0x3ffe, 0, 0, 0, 0, 0, 0, 0], 16), Reserved),
    (v6([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20), Documentation),
    (v6([0x5f00, 0, 0, 0, 0, 0, 0, 0], 16), ProtocolAssignment),
    (v6([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7), UniqueLocal),
    (v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10), LinkLocal),
    (v6([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10), SiteLocal),
    (v6([0xff00, 0, 0, 0, 0, 0, 0, 0], 8), Multicast),
];

const GLOBAL_UNICAST: Network = v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

/// Returns the class of an address. Only [`AddressClass::Public`] is dialled.
pub fn class_of(address: IpAddr) -> AddressClass {
    if let Some((_, class)) = SPECIAL.iter().find(|(network, _)| network.contains(address)) {
        return *class;
    }
    match address {
        IpAddr::V4(_) => Public,
        IpAddr::V6(_) if !GLOBAL_UNICAST.contains(address) => NotGlobalUnicast,
        IpAddr::V6(v6) if is_isatap(v6) => Tunnel,
        IpAddr::V6(_) => Public,
    }
}

/// Returns whether an address is an ISATAP address (RFC 5214 §6.1): any prefix, interface id
/// `[02]00:5efe` and an IPv4 address.
fn is_isatap(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    matches!(segments[4], 0 | 0x200) && segments[5] == 0x5efe
}

/// A block of addresses, for example `203.0.113.0/24`. An address without a prefix is a block of
/// one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    base: IpAddr,
    prefix: u8,
}

/// Error of a string that is not a network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a network; an example is 203.0.113.0/24")]
pub struct InvalidNetwork(String);

impl Network {
    /// Returns whether the block contains the address. An IPv4 block contains no IPv6 address, and
    /// vice versa.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.base, address) {
            (IpAddr::V4(base), IpAddr::V4(address)) => {
                let differ = u32::from(base) ^ u32::from(address);
                differ.leading_zeros() >= u32::from(self.prefix)
            }
            (IpAddr::V6(base), IpAddr::V6(address)) => {
                let differ = u128::from(base) ^ u128::from(address);
                differ.leading_zeros() >= u32::from(self.prefix)
            }
            _ => false,
        }
    }
}

impl FromStr for Network {
    type Err = InvalidNetwork;

    fn from_str(text: &str) -> Result<Self, InvalidNetwork> {
        let invalid = || InvalidNetwork(text.to_owned());
        let (base, prefix) = match text.split_once('/') {
            Some((base, prefix)) => (base, Some(prefix)),
            None => (text, None),
        };
        let base: IpAddr = base.parse().map_err(|_| invalid())?;
        let longest = if base.is_ipv4() { 32 } else { 128 };
        let prefix: u8 = match prefix {
            Some(prefix) => prefix.parse().map_err(|_| invalid())?,
            None => longest,
        };
        if prefix <= longest { Ok(Self { base, prefix }) } else { Err(invalid()) }
    }
}

impl std::fmt::Display for Network {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{}", self.base, self.prefix)
    }
}

impl Serialize for Network {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Network {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}
