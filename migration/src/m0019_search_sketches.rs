//! Binary codes of the embedding vectors: one bit for each number, small enough that a query can
//! compare the codes of many spaces.

use sea_orm_migration::{
    prelude::*,
    sea_orm::{DbBackend, Statement, Value},
};

#[derive(DeriveMigrationName)]
pub(crate) struct Migration;

/// Number of spaces whose vectors are read in one batch.
const CHUNK: usize = 200;

#[async_trait::async_trait]
impl MigrationTrait for Migration {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        let (bytes, clustered) = match manager.get_database_backend() {
            DbBackend::Sqlite => ("BLOB", " WITHOUT ROWID"),
            _ => ("BYTEA", ""),
        };
        crate::run(manager, &UP.replace("{BYTES}", bytes).replace("{CLUSTERED}", clustered)).await?;
        encode_all(manager).await
    }
}

const UP: &str = r"
CREATE TABLE search_sketches (
    account_id TEXT NOT NULL,
    livemode BOOLEAN NOT NULL,
    model TEXT NOT NULL,
    dimensions BIGINT NOT NULL,
    space_id TEXT NOT NULL REFERENCES spaces (id) ON DELETE CASCADE,
    sketches {BYTES} NOT NULL,
    PRIMARY KEY (account_id, livemode, model, dimensions, space_id)
){CLUSTERED};
CREATE UNIQUE INDEX search_sketches_by_space ON search_sketches (space_id);
DROP INDEX search_vectors_by_model;
";

/// Computes the binary codes of existing vectors, which plain SQL cannot do.
async fn encode_all(manager: &SchemaManager<'_>) -> Result<(), DbErr> {
    let (db, backend) = (manager.get_connection(), manager.get_database_backend());
    let mut after = String::new();
    loop {
        let read = Statement::from_sql_and_values(
            backend,
            format!(
                "SELECT space_id, dimensions, vectors FROM search_vectors WHERE space_id > $1 ORDER BY space_id LIMIT {CHUNK}"
            ),
            [Value::from(after.as_str())],
        );
        let rows = db.query_all_raw(read).await?;
        for row in &rows {
            let (space, dimensions): (String, i64) =
                (row.try_get("", "space_id")?, row.try_get("", "dimensions")?);
            let vectors: Vec<u8> = row.try_get("", "vectors")?;
            let write = Statement::from_sql_and_values(
                backend,
                "INSERT INTO search_sketches (account_id, livemode, model, dimensions, space_id, sketches) \
                 SELECT account_id, livemode, model, dimensions, space_id, $1 FROM search_vectors WHERE space_id = $2",
                [Value::from(binary_codes(&vectors, dimensions as usize)), Value::from(space.as_str())],
            );
            db.execute_raw(write).await?;
            after = space;
        }
        if rows.len() < CHUNK {
            return Ok(());
        }
    }
}

/// Encodes each number as one bit, 1 if it is negative, eight to a byte with the lowest bit first.
/// Each vector starts at a byte boundary.
fn binary_codes(vectors: &[u8], dimensions: usize) -> Vec<u8> {
    let negative = |number: &[u8]| f32::from_le_bytes([number[0], number[1], number[2], number[3]]) < 0.0;
    let binary_code = |vector: &[u8]| {
        let byte = |eight: &[u8]| {
            let numbers = eight.chunks_exact(4).enumerate();
            numbers.fold(0, |bits, (at, number)| bits | u8::from(negative(number)) << at)
        };
        vector.chunks(32).map(byte).collect::<Vec<u8>>()
    };
    vectors.chunks_exact((dimensions * 4).max(1)).flat_map(binary_code).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodes_one_bit_per_number() {
        let bytes = |numbers: &[f32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect::<Vec<u8>>();
        let nine = [1.0, -1.0, 0.0, -0.0, -3.5, 2.0, 2.0, -0.1, -7.0];
        assert_eq!(binary_codes(&bytes(&[nine, nine].concat()), 9), [0b1001_0010, 1, 0b1001_0010, 1]);
        assert_eq!(binary_codes(&[], 9), Vec::<u8>::new());
    }
}
