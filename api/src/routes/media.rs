//! `GET /media/{key}`: frames and videos, through signed URLs.

use domain::{ApiErrorCode, Timestamp};
use http::{HeaderValue, Method, header};
use media::evidence;
use warp::reply::Response;

use crate::{
    App,
    contract::{
        endpoint::{Endpoint, endpoint},
        schema::SchemaRef,
    },
    http::{
        download,
        error::{ApiError, ApiResult},
        request::Request,
    },
};

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::GET, "/media/{key*}", "getMedia", "Media")
            .about(
                "Get a frame or a video",
                "Only through the signed `url`s in Space Documents, which are valid for one hour and need no key.",
            )
            .required_query("expires", "From the signed URL.", SchemaRef::seconds())
            .required_query("signature", "From the signed URL.", SchemaRef::signature())
            .header("Range", "Asks for a part of the file.", SchemaRef::text())
            .responds_with(200, "The picture or video.", "image/jpeg", SchemaRef::bytes())
            .responds_with(200, "The picture or video.", "video/mp4", SchemaRef::bytes())
            .responds_with(206, "The part of it.", "image/jpeg", SchemaRef::bytes())
            .responds_with(206, "The part of it.", "video/mp4", SchemaRef::bytes())
            .errors(&[ApiErrorCode::RangeNotSatisfiable])
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
    evidence::verify_any(app.signing_secrets(), key, expires, signature, now)
        .map_err(|refused| ApiError::new(ApiErrorCode::InvalidSignature).caused_by(refused))?;
    let mut response = download::object(&app, key, &request.headers).await?;
    let headers = response.headers_mut();
    let text = |text: &str| HeaderValue::from_str(text).unwrap_or_else(|_| HeaderValue::from_static(""));
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
