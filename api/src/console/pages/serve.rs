//! The pages over HTTP.

use std::{sync::Arc, time::Duration};

use domain::{ApiErrorCode, Token};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use warp::{
    Filter,
    filters::{BoxedFilter, path::FullPath},
    reply::{Reply, Response},
};

use super::Page;
use crate::{
    App,
    body::{self, Body},
    console::origin,
    error::{ApiError, ApiResult},
    request::{Query, Trace},
};

/// Nothing but our own style sheet and the page's own form.
const POLICY: &str = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'self'; \
                      frame-ancestors 'none'";

/// No path and no query leave the page, as the token is there. `no-referrer` would say so too, but with it browsers
/// send `Origin: null` with a form, which is refused as another's page is.
const REFERRER: &str = "strict-origin";

/// Methods that pages take.
const ALLOW: &str = "GET, HEAD, POST, OPTIONS";

/// Where the pages are.
const PATH: &str = "/console/";

/// Serves the pages, and leaves all other paths.
pub(crate) fn pages(app: App) -> BoxedFilter<(Response,)> {
    warp::path::full()
        .and_then(|path: FullPath| {
            let name = path.as_str().strip_prefix(PATH);
            let page = name.and_then(|name| Page::ALL.into_iter().find(|page| page.name() == name));
            std::future::ready(page.ok_or_else(warp::reject::not_found))
        })
        .and(warp::method())
        .and(warp::ext::get::<Arc<Trace>>())
        .and(warp::header::headers_cloned())
        .and(warp::query::raw().or(warp::any().map(String::new)).unify())
        .and(warp::body::stream())
        .then(move |page, method, trace: Arc<Trace>, headers: HeaderMap, query: String, body| {
            let body = Body::new(body, &headers);
            let app = app.clone();
            async move {
                let _ = trace.operation.set("console");
                answer(&app, page, &method, &trace, &headers, &query, body).await
            }
        })
        .boxed()
}

async fn answer(
    app: &App,
    page: Page,
    method: &Method,
    trace: &Trace,
    headers: &HeaderMap,
    query: &str,
    body: Body,
) -> Response {
    let mut token = None;
    let outcome = match *method {
        Method::GET | Method::HEAD => {
            token = linked(query);
            page.opened(token.as_ref())
        }
        Method::POST => {
            let limit = Duration::from_secs(app.settings().request_timeout_seconds);
            let work = submit(app, page, trace, headers, body, &mut token);
            let busy = |_| Err(ApiError::new(ApiErrorCode::Unavailable).retry_after(5));
            tokio::time::timeout(limit, work).await.unwrap_or_else(busy)
        }
        _ => return no_method(method, trace),
    };
    let mut response = match outcome {
        Ok(markup) => warp::reply::html(markup.into_string()).into_response(),
        Err(error) => {
            let shown = page.refused(&error, token.as_ref()).into_string();
            error.into_page(&trace.id, shown)
        }
    };
    let headers = response.headers_mut();
    for (name, value) in [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::REFERRER_POLICY, REFERRER),
        (header::CACHE_CONTROL, "no-store"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

/// The token of a link. What else a mail program may have put into the query is passed over.
fn linked(query: &str) -> Option<Token> {
    query.split('&').find_map(|pair| Token::parse(pair.strip_prefix("token=")?))
}

async fn submit(
    app: &App,
    page: Page,
    trace: &Trace,
    headers: &HeaderMap,
    mut body: Body,
    token: &mut Option<Token>,
) -> ApiResult<maud::Markup> {
    origin::require_own(&Method::POST, headers, &app.settings().public_url)?;
    let sent = Query::parse(&body::form(headers, &mut body).await?, page.fields())?;
    *token = sent.get("token").and_then(Token::parse);
    page.submitted(app, trace, &sent).await
}

fn no_method(method: &Method, trace: &Trace) -> Response {
    let mut response = match *method {
        Method::OPTIONS => StatusCode::NO_CONTENT.into_response(),
        _ => ApiError::new(ApiErrorCode::MethodNotAllowed).into_response(&trace.id),
    };
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(ALLOW));
    response
}
