//! The session cookie.

use std::time::Duration;

use domain::Token;
use http::{HeaderMap, HeaderValue, header};

/// Name of the cookie.
pub const NAME: &str = "scan_session";

/// Returns the session secret of a request, if it is well-formed.
pub fn read(headers: &HeaderMap) -> Option<Token> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let mut pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == NAME).and_then(|(_, value)| Token::parse(value))
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
    let secure = if public_url.starts_with("https://") { "; Secure" } else { "" };
    let seconds = lifetime.as_secs();
    let text = format!("{NAME}={value}; Path=/; Max-Age={seconds}; HttpOnly; SameSite=Lax{secure}");
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
            read(&headers)
        };
        let own = format!("{NAME}={}", secret.reveal());
        assert_eq!(with(&[format!("a=b; {own}; c=d=e")]), Some(secret.clone()));
        assert_eq!(with(&["a=b".into(), own]), Some(secret.clone()));
        assert_eq!(with(&[format!("x{NAME}={}", secret.reveal()), "scan_session=short".into()]), None);
        assert_eq!(with(&[]), None);
    }

    #[test]
    fn hides_the_secret_from_scripts_plain_http_and_logs() {
        let secret = Token::generate();
        let text = |url| set(&secret, Duration::from_secs(60), url).unwrap().to_str().unwrap().to_owned();
        assert!(text("https://a.example").ends_with("; Path=/; Max-Age=60; HttpOnly; SameSite=Lax; Secure"));
        assert!(text("http://a.example").ends_with("; HttpOnly; SameSite=Lax"));
        let header = set(&secret, Duration::ZERO, "http://a.example").unwrap();
        assert!(!format!("{header:?}").contains(secret.reveal()));
    }
}
