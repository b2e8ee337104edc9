//! Space Documents: which revision of a space each scan wrote, and where it is stored.

use domain::{AccountId, ScanId, SpaceId, mode::Tenant};
use sea_orm::{QueryOrder, QuerySelect, entity::prelude::*};

use crate::{Millis, Reader, Result, Text, WriteTxn, table, table::TenantOwned};

/// A stored document.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "documents")]
pub struct Model {
    /// The scan that wrote it.
    #[sea_orm(primary_key, auto_increment = false)]
    pub scan_id: Text<ScanId>,
    /// The owning account.
    pub account_id: Text<AccountId>,
    /// Live or test.
    pub livemode: bool,
    /// The space it describes.
    pub space_id: Text<SpaceId>,
    /// Counts the documents of a space from 1.
    pub revision: i64,
    /// Where its bytes are.
    pub object_key: String,
    /// SHA-256 of its bytes, hex.
    pub sha256: String,
    /// Its size.
    pub bytes: i64,
    /// When its scan completed.
    pub created_at: Millis,
}

no_relations!();
tenant_owned!();

/// The newest document of a space.
///
/// # Errors
/// Of the database.
pub async fn latest(reader: &impl Reader, tenant: &Tenant, space: &SpaceId) -> Result<Option<Model>> {
    Ok(of_space(tenant, space).one(reader.conn()).await?)
}

/// The document that a scan wrote.
///
/// # Errors
/// Of the database.
pub async fn find_by_scan(reader: &impl Reader, tenant: &Tenant, scan: &ScanId) -> Result<Option<Model>> {
    Ok(Entity::of(tenant).filter(Column::ScanId.eq(scan.as_str())).one(reader.conn()).await?)
}

/// The newest document of the same space before `document`.
///
/// # Errors
/// Of the database.
pub async fn previous(reader: &impl Reader, tenant: &Tenant, document: &Model) -> Result<Option<Model>> {
    let earlier = of_space(tenant, &document.space_id)
        .filter(Column::Revision.lt(document.revision))
        .one(reader.conn());
    Ok(earlier.await?)
}

/// The newest documents of a space, newest first.
///
/// # Errors
/// Of the database.
pub async fn newest(
    reader: &impl Reader,
    tenant: &Tenant,
    space: &SpaceId,
    limit: u64,
) -> Result<Vec<Model>> {
    Ok(of_space(tenant, space).limit(limit).all(reader.conn()).await?)
}

fn of_space(tenant: &Tenant, space: &SpaceId) -> sea_orm::Select<Entity> {
    Entity::of(tenant).filter(Column::SpaceId.eq(space.as_str())).order_by_desc(Column::Revision)
}

/// The number of the newest document of a space; 0 when there is none. The caller holds the space's lock.
pub(crate) async fn last_revision(txn: &WriteTxn, space: &SpaceId) -> Result<i64> {
    let rows = Entity::find().filter(Column::SpaceId.eq(space.as_str())).order_by_desc(Column::Revision);
    Ok(rows.one(txn.conn()).await?.map_or(0, |document| document.revision))
}

pub(crate) async fn insert(txn: &WriteTxn, document: &Model) -> Result<()> {
    table::insert(txn, document.clone()).await
}
