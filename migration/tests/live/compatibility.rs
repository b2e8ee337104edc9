//! Programs of older and newer releases at the schema of another one.

use entities::{Db, Reader, testing::on_each_database};
use migration::{Migrator, RunOptions, SchemaError, check, check_schema, run_migrations};
use sea_orm_migration::prelude::*;

use crate::steps::{ADD_COLUMN, Contract, Statements, released_and};

/// The next release: it expands the schema.
struct Next;

#[async_trait::async_trait]
impl MigratorTrait for Next {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        released_and(vec![Box::new(ADD_COLUMN)])
    }
}

/// The release after the next: it drops what only this release used.
struct AfterNext;

#[async_trait::async_trait]
impl MigratorTrait for AfterNext {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        released_and(vec![Box::new(ADD_COLUMN), Box::new(Contract("m9002_contract", "m9001_note"))])
    }
}

/// A release of another branch.
struct Branch;

#[async_trait::async_trait]
impl MigratorTrait for Branch {
    fn migrations() -> Vec<Box<dyn MigrationTrait>> {
        released_and(vec![Box::new(Statements("m9001_other", "SELECT 1"))])
    }
}

async fn migrate<M: MigratorTrait>(db: &Db) -> Result<Vec<String>, DbErr> {
    run_migrations::<M>(db.conn(), &RunOptions::default()).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_refuses_an_older_schema_and_names_the_command() {
    on_each_database(async |db| {
        let refused = check_schema::<Next>(db.conn()).await.unwrap_err();
        assert!(matches!(&refused, SchemaError::Behind(pending) if pending == &["m9001_note"]), "{refused}");
        assert!(refused.to_string().contains("run `scan migrate`"), "{refused}");
        assert_eq!(migrate::<Next>(&db).await.unwrap(), ["m9001_note"]);
        assert!(check_schema::<Next>(db.conn()).await.unwrap().is_empty());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_program_can_be_rolled_back_after_an_expansion() {
    on_each_database(async |db| {
        migrate::<Next>(&db).await.unwrap();
        assert_eq!(check(db.conn()).await.unwrap(), ["m9001_note"]);
        assert!(migrate::<Migrator>(&db).await.unwrap().is_empty(), "there is nothing to apply");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_contraction_refuses_only_programs_that_use_the_old_shape() {
    on_each_database(async |db| {
        migrate::<AfterNext>(&db).await.unwrap();
        let refused = check(db.conn()).await.unwrap_err();
        assert!(matches!(&refused, SchemaError::TooNew(missing) if missing == &["m9001_note"]), "{refused}");
        assert_eq!(check_schema::<Next>(db.conn()).await.unwrap(), ["m9002_contract"]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn branches_with_different_migrations_are_not_mixed() {
    on_each_database(async |db| {
        migrate::<Branch>(&db).await.unwrap();
        let refused = migrate::<Next>(&db).await.unwrap_err().to_string();
        assert!(refused.contains("m9001_note") && refused.contains("m9001_other"), "{refused}");
    })
    .await;
}
