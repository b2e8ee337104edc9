//! Error codes of the API and of failed scans.
//!
//! This is the only definition of each code, its HTTP status, whether a retry may help, and the
//! page that explains it (`docs/errors/`).

use serde::{Deserialize, Serialize};

macro_rules! api_errors {
    ($($(#[$doc:meta])* $variant:ident = $code:literal, $status:literal, $retryable:literal;)*) => {
        /// Stable error code of the API. Clients branch on it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum ApiErrorCode {
            $($(#[$doc])* #[serde(rename = $code)] $variant,)*
        }

        crate::schema::named!(ApiErrorCode);

        impl ApiErrorCode {
            /// All codes.
            pub const ALL: &'static [ApiErrorCode] = &[$(ApiErrorCode::$variant,)*];

            /// Returns the code as used in JSON.
            pub const fn as_str(self) -> &'static str {
                match self { $(ApiErrorCode::$variant => $code,)* }
            }

            /// Returns the HTTP status of the response.
            pub const fn status(self) -> u16 {
                match self { $(ApiErrorCode::$variant => $status,)* }
            }

            /// Returns whether the same request may succeed later.
            pub const fn retryable(self) -> bool {
                match self { $(ApiErrorCode::$variant => $retryable,)* }
            }

            /// Returns the page that explains it, in Markdown.
            pub const fn page(self) -> &'static str {
                match self {
                    $(ApiErrorCode::$variant => include_str!(concat!("../../docs/errors/", $code, ".md")),)*
                }
            }
        }
    };
}

api_errors! {
    /// The request is invalid; `fields` names the invalid fields.
    ValidationFailed = "VALIDATION_FAILED", 400, false;
    /// The uploaded bytes do not match the declared size or type.
    UploadMismatch = "UPLOAD_MISMATCH", 400, false;
    /// The mailed token is unknown, used or expired.
    InvalidToken = "INVALID_TOKEN", 400, false;
    /// There is no `Authorization: Bearer` header or, in the console, no session.
    Unauthenticated = "UNAUTHENTICATED", 401, false;
    /// The key is malformed, unknown, revoked or expired.
    InvalidApiKey = "INVALID_API_KEY", 401, false;
    /// The email address or the password is wrong.
    InvalidCredentials = "INVALID_CREDENTIALS", 401, false;
    /// The wallet does not cover the scan.
    InsufficientFunds = "INSUFFICIENT_FUNDS", 402, true;
    /// The key's monthly cap is reached.
    SpendingCapReached = "SPENDING_CAP_REACHED", 402, true;
    /// The bank refuses the payment method.
    PaymentMethodRefused = "PAYMENT_METHOD_REFUSED", 402, false;
    /// The request comes from another origin than the console.
    OriginRefused = "ORIGIN_REFUSED", 403, false;
    /// The key lacks the scope that the endpoint requires.
    InsufficientScope = "INSUFFICIENT_SCOPE", 403, false;
    /// The password must be entered again.
    ReauthenticationRequired = "REAUTHENTICATION_REQUIRED", 403, true;
    /// Live mode requires a confirmed e-mail address.
    EmailNotConfirmed = "EMAIL_NOT_CONFIRMED", 403, true;
    /// The signature of a signed URL or of a bank webhook is wrong or expired.
    InvalidSignature = "INVALID_SIGNATURE", 403, false;
    /// The resource does not exist in this account and mode, or the path does not exist.
    NotFound = "NOT_FOUND", 404, false;
    /// The path does not support this method; `Allow` lists the supported ones.
    MethodNotAllowed = "METHOD_NOT_ALLOWED", 405, false;
    /// The client sent its request too slowly.
    RequestTimeout = "REQUEST_TIMEOUT", 408, true;
    /// Some photos or the video are missing.
    UploadIncomplete = "UPLOAD_INCOMPLETE", 409, true;
    /// Uploads are closed: the scan was started.
    ScanAlreadyStarted = "SCAN_ALREADY_STARTED", 409, false;
    /// The scan was cancelled, by its owner or after 24 hours.
    ScanCancelled = "SCAN_CANCELLED", 409, false;
    /// Only a scan that awaits its upload can be cancelled.
    ScanNotCancellable = "SCAN_NOT_CANCELLABLE", 409, false;
    /// Only a scan that failed because of the service can be retried.
    ScanNotRetryable = "SCAN_NOT_RETRYABLE", 409, false;
    /// The media of the failed scan are no longer stored.
    ScanMediaDeleted = "SCAN_MEDIA_DELETED", 409, false;
    /// A scan of the space is queued or processing.
    SpaceBusy = "SPACE_BUSY", 409, true;
    /// The space was not created through the API.
    SpaceNotDeletable = "SPACE_NOT_DELETABLE", 409, false;
    /// The uploads of scans that are not started exceed the quota of the account.
    UploadQuotaExceeded = "UPLOAD_QUOTA_EXCEEDED", 409, true;
    /// The API key was revoked or has expired.
    KeyNotActive = "KEY_NOT_ACTIVE", 409, false;
    /// The account has no payment method in this mode.
    NoPaymentMethod = "NO_PAYMENT_METHOD", 409, false;
    /// This installation takes no payments in live mode.
    LivePaymentsOff = "LIVE_PAYMENTS_OFF", 409, false;
    /// The account has reached the maximum number of active API keys.
    ApiKeyLimit = "API_KEY_LIMIT", 409, true;
    /// The account has reached the maximum number of spaces.
    SpaceLimit = "SPACE_LIMIT", 409, true;
    /// The account has reached the maximum number of scans that are not started.
    UnstartedScanLimit = "UNSTARTED_SCAN_LIMIT", 409, true;
    /// The account has reached the maximum number of webhook endpoints.
    WebhookEndpointLimit = "WEBHOOK_ENDPOINT_LIMIT", 409, true;
    /// The space has reached the maximum number of active share links.
    ShareLimit = "SHARE_LIMIT", 409, true;
    /// The webhook endpoint is disabled.
    WebhookEndpointOff = "WEBHOOK_ENDPOINT_OFF", 409, true;
    /// The archive is still being created.
    ExportNotReady = "EXPORT_NOT_READY", 409, true;
    /// The space has no complete scan yet.
    NoDocument = "NO_DOCUMENT", 409, true;
    /// The share link has expired or was revoked.
    ShareEnded = "SHARE_ENDED", 410, false;
    /// The request body is too large.
    PayloadTooLarge = "PAYLOAD_TOO_LARGE", 413, false;
    /// The media type is not supported, or differs from the declared one.
    UnsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE", 415, false;
    /// The head of the request is too large.
    HeadersTooLarge = "HEADERS_TOO_LARGE", 431, false;
    /// The requested range lies behind the end of the file.
    RangeNotSatisfiable = "RANGE_NOT_SATISFIABLE", 416, false;
    /// The idempotency key was used with another body.
    IdempotencyKeyReused = "IDEMPOTENCY_KEY_REUSED", 422, false;
    /// The maximum number of scans of the account is queued or processing.
    ScansInProgress = "SCANS_IN_PROGRESS", 429, true;
    /// The key or the account has as many event streams open as it may have.
    EventStreamLimit = "EVENT_STREAM_LIMIT", 429, true;
    /// A rate limit is exceeded; wait for the time in `Retry-After` (or `retry_after`).
    RateLimitExceeded = "RATE_LIMIT_EXCEEDED", 429, true;
    /// An internal error; quote the request id.
    Internal = "INTERNAL", 500, true;
    /// The workflow engine is unavailable; nothing was charged twice.
    EngineUnavailable = "ENGINE_UNAVAILABLE", 503, true;
    /// The bank is unavailable; nothing was charged twice.
    BankUnavailable = "BANK_UNAVAILABLE", 503, true;
    /// The service is busy or shutting down.
    Unavailable = "UNAVAILABLE", 503, true;
}

impl std::fmt::Display for ApiErrorCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

macro_rules! failures {
    ($($(#[$doc:meta])* $variant:ident = $code:literal, $retryable:literal, $message:literal;)*) => {
        /// Reason for a failure: `error.code` of a failed scan.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum FailureCode {
            $($(#[$doc])* #[serde(rename = $code)] $variant,)*
        }

        crate::schema::named!(FailureCode);

        impl FailureCode {
            /// All codes.
            pub const ALL: &'static [FailureCode] = &[$(FailureCode::$variant,)*];

            /// Returns the code as used in JSON.
            pub const fn as_str(self) -> &'static str {
                match self { $(FailureCode::$variant => $code,)* }
            }

            /// Parses the result of [`FailureCode::as_str`].
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($code => Some(FailureCode::$variant),)* _ => None }
            }

            /// Returns whether a new scan of the same media may succeed.
            pub const fn retryable(self) -> bool {
                match self { $(FailureCode::$variant => $retryable,)* }
            }

            /// Returns the page that explains it, in Markdown.
            pub const fn page(self) -> &'static str {
                match self {
                    $(FailureCode::$variant => include_str!(concat!("../../docs/errors/", $code, ".md")),)*
                }
            }

            /// Returns the message for people.
            pub const fn message(self) -> &'static str {
                match self { $(FailureCode::$variant => $message,)* }
            }
        }
    };
}

failures! {
    /// No decoder can read the file, or it is truncated.
    MediaUnreadable = "MEDIA_UNREADABLE", false, "The media cannot be read: it is damaged, truncated or not of the declared type.";
    /// The container holds no video stream.
    NoVideoStream = "NO_VIDEO_STREAM", false, "The file has no video stream.";
    /// The pictures exceed the maximum dimensions.
    MediaTooLarge = "MEDIA_DIMENSIONS_TOO_LARGE", false, "The pictures are larger than 8192 pixels on a side or 40 megapixels.";
    /// The video exceeds the maximum duration.
    MediaTooLong = "MEDIA_TOO_LONG", false, "The video is longer than the service accepts.";
    /// The file refers to other files or URLs.
    MediaNotSelfContained = "MEDIA_NOT_SELF_CONTAINED", false, "The file refers to other files or URLs; upload the media itself.";
    /// Decoding exceeded the limit of time, memory or disk space.
    MediaTooCostly = "MEDIA_TOO_COSTLY", false, "The media exceeds the time or memory that one scan may use for decoding.";
    /// No frame was sharp and bright enough to keep.
    NoUsableFrames = "NO_USABLE_FRAMES", false, "No frame was sharp and bright enough to use.";
    /// The uploaded objects are missing in storage.
    MediaMissing = "MEDIA_MISSING", true, "The uploaded media is no longer in storage.";
    /// An operator cancelled the scan.
    Cancelled = "CANCELLED_BY_OPERATOR", true, "The scan was cancelled by the operator of the service.";
    /// The `external_id` of the space requested this failure (test mode only).
    Forced = "FORCED_FAILURE", false, "This scan failed because the test requested it.";
    /// Any other error, after all retries.
    Internal = "PIPELINE_ERROR", true, "The scan failed on our side. You were not charged; please try again.";
}

impl FailureCode {
    /// Returns whether the media of a scan that failed with this code are kept for a retry: the
    /// service failed, not the media.
    pub const fn keeps_media(self) -> bool {
        matches!(self, FailureCode::Internal)
    }
}

impl std::fmt::Display for FailureCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_unique_and_upper_case() {
        let mut codes: Vec<_> = ApiErrorCode::ALL.iter().map(|c| c.as_str()).collect();
        codes.extend(FailureCode::ALL.iter().map(|c| c.as_str()));
        let count = codes.len();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), count);
        assert!(codes.iter().all(|c| c.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')));
    }
}
