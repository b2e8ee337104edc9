//! Why a target is refused: a stable code for programs, a sentence for people.

use serde::{Deserialize, Serialize};

macro_rules! refusals {
    ($($(#[$doc:meta])* $variant:ident = $code:literal, $reason:literal;)*) => {
        /// The stable code of a refusal.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum RefusalCode {
            $($(#[$doc])* #[serde(rename = $code)] $variant,)*
        }

        impl RefusalCode {
            /// Every code there is.
            pub const ALL: &'static [RefusalCode] = &[$(RefusalCode::$variant,)*];

            /// The code as it is stored and shown.
            pub const fn as_str(self) -> &'static str {
                match self { $(RefusalCode::$variant => $code,)* }
            }

            /// What people are told. It never says which address a name stands for: inside a private
            /// network that would be an answer worth asking for.
            pub const fn reason(self) -> &'static str {
                match self { $(RefusalCode::$variant => $reason,)* }
            }
        }
    };
}

refusals! {
    /// Longer than [`super::Policy::MAX_URL_BYTES`].
    UrlTooLong = "url_too_long", "the URL is longer than 2048 bytes";
    /// Not an absolute URL, or one that readers would disagree about.
    UrlMalformed = "url_malformed", "this is not a well-formed absolute URL (no white space, control characters or backslashes)";
    /// Anything but `https`.
    SchemeNotHttps = "scheme_not_https", "the URL must begin with https://";
    /// `user@` or `user:password@`, even empty.
    UserinfoNotAllowed = "userinfo_not_allowed", "the URL must not carry a user name or password";
    /// Another port than 443.
    PortNotAllowed = "port_not_allowed", "only port 443 is allowed";
    /// `#…`, which is never sent to a server.
    FragmentNotAllowed = "fragment_not_allowed", "the URL must not have a fragment (#…)";
    /// An address instead of a name, in whatever notation.
    IpLiteral = "ip_literal", "the host must be a name, not an IP address";
    /// No host at all.
    HostMissing = "host_missing", "the URL has no host";
    /// Not a host name by RFC 1123 (or not one IDNA can write).
    HostInvalid = "host_invalid", "the host is not a valid public host name";
    /// `example.com.`: another spelling of the same host, which certificates and deny lists do not know.
    HostTrailingDot = "host_trailing_dot", "the host must not end in a dot";
    /// A name that is not in the public DNS.
    HostPrivate = "host_private", "the host is a private or local name";
    /// The service's own host, its network provider's, or another the operator excludes.
    HostDenied = "host_denied", "webhooks cannot be sent to this host";
    /// The name has no address (now).
    HostUnresolved = "host_unresolved", "the host name does not resolve to an address";
    /// At least one of the addresses is not public.
    AddressNotPublic = "address_not_public", "the host resolves to an address that is not public";
}

impl std::fmt::Display for RefusalCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A target was refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("{reason}")]
pub struct Refusal {
    /// For programs.
    pub code: RefusalCode,
    /// For people.
    pub reason: String,
}

impl From<RefusalCode> for Refusal {
    fn from(code: RefusalCode) -> Self {
        Self { code, reason: code.reason().to_owned() }
    }
}

impl Refusal {
    /// Whether the same URL may pass later, unchanged (a name that does not resolve yet).
    pub const fn may_pass_later(&self) -> bool {
        matches!(self.code, RefusalCode::HostUnresolved | RefusalCode::AddressNotPublic)
    }
}
