//! Errors of searching and indexing.

use entities::Transient;

/// Error of a search or a reindex.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The database failed.
    #[error(transparent)]
    Store(#[from] entities::Error),
}

/// Result with the [`Error`] of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Transient for Error {
    fn is_transient(&self) -> bool {
        matches!(self, Error::Store(e) if e.is_transient())
    }
}
