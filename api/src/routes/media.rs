//! `GET /media/{key}`: frames, through signed URLs.

use domain::{ApiErrorCode, Timestamp};
use http::{HeaderValue, Method, header};
use media::{evidence, objects};
use warp::reply::{Reply, Response};

use crate::{
    App,
    contract::{
        endpoint::{Endpoint, endpoint},
        schema::SchemaRef,
    },
    http::{
        error::{ApiError, ApiResult},
        request::Request,
        sync_stream::SyncStream,
    },
};

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::GET, "/media/{key*}", "getMedia", "Media")
            .about(
                "Get a frame",
                "Only through the signed `url`s in Space Documents, which are valid for one hour and need no key.",
            )
            .required_query("expires", "From the signed URL.", SchemaRef::seconds())
            .required_query("signature", "From the signed URL.", SchemaRef::signature())
            .responds_with(200, "The picture.", "image/jpeg", SchemaRef::bytes())
            .signed(get),
    ]
}

async fn get(app: App, request: Request) -> ApiResult<Response> {
    let key = request.param("key");
    let expires = request.query.get("expires").and_then(canonical_integer);
    let (Some(expires), Some(signature)) = (expires, request.query.get("signature")) else {
        return Err(ApiError::new(ApiErrorCode::InvalidSignature));
    };
    let now = Timestamp::now();
    evidence::verify(app.signing_secret(), key, expires, signature, now)
        .map_err(|refused| ApiError::new(ApiErrorCode::InvalidSignature).caused_by(refused))?;
    let object = match app.with_storage(app.objects().get_stream(key)).await {
        Ok(object) => object,
        Err(objects::Error::NotFound { .. }) => return Err(ApiError::not_found()),
        Err(error) => return Err(error.into()),
    };
    let info = object.info;
    let mut response = warp::reply::stream(SyncStream::new(object.chunks)).into_response();
    let headers = response.headers_mut();
    let text = |text: &str| HeaderValue::from_str(text).unwrap_or_else(|_| HeaderValue::from_static(""));
    headers.insert(header::CONTENT_TYPE, text(&info.content_type));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(info.bytes));
    headers.insert(header::ETAG, text(&info.etag));
    // Users uploaded the content: browsers must not interpret it as anything but an image.
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(header::CONTENT_SECURITY_POLICY, HeaderValue::from_static("default-src 'none'; sandbox"));
    let age = expires.saturating_sub(now.as_seconds()).max(0);
    headers.insert(header::CACHE_CONTROL, text(&format!("private, max-age={age}, immutable")));
    Ok(response)
}

/// Parses a time exactly as [`evidence::sign`] writes it, so that a signed URL has one form.
fn canonical_integer(text: &str) -> Option<i64> {
    text.parse::<i64>().ok().filter(|number| number.to_string() == text)
}
