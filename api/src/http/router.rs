//! From the endpoint list to one warp filter: the endpoint that takes a request serves it, and what none takes gets
//! a page of the reference, its 404, its 405 with `Allow`, or the answer to OPTIONS.

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
    console::{origin, pages, session_user},
    contract::{
        endpoint::{Access, Endpoint, Handler, TimeoutClass, allowed, matching},
        reference,
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

/// Every endpoint of the app as one filter that answers every request.
pub fn router(app: App) -> BoxedFilter<(Response,)> {
    let endpoints = app.endpoints();
    // Pages come after the endpoints, and before what there is not.
    let pages = reference::pages(app.clone()).or(pages::pages(app.clone())).unify().boxed();
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
/// One filter searches the list. A chain with one filter per endpoint would make each request pay
/// for all endpoints before its own.
fn endpoint_of_request(
    endpoints: Arc<[Endpoint]>,
) -> impl Filter<Extract = ((Arc<Endpoint>, PathParams),), Error = Rejection> + Clone {
    let endpoints: Arc<[Arc<Endpoint>]> = endpoints.iter().cloned().map(Arc::new).collect();
    warp::method().and(warp::path::full()).and_then(move |method: Method, path: FullPath| {
        let mut candidates = matching(&endpoints, path.as_str()).into_iter();
        let found = candidates.find(|(endpoint, _)| endpoint.takes(&method));
        let found = found.map(|(endpoint, params)| (endpoint.clone(), params));
        std::future::ready(found.ok_or_else(warp::reject::not_found))
    })
}

fn raw_query() -> impl Filter<Extract = (String,), Error = Infallible> + Clone {
    warp::query::raw().or(warp::any().map(String::new)).unify()
}

/// What a route knows of a request before it is served.
struct Incoming {
    params: PathParams,
    trace: Arc<Trace>,
    headers: HeaderMap,
    query: String,
    body: Body,
}

/// Serves one request that belongs to this endpoint, in the time that the endpoint has.
async fn serve(app: App, endpoint: Arc<Endpoint>, incoming: Incoming) -> Response {
    let trace = incoming.trace.clone();
    let _ = trace.operation.set(endpoint.operation);
    let mut rate = HeaderMap::new();
    let work = handle(&app, &endpoint, incoming, &mut rate);
    let outcome = match endpoint.time_limit(app.settings()) {
        None => work.await,
        Some(limit) => tokio::time::timeout(limit, work).await.unwrap_or_else(|_| Err(too_late(&endpoint))),
    };
    let mut response = outcome.unwrap_or_else(|error| error.into_response(&trace.id));
    response.headers_mut().extend(rate);
    response
}

/// Admits, authenticates and authorizes the request, in this order, and hands it to its handler.
/// What the rate limit says goes to `rate`, whatever becomes of the request.
async fn handle(
    app: &App,
    endpoint: &Endpoint,
    incoming: Incoming,
    rate: &mut HeaderMap,
) -> ApiResult<Response> {
    let Incoming { params, trace, headers, query, body } = incoming;
    let request = |headers| {
        let known: Vec<_> = endpoint.query.iter().map(|param| param.name).collect();
        let query = Query::parse(&query, &known)?;
        Ok::<_, ApiError>(Request { trace: trace.clone(), headers, query, body, params })
    };
    match &endpoint.handler {
        Handler::Public(handler) => {
            if endpoint.access == Access::OwnPages {
                origin::require_own(&endpoint.method, &headers, &app.settings().public_url)?;
            }
            handler(app.clone(), request(headers)?).await
        }
        Handler::Session(handler) => {
            let session_user = session_user::authenticate(app, &endpoint.method, &headers).await?;
            let _ = trace.account.set(session_user.account.id.0.clone());
            app.admit_session(&session_user, rate).await?;
            handler(app.clone(), session_user, request(headers)?).await
        }
        Handler::Key(handler) => {
            let caller = auth::authenticate(app, &headers).await?;
            let _ = trace.key.set(caller.key.id.0.clone());
            let _ = trace.account.set(caller.tenant.account_id.clone());
            let reserved = app.admit_key(endpoint.rate, &caller, rate).await?;
            if let Access::Key(Some(scope)) = endpoint.access {
                caller.require(scope)?;
            }
            let outcome = handler(app.clone(), caller, request(headers)?).await;
            if let Some(reserved) = reserved {
                reserved.settle(outcome.as_ref().is_ok_and(answers)).await;
            }
            outcome
        }
    }
}

/// Whether a question was answered with this.
fn answers(response: &Response) -> bool {
    response.status().is_success() && response.extensions().get::<QuotaExempt>().is_none()
}

/// Uploads are as slow as their senders; anything else that takes so long is our fault.
fn too_late(endpoint: &Endpoint) -> ApiError {
    match endpoint.timeout_class {
        TimeoutClass::Upload => ApiError::new(ApiErrorCode::RequestTimeout),
        TimeoutClass::Standard | TimeoutClass::Stream => {
            ApiError::new(ApiErrorCode::Unavailable).retry_after(5)
        }
    }
}

/// What no endpoint took: OPTIONS is answered, other methods are refused with `Allow`, and a path
/// that no endpoint has is not found.
fn unmatched(endpoints: Arc<[Endpoint]>) -> BoxedFilter<(Response,)> {
    warp::method()
        .and(warp::path::full())
        .and(warp::ext::get::<Arc<Trace>>())
        .map(move |method: Method, path: FullPath, trace: Arc<Trace>| {
            let methods = allowed(&endpoints, path.as_str());
            if methods.is_empty() {
                return ApiError::not_found().message("There is no such path.").into_response(&trace.id);
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
