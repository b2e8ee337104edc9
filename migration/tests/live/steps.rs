//! Migrations of imaginary later releases, which follow the real ones.

use migration::{
    Migrator,
    online::{self, IndexDefinition},
};
use sea_orm_migration::prelude::*;

/// Plain SQL in a transaction.
pub(crate) struct Statements(pub(crate) &'static str, pub(crate) &'static str);

impl MigrationName for Statements {
    fn name(&self) -> &str {
        self.0
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Statements {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        manager.get_connection().execute_unprepared(self.1).await?;
        Ok(())
    }
}

/// An index of an existing table.
pub(crate) struct AddIndex(pub(crate) &'static str, pub(crate) IndexDefinition<'static>);

impl MigrationName for AddIndex {
    fn name(&self) -> &str {
        self.0
    }
}

#[async_trait::async_trait]
impl MigrationTrait for AddIndex {
    fn use_transaction(&self) -> Option<bool> {
        Some(false)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        online::create_index(manager, &self.1).await
    }
}

/// A backfill in batches.
pub(crate) struct Backfill(pub(crate) &'static str, pub(crate) &'static str);

impl MigrationName for Backfill {
    fn name(&self) -> &str {
        self.0
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Backfill {
    fn use_transaction(&self) -> Option<bool> {
        Some(false)
    }

    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        online::in_batches(manager, self.1).await?;
        Ok(())
    }
}

/// A contraction: programs must know the second migration from now on.
pub(crate) struct Contract(pub(crate) &'static str, pub(crate) &'static str);

impl MigrationName for Contract {
    fn name(&self) -> &str {
        self.0
    }
}

#[async_trait::async_trait]
impl MigrationTrait for Contract {
    async fn up(&self, manager: &SchemaManager) -> Result<(), DbErr> {
        online::require(manager, self.1).await
    }
}

/// Returns the real migrations, followed by those of a later release.
pub(crate) fn released_and(later: Vec<Box<dyn MigrationTrait>>) -> Vec<Box<dyn MigrationTrait>> {
    Migrator::migrations().into_iter().chain(later).collect()
}

/// A nullable column of a busy table.
pub(crate) const ADD_COLUMN: Statements =
    Statements("m9001_note", "ALTER TABLE spaces ADD COLUMN upgrade_note TEXT");
/// An index of that column.
pub(crate) const ADD_INDEX: AddIndex = AddIndex(
    "m9002_note_index",
    IndexDefinition { name: "spaces_by_note", on: "spaces (upgrade_note, id)", unique: false },
);
/// The values of that column for older rows. The load of the test inserts rows without a value, like
/// a program that does not know the column, and these must not keep the backfill busy.
pub(crate) const BACKFILL: Backfill = Backfill(
    "m9003_note_backfill",
    "UPDATE spaces SET upgrade_note = name WHERE id IN \
     (SELECT id FROM spaces WHERE upgrade_note IS NULL AND id LIKE 'spc_fill%' LIMIT 2000)",
);

/// The release that adds the column, its index and its values.
pub(crate) struct WithNote;

#[async_trait::async_trait]
impl MigratorTrait for WithNote {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        released_and(vec![Box::new(ADD_COLUMN), Box::new(ADD_INDEX), Box::new(BACKFILL)])
    }
}
