//! `GET /spaces/{id}/diff`: compares two scans of a space.

use domain::{
    ApiErrorCode, ScanId, SpaceId,
    document::{Basis, Count, SpaceDocument},
    scope::Scope,
};
use entities::{DocumentRow, documents, spaces};
use http::Method;
use knowledge::diff::{Because, ChangeKind, ComparedBy, Scanned, Subject, ZoneMatch, diff_scans};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;
use warp::reply::{Json, json};

use super::of_scan;

use crate::{
    App,
    contract::{
        endpoint::{Endpoint, endpoint},
        examples::{EARLIER_SCAN, SCAN, SPACE, evidence, evidence_with_url},
        schema::SchemaRef,
    },
    http::{
        auth::Caller,
        error::{ApiError, ApiResult},
        request::Request,
    },
    routes::{
        knowledge::evidence::{EvidenceWithUrl, FrameUrls},
        space_documents,
    },
};

/// Differences between two scans of a space.
#[derive(Debug, Serialize, ToSchema)]
pub struct Diff {
    /// Always `diff`.
    #[schema(pattern = "^diff$")]
    pub object: &'static str,
    /// The space.
    pub space_id: SpaceId,
    /// The earlier scan.
    pub from: Compared,
    /// The later scan.
    pub to: Compared,
    /// What tells whether both scans saw a place. With `frame_hashes`, a scan was made by an older
    /// version and less is verified.
    pub compared_by: ComparedBy,
    /// Zones that are the same place in both scans.
    pub zones: Vec<ZoneMatch>,
    /// The differences by subject; empty if nothing changed that both scans observed.
    pub changes: Vec<Change>,
}

/// One of the compared scans.
#[derive(Debug, Serialize, ToSchema)]
pub struct Compared {
    /// The scan.
    pub scan_id: ScanId,
    /// Revision of its document.
    pub document_revision: i64,
}

/// One difference.
#[derive(Debug, Serialize, ToSchema)]
pub struct Change {
    /// Kind of the change.
    pub kind: ChangeKind,
    /// What changed.
    pub subject: Subject,
    /// Name of the subject: a category, a text, a zone or an attribute.
    pub name: String,
    /// State in the earlier scan.
    pub before: Option<Side>,
    /// State in the later scan.
    pub after: Option<Side>,
    /// Lowest confidence of the two claims and of the match of their zones, 0 to 1.
    pub confidence: f64,
    /// Why it could not be verified or compared; null if it was.
    pub reason: Option<Because>,
}

/// State of the subject in one scan.
#[derive(Debug, Serialize, ToSchema)]
pub struct Side {
    /// Id of the zone, text, object, measurement or run in the document.
    pub id: String,
    /// Its value.
    pub value: String,
    /// Zone that it is in.
    pub zone_id: Option<String>,
    /// Name of the zone.
    pub zone: Option<String>,
    /// Number of objects.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<Count>,
    /// Basis of the value; `user` if the owner corrected it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub basis: Option<Basis>,
    /// Confidence, 0 to 1.
    pub confidence: f64,
    /// Evidence; empty for runs of models.
    pub evidence: Vec<EvidenceWithUrl>,
}

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::GET, "/spaces/{id}/diff", "diffSpace", "Knowledge")
            .about(
                "Compare two scans of a space",
                "Compares the last two complete scans if `from` and `to` are omitted. What one scan did not observe is \
                 `unverified`; what they observed with different models is `incomparable`. Neither is a change.",
            )
            .query(
                "from",
                "The earlier scan; the one with the previous document if omitted.",
                SchemaRef::text(),
            )
            .query("to", "The later scan; the one with the newest document if omitted.", SchemaRef::text())
            .responds::<Diff>(200, "The differences.")
            .errors(&[ApiErrorCode::NoDocument])
            .response_example(200, json!({
                "object": "diff", "space_id": SPACE,
                "from": { "scan_id": EARLIER_SCAN, "document_revision": 1 },
                "to": { "scan_id": SCAN, "document_revision": 2 },
                "compared_by": "registered_views",
                "zones": [{ "from_zone_id": "zon_1", "to_zone_id": "zon_1", "score": 0.91 }],
                "changes": [{
                    "kind": "changed", "subject": "text", "name": "MEETING ROOM 1", "confidence": 0.86, "reason": null,
                    "before": { "id": "txt_1", "value": "MEETING ROOM 1", "zone_id": "zon_1", "zone": "Meeting room",
                        "confidence": 0.95, "evidence": [evidence()] },
                    "after": { "id": "txt_1", "value": "MEETING ROOM 2", "zone_id": "zon_1", "zone": "Meeting room",
                        "confidence": 0.94, "evidence": [evidence_with_url()] },
                }],
            }))
            .key(Scope::SpacesRead, get),
    ]
}

async fn get(app: App, caller: Caller, request: Request) -> ApiResult<Json> {
    let id = request.id::<SpaceId>("id")?;
    spaces::find(app.db(), &caller.tenant, &id).await?.ok_or_else(ApiError::not_found)?;
    let to = match document_of_scan(&app, &caller, &id, request.query.get("to")).await? {
        Some(row) => row,
        None => super::latest(&app, &caller, &id).await?.1,
    };
    let from = match document_of_scan(&app, &caller, &id, request.query.get("from")).await? {
        Some(row) => row,
        None => documents::previous(app.db(), &caller.tenant, &to).await?.ok_or_else(|| {
            ApiError::new(ApiErrorCode::NoDocument)
                .message("The space has no earlier document to compare with.")
        })?,
    };
    let slot = app.document_pool().enter().await?;
    let before = space_documents::read_typed(&app, &slot, &from).await?;
    let after = space_documents::read_typed(&app, &slot, &to).await?;
    let from_views = space_documents::views(&app, &slot, &from).await?;
    let to_views = space_documents::views(&app, &slot, &to).await?;
    let work = move || {
        let comparison = diff_scans(
            Scanned { document: &before, views: from_views.as_ref() },
            Scanned { document: &after, views: to_views.as_ref() },
        );
        present_diff(&app, id, (from, &before), (to, &after), comparison)
    };
    slot.run(work).await
}

/// Builds the response: the comparison with signed URLs of its evidence.
fn present_diff(
    app: &App,
    id: SpaceId,
    (from, before): (DocumentRow, &SpaceDocument),
    (to, after): (DocumentRow, &SpaceDocument),
    comparison: knowledge::diff::Diff,
) -> Json {
    let (before_urls, after_urls) = (FrameUrls::new(app, before), FrameUrls::new(app, after));
    let changes = comparison.changes.into_iter().map(|change| Change {
        kind: change.kind,
        subject: change.subject,
        name: change.name,
        before: change.before.map(|side| present(side, &before_urls)),
        after: change.after.map(|side| present(side, &after_urls)),
        confidence: change.confidence,
        reason: change.reason,
    });
    json(&Diff {
        object: "diff",
        space_id: id,
        from: compared(from),
        to: compared(to),
        compared_by: comparison.compared_by,
        zones: comparison.zones,
        changes: changes.collect(),
    })
}

/// Returns the document of the scan whose id is in a query parameter, if the parameter was sent.
async fn document_of_scan(
    app: &App,
    caller: &Caller,
    space: &SpaceId,
    text: Option<&str>,
) -> ApiResult<Option<DocumentRow>> {
    let Some(text) = text else { return Ok(None) };
    let scan: ScanId = text.parse().map_err(|_| ApiError::not_found())?;
    Ok(Some(of_scan(app, caller, space, &scan).await?))
}

fn compared(row: DocumentRow) -> Compared {
    Compared { scan_id: row.scan_id.0, document_revision: row.revision }
}

fn present(side: knowledge::diff::Side, frame_urls: &FrameUrls) -> Side {
    Side {
        id: side.id,
        value: side.value,
        zone_id: side.zone_id,
        zone: side.zone,
        count: side.count,
        basis: side.basis,
        confidence: side.confidence,
        evidence: frame_urls.sign(side.evidence),
    }
}
