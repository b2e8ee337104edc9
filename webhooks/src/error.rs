//! Errors of managing endpoints and delivering events.

use entities::Transient;
use outbound::{mail::MailError, seal::SealError, vetting::Refusal};

/// Error of this crate.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] entities::Error),
    /// The vetting rules forbid requests to this URL.
    #[error("requests to this URL are not allowed: {0}")]
    UrlRefused(#[from] Refusal),
    /// The endpoint's secret cannot be decrypted, because its master key is missing.
    #[error(transparent)]
    Sealed(#[from] SealError),
    /// The mail server failed, and may accept the mail later.
    #[error(transparent)]
    Mail(#[from] MailError),
    /// The account has the maximum number of endpoints.
    #[error("the account has the maximum number of webhook endpoints")]
    LimitReached,
    /// The idempotency key was used with other parameters.
    #[error("the idempotency key was used with other parameters")]
    IdempotencyKeyReused,
    /// The tenant has no endpoint with this id.
    #[error("there is no such webhook endpoint")]
    NotFound,
    /// The endpoint is disabled.
    #[error("the webhook endpoint is disabled")]
    Disabled,
    /// An event to replay does not exist or is too old. Holds its position in the request.
    #[error("event {0} of the request does not exist or is too old")]
    UnknownEvent(usize),
}

/// Result with the [`Error`] of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Transient for Error {
    fn is_transient(&self) -> bool {
        matches!(self, Error::Store(error) if error.is_transient())
    }
}
