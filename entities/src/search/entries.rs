//! Rows of spaces that hits show.

use domain::{
    AccountId, ScanId, SpaceId,
    mode::Tenant,
    search::{Entry, EntryKind},
};
use sea_orm::{IntoActiveModel, QueryOrder, entity::prelude::*};

use crate::{Reader, Result, Text, WriteTxn, table::TenantOwned};

/// Rows of one statement, so that the values of all of them stay below what databases take.
pub(super) const CHUNK: usize = 1000;

/// A row that a hit can show.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "search_entries")]
pub struct Model {
    /// The space.
    #[sea_orm(primary_key, auto_increment = false)]
    pub space_id: Text<SpaceId>,
    /// Its position among the rows of the space.
    #[sea_orm(primary_key, auto_increment = false)]
    pub entry: i64,
    /// The owning account.
    pub account_id: Text<AccountId>,
    /// Live or test.
    pub livemode: bool,
    /// The scan whose document it is from.
    pub scan_id: Text<ScanId>,
    /// What it was made from.
    pub kind: Text<EntryKind>,
    /// Its id in the document, or of the space.
    pub source_id: String,
    /// The zone it is in.
    pub zone_id: Option<String>,
    /// What it says, shortened.
    pub body: String,
    /// A frame that shows it.
    pub frame_id: Option<String>,
    /// When in the media that is, in milliseconds.
    pub t_ms: Option<i64>,
    /// Which photo that is.
    pub ordinal: Option<i64>,
}

no_relations!();
tenant_owned!();

/// These rows of these spaces: all combinations that there are, and the first row of each, which is of the space
/// itself.
///
/// # Errors
/// Of the database.
pub async fn of_spaces(
    reader: &impl Reader,
    tenant: &Tenant,
    spaces: &[SpaceId],
    entries: &[u32],
) -> Result<Vec<Model>> {
    let wanted = entries.iter().map(|entry| i64::from(*entry)).chain([0]);
    let rows = Entity::of(tenant)
        .filter(Column::SpaceId.is_in(spaces.iter().map(SpaceId::as_str)))
        .filter(Column::Entry.is_in(wanted))
        .order_by_asc(Column::Entry);
    Ok(rows.all(reader.conn()).await?)
}

pub(super) async fn insert(
    txn: &WriteTxn,
    tenant: &Tenant,
    space: &SpaceId,
    scan: &ScanId,
    entries: &[Entry],
) -> Result<()> {
    let row = |(at, entry): (usize, &Entry)| Model {
        space_id: Text::from(space),
        entry: at as i64,
        account_id: Text::from(&tenant.account_id),
        livemode: tenant.mode.livemode(),
        scan_id: Text::from(scan),
        kind: Text(entry.kind),
        source_id: entry.source_id.clone(),
        zone_id: entry.zone_id.clone(),
        body: entry.text.clone(),
        frame_id: entry.frame_id.clone(),
        t_ms: entry.t_ms.and_then(|t| i64::try_from(t).ok()),
        ordinal: entry.ordinal.map(i64::from),
    };
    let rows: Vec<Model> = entries.iter().enumerate().map(row).collect();
    for chunk in rows.chunks(CHUNK) {
        let rows = chunk.iter().cloned().map(Model::into_active_model);
        Entity::insert_many(rows).exec_without_returning(txn.conn()).await?;
    }
    Ok(())
}
