//! The one table of errors: codes the API answers with, and codes a scan fails with.
//!
//! A code, its HTTP status, whether a retry may help, and the page that explains it (`docs/errors/`)
//! are said here and nowhere else.

use serde::{Deserialize, Serialize};

macro_rules! api_errors {
    ($($(#[$doc:meta])* $variant:ident = $code:literal, $status:literal, $retryable:literal;)*) => {
        /// A stable code that callers branch on.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum ApiErrorCode {
            $($(#[$doc])* #[serde(rename = $code)] $variant,)*
        }

        crate::schema::named!(ApiErrorCode);

        impl ApiErrorCode {
            /// Every code there is.
            pub const ALL: &'static [ApiErrorCode] = &[$(ApiErrorCode::$variant,)*];

            /// The code on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(ApiErrorCode::$variant => $code,)* }
            }

            /// The HTTP status it is answered with.
            pub const fn status(self) -> u16 {
                match self { $(ApiErrorCode::$variant => $status,)* }
            }

            /// Whether the same request may succeed later, unchanged.
            pub const fn retryable(self) -> bool {
                match self { $(ApiErrorCode::$variant => $retryable,)* }
            }

            /// The page that explains it, in Markdown.
            pub const fn page(self) -> &'static str {
                match self {
                    $(ApiErrorCode::$variant => include_str!(concat!("../../docs/errors/", $code, ".md")),)*
                }
            }
        }
    };
}

api_errors! {
    /// The request is not what the endpoint takes; `fields` says where.
    ValidationFailed = "VALIDATION_FAILED", 400, false;
    /// The uploaded bytes are not what was declared (size or content).
    UploadMismatch = "UPLOAD_MISMATCH", 400, false;
    /// The token that was mailed is unknown, used or out of time.
    InvalidToken = "INVALID_TOKEN", 400, false;
    /// No `Authorization: Bearer` header (or, in the console, no session).
    Unauthenticated = "UNAUTHENTICATED", 401, false;
    /// The key is malformed, unknown, revoked or expired.
    InvalidApiKey = "INVALID_API_KEY", 401, false;
    /// No user has this e-mail address and password.
    InvalidCredentials = "INVALID_CREDENTIALS", 401, false;
    /// The wallet does not cover the scan.
    InsufficientFunds = "INSUFFICIENT_FUNDS", 402, true;
    /// The key's monthly cap is reached.
    SpendingCapReached = "SPENDING_CAP_REACHED", 402, true;
    /// The bank does not take the payment method.
    PaymentMethodRefused = "PAYMENT_METHOD_REFUSED", 402, false;
    /// A change was asked for by a page that is not the service's own console.
    OriginRefused = "ORIGIN_REFUSED", 403, false;
    /// The key lacks the scope that the endpoint requires.
    InsufficientScope = "INSUFFICIENT_SCOPE", 403, false;
    /// A signed URL, or what says it is from the bank, is wrong or late.
    InvalidSignature = "INVALID_SIGNATURE", 403, false;
    /// No such resource in this account and mode, or no such path.
    NotFound = "NOT_FOUND", 404, false;
    /// The path exists, not with this method; `Allow` lists which.
    MethodNotAllowed = "METHOD_NOT_ALLOWED", 405, false;
    /// The client was too slow in sending its request.
    RequestTimeout = "REQUEST_TIMEOUT", 408, true;
    /// Some photos or the video are missing.
    UploadIncomplete = "UPLOAD_INCOMPLETE", 409, true;
    /// Uploads are closed: the scan was started.
    ScanAlreadyStarted = "SCAN_ALREADY_STARTED", 409, false;
    /// The scan was cancelled, by its owner or after 24 hours.
    ScanCancelled = "SCAN_CANCELLED", 409, false;
    /// Only a scan that awaits its upload can be cancelled.
    ScanNotCancellable = "SCAN_NOT_CANCELLABLE", 409, false;
    /// A scan of the space is queued or processing.
    SpaceBusy = "SPACE_BUSY", 409, true;
    /// The space was not made through the API.
    SpaceNotDeletable = "SPACE_NOT_DELETABLE", 409, false;
    /// The account has too much uploaded and not started.
    UploadQuotaExceeded = "UPLOAD_QUOTA_EXCEEDED", 409, true;
    /// The API key was revoked or has expired.
    KeyNotActive = "KEY_NOT_ACTIVE", 409, false;
    /// The account has no payment method in this mode.
    NoPaymentMethod = "NO_PAYMENT_METHOD", 409, false;
    /// The account has as many webhook endpoints as it may.
    WebhookEndpointLimit = "WEBHOOK_ENDPOINT_LIMIT", 409, true;
    /// The webhook endpoint is turned off.
    WebhookEndpointOff = "WEBHOOK_ENDPOINT_OFF", 409, true;
    /// The archive is still being made.
    ExportNotReady = "EXPORT_NOT_READY", 409, true;
    /// The space has no complete scan yet.
    NoDocument = "NO_DOCUMENT", 409, true;
    /// The body is larger than the endpoint takes.
    PayloadTooLarge = "PAYLOAD_TOO_LARGE", 413, false;
    /// The media type is none that the endpoint takes, or not the one declared.
    UnsupportedMediaType = "UNSUPPORTED_MEDIA_TYPE", 415, false;
    /// The idempotency key was used with another body.
    IdempotencyKeyReused = "IDEMPOTENCY_KEY_REUSED", 422, false;
    /// Three scans of the account are already processing.
    ScansInProgress = "SCANS_IN_PROGRESS", 429, true;
    /// A rate limit is exceeded; wait as `Retry-After` (or `retry_after`) says.
    RateLimitExceeded = "RATE_LIMIT_EXCEEDED", 429, true;
    /// Something went wrong on our side; quote the request id.
    Internal = "INTERNAL", 500, true;
    /// The engine that runs scans cannot be reached; nothing was charged twice.
    EngineUnavailable = "ENGINE_UNAVAILABLE", 503, true;
    /// The bank cannot be reached; nothing was taken twice.
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
        /// Why a scan failed: `error.code` of a failed scan.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum FailureCode {
            $($(#[$doc])* #[serde(rename = $code)] $variant,)*
        }

        crate::schema::named!(FailureCode);

        impl FailureCode {
            /// Every code there is.
            pub const ALL: &'static [FailureCode] = &[$(FailureCode::$variant,)*];

            /// The code on the wire.
            pub const fn as_str(self) -> &'static str {
                match self { $(FailureCode::$variant => $code,)* }
            }

            /// Reads [`FailureCode::as_str`].
            pub fn parse(text: &str) -> Option<Self> {
                match text { $($code => Some(FailureCode::$variant),)* _ => None }
            }

            /// Whether a new scan of the same media may succeed.
            pub const fn retryable(self) -> bool {
                match self { $(FailureCode::$variant => $retryable,)* }
            }

            /// The page that explains it, in Markdown.
            pub const fn page(self) -> &'static str {
                match self {
                    $(FailureCode::$variant => include_str!(concat!("../../docs/errors/", $code, ".md")),)*
                }
            }

            /// What people are told.
            pub const fn message(self) -> &'static str {
                match self { $(FailureCode::$variant => $message,)* }
            }
        }
    };
}

failures! {
    /// No decoder can read the file, or it ends in the middle.
    MediaUnreadable = "MEDIA_UNREADABLE", false, "The media cannot be read: it is damaged, cut off, or not what its type says.";
    /// The container holds no video stream.
    NoVideoStream = "NO_VIDEO_STREAM", false, "The file has no video stream.";
    /// Width or height over the limit.
    MediaTooLarge = "MEDIA_DIMENSIONS_TOO_LARGE", false, "The pictures are larger than 8192 pixels on a side or 40 megapixels.";
    /// Longer than the limit.
    MediaTooLong = "MEDIA_TOO_LONG", false, "The video is longer than the service takes.";
    /// The file refers to other files or addresses.
    MediaNotSelfContained = "MEDIA_NOT_SELF_CONTAINED", false, "The file refers to other files or addresses; upload the media itself.";
    /// Decoding took more time, memory or space than one scan may.
    MediaTooCostly = "MEDIA_TOO_COSTLY", false, "The media takes more time or memory to decode than one scan may use.";
    /// Not one frame was sharp and bright enough to keep.
    NoUsableFrames = "NO_USABLE_FRAMES", false, "No frame was sharp and bright enough to use.";
    /// The uploaded objects are gone from storage.
    MediaMissing = "MEDIA_MISSING", true, "The uploaded media is no longer in storage.";
    /// An operator cancelled the scan.
    Cancelled = "CANCELLED_BY_OPERATOR", true, "The scan was cancelled by the operator of the service.";
    /// A test key asked for this failure.
    Forced = "FORCED_FAILURE", false, "This scan failed because its test asked for it.";
    /// Anything else, after every retry.
    Internal = "PIPELINE_ERROR", true, "The scan failed on our side. You were not charged; please try again.";
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
    fn codes_are_unique_and_shouted() {
        let mut codes: Vec<_> = ApiErrorCode::ALL.iter().map(|c| c.as_str()).collect();
        codes.extend(FailureCode::ALL.iter().map(|c| c.as_str()));
        let count = codes.len();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), count);
        assert!(codes.iter().all(|c| c.bytes().all(|b| b.is_ascii_uppercase() || b == b'_')));
    }
}
