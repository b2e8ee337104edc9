//! Errors of the database. Refusals (busy, not found, reused) are outcomes, not errors.

use sea_orm::{DbErr, RuntimeErr, sqlx};

/// An error of the database or of stored data.
#[derive(Debug, Clone, thiserror::Error)]
pub enum Error {
    /// The database returned an error or cannot be reached.
    #[error("database error: {0}")]
    Database(#[from] DbErr),
    /// A transaction cannot be committed while another handle to it is open.
    #[error("cannot commit a transaction that is still in use")]
    StillInUse,
    /// The URL does not name a supported database.
    #[error("invalid database URL: {0}")]
    Url(String),
    /// The account is closed, so nothing can be created in it.
    #[error("the account is closed")]
    AccountClosed,
    /// A referenced row is missing, or a column holds an invalid value.
    #[error("the database holds invalid data: {0}")]
    Corrupt(String),
}

/// Shorthand for results of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Errors that tell whether a retry of the whole transaction may succeed.
pub trait Transient {
    /// Returns whether a conflicting transaction caused the error (busy, deadlock, serialization
    /// failure).
    fn is_transient(&self) -> bool;
}

impl Transient for Error {
    fn is_transient(&self) -> bool {
        // SQLite: BUSY with its extended codes, and LOCKED. PostgreSQL: class 40, where the whole
        // transaction was rolled back.
        const CODES: [&str; 8] = ["5", "6", "261", "517", "773", "262", "40001", "40P01"];
        self.code().is_some_and(|code| CODES.contains(&code.as_str()))
    }
}

impl Error {
    /// Returns the error code of the database, if the database returned one.
    pub fn code(&self) -> Option<String> {
        match self.sqlx()? {
            sqlx::Error::Database(e) => e.code().map(|code| code.into_owned()),
            _ => None,
        }
    }

    /// Returns whether our own code or data is the cause, so that waiting does not help: an invalid
    /// statement, a violated constraint or a corrupt row.
    pub fn is_defect(&self) -> bool {
        // SQLite: ERROR, CONSTRAINT, MISMATCH, MISUSE and RANGE, the low byte of an extended code.
        // PostgreSQL, whose codes have five characters: classes of data exceptions, integrity
        // violations and invalid statements.
        const SQLITE: [u32; 5] = [1, 19, 20, 21, 25];
        const POSTGRES: [&str; 3] = ["22", "23", "42"];
        let Error::Database(DbErr::Conn(_) | DbErr::Exec(_) | DbErr::Query(_) | DbErr::ConnectionAcquire(_)) =
            self
        else {
            return true;
        };
        match self.code() {
            None => self.sqlx().is_some_and(|error| !is_broken_connection(error)),
            Some(code) if code.len() == 5 => POSTGRES.iter().any(|class| code.starts_with(class)),
            Some(code) => code.parse::<u32>().is_ok_and(|code| SQLITE.contains(&(code & 0xff))),
        }
    }

    /// Returns whether the database cannot be reached, is starting or shutting down, or has no connection
    /// left, so that waiting helps.
    pub fn is_outage(&self) -> bool {
        // PostgreSQL: insufficient resources, and cannot connect now with its relatives.
        const POSTGRES: [&str; 2] = ["53", "57P"];
        !self.is_defect()
            && self.code().is_none_or(|code| POSTGRES.iter().any(|class| code.starts_with(class)))
    }

    /// Returns the error of the driver, if it is one.
    fn sqlx(&self) -> Option<&sqlx::Error> {
        match self {
            Error::Database(
                DbErr::Exec(RuntimeErr::SqlxError(e))
                | DbErr::Query(RuntimeErr::SqlxError(e))
                | DbErr::Conn(RuntimeErr::SqlxError(e)),
            ) => Some(e.as_ref()),
            _ => None,
        }
    }

    /// Reports a violated invariant between rows.
    pub fn corrupt(problem: impl Into<String>) -> Self {
        Error::Corrupt(problem.into())
    }
}

/// Returns whether the connection failed, and not the statement or its result.
fn is_broken_connection(error: &sqlx::Error) -> bool {
    use sqlx::Error as E;
    matches!(
        error,
        E::Io(_)
            | E::Tls(_)
            | E::Protocol(_)
            | E::PoolTimedOut
            | E::PoolClosed
            | E::WorkerCrashed
            | E::BeginFailed
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unreachable_database_is_no_defect() {
        let refused = || RuntimeErr::Internal("connection refused".into());
        assert!(!Error::Database(DbErr::Conn(refused())).is_defect());
        assert!(!Error::Database(DbErr::Exec(refused())).is_defect());
        let closed = RuntimeErr::SqlxError(std::sync::Arc::new(sqlx::Error::PoolClosed));
        let closed = Error::Database(DbErr::Query(closed));
        assert!(!closed.is_defect() && closed.is_outage());
        assert!(!Error::Url("must start with sqlite: or postgres:".into()).is_outage());
    }

    #[test]
    fn corrupt_data_is_a_defect() {
        let missing = sqlx::Error::ColumnNotFound("status".into());
        let missing = RuntimeErr::SqlxError(std::sync::Arc::new(missing));
        assert!(Error::Database(DbErr::Query(missing)).is_defect());
        assert!(Error::corrupt("a wrong status").is_defect());
        assert!(Error::Database(DbErr::Type("not a number".into())).is_defect());
        assert!(Error::AccountClosed.is_defect());
    }
}
