//! The session cookie.

use std::time::Duration;

use domain::Token;
use http::{HeaderMap, HeaderValue, header};

/// Name of the cookie over plain HTTP, which is for development only.
pub const NAME: &str = "scan_session";
/// Name of the cookie behind TLS. Browsers accept this prefix only from the host itself and over TLS,
/// so neither a subdomain nor somebody on the network can set the cookie.
pub const HOST_NAME: &str = "__Host-scan_session";

fn is_secure(public_url: &str) -> bool {
    public_url.starts_with("https://")
}

/// Returns the name of the cookie at this public URL.
fn name(public_url: &str) -> &'static str {
    if is_secure(public_url) { HOST_NAME } else { NAME }
}

/// Returns the session secret of a request, if it is well-formed. Several cookies with different
/// values are refused, because at most one of them is ours.
pub fn read(headers: &HeaderMap, public_url: &str) -> Option<Token> {
    let name = name(public_url);
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut values = pairs.filter(|(other, _)| *other == name).map(|(_, value)| value);
    let first = values.next()?;
    values.all(|other| other == first).then(|| Token::parse(first)).flatten()
}

/// Returns the `Set-Cookie` that sets a secret. `Secure` if the public URL is https.
pub fn set(secret: &Token, lifetime: Duration, public_url: &str) -> Option<HeaderValue> {
    header_value(secret.reveal(), lifetime, public_url)
}

/// Returns the `Set-Cookie` that deletes the cookie.
pub fn clear(public_url: &str) -> Option<HeaderValue> {
    header_value("", Duration::ZERO, public_url)
}

fn header_value(value: &str, lifetime: Duration, public_url: &str) -> Option<HeaderValue> {
    let secure = if is_secure(public_url) { "; Secure" } else { "" };
    let name = name(public_url);
    let seconds = lifetime.as_secs();
    let text = format!("{name}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
    let mut header = HeaderValue::from_str(&text).ok()?;
    header.set_sensitive(true);
    Some(header)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_secret_among_other_cookies() {
        let secret = Token::generate();
        let with = |lines: &[String]| {
            let mut headers = HeaderMap::new();
            lines.iter().for_each(|line| {
                headers.append(header::COOKIE, line.parse().unwrap());
            });
            read(&headers, "http://a.example")
        };
        let own = format!("{NAME}={}", secret.reveal());
        assert_eq!(with(&[format!("a=b; {own}; c=d=e")]), Some(secret.clone()));
        assert_eq!(with(&["a=b".into(), own]), Some(secret.clone()));
        assert_eq!(with(&[format!("x{NAME}={}", secret.reveal()), "scan_session=short".into()]), None);
        assert_eq!(with(&[]), None);
    }

    #[test]
    fn of_several_cookies_none_wins_by_accident() {
        let (ours, theirs) = (Token::generate(), Token::generate());
        let read = |text: &str, url| {
            let mut headers = HeaderMap::new();
            headers.append(header::COOKIE, text.parse().unwrap());
            read(&headers, url)
        };
        let [ours, theirs] = [ours.reveal(), theirs.reveal()];
        let http = "http://a.example";
        for (one, other) in [(ours, theirs), (theirs, ours), (ours, "short")] {
            assert_eq!(read(&format!("{NAME}={one}; {NAME}={other}"), http), None);
        }
        assert!(read(&format!("{NAME}={ours}; {NAME}={ours}"), http).is_some());
        // Behind TLS, a cookie that a subdomain may have set counts for nothing.
        let https = "https://a.example";
        assert_eq!(read(&format!("{NAME}={ours}"), https), None);
        let both = format!("{NAME}={theirs}; {HOST_NAME}={ours}");
        assert_eq!(read(&both, https).map(|token| token.reveal().to_owned()).as_deref(), Some(ours));
    }

    #[test]
    fn hides_the_secret_from_scripts_plain_http_and_logs() {
        let secret = Token::generate();
        assert!(
            set(&secret, Duration::ZERO, "https://a.example").unwrap().as_bytes().starts_with(b"__Host-")
        );
        let text = |url| set(&secret, Duration::from_secs(60), url).unwrap().to_str().unwrap().to_owned();
        assert!(text("https://a.example").ends_with("; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure"));
        assert!(text("http://a.example").ends_with("; HttpOnly; SameSite=Lax"));
        let header = set(&secret, Duration::ZERO, "http://a.example").unwrap();
        assert!(!format!("{header:?}").contains(secret.reveal()));
    }
}
