//! The timeline of scans: one row for each change of status or stage.

use domain::{ScanId, ScanStatus, Stage, Timestamp, scan::TimelineEntry};
use sea_orm::{PaginatorTrait, QueryOrder, entity::prelude::*};

use crate::{Millis, Reader, Result, Text, WriteTxn, column::TextColumn, table};

/// One change of status or stage.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "scan_transitions")]
pub struct Model {
    /// The scan.
    #[sea_orm(primary_key, auto_increment = false)]
    pub scan_id: Text<ScanId>,
    /// Number of the change, counted from 1 for each scan.
    #[sea_orm(primary_key, auto_increment = false)]
    pub seq: i64,
    /// The status before; `None` for the first.
    pub from_status: Option<Text<ScanStatus>>,
    /// The new status.
    pub status: Text<ScanStatus>,
    /// The new stage, while processing.
    pub stage: Option<Text<Stage>>,
    /// Time of the change.
    pub at: Millis,
}

no_relations!();

impl Model {
    pub(crate) fn entry(self) -> TimelineEntry {
        TimelineEntry { status: self.status.0, stage: self.stage.map(|stage| stage.0), at: self.at.0 }
    }
}

/// Appends a change. The caller holds the scan's lock, so that no number is used twice.
pub(crate) async fn append(
    txn: &WriteTxn,
    scan: &ScanId,
    from: Option<ScanStatus>,
    status: ScanStatus,
    stage: Option<Stage>,
    at: Timestamp,
) -> Result<()> {
    let count = Entity::find().filter(Column::ScanId.eq(scan.as_str())).count(txn.conn()).await?;
    let row = Model {
        scan_id: Text::from(scan),
        seq: i64::try_from(count).unwrap_or(i64::MAX - 1) + 1,
        from_status: from.map(Text),
        status: Text(status),
        stage: stage.map(Text),
        at: at.into(),
    };
    table::insert(txn, row).await
}

/// The changes of one scan in order, encoded as one text. A join would repeat the scan's columns
/// for each change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Timeline(pub(crate) Vec<TimelineEntry>);

impl Timeline {
    /// Returns the column for a query over scans.
    pub(crate) fn column() -> Expr {
        Expr::cust(
            "(SELECT string_agg(status || ' ' || COALESCE(stage, '') || ' ' || at, ',' ORDER BY seq) \
             FROM scan_transitions WHERE scan_id = scans.id)",
        )
    }
}

impl TextColumn for Timeline {
    fn to_text(&self) -> String {
        let stage = |entry: &TimelineEntry| entry.stage.map_or("", Stage::as_str);
        let encode = |entry: &TimelineEntry| {
            format!("{} {} {}", entry.status.as_str(), stage(entry), entry.at.as_millis())
        };
        self.0.iter().map(encode).collect::<Vec<_>>().join(",")
    }

    fn from_text(text: String) -> Option<Self> {
        let decode = |entry: &str| {
            let mut fields = entry.split(' ');
            let (status, stage, at) = (fields.next()?, fields.next()?, fields.next()?);
            Some(TimelineEntry {
                status: ScanStatus::parse(status)?,
                stage: if stage.is_empty() { None } else { Some(Stage::parse(stage)?) },
                at: Timestamp::from_millis(at.parse().ok()?),
            })
        };
        text.split(',').map(decode).collect::<Option<_>>().map(Self)
    }
}

/// Returns all changes of these scans, in order for each scan.
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
