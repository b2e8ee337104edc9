//! Errors of the ledger. Refusals (no funds, cap reached) are outcomes, not errors.

use entities::Transient;

/// An error of the ledger.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] entities::Error),
    /// Entries that do not sum to zero: a bug in this crate, detected before anything is written.
    #[error("the entries of a {kind} do not sum to zero: {entries}")]
    Unbalanced {
        /// The kind of transaction.
        kind: &'static str,
        /// Its entries.
        entries: String,
    },
    /// The amount must be positive.
    #[error("invalid amount: {0} cents")]
    Amount(i64),
    /// The reference belongs to another transaction, of another account or amount.
    #[error("the reference {0:?} belongs to another transaction")]
    ReferenceTaken(String),
}

/// Shorthand for results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Transient for Error {
    fn is_transient(&self) -> bool {
        matches!(self, Error::Store(e) if e.is_transient())
    }
}

impl Error {
    pub(crate) fn corrupt(what: impl Into<String>) -> Self {
        Error::Store(entities::Error::corrupt(what))
    }
}
