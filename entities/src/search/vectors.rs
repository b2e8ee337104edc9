//! What spaces are about, as vectors: one row a space, with a vector for each of its passages.

use domain::{
    AccountId, SpaceId,
    mode::Tenant,
    search::{Meaning, Passage},
};
use sea_orm::{QueryOrder, QuerySelect, entity::prelude::*};

use crate::{Json, Reader, Result, Text, WriteTxn, table, table::TenantOwned};

/// The vectors of a space.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "search_vectors")]
pub struct Model {
    /// The space.
    #[sea_orm(primary_key, auto_increment = false)]
    pub space_id: Text<SpaceId>,
    /// The owning account.
    pub account_id: Text<AccountId>,
    /// Live or test.
    pub livemode: bool,
    /// The model that made them.
    pub model: String,
    /// Numbers of one vector.
    pub dimensions: i64,
    /// The vectors, one after the other: `f32`, little-endian.
    pub vectors: Vec<u8>,
    /// For each, the entries that its passage tells of.
    pub entries: Json<Vec<Vec<u32>>>,
}

no_relations!();
tenant_owned!();

/// Spaces of the tenant that have vectors of this model and length, newest first, from before `before` on.
///
/// # Errors
/// Of the database.
pub async fn of_model(
    reader: &impl Reader,
    tenant: &Tenant,
    (model, dimensions): (&str, usize),
    before: Option<&SpaceId>,
    limit: u64,
) -> Result<Vec<Model>> {
    let mut rows = Entity::of(tenant)
        .filter(Column::Model.eq(model))
        .filter(Column::Dimensions.eq(dimensions as i64))
        .order_by_desc(Column::SpaceId)
        .limit(limit);
    if let Some(before) = before {
        rows = rows.filter(Column::SpaceId.lt(before.as_str()));
    }
    Ok(rows.all(reader.conn()).await?)
}

pub(super) async fn insert(
    txn: &WriteTxn,
    tenant: &Tenant,
    space: &SpaceId,
    passages: &[Passage],
    meaning: &Meaning,
) -> Result<()> {
    let Some(first) = meaning.vectors.first() else { return Ok(()) };
    let row = Model {
        space_id: Text::from(space),
        account_id: Text::from(&tenant.account_id),
        livemode: tenant.mode.livemode(),
        model: meaning.model.clone(),
        dimensions: first.len() as i64,
        vectors: meaning.vectors.iter().flatten().flat_map(|number| number.to_le_bytes()).collect(),
        entries: Json(passages.iter().map(|passage| passage.entries.clone()).collect()),
    };
    table::insert(txn, row).await
}
