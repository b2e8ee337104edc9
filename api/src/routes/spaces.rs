//! `/spaces`: the places that are scanned.

use domain::{
    ApiErrorCode, ScanId, SpaceId, Timestamp, document::SpaceDocument, scope::Scope, space::NewSpace,
};
use entities::{
    SpaceRow, documents,
    spaces::{self, DeleteOutcome, Filter},
};
use http::{Method, StatusCode};
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use warp::reply::{Json, WithStatus, json, with_status};

use crate::{
    App,
    contract::{
        endpoint::{Endpoint, endpoint},
        examples::{CREATED, FINISHED, SCAN, SPACE, list_of, with},
        schema::SchemaRef,
    },
    http::{
        auth::Caller,
        error::{ApiError, ApiResult},
        page::List,
        request::Request,
    },
    routes::{
        space_changes::{self, SpaceChanges},
        space_documents, space_fields,
    },
};

/// A physical space.
#[derive(Debug, Serialize, ToSchema)]
pub struct Space {
    /// Always `space`.
    #[schema(pattern = "^space$")]
    pub object: &'static str,
    /// Prefix `spc_`.
    pub id: SpaceId,
    /// `api` for spaces created through this API.
    pub source: String,
    /// Whether it belongs to live mode; the mode of the key that created it.
    pub livemode: bool,
    /// Name of the space.
    pub name: String,
    /// Type of the space, for example `apartment`.
    pub space_type: String,
    /// Free text.
    pub description: Option<String>,
    /// Your own reference.
    pub external_id: Option<String>,
    /// Creation time.
    pub created_at: Timestamp,
    /// Time of the last change.
    pub updated_at: Timestamp,
}

/// A space with the document of its last complete scan.
#[derive(Debug, Serialize, ToSchema)]
pub struct SpaceWithDocument {
    /// The space.
    #[serde(flatten)]
    pub space: Space,
    /// The Space Document of the last complete scan; null before the first. Its frames have signed
    /// `url`s that are valid for one hour.
    #[schema(value_type = Option<SpaceDocument>)]
    pub document: Option<Value>,
    /// Number of the document in the space, counted from 1; null before the first.
    pub document_revision: Option<i64>,
    /// The scan that produced the document; null before the first.
    pub scan_id: Option<ScanId>,
}

impl From<SpaceRow> for Space {
    fn from(row: SpaceRow) -> Self {
        Self {
            object: "space",
            id: row.id.0,
            source: row.source,
            livemode: row.livemode,
            name: row.name,
            space_type: row.space_type,
            description: row.description,
            external_id: row.external_id,
            created_at: row.created_at.0,
            updated_at: row.updated_at.0,
        }
    }
}

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::GET, "/spaces", "listSpaces", "Spaces")
            .about("List spaces", "Newest first.")
            .paged()
            .query("external_id", "Only spaces with exactly this reference.", SchemaRef::text())
            .query("space_type", "Only spaces of exactly this type.", SchemaRef::text())
            .responds::<List<Space>>(200, "A page of spaces.")
            .response_example(200, list_of(example()))
            .key(Scope::SpacesRead, list),
        endpoint(Method::POST, "/spaces", "createSpace", "Spaces")
            .about("Create a space", "")
            .json_body::<NewSpace>()
            .responds::<Space>(201, "The space.")
            .request_example(json!({
                "name": "Unit 4B", "space_type": "apartment", "external_id": "listing-8831",
            }))
            .response_example(201, example())
            .errors(&[ApiErrorCode::SpaceLimit])
            .key(Scope::SpacesWrite, create),
        endpoint(Method::GET, "/spaces/{id}", "getSpace", "Spaces")
            .about("Get a space and its Space Document", "`document` is null before the first complete scan.")
            .responds::<SpaceWithDocument>(200, "The space and its document.")
            .response_example(200, with(
                example(),
                json!({ "document": space_documents::example(), "document_revision": 1, "scan_id": SCAN }),
            ))
            .key(Scope::SpacesRead, get),
        endpoint(Method::PATCH, "/spaces/{id}", "updateSpace", "Spaces")
            .about(
                "Change a space",
                "Fields that are left out keep their values; null removes `external_id` and `description`. The search \
                 finds the space by its new name at once. The document stays as it is.",
            )
            .json_body::<SpaceChanges>()
            .responds::<Space>(200, "The changed space.")
            .request_example(json!({ "name": "Unit 4B, renovated", "external_id": null }))
            .response_example(200, with(
                example(),
                json!({ "name": "Unit 4B, renovated", "external_id": null, "updated_at": FINISHED }),
            ))
            .key(Scope::SpacesWrite, update),
        endpoint(Method::DELETE, "/spaces/{id}", "deleteSpace", "Spaces")
            .about(
                "Delete a space",
                "Deletes its media and cancels its scans that await uploads. Records of charges and events are kept.",
            )
            .responds_empty(204, "Deleted.")
            .errors(&[ApiErrorCode::SpaceBusy, ApiErrorCode::SpaceNotDeletable])
            .key(Scope::SpacesWrite, delete),
    ]
}

async fn list(app: App, caller: Caller, request: Request) -> ApiResult<Json> {
    let page = app.cursors().request("spaces", &caller.tenant, &request.query)?;
    let text = |name| request.query.get(name).map(str::to_owned);
    let filter = Filter { external_id: text("external_id"), space_type: text("space_type") };
    let rows = spaces::list(app.db(), &caller.tenant, &filter, &page).await?;
    Ok(json(&app.cursors().list("spaces", &caller.tenant, rows.map(Space::from))))
}

async fn create(app: App, caller: Caller, mut request: Request) -> ApiResult<WithStatus<Json>> {
    let new: NewSpace = request.json().await?;
    space_fields::validate(&new)?;
    let now = Timestamp::now();
    let max = app.settings().limits.spaces;
    let created: entities::Result<Option<SpaceRow>> = app
        .db()
        .write(async |txn| {
            if spaces::is_limit_reached(&txn, &caller.tenant, max).await? {
                return Ok(None);
            }
            Ok(Some(spaces::insert(&txn, &caller.tenant, &new, now).await?))
        })
        .await;
    let row = created?.ok_or_else(|| ApiError::new(ApiErrorCode::SpaceLimit).with("limit", max))?;
    Ok(with_status(json(&Space::from(row)), StatusCode::CREATED))
}

async fn get(app: App, caller: Caller, request: Request) -> ApiResult<Json> {
    let id = request.id::<SpaceId>("id")?;
    let row = spaces::find(app.db(), &caller.tenant, &id).await?.ok_or_else(ApiError::not_found)?;
    let latest = documents::latest(app.db(), &caller.tenant, &id).await?;
    let Some(latest) = latest else {
        let none =
            SpaceWithDocument { space: row.into(), document: None, document_revision: None, scan_id: None };
        return Ok(json(&none));
    };
    let slot = app.document_pool().enter().await?;
    let document = space_documents::read(&app, &slot, &latest).await?;
    let space = SpaceWithDocument {
        space: row.into(),
        document: Some(document),
        document_revision: Some(latest.revision),
        scan_id: Some(latest.scan_id.0),
    };
    slot.run(move || json(&space)).await
}

async fn update(app: App, caller: Caller, mut request: Request) -> ApiResult<Json> {
    let id = request.id::<SpaceId>("id")?;
    let changes: SpaceChanges = request.json().await?;
    let row = space_changes::apply(&app, &caller.tenant, &id, &changes).await?;
    Ok(json(&Space::from(row)))
}

async fn delete(app: App, caller: Caller, request: Request) -> ApiResult<StatusCode> {
    let id = request.id::<SpaceId>("id")?;
    let now = Timestamp::now();
    let outcome = app.db().write(async |txn| spaces::delete(&txn, &caller.tenant, &id, now).await).await?;
    match outcome {
        DeleteOutcome::Deleted => Ok(StatusCode::NO_CONTENT),
        DeleteOutcome::NotFound => Err(ApiError::not_found()),
        DeleteOutcome::NotDeletable => Err(ApiError::new(ApiErrorCode::SpaceNotDeletable)),
        DeleteOutcome::Busy => Err(ApiError::new(ApiErrorCode::SpaceBusy)),
    }
}

/// Example of a space.
pub(super) fn example() -> Value {
    json!({
        "object": "space", "id": SPACE, "source": "api", "livemode": false, "name": "Unit 4B",
        "space_type": "apartment", "description": null, "external_id": "listing-8831",
        "created_at": CREATED, "updated_at": CREATED,
    })
}
