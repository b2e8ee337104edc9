//! The public representation of a scan.

use std::collections::{HashMap, HashSet};

use domain::{
    ScanId, ScanStatus, Stage,
    media::ScanInput,
    mode::Tenant,
    scan::{Progress, Scan, TimelineEntry},
};
use sea_orm::{Condition, FromQueryResult, QuerySelect, entity::prelude::*};

use super::{Column, Entity, Model};
use crate::{
    Reader, Result, Text,
    scan_transitions::{self, Timeline},
    table::{self, TenantOwned},
};

#[derive(FromQueryResult)]
struct WithTimeline {
    #[sea_orm(nested)]
    scan: Model,
    timeline: Text<Timeline>,
}

/// Returns scans with their public representation, found by tenant and id in one query. This is the
/// most frequent read, because clients poll it. `upload` is left out, as in [`view`].
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find_views(
    reader: &impl Reader,
    requests: &[(Tenant, ScanId)],
) -> Result<HashMap<(Tenant, ScanId), (Model, Scan)>> {
    let ids: Vec<&str> = requests.iter().map(|(_, id)| id.as_str()).collect();
    let tenants: HashSet<&Tenant> = requests.iter().map(|(tenant, _)| tenant).collect();
    let owned = table::pad_to_power_of_two(tenants.into_iter().collect()).into_iter().map(Entity::owned_by);
    let found = Entity::find()
        .filter(Column::Id.is_in(table::pad_to_power_of_two(ids)))
        // A scan is returned under its owner's tenant, so another tenant that requested it does not
        // get it.
        .filter(owned.fold(Condition::any(), Condition::add))
        .expr_as(Timeline::column(), "timeline")
        .into_model::<WithTimeline>()
        .all(reader.conn())
        .await?;
    let view = |found: WithTimeline| {
        let scan = assemble(&found.scan, found.timeline.0.0);
        ((found.scan.tenant(), scan.id.clone()), (found.scan, scan))
    };
    Ok(found.into_iter().map(view).collect())
}

/// Returns the scan as it appears in responses and events. The API adds `upload`.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn view(reader: &impl Reader, scan: &Model) -> Result<Scan> {
    let timeline = scan_transitions::timelines(reader, std::slice::from_ref(&scan.id.0)).await?;
    Ok(assemble(scan, timeline.into_iter().map(|(_, entry)| entry)))
}

/// Does the same as [`view`] for several scans, with one query for all timelines.
///
/// # Errors
/// Returns an error if the database fails.
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
        retry_of: row.retry_of.as_ref().map(|id| id.0.clone()),
        status: row.status.0,
        stage,
        progress: stage.map(|stage| Progress { stage, fraction: row.progress }),
        waiting: row.waiting(),
        livemode: row.livemode,
        input: ScanInput { transcript: None, ..row.input.0.clone() },
        has_transcript: row.has_transcript(),
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
