//! Why an endpoint's answer cannot be used.

/// One failed request, after its retries.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// No model is configured for this.
    #[error("no model is configured for it")]
    NotConfigured,
    /// No answer in time.
    #[error("no answer in time")]
    Timeout,
    /// No connection, or one that broke.
    #[error("no connection")]
    Unreachable,
    /// 429, also after waiting.
    #[error("too many requests")]
    RateLimited,
    /// Another status than 200.
    #[error("status {0}")]
    Status(u16),
    /// The answer is longer than any should be.
    #[error("the answer is too long")]
    TooLong,
    /// The answer is no JSON, or does not fit what was asked for.
    #[error("the answer does not fit: {0}")]
    InvalidResponse(String),
    /// The model would not response.
    #[error("the model refused")]
    Refused,
    /// One more request could cost more than is allowed.
    #[error("the budget bound is reached")]
    BudgetExceeded,
    /// The work is no longer wanted.
    #[error("cancelled")]
    Cancelled,
}

impl From<EndpointError> for domain::language::NoAnswer {
    fn from(error: EndpointError) -> Self {
        Self { code: error.code(), reason: error.to_string() }
    }
}

impl EndpointError {
    /// The code of the warning that says so.
    pub fn code(&self) -> &'static str {
        match self {
            EndpointError::NotConfigured => "ENDPOINT_NOT_CONFIGURED",
            EndpointError::Timeout => "ENDPOINT_TIMEOUT",
            EndpointError::Unreachable => "ENDPOINT_UNREACHABLE",
            EndpointError::RateLimited => "ENDPOINT_RATE_LIMITED",
            EndpointError::Status(_) => "ENDPOINT_FAILED",
            EndpointError::TooLong | EndpointError::InvalidResponse(_) => "ENDPOINT_ANSWER_UNUSABLE",
            EndpointError::Refused => "ENDPOINT_REFUSED",
            EndpointError::BudgetExceeded => "ENDPOINT_SPENDING_BOUND",
            EndpointError::Cancelled => "ENDPOINT_CANCELLED",
        }
    }

    /// Whether asking the same again soon may help.
    pub(super) fn is_retryable(&self) -> bool {
        matches!(self, EndpointError::RateLimited | EndpointError::Status(500..=599))
    }
}
