//! The clock of the database.

use domain::Timestamp;
use sea_orm::{ConnectionTrait, DbBackend, Statement};

use crate::{Error, Reader, Result};

/// Returns the time of the database server. SQLite uses the clock of this machine.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn now(reader: &impl Reader) -> Result<Timestamp> {
    let backend = reader.conn().get_database_backend();
    let query = match backend {
        DbBackend::Sqlite => "SELECT CAST((julianday('now') - 2440587.5) * 86400000 AS BIGINT)",
        _ => "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)",
    };
    let row = reader.conn().query_one_raw(Statement::from_string(backend, query)).await?;
    let row = row.ok_or_else(|| Error::corrupt("the database returned no time".to_owned()))?;
    Ok(Timestamp::from_millis(row.try_get_by_index(0)?))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::testing::on_each_database;

    #[tokio::test]
    async fn database_has_our_time() {
        on_each_database(async |db| {
            let before = Timestamp::now().minus(Duration::from_secs(5));
            let theirs = now(&db).await.unwrap();
            assert!(before < theirs && theirs < Timestamp::now().plus(Duration::from_secs(5)), "{theirs}");
        })
        .await;
    }
}
