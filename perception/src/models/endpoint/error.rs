//! Errors of endpoint requests.

/// Reason why a request failed after its retries.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// No model is configured for this task.
    #[error("no model is configured for this task")]
    NotConfigured,
    /// The endpoint did not respond in time.
    #[error("no response in time")]
    Timeout,
    /// The connection could not be established or broke.
    #[error("the connection failed")]
    Unreachable,
    /// The endpoint responded with status 429 to every attempt.
    #[error("too many requests")]
    RateLimited,
    /// The endpoint responded with a status other than 200.
    #[error("status {0}")]
    Status(u16),
    /// The endpoint rejected the request, for this reason.
    #[error("status {0}")]
    Rejected(u16, String),
    /// The endpoint didn't respond lately and is left alone for a while.
    #[error("it did not respond lately")]
    Paused,
    /// The response exceeds the size limit.
    #[error("the response is too long")]
    TooLong,
    /// The response is not JSON or does not match the request.
    #[error("invalid response: {0}")]
    InvalidResponse(String),
    /// The model refused to respond.
    #[error("the model refused")]
    Refused,
    /// One more request could exceed the spending limit.
    #[error("the spending limit is reached")]
    BudgetExceeded,
    /// The caller cancelled the work.
    #[error("cancelled")]
    Cancelled,
}

impl From<EndpointError> for domain::language::LanguageModelError {
    fn from(error: EndpointError) -> Self {
        Self { code: error.code(), reason: error.to_string() }
    }
}

impl EndpointError {
    /// Returns the code of the warning in the document.
    pub fn code(&self) -> &'static str {
        match self {
            EndpointError::NotConfigured => "ENDPOINT_NOT_CONFIGURED",
            EndpointError::Timeout => "ENDPOINT_TIMEOUT",
            EndpointError::Unreachable => "ENDPOINT_UNREACHABLE",
            EndpointError::RateLimited => "ENDPOINT_RATE_LIMITED",
            EndpointError::Status(_) | EndpointError::Rejected(..) => "ENDPOINT_FAILED",
            EndpointError::Paused => "ENDPOINT_PAUSED",
            EndpointError::TooLong | EndpointError::InvalidResponse(_) => "ENDPOINT_ANSWER_UNUSABLE",
            EndpointError::Refused => "ENDPOINT_REFUSED",
            EndpointError::BudgetExceeded => "ENDPOINT_SPENDING_BOUND",
            EndpointError::Cancelled => "ENDPOINT_CANCELLED",
        }
    }

    /// Returns true if the server may have worked on the request, and bills it.
    pub(super) fn may_be_billed(&self) -> bool {
        matches!(
            self,
            EndpointError::Timeout
                | EndpointError::TooLong
                | EndpointError::InvalidResponse(_)
                | EndpointError::Cancelled
        )
    }

    /// Returns true if the same request may succeed soon.
    pub(super) fn is_retryable(&self) -> bool {
        matches!(self, EndpointError::RateLimited | EndpointError::Status(500..=599))
    }
}
