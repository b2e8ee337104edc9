//! What can go wrong with the database itself. Refusals (busy, not found, reused) are outcomes, not errors.

use sea_orm::{DbErr, RuntimeErr, sqlx};

/// An error of the database or of what is stored in it.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The database refused, failed or cannot be reached.
    #[error("database: {0}")]
    Database(#[from] DbErr),
    /// A transaction was committed while something else could still write in it.
    #[error("a transaction was still in use when it was to be committed")]
    StillInUse,
    /// A URL that names no database this service can use.
    #[error("database URL: {0}")]
    Url(String),
    /// The account was ended by its owner: nothing is made in it any more.
    #[error("the account was ended")]
    AccountClosed,
    /// A row that another row promises is missing, or holds what it cannot hold.
    #[error("the database holds something impossible: {0}")]
    Corrupt(String),
}

/// Shorthand for results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Errors that say whether the same transaction, run again from its beginning, may succeed.
pub trait Transient {
    /// Whether another transaction was in the way (busy, deadlock, serialization failure).
    fn is_transient(&self) -> bool;
}

impl Transient for Error {
    fn is_transient(&self) -> bool {
        // SQLite: BUSY and its extended codes, LOCKED. PostgreSQL: class 40 that was rolled back whole.
        const CODES: [&str; 8] = ["5", "6", "261", "517", "773", "262", "40001", "40P01"];
        self.code().is_some_and(|code| CODES.contains(&code.as_str()))
    }
}

impl Error {
    /// The code that the database gave, when it was the database that refused.
    pub fn code(&self) -> Option<String> {
        let Error::Database(
            DbErr::Exec(RuntimeErr::SqlxError(e))
            | DbErr::Query(RuntimeErr::SqlxError(e))
            | DbErr::Conn(RuntimeErr::SqlxError(e)),
        ) = self
        else {
            return None;
        };
        match e.as_ref() {
            sqlx::Error::Database(e) => e.code().map(|code| code.into_owned()),
            _ => None,
        }
    }

    /// For promises between rows that the schema makes and that code relies on.
    pub fn corrupt(what: impl Into<String>) -> Self {
        Error::Corrupt(what.into())
    }
}
