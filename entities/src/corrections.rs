//! Corrections of documents by their owner. A document has one correction of each field of a zone, text
//! or object: a newer one replaces it.

use domain::{
    AccountId, CorrectionId, ScanId, SpaceId, Timestamp,
    document::{CorrectedField, Correction, NewCorrection},
    mode::Tenant,
    page::{Keyset, Page, PageRequest},
};
use sea_orm::{PaginatorTrait, QueryOrder, entity::prelude::*};

use crate::{DocumentRow, Millis, Reader, Result, Text, WriteTxn, table, table::TenantOwned};

/// Maximum number of corrections of one document.
pub const MAX_PER_DOCUMENT: u64 = 500;

/// A correction.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "corrections")]
pub struct Model {
    /// Prefix `cor_`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Text<CorrectionId>,
    /// The owning account.
    pub account_id: Text<AccountId>,
    /// Whether it belongs to live mode.
    pub livemode: bool,
    /// The space.
    pub space_id: Text<SpaceId>,
    /// The scan whose document is corrected.
    pub scan_id: Text<ScanId>,
    /// Id of the zone, text or object in the document.
    pub target_id: String,
    /// The corrected field.
    pub field: Text<CorrectedField>,
    /// The right value; absent for something that is not there.
    pub value: Option<String>,
    /// The correction of an earlier document that was kept for this one.
    pub carried_from: Option<Text<CorrectionId>>,
    /// Time at which the owner made it.
    pub created_at: Millis,
}

no_relations!();
tenant_owned!();

impl Model {
    /// Returns the correction as a document applies it.
    pub fn correction(&self) -> Correction {
        let change = NewCorrection {
            target_id: self.target_id.clone(),
            field: self.field.0,
            value: self.value.clone(),
        };
        Correction { id: self.id.0.clone(), change, created_at: self.created_at.0 }
    }
}

/// Returns the corrections of the document of a scan, oldest first.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn of_scan(reader: &impl Reader, tenant: &Tenant, scan: &ScanId) -> Result<Vec<Model>> {
    let rows = Entity::of(tenant).filter(Column::ScanId.eq(scan.as_str()));
    Ok(rows.order_by_asc(Column::CreatedAt).order_by_asc(Column::Id).all(reader.conn()).await?)
}

/// Returns the corrections of a space, newest first.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn list(
    reader: &impl Reader,
    tenant: &Tenant,
    space: &SpaceId,
    request: &PageRequest,
) -> Result<Page<Model>> {
    let rows = Entity::of(tenant).filter(Column::SpaceId.eq(space.as_str()));
    table::page(reader, rows, (Column::CreatedAt, Column::Id), request, |row| {
        Keyset::at(row.created_at.0, &row.id.0)
    })
    .await
}

/// Returns the correction of a space with this id.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find(
    reader: &impl Reader,
    tenant: &Tenant,
    space: &SpaceId,
    id: &CorrectionId,
) -> Result<Option<Model>> {
    let found = Entity::of(tenant).filter(Column::Id.eq(id.as_str()));
    Ok(found.filter(Column::SpaceId.eq(space.as_str())).one(reader.conn()).await?)
}

/// Returns the number of corrections of the document of a scan.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn count(reader: &impl Reader, tenant: &Tenant, scan: &ScanId) -> Result<u64> {
    Ok(Entity::of(tenant).filter(Column::ScanId.eq(scan.as_str())).count(reader.conn()).await?)
}

/// Makes a correction. Returns the row and whether anything changed: an equal correction stays as it
/// is, and another one of the same field is replaced. The caller holds the lock of the space.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn put(
    txn: &WriteTxn,
    document: &DocumentRow,
    change: &NewCorrection,
    carried_from: Option<&CorrectionId>,
    now: Timestamp,
) -> Result<(Model, bool)> {
    let same_field = Entity::find()
        .filter(Column::ScanId.eq(document.scan_id.as_str()))
        .filter(Column::TargetId.eq(&change.target_id))
        .filter(Column::Field.eq(change.field.as_str()));
    if let Some(known) = same_field.one(txn.conn()).await? {
        if known.value == change.value {
            return Ok((known, false));
        }
        Entity::delete_by_id(known.id).exec(txn.conn()).await?;
    }
    let row = Model {
        id: CorrectionId::new().into(),
        account_id: document.account_id.clone(),
        livemode: document.livemode,
        space_id: document.space_id.clone(),
        scan_id: document.scan_id.clone(),
        target_id: change.target_id.clone(),
        field: change.field.into(),
        value: change.value.clone(),
        carried_from: carried_from.map(Text::from),
        created_at: now.into(),
    };
    table::insert(txn, row.clone()).await?;
    Ok((row, true))
}

/// Deletes a correction.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn delete(txn: &WriteTxn, tenant: &Tenant, id: &CorrectionId) -> Result<()> {
    let rows = Entity::delete_many().filter(Entity::owned_by(tenant)).filter(Column::Id.eq(id.as_str()));
    rows.exec(txn.conn()).await?;
    Ok(())
}

/// Deletes all corrections of a space.
pub(crate) async fn delete_of_space(txn: &WriteTxn, space: &SpaceId) -> Result<()> {
    Entity::delete_many().filter(Column::SpaceId.eq(space.as_str())).exec(txn.conn()).await?;
    Ok(())
}
