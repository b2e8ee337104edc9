//! Why an endpoint's answer cannot be used.

/// One failed request, after its retries.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
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
    DoesNotFit(String),
    /// The model would not answer.
    #[error("the model refused")]
    Refused,
    /// One more request could cost more than is allowed.
    #[error("the spending bound is reached")]
    SpendingBound,
    /// The work is no longer wanted.
    #[error("cancelled")]
    Cancelled,
}

impl From<Fault> for domain::language::NoAnswer {
    fn from(fault: Fault) -> Self {
        Self { code: fault.code(), reason: fault.to_string() }
    }
}

impl Fault {
    /// The code of the warning that says so.
    pub fn code(&self) -> &'static str {
        match self {
            Fault::NotConfigured => "ENDPOINT_NOT_CONFIGURED",
            Fault::Timeout => "ENDPOINT_TIMEOUT",
            Fault::Unreachable => "ENDPOINT_UNREACHABLE",
            Fault::RateLimited => "ENDPOINT_RATE_LIMITED",
            Fault::Status(_) => "ENDPOINT_FAILED",
            Fault::TooLong | Fault::DoesNotFit(_) => "ENDPOINT_ANSWER_UNUSABLE",
            Fault::Refused => "ENDPOINT_REFUSED",
            Fault::SpendingBound => "ENDPOINT_SPENDING_BOUND",
            Fault::Cancelled => "ENDPOINT_CANCELLED",
        }
    }

    /// Whether asking the same again soon may help.
    pub(super) fn passes(&self) -> bool {
        matches!(self, Fault::RateLimited | Fault::Status(500..=599))
    }
}
