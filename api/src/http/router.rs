//! The router: one warp filter made from the list of endpoints.
//!
//! Requests that match no endpoint get a page of the reference or the console, the response to
//! OPTIONS, a 405 with `Allow`, or a 404.

use std::{convert::Infallible, sync::Arc};

use domain::ApiErrorCode;
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use warp::{
    Filter, Rejection,
    filters::{BoxedFilter, path::FullPath},
    reply::{Reply, Response},
};

use crate::{
    App,
    console::{assets, origin, pages, session_user},
    contract::{
        endpoint::{Access, Endpoint, Handler, TimeoutClass, allowed, matching},
        reference, site,
    },
    http::{
        auth,
        body::Body,
        error::{ApiError, ApiResult},
        path::PathParams,
        request::{Query, Request, Trace},
    },
    limits::admission::QuotaExempt,
};

/// Returns the filter that responds to every request.
pub fn router(app: App) -> BoxedFilter<(Response,)> {
    let endpoints = app.endpoints();
    // Endpoints come first, then pages, then 404 and 405.
    let pages = reference::pages(app.clone()).or(pages::pages(app.clone())).unify();
    let pages = pages.or(site::pages(app.clone())).unify().boxed();
    let pages = pages.or(assets::pages(app.clone())).unify().boxed();
    let others = pages.or(unmatched(endpoints.clone())).unify().boxed();
    endpoint_of_request(endpoints)
        .and(warp::ext::get::<Arc<Trace>>())
        .and(warp::header::headers_cloned())
        .and(raw_query())
        .and(warp::body::stream())
        .then(move |(endpoint, params), trace, headers: HeaderMap, query, body| {
            let body = Body::new(body, &headers);
            serve(app.clone(), endpoint, Incoming { params, trace, headers, query, body })
        })
        .boxed()
        .or(others)
        .unify()
        .boxed()
}

/// Extracts the endpoint that serves a request, and the parameters in its path.
///
/// One filter searches the list. In a chain with one filter per endpoint, a request would pass the
/// filters of all endpoints before its own.
fn endpoint_of_request(
    endpoints: Arc<[Endpoint]>,
) -> impl Filter<Extract = ((Arc<Endpoint>, PathParams),), Error = Rejection> + Clone {
    let endpoints: Arc<[Arc<Endpoint>]> = endpoints.iter().cloned().map(Arc::new).collect();
    warp::method().and(warp::path::full()).and_then(move |method: Method, path: FullPath| {
        let mut candidates = matching(&endpoints, path.as_str()).into_iter();
        let found = candidates.find(|(endpoint, _)| endpoint.serves_method(&method));
        let found = found.map(|(endpoint, params)| (endpoint.clone(), params));
        std::future::ready(found.ok_or_else(warp::reject::not_found))
    })
}

fn raw_query() -> impl Filter<Extract = (String,), Error = Infallible> + Clone {
    warp::query::raw().or(warp::any().map(String::new)).unify()
}

/// A request before authentication.
struct Incoming {
    params: PathParams,
    trace: Arc<Trace>,
    headers: HeaderMap,
    query: String,
    body: Body,
}

/// Serves a request with its endpoint, within the endpoint's timeout.
async fn serve(app: App, endpoint: Arc<Endpoint>, incoming: Incoming) -> Response {
    let trace = incoming.trace.clone();
    let _ = trace.operation.set(endpoint.operation);
    let mut rate_headers = HeaderMap::new();
    let work = handle(&app, &endpoint, incoming, &mut rate_headers);
    let work = async {
        match endpoint.timeout_class {
            // Bytes that arrive slowly are no reason to look at the database.
            TimeoutClass::Upload => work.await,
            TimeoutClass::Standard | TimeoutClass::Stream => app.with_database(work).await?,
        }
    };
    let outcome = match endpoint.timeout(app.settings()) {
        None => work.await,
        Some(limit) => {
            tokio::time::timeout(limit, work).await.unwrap_or_else(|_| Err(timeout_error(&endpoint)))
        }
    };
    let mut response = outcome.unwrap_or_else(|error| error.into_response(&trace.id));
    // Appended, because the handler may have added those of its own limit.
    for (name, value) in &rate_headers {
        response.headers_mut().append(name, value.clone());
    }
    response
}

/// Authenticates, rate-limits and authorizes a request, and calls its handler. Adds the rate-limit
/// headers to `rate_headers`, also if the request is refused.
async fn handle(
    app: &App,
    endpoint: &Endpoint,
    incoming: Incoming,
    rate_headers: &mut HeaderMap,
) -> ApiResult<Response> {
    let Incoming { params, trace, headers, query, body } = incoming;
    let request = |headers| {
        let allowed: Vec<_> = endpoint.query.iter().map(|param| param.name).collect();
        let query = Query::parse(&query, &allowed)?;
        Ok::<_, ApiError>(Request { trace: trace.clone(), headers, query, body, params })
    };
    match &endpoint.handler {
        Handler::Public(handler) => {
            if endpoint.access == Access::OwnPages {
                origin::require_same_origin(&endpoint.method, &headers, &app.settings().public_url)?;
            }
            handler(app.clone(), request(headers)?).await
        }
        Handler::Session(handler) => {
            let session_user = session_user::authenticate(app, &endpoint.method, &headers).await?;
            let _ = trace.account.set(session_user.account.id.0.clone());
            app.admit_session(&session_user, rate_headers).await?;
            handler(app.clone(), session_user, request(headers)?).await
        }
        Handler::Key(handler) => {
            let accepts_session = endpoint.accepts_session();
            let work = auth::authenticate(app, &endpoint.method, &headers, accepts_session);
            let caller = app.with_database(work).await??;
            if let Some(key) = caller.key_id() {
                let _ = trace.key.set(key);
            }
            let _ = trace.account.set(caller.tenant.account_id.clone());
            app.admit_caller(&caller, rate_headers).await?;
            // A key without the scope must not use up what the account's other keys may use.
            if let Access::Key(Some(scope)) = endpoint.access {
                caller.require(scope)?;
            }
            let reserved = app.admit_account(endpoint.rate, &caller.tenant, rate_headers).await?;
            let outcome = handler(app.clone(), caller, request(headers)?).await;
            if let Some(reserved) = reserved {
                reserved.settle(outcome.as_ref().is_ok_and(counts_towards_quota)).await;
            }
            outcome
        }
    }
}

/// Returns whether a response counts towards the daily quota of questions.
fn counts_towards_quota(response: &Response) -> bool {
    response.status().is_success() && response.extensions().get::<QuotaExempt>().is_none()
}

/// Returns the error after a timeout. For uploads, the client was too slow; otherwise the service.
fn timeout_error(endpoint: &Endpoint) -> ApiError {
    match endpoint.timeout_class {
        TimeoutClass::Upload => ApiError::new(ApiErrorCode::RequestTimeout),
        TimeoutClass::Standard | TimeoutClass::Stream => {
            ApiError::new(ApiErrorCode::Unavailable).retry_after(5)
        }
    }
}

/// Responds to requests that no endpoint serves: to OPTIONS with `Allow`, to other methods with
/// 405, and to unknown paths with 404.
fn unmatched(endpoints: Arc<[Endpoint]>) -> BoxedFilter<(Response,)> {
    warp::method()
        .and(warp::path::full())
        .and(warp::ext::get::<Arc<Trace>>())
        .map(move |method: Method, path: FullPath, trace: Arc<Trace>| {
            let methods = allowed(&endpoints, path.as_str());
            if methods.is_empty() {
                return ApiError::not_found().message("This path does not exist.").into_response(&trace.id);
            }
            let mut response = if method == Method::OPTIONS {
                StatusCode::NO_CONTENT.into_response()
            } else {
                ApiError::new(ApiErrorCode::MethodNotAllowed).into_response(&trace.id)
            };
            response.headers_mut().insert(header::ALLOW, allow(&methods));
            response
        })
        .boxed()
}

fn allow(methods: &[Method]) -> HeaderValue {
    let names: Vec<_> = methods.iter().map(Method::as_str).collect();
    HeaderValue::from_str(&names.join(", ")).unwrap_or_else(|_| HeaderValue::from_static(""))
}
