//! Which addresses are public.
//!
//! From the IANA special-purpose registries (RFC 6890 and its updates), with what cloud providers put
//! elsewhere. IPv6 is closed by default: only global unicast (2000::/3) is looked at further.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    str::FromStr,
};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What an address is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AddressClass {
    /// A host on the public internet: the only class that is dialled.
    Public,
    /// "This" network, and the unspecified address.
    Unspecified,
    /// This machine.
    Loopback,
    /// RFC 1918.
    Private,
    /// Behind a carrier's NAT (RFC 6598).
    CarrierGradeNat,
    /// This link only; the usual place of cloud metadata services.
    LinkLocal,
    /// A metadata or control service of a cloud provider at an otherwise public address.
    Metadata,
    /// Set aside for protocols: IETF assignments, ORCHID, AS112, AMT, SRv6 SIDs.
    ProtocolAssignment,
    /// For documentation.
    Documentation,
    /// For measuring network devices.
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

/// The first network that holds the address says what it is.
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

/// What an address is for. Anything but [`AddressClass::Public`] is not dialled.
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

/// ISATAP (RFC 5214 §6.1) lives under any prefix: interface id `[02]00:5efe` and an IPv4 address.
fn is_isatap(address: Ipv6Addr) -> bool {
    let segments = address.segments();
    matches!(segments[4], 0 | 0x200) && segments[5] == 0x5efe
}

/// A block of addresses, written `203.0.113.0/24`; a bare address is a block of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    base: IpAddr,
    prefix: u8,
}

/// A string is not a network.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a network, for example 203.0.113.0/24")]
pub struct InvalidNetwork(String);

impl Network {
    /// Whether the address lies in this block. The two families never meet.
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
