//! `GET /spaces/{id}/diff`: what changed between two scans of a space.

use domain::{ApiErrorCode, ScanId, SpaceId, document::Count, scope::Scope};
use entities::{DocumentRow, documents, spaces};
use http::Method;
use knowledge::diff::{Because, ChangeKind, Subject, ZoneMatch, diff};
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
        knowledge::evidence::{Addresses, ShownEvidence},
        space_documents,
    },
};

/// What differs between two scans of a space.
#[derive(Debug, Serialize, ToSchema)]
pub struct Diff {
    /// Always `diff`.
    #[schema(pattern = "^diff$")]
    pub object: &'static str,
    /// The space.
    pub space_id: SpaceId,
    /// The earlier side.
    pub from: Compared,
    /// The later side.
    pub to: Compared,
    /// Zones that are one place.
    pub zones: Vec<ZoneMatch>,
    /// The differences, by subject; empty when nothing changed that both scans looked at.
    pub changes: Vec<Change>,
}

/// One side of the comparison.
#[derive(Debug, Serialize, ToSchema)]
pub struct Compared {
    /// The scan.
    pub scan_id: ScanId,
    /// The document it wrote.
    pub document_revision: i64,
}

/// One difference.
#[derive(Debug, Serialize, ToSchema)]
pub struct Change {
    /// What became of it.
    pub kind: ChangeKind,
    /// What it is about.
    pub subject: Subject,
    /// What it is called: a category, a text, a zone, an attribute's name.
    pub name: String,
    /// As the earlier scan has it.
    pub before: Option<Side>,
    /// As the later scan has it.
    pub after: Option<Side>,
    /// 0 to 1: of the weaker of the two claims, and of the match of their zones.
    pub confidence: f64,
    /// Why it could not be verified or compared; null for what was.
    pub reason: Option<Because>,
}

/// Something as one of the scans has it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Side {
    /// The zone, text, object, measurement or run, by its id in that scan's document.
    pub id: String,
    /// What it says.
    pub value: String,
    /// Where it is.
    pub zone_id: Option<String>,
    /// What that zone is called.
    pub zone: Option<String>,
    /// How many, of things.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<Count>,
    /// 0 to 1.
    pub confidence: f64,
    /// Where it can be checked; empty for models.
    pub evidence: Vec<ShownEvidence>,
}

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::GET, "/spaces/{id}/diff", "diffSpace", "Knowledge")
            .about(
                "Compare two scans of a space",
                "Without `from` and `to`, the last two complete scans. What one of the scans did not look at is \
                 `unverified`, what they looked for with different models `incomparable`; neither is a change.",
            )
            .query(
                "from",
                "The earlier scan; the one with the document before that of `to` when left out.",
                SchemaRef::text(),
            )
            .query("to", "The later scan; the one with the newest document when left out.", SchemaRef::text())
            .responds::<Diff>(200, "The differences.")
            .errors(&[ApiErrorCode::NoDocument])
            .response_example(200, json!({
                "object": "diff", "space_id": SPACE,
                "from": { "scan_id": EARLIER_SCAN, "document_revision": 1 },
                "to": { "scan_id": SCAN, "document_revision": 2 },
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
    let to = match named(&app, &caller, &id, request.query.get("to")).await? {
        Some(row) => row,
        None => super::latest(&app, &caller, &id).await?.1,
    };
    let from = match named(&app, &caller, &id, request.query.get("from")).await? {
        Some(row) => row,
        None => documents::previous(app.db(), &caller.tenant, &to).await?.ok_or_else(|| {
            ApiError::new(ApiErrorCode::NoDocument)
                .message("The space has no earlier document to compare with.")
        })?,
    };
    let (before, after) =
        futures::try_join!(space_documents::read_typed(&app, &from), space_documents::read_typed(&app, &to))?;
    // Work for a processor, which must not hold up other requests.
    let comparing = tokio::task::spawn_blocking(move || (diff(&before, &after), before, after));
    let (found, before, after) = comparing.await.map_err(ApiError::internal)?;
    let (then, now) = (Addresses::of(&app, &before), Addresses::of(&app, &after));
    let changes = found.changes.into_iter().map(|change| Change {
        kind: change.kind,
        subject: change.subject,
        name: change.name,
        before: change.before.map(|side| shown(side, &then)),
        after: change.after.map(|side| shown(side, &now)),
        confidence: change.confidence,
        reason: change.reason,
    });
    Ok(json(&Diff {
        object: "diff",
        space_id: id,
        from: compared(from),
        to: compared(to),
        zones: found.zones,
        changes: changes.collect(),
    }))
}

/// The document of the scan that a query parameter names.
async fn named(
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

fn shown(side: knowledge::diff::Side, addresses: &Addresses) -> Side {
    Side {
        id: side.id,
        value: side.value,
        zone_id: side.zone_id,
        zone: side.zone,
        count: side.count,
        confidence: side.confidence,
        evidence: addresses.shown(side.evidence),
    }
}
