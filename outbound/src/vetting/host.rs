//! Checks that host names are public names.

use super::RefusalCode;

/// Top-level names that are not in the public DNS, or that never contain a public web host.
///
/// - RFC 6761, 6762, 7686, 8375, 9476: `localhost`, `local`, `test`, `example`, `invalid`, `onion`,
///   `alt`, and all of `arpa` (`home.arpa` and the reverse zones contain infrastructure, no web
///   hosts). `test` can never be delegated, so a URL in it is a mistake; tests use a host of
///   `example.com` and map it.
/// - ICANN: `internal` is reserved for private use; `corp`, `home` and `mail` are never delegated.
/// - Conventions of routers, directories and clusters: the rest.
const PRIVATE_SUFFIXES: &[&str] = &[
    "alt",
    "arpa",
    "cluster",
    "consul",
    "corp",
    "domain",
    "example",
    "home",
    "internal",
    "intranet",
    "invalid",
    "lan",
    "local",
    "localdomain",
    "localhost",
    "mail",
    "novalocal",
    "onion",
    "private",
    "test",
    "workgroup",
];

/// Maximum length of a name and a label (RFC 1035), in bytes.
const MAX_NAME_BYTES: usize = 253;
const MAX_LABEL_BYTES: usize = 63;

/// Checks a host that the URL parser has converted to lower case and ASCII.
pub(super) fn check(host: &str) -> Result<(), RefusalCode> {
    if host.is_empty() {
        return Err(RefusalCode::HostMissing);
    }
    if host.ends_with('.') {
        return Err(RefusalCode::HostTrailingDot);
    }
    if host.len() > MAX_NAME_BYTES || !host.split('.').all(is_label) {
        return Err(RefusalCode::HostInvalid);
    }
    // A single label would be resolved in the search domains of this machine, so it names an
    // internal host.
    let Some((_, top)) = host.rsplit_once('.') else { return Err(RefusalCode::HostPrivate) };
    if PRIVATE_SUFFIXES.contains(&top) {
        return Err(RefusalCode::HostPrivate);
    }
    if is_top_level(top) { Ok(()) } else { Err(RefusalCode::HostInvalid) }
}

/// Returns whether `host` is `suffix` or a subdomain of it.
pub(super) fn is_in_domain(host: &str, suffix: &str) -> bool {
    host.strip_suffix(suffix).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Returns whether a label has only letters, digits and inner hyphens (RFC 1123). Underscores occur
/// in names of services, not of hosts.
fn is_label(label: &str) -> bool {
    (1..=MAX_LABEL_BYTES).contains(&label.len())
        && label.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        && !label.starts_with('-')
        && !label.ends_with('-')
}

/// Returns whether a label can be a top-level domain: alphabetic or IDNA-encoded (RFC 3696 §2).
fn is_top_level(label: &str) -> bool {
    label.len() >= 2 && (label.starts_with("xn--") || label.bytes().all(|b| b.is_ascii_alphabetic()))
}
