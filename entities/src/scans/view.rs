//! The scan as callers see it.

use std::collections::HashMap;

use domain::{
    ScanId, ScanStatus, Stage,
    mode::Tenant,
    scan::{Progress, Scan, TimelineEntry},
};
use sea_orm::{QueryOrder, entity::prelude::*};

use super::{Column, Entity, Model};
use crate::{Reader, Result, scan_transitions, table::TenantOwned};

/// The scan with this id, and how callers see it, in one query: what is asked most, while a scan is
/// waited for. `upload` is left out, as in [`view`].
///
/// # Errors
/// Of the database.
pub async fn find_view(reader: &impl Reader, tenant: &Tenant, id: &ScanId) -> Result<Option<(Model, Scan)>> {
    let found = Entity::of(tenant)
        .filter(Column::Id.eq(id.as_str()))
        .find_with_related(scan_transitions::Entity)
        .order_by_asc(scan_transitions::Column::Seq)
        .all(reader.conn())
        .await?;
    Ok(found.into_iter().next().map(|(row, changes)| {
        let scan = assemble(&row, changes.into_iter().map(scan_transitions::Model::entry));
        (row, scan)
    }))
}

/// The scan as it is in answers and events. `upload` is left out: whoever answers fills it in.
///
/// # Errors
/// Of the database.
pub async fn view(reader: &impl Reader, scan: &Model) -> Result<Scan> {
    let timeline = scan_transitions::timelines(reader, std::slice::from_ref(&scan.id.0)).await?;
    Ok(assemble(scan, timeline.into_iter().map(|(_, entry)| entry)))
}

/// [`view`] of several scans, with one query for all timelines.
///
/// # Errors
/// Of the database.
pub async fn views(reader: &impl Reader, scans: &[Model]) -> Result<Vec<Scan>> {
    let ids: Vec<ScanId> = scans.iter().map(|scan| scan.id.0.clone()).collect();
    let mut by_scan: HashMap<ScanId, Vec<TimelineEntry>> = HashMap::new();
    for (id, entry) in scan_transitions::timelines(reader, &ids).await? {
        by_scan.entry(id).or_default().push(entry);
    }
    Ok(scans.iter().map(|scan| assemble(scan, by_scan.remove(&scan.id.0).unwrap_or_default())).collect())
}

fn assemble(row: &Model, timeline: impl IntoIterator<Item = TimelineEntry>) -> Scan {
    let stage: Option<Stage> =
        row.stage.map(|stage| stage.0).filter(|_| row.status.0 == ScanStatus::Processing);
    Scan {
        object: "scan".into(),
        id: row.id.0.clone(),
        space_id: row.space_id.0.clone(),
        status: row.status.0,
        stage,
        progress: stage.map(|stage| Progress { stage, fraction: row.progress }),
        livemode: row.livemode,
        input: row.input.0.clone(),
        upload: None,
        charge: row.charge(),
        error: row.error.as_ref().map(|error| error.0.clone()),
        document_revision: row.document_revision,
        created_at: row.created_at.0,
        started_at: row.started_at.map(|at| at.0),
        finished_at: row.finished_at.map(|at| at.0),
        timeline: timeline.into_iter().collect(),
    }
}
