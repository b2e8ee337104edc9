//! The vectors of spaces in one bit a number: few bytes, for a first look at many spaces.

use domain::{
    AccountId, SpaceId,
    mode::Tenant,
    search::{Meaning, sketch},
};
use sea_orm::{QueryOrder, QuerySelect, entity::prelude::*};

use crate::{Reader, Result, Text, WriteTxn, table, table::TenantOwned};

/// The sketches of a space.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "search_sketches")]
pub struct Model {
    /// The owning account.
    #[sea_orm(primary_key, auto_increment = false)]
    pub account_id: Text<AccountId>,
    /// Live or test.
    #[sea_orm(primary_key, auto_increment = false)]
    pub livemode: bool,
    /// The model that made the vectors.
    #[sea_orm(primary_key, auto_increment = false)]
    pub model: String,
    /// Numbers of one vector.
    #[sea_orm(primary_key, auto_increment = false)]
    pub dimensions: i64,
    /// The space.
    #[sea_orm(primary_key, auto_increment = false)]
    pub space_id: Text<SpaceId>,
    /// Of each vector its [`sketch`], one after the other.
    pub sketches: Vec<u8>,
}

no_relations!();
tenant_owned!();

/// Spaces of the tenant that have vectors of this model and length, with their sketches, newest first, from before
/// `before` on.
///
/// # Errors
/// Of the database.
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
        .column(Column::Sketches)
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
    meaning: &Meaning,
    dimensions: i64,
) -> Result<()> {
    let row = Model {
        account_id: Text::from(&tenant.account_id),
        livemode: tenant.mode.livemode(),
        model: meaning.model.clone(),
        dimensions,
        space_id: Text::from(space),
        sketches: meaning.vectors.iter().flat_map(|vector| sketch(vector)).collect(),
    };
    table::insert(txn, row).await
}
