//! Builds the descriptions of endpoints.

use std::{future::Future, sync::Arc};

use domain::{ApiErrorCode, scope::Scope};
use futures::FutureExt;
use http::Method;
use serde_json::Value;
use warp::reply::Reply;

use super::{Access, BodySpec, Endpoint, Handler, Param, ResponseSpec, TimeoutClass};
use crate::{
    App,
    console::{SessionUser, session_user::SCAN_MODE},
    contract::{examples::Examples, schema::SchemaRef},
    http::{auth::Caller, error::ApiResult, path::PathTemplate, request::Request},
    limits::RateClass,
};

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
