//! What an endpoint is: one entry of the one list from which the router, the scope checks, the rate
//! limits, the time limits, `Allow`, HEAD, OPTIONS and `openapi.json` are made.

use std::{future::Future, sync::Arc, time::Duration};

use domain::{ApiErrorCode, scope::Scope};
use futures::{FutureExt, future::BoxFuture};
use http::Method;
use warp::reply::{Reply, Response};

use crate::{
    App,
    console::{Visitor, visitor::SCAN_MODE},
    contract::schema::SchemaRef,
    http::{auth::Caller, error::ApiResult, path::PathTemplate, request::Request},
    limits::RateClass,
};

/// Who may call an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// Anyone.
    Public,
    /// Anyone who holds a URL that the service signed.
    Signed,
    /// An API key; with this scope, if it names one.
    Key(Option<Scope>),
    /// Anyone, but changes only from the service's own pages.
    OwnPages,
    /// Who is logged in to the console; changes only from the service's own pages. Never an API key.
    Session,
}

/// How long a request may take in all.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// As long as any request: `request_timeout_seconds`.
    Usual,
    /// As long as an upload: `upload_timeout_seconds`.
    Upload,
    /// As long as both sides like.
    Stream,
}

/// A query parameter or a header that an endpoint reads.
#[derive(Debug, Clone)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// What it is for.
    pub about: &'static str,
    /// What it looks like.
    pub schema: SchemaRef,
    /// Whether a request without it is refused.
    pub required: bool,
}

/// What an endpoint reads as its body.
#[derive(Debug, Clone)]
pub struct BodySpec {
    /// The media types it takes.
    pub media_types: &'static [&'static str],
    /// What it looks like.
    pub schema: SchemaRef,
    /// Whether it may be left out.
    pub optional: bool,
}

/// One answer of an endpoint that is not an error.
#[derive(Debug, Clone)]
pub struct Answer {
    /// HTTP status.
    pub status: u16,
    /// When it is given.
    pub about: &'static str,
    /// Media type and shape of its body, if it has one.
    pub body: Option<(&'static str, SchemaRef)>,
}

type PublicHandler = Arc<dyn Fn(App, Request) -> BoxFuture<'static, ApiResult<Response>> + Send + Sync>;
type SessionHandler =
    Arc<dyn Fn(App, Visitor, Request) -> BoxFuture<'static, ApiResult<Response>> + Send + Sync>;
type KeyHandler = Arc<dyn Fn(App, Caller, Request) -> BoxFuture<'static, ApiResult<Response>> + Send + Sync>;

/// What serves an endpoint, by who may call it.
#[derive(Clone)]
pub(crate) enum Handler {
    Public(PublicHandler),
    Key(KeyHandler),
    Session(SessionHandler),
}

/// One operation of the API.
#[derive(Clone)]
pub struct Endpoint {
    /// HTTP method. GET stands for HEAD as well.
    pub method: Method,
    /// Path below [`crate::http::path::BASE`].
    pub path: PathTemplate,
    /// Stable name: the operation id, the label of metrics.
    pub operation: &'static str,
    /// The resource it belongs to.
    pub tag: &'static str,
    /// One line on what it does.
    pub summary: &'static str,
    /// More, where one line is not enough.
    pub description: &'static str,
    /// Who may call it.
    pub access: Access,
    /// Which rate limit counts it, besides the one by address.
    pub rate: RateClass,
    /// How long it may take.
    pub patience: Patience,
    /// Query parameters; any other is refused.
    pub query: Vec<Param>,
    /// Headers it reads besides the usual ones.
    pub headers: Vec<Param>,
    /// Its body.
    pub body: Option<BodySpec>,
    /// What it answers when all is well.
    pub answers: Vec<Answer>,
    /// What it answers otherwise, besides what every endpoint of its kind may answer.
    pub errors: &'static [ApiErrorCode],
    pub(crate) handler: Handler,
}

/// An endpoint that is being described; [`EndpointBuilder::key`] or [`EndpointBuilder::public`] end it.
pub(crate) struct EndpointBuilder(Endpoint);

/// Begins the description of an endpoint.
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
        patience: Patience::Usual,
        query: Vec::new(),
        headers: Vec::new(),
        body: None,
        answers: Vec::new(),
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

    /// `limit` and `cursor`.
    pub(crate) fn paged(self) -> Self {
        self.query("limit", "Most items of the page; 20 when left out.", SchemaRef::limit()).query(
            "cursor",
            "`next_cursor` of the page before.",
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

    /// Raw bytes of one of these media types, with the time that takes.
    pub(crate) fn upload_body(mut self, media_types: &'static [&'static str]) -> Self {
        self.0.body = Some(BodySpec { media_types, schema: SchemaRef::bytes(), optional: false });
        self.0.patience = Patience::Upload;
        self
    }

    /// Bytes of one of these media types that the handler reads itself; what they say looks like this.
    pub(crate) fn raw_body(mut self, media_types: &'static [&'static str], schema: SchemaRef) -> Self {
        self.0.body = Some(BodySpec { media_types, schema, optional: false });
        self
    }

    pub(crate) fn streams(mut self) -> Self {
        self.0.patience = Patience::Stream;
        self
    }

    pub(crate) fn answers<T: utoipa::ToSchema>(self, status: u16, about: &'static str) -> Self {
        self.answers_with(status, about, "application/json", SchemaRef::of::<T>())
    }

    pub(crate) fn answers_with(
        mut self,
        status: u16,
        about: &'static str,
        media_type: &'static str,
        schema: SchemaRef,
    ) -> Self {
        self.0.answers.push(Answer { status, about, body: Some((media_type, schema)) });
        self
    }

    pub(crate) fn answers_nothing(mut self, status: u16, about: &'static str) -> Self {
        self.0.answers.push(Answer { status, about, body: None });
        self
    }

    pub(crate) fn errors(mut self, errors: &'static [ApiErrorCode]) -> Self {
        self.0.errors = errors;
        self
    }

    /// Served to callers with an API key that has this scope (to any key, for `None`).
    pub(crate) fn key<H, F, R>(mut self, scope: impl Into<Option<Scope>>, handler: H) -> Endpoint
    where
        H: Fn(App, Caller, Request) -> F + Send + Sync + 'static,
        F: Future<Output = ApiResult<R>> + Send + 'static,
        R: Reply,
    {
        let scope = scope.into();
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

    /// Served to who is logged in to the console.
    pub(crate) fn session<H, F, R>(mut self, handler: H) -> Endpoint
    where
        H: Fn(App, Visitor, Request) -> F + Send + Sync + 'static,
        F: Future<Output = ApiResult<R>> + Send + 'static,
        R: Reply,
    {
        self.0.access = Access::Session;
        self.0.handler = Handler::Session(Arc::new(move |app, visitor, request| {
            handler(app, visitor, request).map(|r| r.map(Reply::into_response)).boxed()
        }));
        self.0
    }

    /// Acts in the world that the console names in `Scan-Mode`: [`Visitor::tenant`].
    pub(crate) fn in_mode(self) -> Self {
        self.header(SCAN_MODE, "`test` (when left out) or `live`.", SchemaRef::inline::<domain::Mode>())
    }

    /// Served to anyone, but changes only from the service's own pages.
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

    /// Served to anyone.
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

    /// Served to anyone whose URL is signed; the handler checks the signature.
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
    /// Whether it takes this method: its own, or HEAD for GET.
    pub fn takes(&self, method: &Method) -> bool {
        self.method == *method || (self.method == Method::GET && *method == Method::HEAD)
    }

    /// Every error code it may answer: its own and those of its kind.
    pub fn all_errors(&self) -> Vec<ApiErrorCode> {
        use ApiErrorCode as C;
        let mut codes = vec![C::ValidationFailed, C::RateLimitExceeded, C::Internal, C::Unavailable];
        if let Access::Key(scope) = self.access {
            codes.extend([C::Unauthenticated, C::InvalidApiKey]);
            codes.extend(scope.map(|_| C::InsufficientScope));
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
        if self.patience != Patience::Stream {
            codes.push(C::RequestTimeout);
        }
        codes.extend(self.errors);
        codes.sort_by_key(|code| (code.status(), code.as_str()));
        codes.dedup();
        codes
    }

    /// How long a request may take; `None` for streams.
    pub fn time_limit(&self, settings: &crate::Settings) -> Option<Duration> {
        match self.patience {
            Patience::Usual => Some(Duration::from_secs(settings.request_timeout_seconds)),
            Patience::Upload => Some(Duration::from_secs(settings.upload_timeout_seconds)),
            Patience::Stream => None,
        }
    }
}

/// The methods that a path takes, for `Allow`; empty when no endpoint has the path.
pub fn allowed(endpoints: &[Endpoint], path: &str) -> Vec<Method> {
    let matching = || endpoints.iter().filter(|e| e.path.matches(path).is_some());
    let Some(most) = matching().map(|e| e.path.literals()).max() else { return Vec::new() };
    let mut methods: Vec<Method> =
        matching().filter(|e| e.path.literals() == most).map(|e| e.method.clone()).collect();
    if methods.contains(&Method::GET) {
        methods.push(Method::HEAD);
    }
    methods.push(Method::OPTIONS);
    methods
}
