//! Downloads of stored objects, whole or in part (RFC 9110 §14).

use std::ops::Range;

use domain::ApiErrorCode;
use http::{HeaderMap, HeaderValue, StatusCode, header};
use media::objects;
use warp::reply::{Reply, Response};

use crate::{
    App,
    http::{
        error::{ApiError, ApiResult},
        sync_stream::SyncStream,
    },
};

/// The bytes that a request asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Requested {
    Whole,
    Part(Range<u64>),
    Unsatisfiable,
}

/// Streams an object, or the part that `Range` asks for. The caller adds the headers of its content.
///
/// # Errors
/// Returns `NOT_FOUND`, `RANGE_NOT_SATISFIABLE`, or an error if storage is unavailable.
pub(crate) async fn object(app: &App, key: &str, request: &HeaderMap) -> ApiResult<Response> {
    let info = match app.with_storage(app.objects().head(key)).await? {
        Some(info) => info,
        None => return Err(ApiError::not_found()),
    };
    let requested = requested(request, info.bytes, &info.etag);
    let stream = match &requested {
        Requested::Whole => app.with_storage(app.objects().get_stream(key)).await,
        Requested::Part(part) => app.with_storage(app.objects().get_range_stream(key, part.clone())).await,
        Requested::Unsatisfiable => {
            let total = text(&format!("bytes */{}", info.bytes));
            return Err(ApiError::new(ApiErrorCode::RangeNotSatisfiable).header(header::CONTENT_RANGE, total));
        }
    };
    let stream = match stream {
        Ok(stream) => stream,
        Err(objects::Error::NotFound { .. }) => return Err(ApiError::not_found()),
        Err(error) => return Err(error.into()),
    };
    let length = stream.info.bytes;
    let mut response = warp::reply::stream(SyncStream::new(stream.chunks)).into_response();
    if let Requested::Part(part) = &requested {
        *response.status_mut() = StatusCode::PARTIAL_CONTENT;
        let range = format!("bytes {}-{}/{}", part.start, part.end.saturating_sub(1), info.bytes);
        response.headers_mut().insert(header::CONTENT_RANGE, text(&range));
    }
    let headers = response.headers_mut();
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    headers.insert(header::CONTENT_TYPE, text(&info.content_type));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    headers.insert(header::ETAG, text(&info.etag));
    Ok(response)
}

fn text(text: &str) -> HeaderValue {
    HeaderValue::from_str(text).unwrap_or_else(|_| HeaderValue::from_static(""))
}

/// Returns what the headers ask for. Other units, several ranges and malformed values are ignored, as
/// the RFC allows, and so is a range of another version of the object (`If-Range`).
fn requested(headers: &HeaderMap, total: u64, etag: &str) -> Requested {
    let is_current = headers.get(header::IF_RANGE).is_none_or(|known| known.as_bytes() == etag.as_bytes());
    let mut values = headers.get_all(header::RANGE).iter();
    let (Some(value), None, true) = (values.next(), values.next(), is_current) else {
        return Requested::Whole;
    };
    let range = value.to_str().ok().and_then(|value| value.strip_prefix("bytes="));
    let Some((first, last)) = range.and_then(|range| range.trim().split_once('-')) else {
        return Requested::Whole;
    };
    let part = match (integer(first), integer(last)) {
        // The last bytes.
        (None, Some(count)) if first.is_empty() => total.saturating_sub(count)..total,
        (Some(first), None) if last.is_empty() => first..total,
        (Some(first), Some(last)) if first <= last => first..last.saturating_add(1).min(total),
        _ => return Requested::Whole,
    };
    if part.start < part.end { Requested::Part(part) } else { Requested::Unsatisfiable }
}

fn integer(text: &str) -> Option<u64> {
    text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn understands_single_ranges_of_the_current_object() {
        let ask = |value: &str, if_range: Option<&str>| {
            let mut headers = HeaderMap::new();
            headers.insert(header::RANGE, value.parse().unwrap());
            if let Some(known) = if_range {
                headers.insert(header::IF_RANGE, known.parse().unwrap());
            }
            requested(&headers, 10, "\"a\"")
        };
        for (value, part) in [
            ("bytes=0-3", 0..4),
            ("bytes=4-", 4..10),
            ("bytes=-3", 7..10),
            ("bytes=-99", 0..10),
            ("bytes=8-99", 8..10),
            ("bytes=9-18446744073709551615", 9..10),
        ] {
            assert_eq!(ask(value, None), Requested::Part(part), "{value}");
        }
        for value in ["bytes=10-", "bytes=10-12", "bytes=-0"] {
            assert_eq!(ask(value, None), Requested::Unsatisfiable, "{value}");
        }
        for value in
            ["bytes=0-1,4-5", "bytes=3-1", "rows=0-1", "bytes=", "bytes=-", "bytes=a-b", "bytes=+1-2"]
        {
            assert_eq!(ask(value, None), Requested::Whole, "{value}");
        }
        assert_eq!(ask("bytes=0-3", Some("\"a\"")), Requested::Part(0..4));
        assert_eq!(ask("bytes=0-3", Some("\"b\"")), Requested::Whole);
        assert_eq!(requested(&HeaderMap::new(), 10, "\"a\""), Requested::Whole);
    }
}
