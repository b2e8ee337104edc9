//! The description of an endpoint.
//!
//! The router, scope checks, rate limits, timeouts, `Allow`, HEAD, OPTIONS and `openapi.json` are
//! all derived from the list of endpoints.

use std::{borrow::Borrow, future::Future, sync::Arc, time::Duration};

use domain::{ApiErrorCode, scope::Scope};
use futures::{FutureExt, future::BoxFuture};
use http::Method;
use serde_json::Value;
use warp::reply::{Reply, Response};

use crate::{
    App,
    console::{SessionUser, session_user::SCAN_MODE},
    contract::{examples::Examples, schema::SchemaRef},
    http::{
        auth::Caller,
        error::ApiResult,
        path::{PathParams, PathTemplate},
        request::Request,
    },
    limits::RateClass,
};

/// Who may call an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anyone.
    Public,
    /// Anyone who holds a URL or a token that the service signed.
    Signed,
    /// Callers with an API key that has this scope, and users with a console session and
    /// `Scan-Mode`, from whom unsafe methods are accepted from the service's own pages only. For
    /// `None`: callers with any key, but no session.
    Key(Option<Scope>),
    /// Anyone. Unsafe methods are accepted from the service's own pages only.
    OwnPages,
    /// Users with a console session. Unsafe methods are accepted from the service's own pages only.
    Session,
}

/// Timeout of a whole request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutClass {
    /// `request_timeout_seconds`.
    Standard,
    /// `upload_timeout_seconds`.
    Upload,
    /// No timeout.
    Stream,
}

/// A query parameter or a header that an endpoint reads.
#[derive(Debug, Clone)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// Description for the reference.
    pub about: &'static str,
    /// Schema of its value.
    pub schema: SchemaRef,
    /// Whether requests without it are refused.
    pub required: bool,
}

/// Body of a request.
#[derive(Debug, Clone)]
pub struct BodySpec {
    /// Accepted media types.
    pub media_types: &'static [&'static str],
    /// Schema of its value.
    pub schema: SchemaRef,
    /// Whether it can be omitted.
    pub optional: bool,
}

/// One successful response of an endpoint.
#[derive(Debug, Clone)]
pub struct ResponseSpec {
    /// HTTP status.
    pub status: u16,
    /// Description for the reference.
    pub about: &'static str,
    /// Media type and schema of its body, if it has one.
    pub body: Option<(&'static str, SchemaRef)>,
}

type PublicHandler = Arc<dyn Fn(App, Request) -> BoxFuture<'static, ApiResult<Response>> + Send + Sync>;
type SessionHandler =
    Arc<dyn Fn(App, SessionUser, Request) -> BoxFuture<'static, ApiResult<Response>> + Send + Sync>;
type KeyHandler = Arc<dyn Fn(App, Caller, Request) -> BoxFuture<'static, ApiResult<Response>> + Send + Sync>;

/// The function that serves an endpoint, by kind of access.
#[derive(Clone)]
pub(crate) enum Handler {
    Public(PublicHandler),
    Key(KeyHandler),
    Session(SessionHandler),
}

/// One operation of the API.
#[derive(Clone)]
pub struct Endpoint {
    /// HTTP method. GET endpoints also serve HEAD.
    pub method: Method,
    /// Path below [`crate::http::path::BASE`].
    pub path: PathTemplate,
    /// Stable name: the operation id in `openapi.json` and the label of metrics.
    pub operation: &'static str,
    /// Resource that it belongs to; the tag in `openapi.json`.
    pub tag: &'static str,
    /// Summary in one line.
    pub summary: &'static str,
    /// Longer description; may be empty.
    pub description: &'static str,
    /// Who may call it.
    pub access: Access,
    /// Rate limits that count it, besides the limit per address.
    pub rate: RateClass,
    /// Timeout of a request.
    pub timeout_class: TimeoutClass,
    /// Query parameters. Unknown parameters are refused.
    pub query: Vec<Param>,
    /// Headers that it reads besides the standard ones.
    pub headers: Vec<Param>,
    /// Its body.
    pub body: Option<BodySpec>,
    /// Successful responses.
    pub responses: Vec<ResponseSpec>,
    /// Examples of its request and its responses.
    pub examples: Examples,
    /// Error codes of this operation, besides those of every endpoint with the same access.
    pub errors: &'static [ApiErrorCode],
    pub(crate) handler: Handler,
}

/// Builds an [`Endpoint`]. Ends with the method that sets its access and handler, for example
/// [`EndpointBuilder::key`] or [`EndpointBuilder::public`].
pub(crate) struct EndpointBuilder(Endpoint);

/// Starts the description of an endpoint.
pub(crate) fn endpoint(
    method: Method,
    path: &'static str,
    operation: &'static str,
    tag: &'static str,
) -> EndpointBuilder {
    EndpointBuilder(Endpoint {
        method,
        path: PathTemplate::new(path),
        operation,
        tag,
        summary: "",
        description: "",
        access: Access::Public,
        rate: RateClass::Standard,
        timeout_class: TimeoutClass::Standard,
        query: Vec::new(),
        headers: Vec::new(),
        body: None,
        responses: Vec::new(),
        examples: Examples::default(),
        errors: &[],
        handler: Handler::Public(Arc::new(|_, _| {
            async { Err(crate::http::error::ApiError::not_found()) }.boxed()
        })),
    })
}

impl EndpointBuilder {
    pub(crate) fn about(mut self, summary: &'static str, description: &'static str) -> Self {
        (self.0.summary, self.0.description) = (summary, description);
        self
    }

    pub(crate) fn query(mut self, name: &'static str, about: &'static str, schema: SchemaRef) -> Self {
        self.0.query.push(Param { name, about, schema, required: false });
        self
    }

    pub(crate) fn required_query(
        mut self,
        name: &'static str,
        about: &'static str,
        schema: SchemaRef,
    ) -> Self {
        self.0.query.push(Param { name, about, schema, required: true });
        self
    }

    /// Adds the query parameters `limit` and `cursor`.
    pub(crate) fn paged(self) -> Self {
        self.query("limit", "Maximum number of items in the page; 20 if omitted.", SchemaRef::limit()).query(
            "cursor",
            "`next_cursor` of the previous page.",
            SchemaRef::text(),
        )
    }

    pub(crate) fn header(mut self, name: &'static str, about: &'static str, schema: SchemaRef) -> Self {
        self.0.headers.push(Param { name, about, schema, required: false });
        self
    }

    pub(crate) fn required_header(
        mut self,
        name: &'static str,
        about: &'static str,
        schema: SchemaRef,
    ) -> Self {
        self.0.headers.push(Param { name, about, schema, required: true });
        self
    }

    pub(crate) fn json_body<T: utoipa::ToSchema>(mut self) -> Self {
        self.0.body = Some(BodySpec {
            media_types: &["application/json"],
            schema: SchemaRef::of::<T>(),
            optional: false,
        });
        self
    }

    pub(crate) fn optional_json_body<T: utoipa::ToSchema>(self) -> Self {
        let mut this = self.json_body::<T>();
        this.0.body.iter_mut().for_each(|body| body.optional = true);
        this
    }

    /// Accepts raw bytes of one of these media types, with the timeout of uploads.
    pub(crate) fn upload_body(mut self, media_types: &'static [&'static str]) -> Self {
        self.0.body = Some(BodySpec { media_types, schema: SchemaRef::bytes(), optional: false });
        self.0.timeout_class = TimeoutClass::Upload;
        self
    }

    /// Accepts a body that the handler reads and parses itself. `schema` documents it.
    pub(crate) fn raw_body(mut self, media_types: &'static [&'static str], schema: SchemaRef) -> Self {
        self.0.body = Some(BodySpec { media_types, schema, optional: false });
        self
    }

    pub(crate) fn streams(mut self) -> Self {
        self.0.timeout_class = TimeoutClass::Stream;
        self
    }

    pub(crate) fn responds<T: utoipa::ToSchema>(self, status: u16, about: &'static str) -> Self {
        self.responds_with(status, about, "application/json", SchemaRef::of::<T>())
    }

    pub(crate) fn responds_with(
        mut self,
        status: u16,
        about: &'static str,
        media_type: &'static str,
        schema: SchemaRef,
    ) -> Self {
        self.0.responses.push(ResponseSpec { status, about, body: Some((media_type, schema)) });
        self
    }

    pub(crate) fn responds_empty(mut self, status: u16, about: &'static str) -> Self {
        self.0.responses.push(ResponseSpec { status, about, body: None });
        self
    }

    /// Sets the example of the JSON body.
    pub(crate) fn request_example(mut self, body: Value) -> Self {
        self.0.examples.request = Some(body);
        self
    }

    /// Sets the example of the query string.
    pub(crate) fn query_example(mut self, query: &'static str) -> Self {
        self.0.examples.query = Some(query);
        self
    }

    /// Adds the example of the response with this status.
    pub(crate) fn response_example(mut self, status: u16, body: impl Into<Value>) -> Self {
        self.0.examples.responses.push((status, body.into()));
        self
    }

    pub(crate) fn errors(mut self, errors: &'static [ApiErrorCode]) -> Self {
        self.0.errors = errors;
        self
    }

    /// Serves callers with an API key that has this scope, and users with a console session; for
    /// `None`, callers with any key.
    pub(crate) fn key<H, F, R>(mut self, scope: impl Into<Option<Scope>>, handler: H) -> Endpoint
    where
        H: Fn(App, Caller, Request) -> F + Send + Sync + 'static,
        F: Future<Output = ApiResult<R>> + Send + 'static,
        R: Reply,
    {
        let scope = scope.into();
        if scope.is_some() {
            self = self.header(
                SCAN_MODE,
                "`test` or `live`. Required with a session; ignored with a key, which has its mode.",
                SchemaRef::inline::<domain::Mode>(),
            );
        }
        self.0.access = Access::Key(scope);
        self.0.rate = match scope {
            Some(Scope::AskWrite) => RateClass::Ask,
            Some(Scope::SearchRead) => RateClass::Search,
            _ => RateClass::Standard,
        };
        self.0.handler = Handler::Key(Arc::new(move |app, caller, request| {
            handler(app, caller, request).map(|r| r.map(Reply::into_response)).boxed()
        }));
        self.0
    }

    /// Serves users with a console session.
    pub(crate) fn session<H, F, R>(mut self, handler: H) -> Endpoint
    where
        H: Fn(App, SessionUser, Request) -> F + Send + Sync + 'static,
        F: Future<Output = ApiResult<R>> + Send + 'static,
        R: Reply,
    {
        self.0.access = Access::Session;
        self.0.handler = Handler::Session(Arc::new(move |app, session_user, request| {
            handler(app, session_user, request).map(|r| r.map(Reply::into_response)).boxed()
        }));
        self.0
    }

    /// Reads the mode from the header `Scan-Mode`; see [`SessionUser::tenant`].
    pub(crate) fn in_mode(self) -> Self {
        self.header(SCAN_MODE, "`test` or `live`; `test` if omitted.", SchemaRef::inline::<domain::Mode>())
    }

    /// Serves anyone, but refuses unsafe methods from other sites' pages.
    pub(crate) fn own_pages<H, F, R>(self, handler: H) -> Endpoint
    where
        H: Fn(App, Request) -> F + Send + Sync + 'static,
        F: Future<Output = ApiResult<R>> + Send + 'static,
        R: Reply,
    {
        let mut endpoint = self.public(handler);
        endpoint.access = Access::OwnPages;
        endpoint
    }

    /// Serves anyone.
    pub(crate) fn public<H, F, R>(mut self, handler: H) -> Endpoint
    where
        H: Fn(App, Request) -> F + Send + Sync + 'static,
        F: Future<Output = ApiResult<R>> + Send + 'static,
        R: Reply,
    {
        self.0.handler = Handler::Public(Arc::new(move |app, request| {
            handler(app, request).map(|r| r.map(Reply::into_response)).boxed()
        }));
        self.0
    }

    /// Serves anyone with a signed URL or token. The handler verifies the signature.
    pub(crate) fn signed<H, F, R>(self, handler: H) -> Endpoint
    where
        H: Fn(App, Request) -> F + Send + Sync + 'static,
        F: Future<Output = ApiResult<R>> + Send + 'static,
        R: Reply,
    {
        let mut endpoint = self.public(handler);
        endpoint.access = Access::Signed;
        endpoint
    }
}

impl Endpoint {
    /// Returns whether it serves this method. GET endpoints also serve HEAD.
    pub fn serves_method(&self, method: &Method) -> bool {
        self.method == *method || (self.method == Method::GET && *method == Method::HEAD)
    }

    /// Returns whether it serves users with a console session.
    pub fn accepts_session(&self) -> bool {
        matches!(self.access, Access::Session | Access::Key(Some(_)))
    }

    /// Returns every error code that it may respond with, sorted by status.
    pub fn all_errors(&self) -> Vec<ApiErrorCode> {
        use ApiErrorCode as C;
        let mut codes = vec![C::ValidationFailed, C::RateLimitExceeded, C::Internal, C::Unavailable];
        if let Access::Key(scope) = self.access {
            codes.extend([C::Unauthenticated, C::InvalidApiKey]);
            codes.extend(scope.map(|_| C::InsufficientScope));
            if self.accepts_session() && !self.method.is_safe() {
                codes.extend([C::OriginRefused, C::EmailNotConfirmed]);
            }
        }
        if self.access == Access::Session {
            codes.push(C::Unauthenticated);
        }
        if matches!(self.access, Access::Session | Access::OwnPages) && !self.method.is_safe() {
            codes.push(C::OriginRefused);
        }
        if self.access == Access::Signed {
            codes.push(C::InvalidSignature);
        }
        if self.path.has_params() {
            codes.push(C::NotFound);
        }
        if self.body.is_some() {
            codes.extend([C::PayloadTooLarge, C::UnsupportedMediaType]);
        }
        if self.timeout_class != TimeoutClass::Stream {
            codes.push(C::RequestTimeout);
        }
        codes.extend(self.errors);
        codes.sort_by_key(|code| (code.status(), code.as_str()));
        codes.dedup();
        codes
    }

    /// Returns the timeout of a request; `None` for streams.
    pub fn timeout(&self, settings: &crate::Settings) -> Option<Duration> {
        match self.timeout_class {
            TimeoutClass::Standard => Some(Duration::from_secs(settings.request_timeout_seconds)),
            TimeoutClass::Upload => Some(Duration::from_secs(settings.upload_timeout_seconds)),
            TimeoutClass::Stream => None,
        }
    }
}

/// Returns the endpoints that match a path, each with the parameters in the path.
///
/// If several templates match, only the endpoints of the most specific one do: the template with
/// the most literal segments. `/events/stream` therefore never reaches `/events/{id}`, with any
/// method. The order of `endpoints` matters only between templates that tie.
pub fn matching<'a, E: Borrow<Endpoint>>(endpoints: &'a [E], path: &str) -> Vec<(&'a E, PathParams)> {
    let mut found: Vec<(&E, PathParams)> = Vec::new();
    let mut most_literals = 0;
    for endpoint in endpoints {
        let Endpoint { path: template, .. } = endpoint.borrow();
        let Some(params) = template.matches(path) else { continue };
        let literals = template.literals();
        if literals > most_literals {
            found.clear();
            most_literals = literals;
        }
        if literals == most_literals {
            found.push((endpoint, params));
        }
    }
    found
}

/// Returns the methods that a path accepts, for `Allow`; none if no endpoint matches the path.
pub fn allowed<E: Borrow<Endpoint>>(endpoints: &[E], path: &str) -> Vec<Method> {
    let method = |endpoint: &E| {
        let endpoint: &Endpoint = endpoint.borrow();
        endpoint.method.clone()
    };
    let mut methods: Vec<Method> =
        matching(endpoints, path).into_iter().map(|(endpoint, _)| method(endpoint)).collect();
    if methods.is_empty() {
        return methods;
    }
    if methods.contains(&Method::GET) {
        methods.push(Method::HEAD);
    }
    methods.push(Method::OPTIONS);
    methods
}

#[cfg(test)]
mod tests {
    use http::StatusCode;

    use super::*;

    fn endpoint_at(method: Method, path: &'static str, operation: &'static str) -> Endpoint {
        endpoint(method, path, operation, "Test").public(|_, _| async { Ok(StatusCode::OK) })
    }

    #[test]
    fn the_most_specific_template_wins_in_any_order() {
        let mut endpoints = vec![
            endpoint_at(Method::GET, "/events/{id}", "getEvent"),
            endpoint_at(Method::DELETE, "/events/{id}", "deleteEvent"),
            endpoint_at(Method::GET, "/events/stream", "streamEvents"),
            endpoint_at(Method::GET, "/{all*}", "catchAll"),
        ];
        for _ in 0..2 {
            let operations = |path| -> Vec<_> {
                matching(&endpoints, path).into_iter().map(|(endpoint, _)| endpoint.operation).collect()
            };
            assert_eq!(operations("/v1/events/stream"), ["streamEvents"]);
            assert_eq!(operations("/v1/events/evt_1").len(), 2);
            assert_eq!(operations("/v1/a/b/c"), ["catchAll"]);
            assert_eq!(operations("/v2/events/stream"), [""; 0]);
            assert_eq!(
                allowed(&endpoints, "/v1/events/stream"),
                [Method::GET, Method::HEAD, Method::OPTIONS],
                "DELETE belongs to the less specific template"
            );
            assert_eq!(allowed(&endpoints, "/v2/events/stream"), [Method::GET; 0]);
            endpoints.reverse();
        }
        let found = matching(&endpoints, "/v1/events/evt%5F1");
        assert_eq!(found[0].1.get("id"), Some("evt_1"));
    }
}
