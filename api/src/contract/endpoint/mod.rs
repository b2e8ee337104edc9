//! The description of an endpoint.
//!
//! The router, scope checks, rate limits, timeouts, `Allow`, HEAD, OPTIONS and `openapi.json` are
//! all derived from the list of endpoints.

mod builder;
mod matching;

use std::{sync::Arc, time::Duration};

use domain::{ApiErrorCode, scope::Scope};
use futures::future::BoxFuture;
use http::Method;
use warp::reply::Response;

pub(crate) use builder::endpoint;
pub use matching::{allowed, matching};

use crate::{
    App,
    console::SessionUser,
    contract::{examples::Examples, schema::SchemaRef},
    http::{auth::Caller, error::ApiResult, path::PathTemplate, request::Request},
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
