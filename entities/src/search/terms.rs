//! Terms of spaces, with their impact on the score.

use domain::{AccountId, SpaceId, mode::Tenant, search::Posting};
use sea_orm::{IntoActiveModel, QuerySelect, entity::prelude::*};

use super::entries::ROWS_PER_STATEMENT;
use crate::{Json, Reader, Result, Text, WriteTxn, table::TenantOwned};

/// Term of a space.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "search_terms")]
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
    /// The space.
    #[sea_orm(primary_key, auto_increment = false)]
    pub space_id: Text<SpaceId>,
    /// Contribution to the score, before the weight by document frequency.
    pub impact: i64,
    /// Positions of the entries that match the term best.
    pub entries: Json<Vec<u32>>,
}

no_relations!();
tenant_owned!();

/// Returns the rows of these spaces for these terms.
///
/// # Errors
/// Returns an error if the database is unavailable.
pub async fn matching(
    reader: &impl Reader,
    tenant: &Tenant,
    spaces: &[SpaceId],
    terms: &[String],
) -> Result<Vec<Model>> {
    let rows = Entity::of(tenant)
        .filter(Column::Term.is_in(terms))
        .filter(Column::SpaceId.is_in(spaces.iter().map(SpaceId::as_str)));
    Ok(rows.all(reader.conn()).await?)
}

/// Returns all terms of a space.
pub(super) async fn of_space(reader: &impl Reader, tenant: &Tenant, space: &SpaceId) -> Result<Vec<String>> {
    let rows =
        Entity::of(tenant).select_only().column(Column::Term).filter(Column::SpaceId.eq(space.as_str()));
    Ok(rows.into_tuple().all(reader.conn()).await?)
}

/// Deletes terms of a space. Takes the terms because SQLite would otherwise read all terms of the
/// tenant to find those of the space.
pub(super) async fn delete(txn: &WriteTxn, tenant: &Tenant, space: &SpaceId, terms: &[String]) -> Result<()> {
    for chunk in terms.chunks(ROWS_PER_STATEMENT) {
        let rows =
            Entity::owned_by(tenant).add(Column::Term.is_in(chunk)).add(Column::SpaceId.eq(space.as_str()));
        Entity::delete_many().filter(rows).exec(txn.conn()).await?;
    }
    Ok(())
}

pub(super) async fn insert(
    txn: &WriteTxn,
    tenant: &Tenant,
    space: &SpaceId,
    postings: &[Posting],
) -> Result<()> {
    for chunk in postings.chunks(ROWS_PER_STATEMENT) {
        let rows = chunk.iter().map(|posting| {
            let row = Model {
                account_id: Text::from(&tenant.account_id),
                livemode: tenant.mode.livemode(),
                term: posting.term.clone(),
                space_id: Text::from(space),
                impact: posting.impact,
                entries: Json(posting.entries.clone()),
            };
            row.into_active_model()
        });
        Entity::insert_many(rows).exec_without_returning(txn.conn()).await?;
    }
    Ok(())
}
