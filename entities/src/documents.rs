//! Space Documents: the revision that each scan wrote, with its storage key.

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
    /// Whether it belongs to live mode.
    pub livemode: bool,
    /// The space it describes.
    pub space_id: Text<SpaceId>,
    /// Number of the document, counted from 1 for each space.
    pub revision: i64,
    /// Storage key of its bytes.
    pub object_key: String,
    /// SHA-256 of its bytes, in hex.
    pub sha256: String,
    /// Size in bytes.
    pub bytes: i64,
    /// Time at which its scan completed.
    pub created_at: Millis,
}

no_relations!();
tenant_owned!();

/// Returns the newest document of a space.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn latest(reader: &impl Reader, tenant: &Tenant, space: &SpaceId) -> Result<Option<Model>> {
    Ok(of_space(tenant, space).one(reader.conn()).await?)
}

/// Returns the document that a scan wrote.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find_by_scan(reader: &impl Reader, tenant: &Tenant, scan: &ScanId) -> Result<Option<Model>> {
    Ok(Entity::of(tenant).filter(Column::ScanId.eq(scan.as_str())).one(reader.conn()).await?)
}

/// Returns the document of the same space that precedes `document`.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn previous(reader: &impl Reader, tenant: &Tenant, document: &Model) -> Result<Option<Model>> {
    let earlier = of_space(tenant, &document.space_id)
        .filter(Column::Revision.lt(document.revision))
        .one(reader.conn());
    Ok(earlier.await?)
}

/// Returns the newest documents of a space, newest first.
///
/// # Errors
/// Returns an error if the database fails.
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

/// Returns the number of the newest document of a space, or 0. The caller holds the space's lock.
pub(crate) async fn last_revision(txn: &WriteTxn, space: &SpaceId) -> Result<i64> {
    let rows = Entity::find().filter(Column::SpaceId.eq(space.as_str())).order_by_desc(Column::Revision);
    Ok(rows.one(txn.conn()).await?.map_or(0, |document| document.revision))
}

pub(crate) async fn insert(txn: &WriteTxn, document: &Model) -> Result<()> {
    table::insert(txn, document.clone()).await
}
