//! What spaces are about, as vectors: one row a space, with a vector for each of its passages.

use domain::{
    AccountId, SpaceId,
    mode::Tenant,
    search::{Meaning, Passage},
};
use sea_orm::entity::prelude::*;

use super::{entries::CHUNK, sketches};
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

/// The vectors of these spaces that are of this model and length.
///
/// # Errors
/// Of the database.
pub async fn of_spaces(
    reader: &impl Reader,
    tenant: &Tenant,
    (model, dimensions): (&str, usize),
    spaces: &[String],
) -> Result<Vec<Model>> {
    let mut out = Vec::with_capacity(spaces.len());
    for chunk in spaces.chunks(CHUNK) {
        let rows = Entity::of(tenant)
            .filter(Column::SpaceId.is_in(chunk))
            .filter(Column::Model.eq(model))
            .filter(Column::Dimensions.eq(dimensions as i64));
        out.extend(rows.all(reader.conn()).await?);
    }
    Ok(out)
}

/// With their sketches.
pub(super) async fn insert(
    txn: &WriteTxn,
    tenant: &Tenant,
    space: &SpaceId,
    passages: &[Passage],
    meaning: &Meaning,
) -> Result<()> {
    let Some(first) = meaning.vectors.first() else { return Ok(()) };
    let dimensions = first.len() as i64;
    sketches::insert(txn, tenant, space, meaning, dimensions).await?;
    let row = Model {
        space_id: Text::from(space),
        account_id: Text::from(&tenant.account_id),
        livemode: tenant.mode.livemode(),
        model: meaning.model.clone(),
        dimensions,
        vectors: meaning.vectors.iter().flatten().flat_map(|number| number.to_le_bytes()).collect(),
        entries: Json(passages.iter().map(|passage| passage.entries.clone()).collect()),
    };
    table::insert(txn, row).await
}

/// With their sketches.
pub(super) async fn delete(txn: &WriteTxn, tenant: &Tenant, space: &SpaceId) -> Result<()> {
    let of_vectors = Entity::owned_by(tenant).add(Column::SpaceId.eq(space.as_str()));
    Entity::delete_many().filter(of_vectors).exec(txn.conn()).await?;
    let of_sketches = sketches::Entity::owned_by(tenant).add(sketches::Column::SpaceId.eq(space.as_str()));
    sketches::Entity::delete_many().filter(of_sketches).exec(txn.conn()).await?;
    Ok(())
}
