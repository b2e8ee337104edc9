//! Binary codes of the vectors of spaces: one bit for each number, small enough to compare many
//! spaces.

use domain::{
    AccountId, SpaceId,
    mode::Tenant,
    search::{Embeddings, binary_code},
};
use sea_orm::{QueryOrder, QuerySelect, entity::prelude::*};

use crate::{Reader, Result, Text, WriteTxn, table, table::TenantOwned};

/// Binary codes of a space.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "search_sketches")]
pub struct Model {
    /// Account that owns the space.
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Text<AccountId>,
    /// Whether the row belongs to live mode.
    #[sea_orm(primary_key, auto_increment = false)]
    pub livemode: bool,
    /// Model that computed the vectors.
    #[sea_orm(primary_key, auto_increment = false)]
    pub model: String,
    /// Number of dimensions of a vector.
    #[sea_orm(primary_key, auto_increment = false)]
    pub dimensions: i64,
    /// The space.
    #[sea_orm(primary_key, auto_increment = false)]
    pub space_id: Text<SpaceId>,
    /// [`binary_code`] of each vector, one after the other.
    #[sea_orm(column_name = "sketches")]
    pub codes: Vec<u8>,
}

no_relations!();
tenant_owned!();

/// Returns the tenant's spaces that have vectors of this model and number of dimensions, with their
/// codes. Spaces are ordered newest first, starting after the space `before`.
///
/// # Errors
/// Returns an error if the database is unavailable.
pub async fn of_model(
    reader: &impl Reader,
    tenant: &Tenant,
    (model, dimensions): (&str, usize),
    before: Option<&str>,
    limit: u64,
) -> Result<Vec<(String, Vec<u8>)>> {
    let mut rows = Entity::of(tenant)
        .select_only()
        .column(Column::SpaceId)
        .column(Column::Codes)
        .filter(Column::Model.eq(model))
        .filter(Column::Dimensions.eq(dimensions as i64))
        .order_by_desc(Column::SpaceId)
        .limit(limit);
    if let Some(before) = before {
        rows = rows.filter(Column::SpaceId.lt(before));
    }
    Ok(rows.into_tuple().all(reader.conn()).await?)
}

pub(super) async fn insert(
    txn: &WriteTxn,
    tenant: &Tenant,
    space: &SpaceId,
    embeddings: &Embeddings,
    dimensions: i64,
) -> Result<()> {
    let row = Model {
        account_id: Text::from(&tenant.account_id),
        livemode: tenant.mode.livemode(),
        model: embeddings.model.clone(),
        dimensions,
        space_id: Text::from(space),
        codes: embeddings.vectors.iter().flat_map(|vector| binary_code(vector)).collect(),
    };
    table::insert(txn, row).await
}
