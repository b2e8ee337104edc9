//! Serves the documentation, its pictures and the JSON Schema of the Space Document.

use std::sync::Arc;

use domain::ApiErrorCode;
use http::{HeaderValue, Method, StatusCode, header};
use warp::{
    Filter,
    filters::{BoxedFilter, path::FullPath},
    reply::{Reply, Response},
};

use super::{DOCUMENT_SCHEMA, Files, PATH, search};
use crate::{
    App,
    http::{
        error::ApiError,
        request::{Query, Trace},
    },
};

/// Allows the service's own style sheet, pictures and search, and no scripts, frames or other hosts.
const POLICY: &str = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; \
                      form-action 'self'; frame-ancestors 'none'";
/// Methods that pages accept.
const ALLOW: &str = "GET, HEAD, OPTIONS";
const HTML: &str = "text/html; charset=utf-8";

/// Serves the paths of the documentation; rejects all others.
pub(crate) fn pages(app: App) -> BoxedFilter<(Response,)> {
    let raw_query = warp::query::raw().or(warp::any().map(String::new)).unify();
    warp::method()
        .and(warp::path::full())
        .and(raw_query)
        .and(warp::ext::get::<Arc<Trace>>())
        .and_then(move |method: Method, path: FullPath, query: String, trace: Arc<Trace>| {
            let found =
                path.as_str().starts_with(PATH).then(|| content(&app, path.as_str(), &query)).flatten();
            let response = found.map(|(media_type, bytes)| {
                let _ = trace.operation.set("docs");
                respond(media_type, bytes, &method, &trace)
            });
            std::future::ready(response.ok_or_else(warp::reject::not_found))
        })
        .boxed()
}

/// Returns the media type and the content of a path.
fn content(app: &App, path: &str, query: &str) -> Option<(&'static str, Vec<u8>)> {
    if path == DOCUMENT_SCHEMA {
        return Some(("application/schema+json", app.document_schema().to_owned().into_bytes()));
    }
    let name = path.strip_prefix(PATH)?.strip_prefix('/')?;
    if name == "search" {
        let query = Query::parse(query, &["q"]).unwrap_or_default();
        return Some((
            HTML,
            search::results(app.site(), query.get("q").unwrap_or("")).into_string().into_bytes(),
        ));
    }
    if let Some(page) = app.site().pages.get(path) {
        return Some((HTML, page.html.clone().into_bytes()));
    }
    let media_type = match name.rsplit_once('.')?.1 {
        "jpg" => "image/jpeg",
        "png" => "image/png",
        _ => return None,
    };
    Some((media_type, Files::get(name)?.data.into_owned()))
}

fn respond(media_type: &'static str, bytes: Vec<u8>, method: &Method, trace: &Trace) -> Response {
    if !matches!(*method, Method::GET | Method::HEAD) {
        let mut response = match *method {
            Method::OPTIONS => StatusCode::NO_CONTENT.into_response(),
            _ => ApiError::new(ApiErrorCode::MethodNotAllowed).into_response(&trace.id),
        };
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(ALLOW));
        return response;
    }
    let mut response = bytes.into_response();
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, media_type),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "public, max-age=300"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
