//! Protection from cross-site request forgery, by the headers `Origin` and `Sec-Fetch-Site`.

use domain::ApiErrorCode;
use http::{HeaderMap, Method, Uri, header};

use crate::http::error::{ApiError, ApiResult};

/// Checks that an unsafe request comes from a page of the service: its `Origin` is that of
/// `public_url`, or it has no `Origin` and `Sec-Fetch-Site` is `same-origin`. Browsers send at
/// least one of them.
///
/// # Errors
/// Returns `ORIGIN_REFUSED` for a request from elsewhere.
pub fn require_same_origin(method: &Method, headers: &HeaderMap, public_url: &str) -> ApiResult<()> {
    if method.is_safe() || is_same_origin(headers, public_url) {
        return Ok(());
    }
    Err(ApiError::new(ApiErrorCode::OriginRefused))
}

fn is_same_origin(headers: &HeaderMap, public_url: &str) -> bool {
    let mut origins = headers.get_all(header::ORIGIN).iter();
    match (origins.next(), origins.next()) {
        (Some(origin), None) => {
            let own = origin_of(public_url);
            own.is_some_and(|own| origin.as_bytes().eq_ignore_ascii_case(own.as_bytes()))
        }
        (Some(_), Some(_)) => false,
        (None, _) => headers.get("sec-fetch-site").is_some_and(|site| site == "same-origin"),
    }
}

/// Returns the origin of a URL as browsers write it: without the default port of its scheme.
fn origin_of(url: &str) -> Option<String> {
    let uri: Uri = url.parse().ok()?;
    let (scheme, host) = (uri.scheme_str()?, uri.host()?);
    let port = match (scheme, uri.port_u16()) {
        ("http", Some(80)) | ("https", Some(443)) | (_, None) => String::new(),
        (_, Some(port)) => format!(":{port}"),
    };
    Some(format!("{scheme}://{host}{port}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepts(method: Method, pairs: &[(&'static str, &str)]) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        require_same_origin(&method, &headers, "https://scan.example.com:443/base").is_ok()
    }

    #[test]
    fn accepts_changes_from_own_pages_only() {
        let ours = ("origin", "https://scan.example.com");
        let same = ("sec-fetch-site", "same-origin");
        assert!(accepts(Method::POST, &[ours]));
        assert!(accepts(Method::DELETE, &[same]));
        assert!(accepts(Method::GET, &[]));
        let theirs = ("origin", "https://evil.example.com");
        for refused in [
            &[][..],
            &[theirs],
            &[theirs, same],
            &[ours, theirs],
            &[("origin", "null")],
            &[("origin", "http://scan.example.com")],
            &[("origin", "https://scan.example.com:8443")],
            &[("origin", "https://scan.example.com.evil.example")],
            &[("sec-fetch-site", "same-site")],
            &[("sec-fetch-site", "none")],
        ] {
            assert!(!accepts(Method::POST, refused), "{refused:?}");
        }
    }

    #[test]
    fn omits_default_ports() {
        assert_eq!(origin_of("http://127.0.0.1:8080").as_deref(), Some("http://127.0.0.1:8080"));
        assert_eq!(origin_of("http://localhost:80").as_deref(), Some("http://localhost"));
        assert_eq!(origin_of("/x"), None);
    }
}
