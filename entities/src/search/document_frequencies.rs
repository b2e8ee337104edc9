//! Document frequency of each term, per tenant: the number of spaces that have the term.
//!
//! Stored separately because ranking needs it, and counting would read every row of a frequent
//! term.

use std::collections::BTreeMap;

use domain::{AccountId, mode::Tenant};
use sea_orm::{
    ConnectionTrait, ExprTrait, IntoActiveModel, QuerySelect, QueryTrait,
    entity::prelude::*,
    sea_query::{OnConflict, Query},
};

use super::{entries::ROWS_PER_STATEMENT, terms};
use crate::{Reader, Result, Text, WriteTxn, events, table::TenantOwned};

/// Document frequency of a term of a tenant.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "search_frequencies")]
pub struct Model {
    /// Account that owns the space.
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Text<AccountId>,
    /// Whether the row belongs to live mode.
    #[sea_orm(primary_key, auto_increment = false)]
    pub livemode: bool,
    /// Word or fact.
    #[sea_orm(primary_key, auto_increment = false)]
    pub term: String,
    /// Number of spaces that have the term; at least one.
    pub spaces: i64,
}

no_relations!();
tenant_owned!();

/// Returns the document frequency of each of these terms. Terms that no space has are left out.
///
/// # Errors
/// Returns an error if the database is unavailable.
pub async fn of_terms(
    reader: &impl Reader,
    tenant: &Tenant,
    terms: &[String],
) -> Result<BTreeMap<String, i64>> {
    let rows = Entity::of(tenant)
        .select_only()
        .column(Column::Term)
        .column(Column::Spaces)
        .filter(Column::Term.is_in(terms));
    let rows: Vec<(String, i64)> = rows.into_tuple().all(reader.conn()).await?;
    Ok(rows.into_iter().collect())
}

/// Increments the document frequency of each of these terms.
pub(super) async fn add(txn: &WriteTxn, tenant: &Tenant, terms: &[&String]) -> Result<()> {
    let row = |term: &&String| Model {
        account_id: Text::from(&tenant.account_id),
        livemode: tenant.mode.livemode(),
        term: (*term).clone(),
        spaces: 1,
    };
    let incremented = Expr::col((Entity, Column::Spaces)).add(1);
    let increment = OnConflict::columns([Column::AccountId, Column::Livemode, Column::Term])
        .value(Column::Spaces, incremented)
        .to_owned();
    for chunk in terms.chunks(ROWS_PER_STATEMENT) {
        let rows = chunk.iter().map(row).map(Model::into_active_model);
        Entity::insert_many(rows).on_conflict(increment.clone()).exec_without_returning(txn.conn()).await?;
    }
    Ok(())
}

/// Decrements the document frequency of each of these terms.
pub(super) async fn subtract(txn: &WriteTxn, tenant: &Tenant, terms: &[&String]) -> Result<()> {
    for chunk in terms.chunks(ROWS_PER_STATEMENT) {
        let of_chunk = || Entity::owned_by(tenant).add(Column::Term.is_in(chunk.iter().copied()));
        let decremented = Expr::col(Column::Spaces).sub(1);
        Entity::update_many()
            .col_expr(Column::Spaces, decremented)
            .filter(of_chunk())
            .exec(txn.conn())
            .await?;
        Entity::delete_many().filter(of_chunk().add(Column::Spaces.lte(0))).exec(txn.conn()).await?;
    }
    Ok(())
}

/// Recounts all terms of a tenant. Earlier versions of the service wrote terms without counts.
///
/// # Errors
/// Returns an error if the database is unavailable.
pub async fn recount(txn: &WriteTxn, tenant: &Tenant) -> Result<()> {
    events::lock_stream(txn, tenant).await?;
    Entity::delete_many().filter(Entity::owned_by(tenant)).exec(txn.conn()).await?;
    let of_terms = [terms::Column::AccountId, terms::Column::Livemode, terms::Column::Term];
    let counts = terms::Entity::of(tenant)
        .select_only()
        .columns(of_terms)
        .expr(terms::Column::SpaceId.count())
        .group_by(terms::Column::AccountId)
        .group_by(terms::Column::Livemode)
        .group_by(terms::Column::Term)
        .into_query();
    let mut insert = Query::insert();
    insert.into_table(Entity).columns([Column::AccountId, Column::Livemode, Column::Term, Column::Spaces]);
    insert.select_from(counts).map_err(|e| DbErr::Custom(e.to_string()))?;
    txn.conn().execute(&insert).await?;
    Ok(())
}
