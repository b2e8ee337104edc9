//! The timeline of scans: one row for every change of status or stage.

use domain::{ScanId, ScanStatus, Stage, Timestamp, scan::TimelineEntry};
use sea_orm::{PaginatorTrait, QueryOrder, entity::prelude::*};

use crate::{Millis, Reader, Result, Text, WriteTxn, table};

/// One change.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "scan_transitions")]
pub struct Model {
    /// The scan.
    #[sea_orm(primary_key, auto_increment = false)]
    pub scan_id: Text<ScanId>,
    /// Counts the changes of one scan from 1.
    #[sea_orm(primary_key, auto_increment = false)]
    pub seq: i64,
    /// The status before; `None` for the first.
    pub from_status: Option<Text<ScanStatus>>,
    /// The status from then on.
    pub status: Text<ScanStatus>,
    /// The stage from then on, while processing.
    pub stage: Option<Text<Stage>>,
    /// When.
    pub at: Millis,
}

/// What a change belongs to.
#[derive(Debug, Clone, Copy, EnumIter, DeriveRelation)]
pub enum Relation {
    /// The scan that changed.
    #[sea_orm(belongs_to = "crate::scans::Entity", from = "Column::ScanId", to = "crate::scans::Column::Id")]
    Scan,
}

impl Related<crate::scans::Entity> for Entity {
    fn to() -> RelationDef {
        Relation::Scan.def()
    }
}

impl ActiveModelBehavior for ActiveModel {}

impl Model {
    pub(crate) fn entry(self) -> TimelineEntry {
        TimelineEntry { status: self.status.0, stage: self.stage.map(|stage| stage.0), at: self.at.0 }
    }
}

/// Appends a change. The caller holds the scan's lock, so numbers are not taken twice.
pub(crate) async fn append(
    txn: &WriteTxn,
    scan: &ScanId,
    from: Option<ScanStatus>,
    status: ScanStatus,
    stage: Option<Stage>,
    at: Timestamp,
) -> Result<()> {
    let before = Entity::find().filter(Column::ScanId.eq(scan.as_str())).count(txn.conn()).await?;
    let row = Model {
        scan_id: Text::from(scan),
        seq: i64::try_from(before).unwrap_or(i64::MAX - 1) + 1,
        from_status: from.map(Text),
        status: Text(status),
        stage: stage.map(Text),
        at: at.into(),
    };
    table::insert(txn, row).await
}

/// Every change of these scans; those of one scan in order.
pub(crate) async fn timelines(
    reader: &impl Reader,
    scans: &[ScanId],
) -> Result<Vec<(ScanId, TimelineEntry)>> {
    let rows = Entity::find()
        .filter(Column::ScanId.is_in(scans.iter().map(ScanId::as_str)))
        .order_by_asc(Column::ScanId)
        .order_by_asc(Column::Seq)
        .all(reader.conn())
        .await?;
    Ok(rows.into_iter().map(|row| (row.scan_id.0.clone(), row.entry())).collect())
}
