//! Serves the pages of the console.

use std::{sync::Arc, time::Duration};

use domain::{ApiErrorCode, Token};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use maud::Markup;
use warp::{
    Filter,
    filters::{BoxedFilter, path::FullPath},
    reply::{Reply, Response},
};

use super::{
    Page, Submitted,
    bank::{self, TestBank},
};
use crate::{
    App,
    console::origin,
    http::{
        body::{self, Body},
        error::{ApiError, ApiResult},
        request::{Query, Trace},
    },
};

/// Allows the service's own style sheet and the page's own form.
const POLICY: &str = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'self'; \
                      frame-ancestors 'none'";

/// Keeps path and query, which hold the token, out of `Referer`. With `no-referrer`, browsers would
/// send `Origin: null` with the form, which is refused.
const REFERRER: &str = "strict-origin";

/// Methods that pages accept.
const ALLOW: &str = "GET, HEAD, POST, OPTIONS";

/// Prefix of the paths of all pages.
const PATH: &str = "/console/";

/// The page at a path.
enum Route {
    /// A page that e-mails link to.
    Mailed(Page),
    /// The confirmation page of the simulated bank.
    TestBank(TestBank),
    /// The page that customers return to from a bank's own page.
    Returned,
}

impl Route {
    fn at(path: &str) -> Option<Self> {
        let name = path.strip_prefix(PATH)?;
        let mailed = Page::ALL.into_iter().find(|page| page.name() == name).map(Self::Mailed);
        let returned = (name == bank::RETURNED).then_some(Self::Returned);
        mailed.or(returned).or_else(|| TestBank::parse(name).map(Self::TestBank))
    }

    /// Returns the fields of its form.
    fn fields(&self) -> &'static [&'static str] {
        match self {
            Self::Mailed(page) => page.fields(),
            Self::TestBank(_) => &[bank::DECISION],
            Self::Returned => &[],
        }
    }

    async fn render(&self, app: &App, token: Option<&Token>) -> ApiResult<Markup> {
        match self {
            Self::Mailed(page) => page.render(token),
            Self::TestBank(page) => page.render_form(app).await,
            Self::Returned => Ok(bank::render_returned()),
        }
    }

    async fn submit(&self, app: &App, trace: &Trace, form: &Query) -> ApiResult<Submitted> {
        match self {
            Self::Mailed(page) => page.submit(app, trace, form).await,
            Self::TestBank(page) => Ok(page.submit(app, form).await?.into()),
            Self::Returned => Ok(bank::render_returned().into()),
        }
    }

    fn render_error(&self, error: &ApiError, token: Option<&Token>) -> Markup {
        match self {
            Self::Mailed(page) => page.render_error(error, token),
            Self::TestBank(_) | Self::Returned => bank::render_error(error),
        }
    }
}

/// Serves the pages; rejects all other paths.
pub(crate) fn pages(app: App) -> BoxedFilter<(Response,)> {
    warp::path::full()
        .and_then(|path: FullPath| {
            std::future::ready(Route::at(path.as_str()).ok_or_else(warp::reject::not_found))
        })
        .and(warp::method())
        .and(warp::ext::get::<Arc<Trace>>())
        .and(warp::header::headers_cloned())
        .and(warp::query::raw().or(warp::any().map(String::new)).unify())
        .and(warp::body::stream())
        .then(move |route, method, trace: Arc<Trace>, headers: HeaderMap, query: String, body| {
            let body = Body::new(body, &headers);
            let app = app.clone();
            async move {
                let _ = trace.operation.set("console");
                respond(&app, &route, &method, &trace, &headers, &query, body).await
            }
        })
        .boxed()
}

async fn respond(
    app: &App,
    route: &Route,
    method: &Method,
    trace: &Trace,
    headers: &HeaderMap,
    query: &str,
    body: Body,
) -> Response {
    let mut token = None;
    let outcome = match *method {
        Method::GET | Method::HEAD => {
            token = token_of_link(query);
            route.render(app, token.as_ref()).await.map(Submitted::from)
        }
        Method::POST => {
            let limit = Duration::from_secs(app.settings().request_timeout_seconds);
            let work = submit(app, route, trace, headers, body, &mut token);
            let busy = |_| Err(ApiError::new(ApiErrorCode::Unavailable).retry_after(5));
            tokio::time::timeout(limit, work).await.unwrap_or_else(busy)
        }
        _ => return method_not_allowed(method, trace),
    };
    let mut response = match outcome {
        Ok(Submitted { page, cookie }) => {
            let mut response = warp::reply::html(page.into_string()).into_response();
            if let Some(cookie) = cookie {
                response.headers_mut().insert(header::SET_COOKIE, cookie);
            }
            response
        }
        Err(error) => {
            let page = route.render_error(&error, token.as_ref()).into_string();
            error.into_page(&trace.id, page)
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

/// Returns the token of a link. Other parameters, which mail programs may add, are ignored.
fn token_of_link(query: &str) -> Option<Token> {
    query.split('&').find_map(|pair| Token::parse(pair.strip_prefix("token=")?))
}

async fn submit(
    app: &App,
    route: &Route,
    trace: &Trace,
    headers: &HeaderMap,
    mut body: Body,
    token: &mut Option<Token>,
) -> ApiResult<Submitted> {
    origin::require_same_origin(&Method::POST, headers, &app.settings().public_url)?;
    let form = Query::parse(&body::form(headers, &mut body).await?, route.fields())?;
    *token = form.get("token").and_then(Token::parse);
    route.submit(app, trace, &form).await
}

fn method_not_allowed(method: &Method, trace: &Trace) -> Response {
    let mut response = match *method {
        Method::OPTIONS => StatusCode::NO_CONTENT.into_response(),
        _ => ApiError::new(ApiErrorCode::MethodNotAllowed).into_response(&trace.id),
    };
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(ALLOW));
    response
}
