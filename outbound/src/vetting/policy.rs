//! Vets the form of a URL, without I/O.

use std::net::IpAddr;

use url::{Host, ParseError, Url};

use super::{AddressClass, Network, Refusal, RefusalCode, class_of, host};

/// Rules for URLs, with the hosts and networks that the operator denies.
#[derive(Debug, Clone, Default)]
pub struct Policy {
    deny_hosts: Vec<String>,
    deny_networks: Vec<Network>,
}

/// Error of a denied host that is not a host name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a host name to deny")]
pub struct PolicyError(String);

impl Policy {
    /// Maximum length of a URL, in bytes.
    pub const MAX_URL_BYTES: usize = 2048;

    /// Builds a policy that also denies these hosts with all subdomains, and these networks.
    /// `.example.com` and `*.example.com` mean `example.com`.
    pub fn new(deny_hosts: &[String], deny_networks: Vec<Network>) -> Result<Self, PolicyError> {
        let deny_hosts = deny_hosts
            .iter()
            .map(|entry| {
                let name = entry.trim_start_matches("*.").trim_start_matches('.').trim_end_matches('.');
                match Host::parse(name) {
                    Ok(Host::Domain(name)) if !name.is_empty() => Ok(name),
                    _ => Err(PolicyError(entry.clone())),
                }
            })
            .collect::<Result<_, _>>()?;
        Ok(Self { deny_hosts, deny_networks })
    }

    /// Vets the form of a URL. Makes no look-up.
    pub fn vet(&self, text: &str) -> Result<VettedUrl, Refusal> {
        Ok(self.vet_form(text)?)
    }

    fn vet_form(&self, text: &str) -> Result<VettedUrl, RefusalCode> {
        if text.len() > Self::MAX_URL_BYTES {
            return Err(RefusalCode::UrlTooLong);
        }
        let authority = authority(text)?;
        let url = Url::parse(text).map_err(|error| match error {
            ParseError::EmptyHost => RefusalCode::HostMissing,
            ParseError::InvalidPort => RefusalCode::PortNotAllowed,
            ParseError::InvalidIpv4Address | ParseError::InvalidIpv6Address => RefusalCode::IpLiteral,
            ParseError::IdnaError | ParseError::InvalidDomainCharacter => RefusalCode::HostInvalid,
            _ => RefusalCode::UrlMalformed,
        })?;
        // Checks both the text and the parsed URL, because an empty `@` leaves no trace in the
        // parsed URL.
        if authority.contains('@') || !url.username().is_empty() || url.password().is_some() {
            return Err(RefusalCode::UserinfoNotAllowed);
        }
        let host = match url.host() {
            Some(Host::Domain(name)) => name.to_owned(),
            Some(Host::Ipv4(_) | Host::Ipv6(_)) => return Err(RefusalCode::IpLiteral),
            None => return Err(RefusalCode::HostMissing),
        };
        host::check(&host)?;
        if url.port().is_some() {
            return Err(RefusalCode::PortNotAllowed);
        }
        if url.fragment().is_some() {
            return Err(RefusalCode::FragmentNotAllowed);
        }
        if self.deny_hosts.iter().any(|denied| host::is_in_domain(&host, denied)) {
            return Err(RefusalCode::HostDenied);
        }
        Ok(VettedUrl { url, host })
    }

    /// Returns the class that forbids dialling `address`, or `None` if it is public and not denied.
    pub fn blocked_class(&self, address: IpAddr) -> Option<AddressClass> {
        match class_of(address) {
            AddressClass::Public if self.deny_networks.iter().any(|n| n.contains(address)) => {
                Some(AddressClass::Denied)
            }
            AddressClass::Public => None,
            other => Some(other),
        }
    }
}

/// Returns the text between `https://` and the path. Rejects what the parser would silently repair
/// (tabs, backslashes, missing or extra slashes), so that the dialled host is the written one.
fn authority(text: &str) -> Result<&str, RefusalCode> {
    if text.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
        return Err(RefusalCode::UrlMalformed);
    }
    let (scheme, rest) = text.split_once(':').ok_or(RefusalCode::UrlMalformed)?;
    let is_scheme = scheme.starts_with(|c: char| c.is_ascii_alphabetic())
        && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
    if !is_scheme {
        return Err(RefusalCode::UrlMalformed);
    }
    if !scheme.eq_ignore_ascii_case("https") {
        return Err(RefusalCode::SchemeNotHttps);
    }
    let rest = rest.strip_prefix("//").ok_or(RefusalCode::UrlMalformed)?;
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.is_empty() { Err(RefusalCode::HostMissing) } else { Ok(authority) }
}

/// A URL whose form is allowed. Its host isn't resolved yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VettedUrl {
    url: Url,
    host: String,
}

impl VettedUrl {
    /// Returns the canonical form of the URL, which is the one to store.
    pub fn as_str(&self) -> &str {
        self.url.as_str()
    }

    /// Returns the host in lower-case ASCII (Punycode).
    pub fn host(&self) -> &str {
        &self.host
    }

    /// Returns path and query, for the request line.
    pub fn path_and_query(&self) -> String {
        match self.url.query() {
            Some(query) => format!("{}?{query}", self.url.path()),
            None => self.url.path().to_owned(),
        }
    }
}

impl std::fmt::Display for VettedUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
