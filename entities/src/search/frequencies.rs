//! In how many spaces of a tenant each term is. Kept beside the terms: ranking weighs by it, and would read every row
//! of a frequent term to count them.

use std::collections::BTreeMap;

use domain::{AccountId, mode::Tenant};
use sea_orm::{
    ConnectionTrait, ExprTrait, IntoActiveModel, QuerySelect, QueryTrait,
    entity::prelude::*,
    sea_query::{OnConflict, Query},
};

use super::{entries::CHUNK, terms};
use crate::{Reader, Result, Text, WriteTxn, events, table::TenantOwned};

/// A term of a tenant.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "search_frequencies")]
pub struct Model {
    /// The owning account.
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Text<AccountId>,
    /// Live or test.
    #[sea_orm(primary_key, auto_increment = false)]
    pub livemode: bool,
    /// A word, or a fact.
    #[sea_orm(primary_key, auto_increment = false)]
    pub term: String,
    /// How many spaces have it; at least one.
    pub spaces: i64,
}

no_relations!();
tenant_owned!();

/// How many spaces of the tenant have each of these terms; terms that none has are left out.
///
/// # Errors
/// Of the database.
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

/// One more space has each of these terms.
pub(super) async fn add(txn: &WriteTxn, tenant: &Tenant, terms: &[&String]) -> Result<()> {
    let one = |term: &&String| Model {
        account_id: Text::from(&tenant.account_id),
        livemode: tenant.mode.livemode(),
        term: (*term).clone(),
        spaces: 1,
    };
    let more = Expr::col((Entity, Column::Spaces)).add(1);
    let counted = OnConflict::columns([Column::AccountId, Column::Livemode, Column::Term])
        .value(Column::Spaces, more)
        .to_owned();
    for chunk in terms.chunks(CHUNK) {
        let rows = chunk.iter().map(one).map(Model::into_active_model);
        Entity::insert_many(rows).on_conflict(counted.clone()).exec_without_returning(txn.conn()).await?;
    }
    Ok(())
}

/// One space less has each of these terms.
pub(super) async fn subtract(txn: &WriteTxn, tenant: &Tenant, terms: &[&String]) -> Result<()> {
    for chunk in terms.chunks(CHUNK) {
        let of_chunk = || Entity::owned_by(tenant).add(Column::Term.is_in(chunk.iter().copied()));
        let less = Expr::col(Column::Spaces).sub(1);
        Entity::update_many().col_expr(Column::Spaces, less).filter(of_chunk()).exec(txn.conn()).await?;
        Entity::delete_many().filter(of_chunk().add(Column::Spaces.lte(0))).exec(txn.conn()).await?;
    }
    Ok(())
}

/// Counts all terms of a tenant anew: versions before these counts wrote terms without them.
///
/// # Errors
/// Of the database.
pub async fn recount(txn: &WriteTxn, tenant: &Tenant) -> Result<()> {
    events::hold_stream(txn, tenant).await?;
    Entity::delete_many().filter(Entity::owned_by(tenant)).exec(txn.conn()).await?;
    let of_terms = [terms::Column::AccountId, terms::Column::Livemode, terms::Column::Term];
    let counted = terms::Entity::of(tenant)
        .select_only()
        .columns(of_terms)
        .expr(terms::Column::SpaceId.count())
        .group_by(terms::Column::AccountId)
        .group_by(terms::Column::Livemode)
        .group_by(terms::Column::Term)
        .into_query();
    let mut insert = Query::insert();
    insert.into_table(Entity).columns([Column::AccountId, Column::Livemode, Column::Term, Column::Spaces]);
    insert.select_from(counted).map_err(|e| DbErr::Custom(e.to_string()))?;
    txn.conn().execute(&insert).await?;
    Ok(())
}
