//! Serves the reference pages.

use std::sync::Arc;

use domain::ApiErrorCode;
use http::{HeaderValue, Method, StatusCode, header};
use warp::{
    Filter,
    filters::{BoxedFilter, path::FullPath},
    reply::{Reply, Response},
};

use super::Page;
use crate::{
    App,
    http::{error::ApiError, request::Trace},
};

/// Allows the service's own style sheet, and no scripts, frames, forms or other hosts.
const POLICY: &str = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// Methods that pages accept.
const ALLOW: &str = "GET, HEAD, OPTIONS";

/// Serves the paths that have a page; rejects all others.
pub(crate) fn pages(app: App) -> BoxedFilter<(Response,)> {
    warp::method()
        .and(warp::path::full())
        .and(warp::ext::get::<Arc<Trace>>())
        .and_then(move |method: Method, path: FullPath, trace: Arc<Trace>| {
            let found = app.reference().pages.get(path.as_str());
            let response = found.map(|page| {
                let _ = trace.operation.set("docs");
                respond(page, &method, &trace)
            });
            std::future::ready(response.ok_or_else(warp::reject::not_found))
        })
        .boxed()
}

fn respond(page: &Page, method: &Method, trace: &Trace) -> Response {
    let mut response = match *method {
        Method::GET | Method::HEAD => page_response(page),
        Method::OPTIONS => StatusCode::NO_CONTENT.into_response(),
        _ => ApiError::new(ApiErrorCode::MethodNotAllowed).into_response(&trace.id),
    };
    if !matches!(*method, Method::GET | Method::HEAD) {
        response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(ALLOW));
    }
    response
}

fn page_response(page: &Page) -> Response {
    let mut response = page.text.clone().into_response();
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, page.media_type),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "public, max-age=300"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}
