//! `/spaces/{id}/document` and `/spaces/{id}/corrections`: the owner corrects a Space Document.

use std::sync::Arc;

use domain::{
    ApiErrorCode, CorrectionId, ScanId, SpaceId, Timestamp,
    document::{CorrectedField, Correction, NewCorrection, SpaceDocument},
    scope::Scope,
};
use entities::{CorrectionRow, DocumentRow, Transient, WriteTxn, audit_log, corrections, documents, spaces};
use http::{Method, StatusCode};
use search::{embed_passages, index_space};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use warp::reply::{Json, json};

use crate::{
    App,
    blocking::Slot,
    contract::{
        endpoint::{Endpoint, endpoint},
        examples::{CORRECTION, CREATED, SCAN, list_of},
    },
    http::{
        auth::Caller,
        error::{ApiError, ApiResult, FieldError},
        page::List,
        request::Request,
    },
    routes::{knowledge, space_documents},
};

/// Maximum number of corrections of one request.
const MAX_IN_REQUEST: usize = 50;
/// Number of attempts to write the index of a document that other requests correct at the same time.
const MAX_ATTEMPTS: usize = 5;

/// Corrections to be made.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Corrections {
    /// Scan whose document is corrected; the newest document if omitted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scan_id: Option<ScanId>,
    /// 1 to 50 corrections. A correction of a field that was corrected before replaces the earlier
    /// one.
    #[schema(min_items = 1, max_items = 50)]
    pub corrections: Vec<NewCorrection>,
}

/// A correction of a document by its owner.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Correction)]
pub struct MadeCorrection {
    /// Always `correction`.
    #[schema(pattern = "^correction$")]
    pub object: &'static str,
    /// Prefix `cor_`.
    pub id: CorrectionId,
    /// The scan whose document is corrected.
    pub scan_id: ScanId,
    /// The zone, text or object in that document.
    pub target_id: String,
    /// The corrected field.
    pub field: CorrectedField,
    /// The right value; null for something that is not there.
    pub value: Option<String>,
    /// The correction of an earlier document from which it was kept; null if the owner made it for
    /// this document.
    pub carried_from: Option<CorrectionId>,
    /// Time at which it was made or kept.
    pub created_at: Timestamp,
}

impl From<CorrectionRow> for MadeCorrection {
    fn from(row: CorrectionRow) -> Self {
        Self {
            object: "correction",
            id: row.id.0,
            scan_id: row.scan_id.0,
            target_id: row.target_id,
            field: row.field.0,
            value: row.value,
            carried_from: row.carried_from.map(|id| id.0),
            created_at: row.created_at.0,
        }
    }
}

/// The corrections of a document.
#[derive(Debug, Serialize, ToSchema)]
pub struct DocumentCorrections {
    /// Always `document_corrections`.
    #[schema(pattern = "^document_corrections$")]
    pub object: &'static str,
    /// The scan whose document is corrected.
    pub scan_id: ScanId,
    /// All corrections of the document, oldest first.
    pub corrections: Vec<MadeCorrection>,
}

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::PATCH, "/spaces/{id}/document", "correctDocument", "Spaces")
            .about(
                "Correct a Space Document",
                "Corrects the name or type of a zone, the wording of a text, or denies a text or an object. The corrected \
                 values are claims with the basis `user`; answers, skills, search and comparisons use them. The next scan \
                 keeps a correction where it shows the same place and makes the same mistake. All corrections of a request \
                 are made, or none. Sending the same request again changes nothing.",
            )
            .json_body::<Corrections>()
            .responds::<DocumentCorrections>(200, "All corrections of the document.")
            .errors(&[ApiErrorCode::NoDocument])
            .request_example(json!({
                "corrections": [{ "target_id": "zon_1", "field": "type", "value": "laundry room" }],
            }))
            .response_example(200, json!({
                "object": "document_corrections", "scan_id": SCAN, "corrections": [example()],
            }))
            .key(Scope::SpacesWrite, patch),
        endpoint(Method::GET, "/spaces/{id}/corrections", "listCorrections", "Spaces")
            .about("List the corrections of a space", "Newest first, of the documents of all its scans.")
            .paged()
            .responds::<List<MadeCorrection>>(200, "A page of corrections.")
            .response_example(200, list_of(example()))
            .key(Scope::SpacesRead, list),
        endpoint(
            Method::DELETE,
            "/spaces/{id}/corrections/{correction_id}",
            "deleteCorrection",
            "Spaces",
        )
        .about("Withdraw a correction", "The document again shows what the scan found.")
        .responds_empty(204, "Withdrawn.")
        .key(Scope::SpacesWrite, delete),
    ]
}

async fn patch(app: App, caller: Caller, mut request: Request) -> ApiResult<Json> {
    let id = request.id::<SpaceId>("id")?;
    spaces::find(app.db(), &caller.tenant, &id).await?.ok_or_else(ApiError::not_found)?;
    let wanted: Corrections = request.json().await?;
    if !(1..=MAX_IN_REQUEST).contains(&wanted.corrections.len()) {
        return Err(ApiError::field("corrections", format!("must have 1 to {MAX_IN_REQUEST} items")));
    }
    let row = match &wanted.scan_id {
        None => knowledge::latest(&app, &caller, &id).await?.1,
        Some(scan) => knowledge::of_scan(&app, &caller, &id, scan).await?,
    };
    let stored = Stored::read(&app, &row).await?;
    validate(&wanted.corrections, &stored.document)?;
    change(&app, &caller, &row, &stored, &Edit::Put(wanted.corrections)).await?;
    let rows = corrections::of_scan(app.db(), &caller.tenant, &row.scan_id).await?;
    let corrections = rows.into_iter().map(MadeCorrection::from).collect();
    Ok(json(&DocumentCorrections { object: "document_corrections", scan_id: row.scan_id.0, corrections }))
}

fn validate(changes: &[NewCorrection], document: &SpaceDocument) -> ApiResult<()> {
    let defect = |(at, change): (usize, &NewCorrection)| {
        let (field, message) = change.defect(document)?;
        Some(FieldError::new(format!("corrections[{at}].{field}"), message))
    };
    ApiError::reject_invalid(changes.iter().enumerate().map(defect))
}

async fn list(app: App, caller: Caller, request: Request) -> ApiResult<Json> {
    let id = request.id::<SpaceId>("id")?;
    spaces::find(app.db(), &caller.tenant, &id).await?.ok_or_else(ApiError::not_found)?;
    let page = app.cursors().request("corrections", &caller.tenant, &request.query)?;
    let rows = corrections::list(app.db(), &caller.tenant, &id, &page).await?;
    Ok(json(&app.cursors().list("corrections", &caller.tenant, rows.map(MadeCorrection::from))))
}

async fn delete(app: App, caller: Caller, request: Request) -> ApiResult<StatusCode> {
    let id = request.id::<SpaceId>("id")?;
    let correction = request.id::<CorrectionId>("correction_id")?;
    spaces::find(app.db(), &caller.tenant, &id).await?.ok_or_else(ApiError::not_found)?;
    let found = corrections::find(app.db(), &caller.tenant, &id, &correction).await?;
    let made = found.ok_or_else(ApiError::not_found)?;
    let row = documents::find_by_scan(app.db(), &caller.tenant, &made.scan_id).await?;
    let row = row.ok_or_else(ApiError::not_found)?;
    let stored = Stored::read(&app, &row).await?;
    change(&app, &caller, &row, &stored, &Edit::Withdraw(made)).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// A document as the scan wrote it, and the thread for work on it.
struct Stored {
    document: Arc<SpaceDocument>,
    slot: Slot,
}

impl Stored {
    /// Waits for a thread and reads the document of a scan.
    async fn read(app: &App, row: &DocumentRow) -> ApiResult<Stored> {
        let slot = app.document_pool().enter().await?;
        let document = space_documents::read_corrected(app, &slot, row, Vec::new()).await?;
        Ok(Stored { document: Arc::new(document), slot })
    }

    /// Returns a copy with these corrections.
    async fn corrected(&self, corrections: Vec<Correction>) -> ApiResult<SpaceDocument> {
        let document = self.document.clone();
        let correct = move || {
            let mut corrected = SpaceDocument::clone(&document);
            corrected.correct(&corrections);
            corrected
        };
        self.slot.run(correct).await
    }
}

/// A change of the corrections of a document.
enum Edit {
    /// Makes these corrections.
    Put(Vec<NewCorrection>),
    /// Withdraws this one.
    Withdraw(CorrectionRow),
}

/// Changes the rows, and records what changed in the audit log.
async fn apply(
    txn: &WriteTxn,
    caller: &Caller,
    row: &DocumentRow,
    edit: &Edit,
    now: Timestamp,
) -> entities::Result<()> {
    match edit {
        Edit::Put(changes) => {
            for new in changes {
                let (made, is_new) = corrections::put(txn, row, new, None, now).await?;
                if is_new {
                    audit(txn, caller, "document.corrected", &made, now).await?;
                }
            }
            Ok(())
        }
        Edit::Withdraw(made) => {
            corrections::delete(txn, &caller.tenant, &made.id).await?;
            audit(txn, caller, "document.correction_withdrawn", made, now).await
        }
    }
}

/// Error of a change that is rolled back.
#[derive(Debug, thiserror::Error)]
enum ChangeError {
    #[error("the space was deleted")]
    SpaceDeleted,
    #[error("the document has too many corrections")]
    TooMany,
    /// Another request corrected the document or changed the space since its index was built.
    #[error("the document or its space was changed by another request")]
    Raced,
    #[error(transparent)]
    Database(#[from] entities::Error),
}

impl Transient for ChangeError {
    fn is_transient(&self) -> bool {
        matches!(self, ChangeError::Database(error) if error.is_transient())
    }
}

/// Changes corrections in one transaction, and then replaces the search index of the space if the
/// document is its newest.
///
/// The index takes model requests, during which no transaction may be open. If this process ends in
/// between, the same request repairs the index: it is replaced even if no correction changes.
async fn change(
    app: &App,
    caller: &Caller,
    row: &DocumentRow,
    stored: &Stored,
    edit: &Edit,
) -> ApiResult<()> {
    let now = Timestamp::now();
    let made = app.db().write(async |txn| {
        if !spaces::system::lock_for_update(&txn, &row.space_id).await? {
            return Err(ChangeError::SpaceDeleted);
        }
        apply(&txn, caller, row, edit, now).await?;
        if corrections::count(&txn, &caller.tenant, &row.scan_id).await? > corrections::MAX_PER_DOCUMENT {
            return Err(ChangeError::TooMany);
        }
        Ok(())
    });
    made.await.map_err(refused)?;
    for _ in 0..MAX_ATTEMPTS {
        match reindex(app, caller, row, stored).await {
            Err(ChangeError::Raced) => {}
            other => return other.map_err(refused),
        }
    }
    Err(ApiError::internal(ChangeError::Raced))
}

/// Replaces the search index of the space by that of the corrected document, unless a newer document
/// has replaced it.
async fn reindex(app: &App, caller: &Caller, row: &DocumentRow, stored: &Stored) -> Result<(), ChangeError> {
    let rows = corrections::of_scan(app.db(), &caller.tenant, &row.scan_id).await?;
    let Some(space) = spaces::find(app.db(), &caller.tenant, &row.space_id).await? else {
        return Err(ChangeError::SpaceDeleted);
    };
    let document = stored.corrected(rows.iter().map(corrections::Model::correction).collect()).await;
    let document =
        document.map_err(|_panicked| entities::Error::corrupt("cannot apply the corrections".to_owned()))?;
    let index = index_space(&space, document).await;
    let index = index.map_err(|e| entities::Error::corrupt(format!("cannot build the search index: {e}")))?;
    let (embeddings, used) = embed_passages(app.language().embedder.as_ref(), &index).await;
    if used.requests > 0 {
        app.metrics().record_model_request("embeddings", Ok(&used));
    }
    app.db()
        .write(async |txn| {
            if !spaces::system::lock_for_update(&txn, &row.space_id).await? {
                return Err(ChangeError::SpaceDeleted);
            }
            let newest = documents::latest(&txn, &caller.tenant, &row.space_id).await?;
            if newest.is_none_or(|newest| newest.scan_id != row.scan_id) {
                return Ok(());
            }
            let current = spaces::find(&txn, &caller.tenant, &row.space_id).await?;
            if corrections::of_scan(&txn, &caller.tenant, &row.scan_id).await? != rows
                || current.is_none_or(|current| current.updated_at != space.updated_at)
            {
                return Err(ChangeError::Raced);
            }
            let (space, scan) = (&row.space_id, &row.scan_id);
            entities::search::put(&txn, &caller.tenant, space, scan, &index, embeddings.as_ref()).await?;
            Ok(())
        })
        .await
}

fn refused(error: ChangeError) -> ApiError {
    match error {
        ChangeError::SpaceDeleted => ApiError::not_found(),
        ChangeError::TooMany => ApiError::field(
            "corrections",
            format!("a document has at most {} corrections", corrections::MAX_PER_DOCUMENT),
        ),
        ChangeError::Database(error) => error.into(),
        ChangeError::Raced => ApiError::internal(error),
    }
}

/// Appends an entry to the audit log. It names the corrected field, never the texts.
async fn audit(
    txn: &WriteTxn,
    caller: &Caller,
    action: &str,
    made: &CorrectionRow,
    now: Timestamp,
) -> entities::Result<()> {
    let detail = json!({
        "space_id": made.space_id.as_str(), "scan_id": made.scan_id.as_str(), "target_id": made.target_id,
        "field": made.field.as_str(),
    });
    let (account_id, actor) = (&caller.tenant.account_id, caller.actor());
    let entry = audit_log::NewEntry { account_id, actor, action, subject: made.id.as_str(), detail };
    audit_log::append(txn, entry, now).await
}

/// Example of a correction.
fn example() -> Value {
    json!({
        "object": "correction", "id": CORRECTION, "scan_id": SCAN, "target_id": "zon_1", "field": "type",
        "value": "laundry room", "carried_from": null, "created_at": CREATED,
    })
}
