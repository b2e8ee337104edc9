//! The pages over HTTP.

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
    Page,
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

/// What is at a path.
enum Place {
    /// A page that mail leads to.
    Mailed(Page),
    /// Where a customer of the simulated bank confirms a payment.
    TestBank(TestBank),
    /// Where a customer comes back to from a bank's own page.
    Returned,
}

impl Place {
    fn at(path: &str) -> Option<Self> {
        let name = path.strip_prefix(PATH)?;
        let mailed = Page::ALL.into_iter().find(|page| page.name() == name).map(Self::Mailed);
        let returned = (name == bank::RETURNED).then_some(Self::Returned);
        mailed.or(returned).or_else(|| TestBank::at(name).map(Self::TestBank))
    }

    /// What its form sends.
    fn fields(&self) -> &'static [&'static str] {
        match self {
            Self::Mailed(page) => page.fields(),
            Self::TestBank(_) => &[bank::ANSWER],
            Self::Returned => &[],
        }
    }

    async fn opened(&self, app: &App, token: Option<&Token>) -> ApiResult<Markup> {
        match self {
            Self::Mailed(page) => page.opened(token),
            Self::TestBank(page) => page.opened(app).await,
            Self::Returned => Ok(bank::returned()),
        }
    }

    async fn submitted(&self, app: &App, trace: &Trace, sent: &Query) -> ApiResult<Markup> {
        match self {
            Self::Mailed(page) => page.submitted(app, trace, sent).await,
            Self::TestBank(page) => page.submitted(app, sent).await,
            Self::Returned => Ok(bank::returned()),
        }
    }

    fn refused(&self, error: &ApiError, token: Option<&Token>) -> Markup {
        match self {
            Self::Mailed(page) => page.refused(error, token),
            Self::TestBank(_) | Self::Returned => bank::refused(error),
        }
    }
}

/// Serves the pages, and leaves all other paths.
pub(crate) fn pages(app: App) -> BoxedFilter<(Response,)> {
    warp::path::full()
        .and_then(|path: FullPath| {
            std::future::ready(Place::at(path.as_str()).ok_or_else(warp::reject::not_found))
        })
        .and(warp::method())
        .and(warp::ext::get::<Arc<Trace>>())
        .and(warp::header::headers_cloned())
        .and(warp::query::raw().or(warp::any().map(String::new)).unify())
        .and(warp::body::stream())
        .then(move |place, method, trace: Arc<Trace>, headers: HeaderMap, query: String, body| {
            let body = Body::new(body, &headers);
            let app = app.clone();
            async move {
                let _ = trace.operation.set("console");
                answer(&app, &place, &method, &trace, &headers, &query, body).await
            }
        })
        .boxed()
}

async fn answer(
    app: &App,
    place: &Place,
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
            place.opened(app, token.as_ref()).await
        }
        Method::POST => {
            let limit = Duration::from_secs(app.settings().request_timeout_seconds);
            let work = submit(app, place, trace, headers, body, &mut token);
            let busy = |_| Err(ApiError::new(ApiErrorCode::Unavailable).retry_after(5));
            tokio::time::timeout(limit, work).await.unwrap_or_else(busy)
        }
        _ => return no_method(method, trace),
    };
    let mut response = match outcome {
        Ok(markup) => warp::reply::html(markup.into_string()).into_response(),
        Err(error) => {
            let shown = place.refused(&error, token.as_ref()).into_string();
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
    place: &Place,
    trace: &Trace,
    headers: &HeaderMap,
    mut body: Body,
    token: &mut Option<Token>,
) -> ApiResult<Markup> {
    origin::require_own(&Method::POST, headers, &app.settings().public_url)?;
    let sent = Query::parse(&body::form(headers, &mut body).await?, place.fields())?;
    *token = sent.get("token").and_then(Token::parse);
    place.submitted(app, trace, &sent).await
}

fn no_method(method: &Method, trace: &Trace) -> Response {
    let mut response = match *method {
        Method::OPTIONS => StatusCode::NO_CONTENT.into_response(),
        _ => ApiError::new(ApiErrorCode::MethodNotAllowed).into_response(&trace.id),
    };
    response.headers_mut().insert(header::ALLOW, HeaderValue::from_static(ALLOW));
    response
}
