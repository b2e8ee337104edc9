//! Reasons for which a URL is refused: a stable code for programs and a sentence for people.

use serde::{Deserialize, Serialize};

macro_rules! refusals {
    ($($(#[$doc:meta])* $variant:ident = $code:literal, $reason:literal;)*) => {
        /// Stable code of a refusal.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum RefusalCode {
            $($(#[$doc])* #[serde(rename = $code)] $variant,)*
        }

        impl RefusalCode {
            /// All codes.
            pub const ALL: &'static [RefusalCode] = &[$(RefusalCode::$variant,)*];

            /// Returns the code as stored and returned by the API.
            pub const fn as_str(self) -> &'static str {
                match self { $(RefusalCode::$variant => $code,)* }
            }

            /// Returns the sentence for people. It never contains the resolved address, which would
            /// reveal the structure of a private network.
            pub const fn reason(self) -> &'static str {
                match self { $(RefusalCode::$variant => $reason,)* }
            }
        }
    };
}

refusals! {
    /// Longer than [`super::Policy::MAX_URL_BYTES`].
    UrlTooLong = "url_too_long", "the URL is longer than 2048 bytes";
    /// Not an absolute URL, or one that parsers interpret differently.
    UrlMalformed = "url_malformed", "the URL is not a well-formed absolute URL (no white space, control characters or backslashes)";
    /// The scheme is not `https`.
    SchemeNotHttps = "scheme_not_https", "the URL must begin with https://";
    /// The URL has `user@` or `user:password@`, even an empty one.
    UserinfoNotAllowed = "userinfo_not_allowed", "the URL must not carry a user name or password";
    /// The port is not 443.
    PortNotAllowed = "port_not_allowed", "only port 443 is allowed";
    /// The URL has a fragment, which is never sent to a server.
    FragmentNotAllowed = "fragment_not_allowed", "the URL must not have a fragment (#…)";
    /// The host is an IP address, in any notation.
    IpLiteral = "ip_literal", "the host must be a name, not an IP address";
    /// The URL has no host.
    HostMissing = "host_missing", "the URL has no host";
    /// The host is not a valid host name (RFC 1123, IDNA).
    HostInvalid = "host_invalid", "the host is not a valid public host name";
    /// The host ends in a dot: another spelling of the same host, which would bypass deny lists and
    /// certificate checks.
    HostTrailingDot = "host_trailing_dot", "the host must not end in a dot";
    /// The host is not in the public DNS.
    HostPrivate = "host_private", "the host is a private or local name";
    /// The operator denies the host.
    HostDenied = "host_denied", "webhooks cannot be sent to this host";
    /// The host has no address at the moment.
    HostUnresolved = "host_unresolved", "the host name does not resolve to an address";
    /// At least one address of the host is not public.
    AddressNotPublic = "address_not_public", "the host resolves to an address that is not public";
}

impl std::fmt::Display for RefusalCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A refused URL.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{reason}")]
pub struct Refusal {
    /// Code for programs.
    pub code: RefusalCode,
    /// Sentence for people.
    pub reason: String,
}

impl From<RefusalCode> for Refusal {
    fn from(code: RefusalCode) -> Self {
        Self { code, reason: code.reason().to_owned() }
    }
}

impl Refusal {
    /// Returns whether the same URL may be accepted later, because the result depends on the DNS.
    pub const fn may_pass_later(&self) -> bool {
        matches!(self.code, RefusalCode::HostUnresolved | RefusalCode::AddressNotPublic)
    }
}
