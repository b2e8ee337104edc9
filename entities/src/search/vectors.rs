//! Vectors of spaces: one row for each space, with a vector for each of its passages.

use domain::{
    AccountId, SpaceId,
    mode::Tenant,
    search::{Embeddings, Passage},
};
use sea_orm::entity::prelude::*;

use super::{binary_codes, entries::ROWS_PER_STATEMENT};
use crate::{Json, Reader, Result, Text, WriteTxn, table, table::TenantOwned};

/// Vectors of a space.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "search_vectors")]
pub struct Model {
    /// The space.
    #[sea_orm(primary_key, auto_increment = false)]
    pub space_id: Text<SpaceId>,
    /// Account that owns the space.
    pub account_id: Text<AccountId>,
    /// Whether the row belongs to live mode.
    pub livemode: bool,
    /// Model that computed the vectors.
    pub model: String,
    /// Number of dimensions of a vector.
    pub dimensions: i64,
    /// The vectors, one after the other, as little-endian `f32`.
    pub vectors: Vec<u8>,
    /// For each vector, the positions of the entries that its passage describes.
    pub entries: Json<Vec<Vec<u32>>>,
}

no_relations!();
tenant_owned!();

/// Returns the vectors of these spaces that have this model and number of dimensions.
///
/// # Errors
/// Returns an error if the database is unavailable.
pub async fn of_spaces(
    reader: &impl Reader,
    tenant: &Tenant,
    (model, dimensions): (&str, usize),
    spaces: &[String],
) -> Result<Vec<Model>> {
    let mut out = Vec::with_capacity(spaces.len());
    for chunk in spaces.chunks(ROWS_PER_STATEMENT) {
        let rows = Entity::of(tenant)
            .filter(Column::SpaceId.is_in(chunk))
            .filter(Column::Model.eq(model))
            .filter(Column::Dimensions.eq(dimensions as i64));
        out.extend(rows.all(reader.conn()).await?);
    }
    Ok(out)
}

/// Inserts the vectors of a space and their binary codes.
pub(super) async fn insert(
    txn: &WriteTxn,
    tenant: &Tenant,
    space: &SpaceId,
    passages: &[Passage],
    embeddings: &Embeddings,
) -> Result<()> {
    let Some(first) = embeddings.vectors.first() else { return Ok(()) };
    let dimensions = first.len() as i64;
    binary_codes::insert(txn, tenant, space, embeddings, dimensions).await?;
    let row = Model {
        space_id: Text::from(space),
        account_id: Text::from(&tenant.account_id),
        livemode: tenant.mode.livemode(),
        model: embeddings.model.clone(),
        dimensions,
        vectors: embeddings.vectors.iter().flatten().flat_map(|number| number.to_le_bytes()).collect(),
        entries: Json(passages.iter().map(|passage| passage.entries.clone()).collect()),
    };
    table::insert(txn, row).await
}

/// Deletes the vectors of a space and their binary codes.
pub(super) async fn delete(txn: &WriteTxn, tenant: &Tenant, space: &SpaceId) -> Result<()> {
    let of_vectors = Entity::owned_by(tenant).add(Column::SpaceId.eq(space.as_str()));
    Entity::delete_many().filter(of_vectors).exec(txn.conn()).await?;
    let of_codes =
        binary_codes::Entity::owned_by(tenant).add(binary_codes::Column::SpaceId.eq(space.as_str()));
    binary_codes::Entity::delete_many().filter(of_codes).exec(txn.conn()).await?;
    Ok(())
}
