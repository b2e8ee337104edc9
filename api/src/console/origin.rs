//! Protection from pages of others: a browser sends our cookie with requests that any page makes, and says
//! which page made them.

use domain::ApiErrorCode;
use http::{HeaderMap, Method, Uri, header};

use crate::http::error::{ApiError, ApiResult};

/// Goes on only when the request changes nothing, or was made by a page of the service itself: its `Origin`
/// is that of `public_url`; or it has none, and `Sec-Fetch-Site` says `same-origin`. A client that sends
/// neither is no browser, and has no business with a cookie.
///
/// # Errors
/// `ORIGIN_REFUSED`.
pub fn require_own(method: &Method, headers: &HeaderMap, public_url: &str) -> ApiResult<()> {
    if method.is_safe() || is_own(headers, public_url) {
        return Ok(());
    }
    Err(ApiError::new(ApiErrorCode::OriginRefused))
}

fn is_own(headers: &HeaderMap, public_url: &str) -> bool {
    let mut origins = headers.get_all(header::ORIGIN).iter();
    match (origins.next(), origins.next()) {
        (Some(origin), None) => {
            let ours = origin_of(public_url);
            ours.is_some_and(|ours| origin.as_bytes().eq_ignore_ascii_case(ours.as_bytes()))
        }
        (Some(_), Some(_)) => false,
        (None, _) => headers.get("sec-fetch-site").is_some_and(|site| site == "same-origin"),
    }
}

/// Scheme, host and port of an address as browsers write them: without the port that the scheme implies.
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

    fn served(method: Method, given: &[(&'static str, &str)]) -> bool {
        let mut headers = HeaderMap::new();
        for (name, value) in given {
            headers.append(*name, value.parse().unwrap());
        }
        require_own(&method, &headers, "https://scan.example.com:443/base").is_ok()
    }

    #[test]
    fn only_our_own_pages_change_something() {
        let ours = ("origin", "https://scan.example.com");
        let same = ("sec-fetch-site", "same-origin");
        assert!(served(Method::POST, &[ours]));
        assert!(served(Method::DELETE, &[same]));
        assert!(served(Method::GET, &[]));
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
            assert!(!served(Method::POST, refused), "{refused:?}");
        }
    }

    #[test]
    fn origins_are_written_as_browsers_do() {
        assert_eq!(origin_of("http://127.0.0.1:8080").as_deref(), Some("http://127.0.0.1:8080"));
        assert_eq!(origin_of("http://localhost:80").as_deref(), Some("http://localhost"));
        assert_eq!(origin_of("/x"), None);
    }
}
