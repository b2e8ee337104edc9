//! API errors, and their mapping from the errors of other crates.
//!
//! An [`ApiError`] has a stable code and a message for the caller, and an internal cause that is
//! logged with the request id and never sent.

use std::{borrow::Cow, error::Error as StdError};

use domain::{ApiErrorCode, RequestId};
use entities::Transient as _;
use http::{HeaderName, HeaderValue, StatusCode, header};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use warp::reply::{Reply, Response};

use crate::watch::NoResponse;

/// `Retry-After` while a dependency is unavailable, in seconds.
const OUTAGE_RETRY_SECONDS: u64 = 5;

/// Path of the reference pages.
pub(crate) const REFERENCE_PATH: &str = "/docs";

/// Returns the path of the reference page of an error code.
pub(crate) fn error_path(code: &str) -> String {
    format!("{REFERENCE_PATH}/errors/{code}")
}

type BoxError = Box<dyn StdError + Send + Sync>;

/// Result of a handler.
pub type ApiResult<T> = Result<T, ApiError>;

/// An invalid field of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, utoipa::ToSchema)]
pub struct FieldError {
    /// Path in the body (`input.frames[3].timestamp_ms`), or name of a query parameter or header.
    pub field: String,
    /// Why it is invalid.
    pub message: String,
}

impl FieldError {
    /// Creates an error for a field.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }
}

/// Body of every error response.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
#[schema(as = Error)]
pub struct ErrorBody {
    /// The error.
    pub error: ErrorDetail,
}

/// An error of the API.
#[derive(Debug, Serialize, Deserialize, utoipa::ToSchema)]
pub struct ErrorDetail {
    /// Stable code; branch on it.
    pub code: ApiErrorCode,
    /// Message for people; may change.
    pub message: String,
    /// Id of the request; quote it to support.
    pub request_id: RequestId,
    /// Every invalid field, for `VALIDATION_FAILED`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldError>,
    /// Further fields, depending on the code: `balance_cents`, `price_cents`, `missing`, `limit`,
    /// `retry_after`.
    #[serde(flatten)]
    #[schema(additional_properties, value_type = Object)]
    pub extra: Map<String, Value>,
}

/// An error response.
#[derive(Debug)]
pub struct ApiError(Box<Inner>);

/// Boxed to keep `ApiResult` small.
#[derive(Debug)]
struct Inner {
    code: ApiErrorCode,
    message: Cow<'static, str>,
    fields: Vec<FieldError>,
    extra: Map<String, Value>,
    headers: Vec<(HeaderName, HeaderValue)>,
    cause: Option<BoxError>,
}

impl ApiError {
    /// Creates an error with the default message of its code.
    pub fn new(code: ApiErrorCode) -> Self {
        Self(Box::new(Inner {
            code,
            message: Cow::Borrowed(default_message(code)),
            fields: Vec::new(),
            extra: Map::new(),
            headers: Vec::new(),
            cause: None,
        }))
    }

    /// Creates `NOT_FOUND`. Missing resources and resources of other accounts look the same.
    pub fn not_found() -> Self {
        Self::new(ApiErrorCode::NotFound)
    }

    /// Creates `VALIDATION_FAILED` with all invalid fields.
    pub fn validation(fields: Vec<FieldError>) -> Self {
        let mut error = Self::new(ApiErrorCode::ValidationFailed);
        if let [only] = fields.as_slice() {
            error.0.message = Cow::Owned(format!("{}: {}", only.field, only.message));
        }
        error.0.fields = fields;
        error
    }

    /// Collects the results of several checks.
    ///
    /// # Errors
    /// Returns `VALIDATION_FAILED` with every invalid field that a check found.
    pub fn reject_invalid(checks: impl IntoIterator<Item = Option<FieldError>>) -> ApiResult<()> {
        let invalid: Vec<_> = checks.into_iter().flatten().collect();
        if invalid.is_empty() { Ok(()) } else { Err(Self::validation(invalid)) }
    }

    /// Creates `VALIDATION_FAILED` with one invalid field.
    pub fn field(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self::validation(vec![FieldError::new(field, message)])
    }

    /// Creates `INTERNAL`. The cause is logged and never sent.
    pub fn internal(cause: impl Into<BoxError>) -> Self {
        Self::new(ApiErrorCode::Internal).caused_by(cause)
    }

    /// Replaces the message for the caller.
    pub fn message(mut self, message: impl Into<Cow<'static, str>>) -> Self {
        self.0.message = message.into();
        self
    }

    /// Adds a field to the body's `error` object.
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.extra.insert(name.to_owned(), value.into());
        self
    }

    /// Adds a header.
    pub fn header(mut self, name: HeaderName, value: HeaderValue) -> Self {
        self.0.headers.push((name, value));
        self
    }

    /// Adds `Retry-After`, in seconds.
    pub fn retry_after(self, seconds: u64) -> Self {
        self.header(header::RETRY_AFTER, HeaderValue::from(seconds))
    }

    /// Sets the internal cause, which is only logged.
    pub fn caused_by(mut self, cause: impl Into<BoxError>) -> Self {
        self.0.cause = Some(cause.into());
        self
    }

    /// Returns the code.
    pub fn code(&self) -> ApiErrorCode {
        self.0.code
    }

    /// Returns the message that the caller sees.
    pub(crate) fn public_message(&self) -> &str {
        &self.0.message
    }

    /// Returns the JSON of the body, without logging.
    pub(crate) fn into_json(self, request_id: &RequestId) -> Vec<u8> {
        let Inner { code, message, fields, extra, .. } = *self.0;
        let (message, request_id) = (message.into_owned(), request_id.clone());
        let error = ErrorDetail { code, message, request_id, fields, extra };
        serde_json::to_vec(&ErrorBody { error }).unwrap_or_default()
    }

    /// Builds the response with an HTML page as its body.
    pub(crate) fn into_page(self, request_id: &RequestId, page: String) -> Response {
        let mut response = self.into_response(request_id);
        *response.body_mut() = page.into();
        response
    }

    /// Builds the response. Logs the internal cause, if there is one, with the request id.
    pub fn into_response(self, request_id: &RequestId) -> Response {
        let Inner { code, message, fields, extra, headers, cause } = *self.0;
        if let Some(cause) = &cause {
            let chain = chain(cause.as_ref());
            if code.status() >= 500 {
                tracing::error!(%request_id, code = %code, cause = %chain, "request failed");
            } else {
                tracing::info!(%request_id, code = %code, cause = %chain, "request refused");
            }
        }
        let status = StatusCode::from_u16(code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let body = ErrorBody {
            error: ErrorDetail {
                code,
                message: message.into_owned(),
                request_id: request_id.clone(),
                fields,
                extra,
            },
        };
        let mut response = warp::reply::with_status(warp::reply::json(&body), status).into_response();
        // A link to the reference page of the code (RFC 8288).
        let page = format!("<{}>; rel=\"help\"", error_path(code.as_str()));
        if let Ok(page) = HeaderValue::from_str(&page) {
            response.headers_mut().insert(header::LINK, page);
        }
        let asks_for_key = matches!(code, ApiErrorCode::Unauthenticated | ApiErrorCode::InvalidApiKey);
        if asks_for_key && !headers.iter().any(|(name, _)| name == header::WWW_AUTHENTICATE) {
            response.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response.headers_mut().extend(headers);
        response
    }
}

impl From<entities::Error> for ApiError {
    fn from(error: entities::Error) -> Self {
        if matches!(error, entities::Error::AccountClosed) {
            return Self::new(ApiErrorCode::Unauthenticated).message("The account was closed.");
        }
        if error.is_defect() {
            return Self::internal(error);
        }
        // A conflict is over soon, an outage may take longer.
        let retry_after = if error.is_transient() { 1 } else { OUTAGE_RETRY_SECONDS };
        Self::new(ApiErrorCode::Unavailable).retry_after(retry_after).caused_by(error)
    }
}

impl From<NoResponse> for ApiError {
    fn from(error: NoResponse) -> Self {
        Self::new(ApiErrorCode::Unavailable).retry_after(OUTAGE_RETRY_SECONDS).caused_by(error)
    }
}

impl From<ledger::Error> for ApiError {
    fn from(error: ledger::Error) -> Self {
        match error {
            ledger::Error::Store(error) => error.into(),
            other => Self::internal(other),
        }
    }
}

impl From<media::objects::Error> for ApiError {
    fn from(error: media::objects::Error) -> Self {
        if error.is_retryable() {
            return Self::new(ApiErrorCode::Unavailable).retry_after(OUTAGE_RETRY_SECONDS).caused_by(error);
        }
        Self::internal(error)
    }
}

impl From<workflows::client::EngineError> for ApiError {
    fn from(error: workflows::client::EngineError) -> Self {
        use workflows::client::EngineError;
        match error {
            EngineError::Internal(_) => Self::internal(error),
            EngineError::Unavailable(_) | EngineError::Closed => {
                Self::new(ApiErrorCode::EngineUnavailable).retry_after(OUTAGE_RETRY_SECONDS).caused_by(error)
            }
        }
    }
}

impl From<outbound::payments::PaymentError> for ApiError {
    fn from(error: outbound::payments::PaymentError) -> Self {
        use outbound::payments::PaymentError;
        match error {
            PaymentError::Invalid(_) => Self::new(ApiErrorCode::PaymentMethodRefused).caused_by(error),
            error if error.retryable() => {
                Self::new(ApiErrorCode::BankUnavailable).retry_after(OUTAGE_RETRY_SECONDS).caused_by(error)
            }
            error => Self::internal(error),
        }
    }
}

/// Joins the messages of an error and its causes in one line.
fn chain(error: &dyn StdError) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}

const fn default_message(code: ApiErrorCode) -> &'static str {
    use ApiErrorCode as C;
    match code {
        C::ValidationFailed => "The request is invalid; `fields` lists the errors.",
        C::UploadMismatch => "The uploaded bytes differ from what was declared.",
        C::ExportNotReady => "The archive is not ready yet.",
        C::InvalidToken => "The token is unknown, used or expired. Request a new message.",
        C::Unauthenticated => "Send an API key: `Authorization: Bearer <API_KEY>`.",
        C::InvalidApiKey => "The API key is malformed, unknown, revoked or expired.",
        C::InvalidCredentials => "There is no user with this e-mail address and password.",
        C::PaymentMethodRefused => "The bank refuses this payment method.",
        C::OriginRefused => "Console endpoints accept changes from the service's own pages only.",
        C::InsufficientFunds => "The wallet does not cover the scan.",
        C::SpendingCapReached => "The monthly spending cap of the API key does not cover the scan.",
        C::InsufficientScope => "The API key lacks the scope that this endpoint requires.",
        C::EmailNotConfirmed => "Confirm your e-mail address first: live mode requires it.",
        C::ReauthenticationRequired => "Enter your password again: `POST /auth/confirm-password`.",
        C::InvalidSignature => "The signed URL is invalid or has expired.",
        C::NotFound => "There is no such resource.",
        C::MethodNotAllowed => "This path does not support this method; `Allow` lists the supported ones.",
        C::RequestTimeout => "The request was not received in time.",
        C::UploadIncomplete => "Some photos or the video are missing.",
        C::ScanAlreadyStarted => "The scan was already started and accepts no more uploads.",
        C::ScanCancelled => "The scan was cancelled.",
        C::ScanNotCancellable => "Only a scan that awaits its upload can be cancelled.",
        C::ScanNotRetryable => "Only a scan that failed on our side (`PIPELINE_ERROR`) can be retried.",
        C::ScanMediaDeleted => "The media of the failed scan are no longer stored. Create a new scan.",
        C::SpaceBusy => "A scan of the space is queued or processing.",
        C::SpaceNotDeletable => "Only spaces created through the API can be deleted.",
        C::UploadQuotaExceeded => {
            "The account has reached its quota of uploads for scans that are not started."
        }
        C::KeyNotActive => "The API key was revoked or has expired.",
        C::NoPaymentMethod => "The account has no payment method in this mode.",
        C::LivePaymentsOff => "This installation takes no payments in live mode.",
        C::ApiKeyLimit => "The account has reached its maximum number of active API keys.",
        C::SpaceLimit => "The account has reached its maximum number of spaces.",
        C::UnstartedScanLimit => "The account has reached its maximum number of scans that are not started.",
        C::WebhookEndpointLimit => "The account has reached its maximum number of webhook endpoints.",
        C::ShareLimit => "The space has reached its maximum number of active share links.",
        C::ShareEnded => "The share link has expired or was revoked.",
        C::WebhookEndpointOff => "The webhook endpoint is disabled.",
        C::NoDocument => "The space has no complete scan yet.",
        C::PayloadTooLarge => "The body exceeds the limit of this endpoint.",
        C::UnsupportedMediaType => {
            "This endpoint does not accept the media type, or another one was declared."
        }
        C::IdempotencyKeyReused => "The idempotency key was used with another body.",
        C::ScansInProgress => "The account has reached its limit of scans in progress.",
        C::RangeNotSatisfiable => "The range lies behind the end; `Content-Range` has the size.",
        C::HeadersTooLarge => "The head of the request is too large.",
        C::EventStreamLimit => "Too many event streams are open. Close one first.",
        C::RateLimitExceeded => "A rate limit is exceeded; wait as `Retry-After` says.",
        C::Internal => "An internal error occurred. Quote the request id to support.",
        C::EngineUnavailable => "Scans cannot be started right now; nothing was charged. Try again.",
        C::BankUnavailable => "The bank is unavailable right now. Try again.",
        C::Unavailable => "The service is busy; try again.",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn never_sends_the_cause() {
        let error = ApiError::internal(std::io::Error::other("password=hunter2")).retry_after(3);
        let id = RequestId::new();
        let response = error.into_response(&id);
        assert_eq!(response.status(), 500);
        assert_eq!(response.headers()["retry-after"], "3");
        let body = http_body_util::BodyExt::collect(response.into_body()).await.unwrap().to_bytes();
        let text = std::str::from_utf8(&body).unwrap();
        assert!(!text.contains("hunter2"), "{text}");
        assert!(text.contains(id.as_str()) && text.contains("INTERNAL"), "{text}");
    }
}
