//! `scan migrate`: applies pending migrations and reports them.

use anyhow::Context;
use entities::{Db, Reader};

/// Applies pending migrations, also while the service runs, and prints one line for each.
///
/// # Errors
/// Returns an error if a migration fails, or if this program cannot use the schema.
#[expect(clippy::print_stdout, reason = "the output of the command")]
pub async fn migrate(db: &Db) -> anyhow::Result<()> {
    let applied = migration::migrate(db.conn()).await.context("cannot migrate the database")?;
    for name in &applied {
        println!("applied {name}");
    }
    let unknown = migration::check(db.conn()).await?;
    if applied.is_empty() {
        println!("nothing to apply");
    }
    if !unknown.is_empty() {
        println!("the database is newer than this program: {}", unknown.join(", "));
    }
    Ok(())
}
