//! Entries of spaces, which search results show.

use domain::{
    AccountId, ScanId, SpaceId,
    mode::Tenant,
    search::{Entry, EntryKind},
};
use sea_orm::{IntoActiveModel, QueryOrder, entity::prelude::*};

use crate::{Reader, Result, Text, WriteTxn, table::TenantOwned};

/// Maximum number of rows in a statement, so that its values stay below the limits of the
/// databases.
pub(super) const ROWS_PER_STATEMENT: usize = 1000;

/// Part of a space that a hit can show.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "search_entries")]
pub struct Model {
    /// The space.
    #[sea_orm(primary_key, auto_increment = false)]
    pub space_id: Text<SpaceId>,
    /// Position of the entry in the space. Entry 0 is the space itself.
    #[sea_orm(primary_key, auto_increment = false)]
    pub entry: i64,
    /// Account that owns the space.
    pub account_id: Text<AccountId>,
    /// Whether the row belongs to live mode.
    pub livemode: bool,
    /// Scan of the document that contains the entry.
    pub scan_id: Text<ScanId>,
    /// Source of the entry.
    pub kind: Text<EntryKind>,
    /// Id of the source in the document, or of the space.
    pub source_id: String,
    /// Zone that contains the source.
    pub zone_id: Option<String>,
    /// Shortened text.
    pub body: String,
    /// Frame that shows the source.
    pub frame_id: Option<String>,
    /// Position in the media, in milliseconds.
    pub t_ms: Option<i64>,
    /// Number of the photo that shows the source.
    pub ordinal: Option<i64>,
}

no_relations!();
tenant_owned!();

/// Returns the entries at these positions of each of these spaces, and entry 0 of each, which is
/// the space itself.
///
/// # Errors
/// Returns an error if the database is unavailable.
pub async fn of_spaces(
    reader: &impl Reader,
    tenant: &Tenant,
    spaces: &[SpaceId],
    entries: &[u32],
) -> Result<Vec<Model>> {
    let positions = entries.iter().map(|entry| i64::from(*entry)).chain([0]);
    let rows = Entity::of(tenant)
        .filter(Column::SpaceId.is_in(spaces.iter().map(SpaceId::as_str)))
        .filter(Column::Entry.is_in(positions))
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
    for chunk in rows.chunks(ROWS_PER_STATEMENT) {
        let rows = chunk.iter().cloned().map(Model::into_active_model);
        Entity::insert_many(rows).exec_without_returning(txn.conn()).await?;
    }
    Ok(())
}
