//! `PATCH /spaces/{id}`: changes a space together with its search index.

use std::time::Duration;

use domain::{
    ApiErrorCode, SpaceId, Timestamp,
    mode::Tenant,
    search::{Embeddings, Index},
    space::NewSpace,
};
use entities::{DocumentRow, SpaceRow, accounts, documents, spaces};
use search::{embed_passages, index_space};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{space_documents, space_fields};
use crate::{
    App,
    http::{
        body::explicit_null,
        error::{ApiError, ApiResult},
    },
};

/// Number of attempts if other requests or a scan change the space at the same time.
const ATTEMPTS: u32 = 4;

/// Changes to a space.
#[derive(Debug, Clone, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SpaceChanges {
    /// New name, 1 to 200 characters.
    #[schema(
        min_length = 1,
        max_length = 200,
        pattern = "^[^\\x00-\\x1f\\x7f]*[^\\x00-\\x20\\x7f][^\\x00-\\x1f\\x7f]*$"
    )]
    pub name: Option<String>,
    /// New type label, 1 to 64 characters.
    #[schema(
        min_length = 1,
        max_length = 64,
        pattern = "^[^\\x00-\\x1f\\x7f]*[^\\x00-\\x20\\x7f][^\\x00-\\x1f\\x7f]*$"
    )]
    pub space_type: Option<String>,
    /// New reference, at most 128 characters; null removes it.
    #[serde(default, deserialize_with = "explicit_null", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, max_length = 128, pattern = "^[^\\x00-\\x1f\\x7f]*$")]
    pub external_id: Option<Option<String>>,
    /// New description, at most 5000 characters; null removes it.
    #[serde(default, deserialize_with = "explicit_null", skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>, max_length = 5000, pattern = "^[^\\x00]*$")]
    pub description: Option<Option<String>>,
}

impl SpaceChanges {
    fn applied_to(&self, row: &SpaceRow) -> NewSpace {
        NewSpace {
            name: self.name.clone().unwrap_or_else(|| row.name.clone()),
            space_type: self.space_type.clone().unwrap_or_else(|| row.space_type.clone()),
            external_id: self.external_id.clone().unwrap_or_else(|| row.external_id.clone()),
            description: self.description.clone().unwrap_or_else(|| row.description.clone()),
        }
    }
}

/// The search index of a document, with the new name of its space.
struct NewIndex {
    document: DocumentRow,
    index: Index,
    embeddings: Option<Embeddings>,
}

/// Changes a space and its search index in one transaction. The index is built before it, because that
/// takes long, and built again if the space or its newest document changed meanwhile.
///
/// # Errors
/// Returns `NOT_FOUND`, `VALIDATION_FAILED`, or an error if the database or storage is unavailable.
pub(super) async fn apply(
    app: &App,
    tenant: &Tenant,
    id: &SpaceId,
    changes: &SpaceChanges,
) -> ApiResult<SpaceRow> {
    for _ in 0..ATTEMPTS {
        let row = spaces::find(app.db(), tenant, id).await?.ok_or_else(ApiError::not_found)?;
        let new = changes.applied_to(&row);
        space_fields::validate(&new)?;
        let before = NewSpace {
            name: row.name.clone(),
            space_type: row.space_type.clone(),
            external_id: row.external_id.clone(),
            description: row.description.clone(),
        };
        if new == before {
            return Ok(row);
        }
        let index = build(app, &row, &new).await?;
        if let Some(changed) = write(app, tenant, &row, &new, index.as_ref()).await? {
            return Ok(changed);
        }
    }
    Err(ApiError::new(ApiErrorCode::Unavailable).retry_after(1))
}

/// Builds the index of the newest document; `None` without one.
async fn build(app: &App, row: &SpaceRow, new: &NewSpace) -> ApiResult<Option<NewIndex>> {
    let Some(document) = documents::latest(app.db(), &row.tenant(), &row.id).await? else { return Ok(None) };
    let slot = app.document_pool().enter().await?;
    let content = space_documents::read_typed(app, &slot, &document).await?;
    let changed = SpaceRow {
        name: new.name.clone(),
        space_type: new.space_type.clone(),
        description: new.description.clone(),
        ..row.clone()
    };
    let index = index_space(&changed, content).await.map_err(ApiError::internal)?;
    drop(slot);
    let _slot = app.model_pool().enter().await?;
    let (embeddings, _) = embed_passages(app.language().embedder.as_ref(), &index).await;
    Ok(Some(NewIndex { document, index, embeddings }))
}

/// Writes the change. Returns `None` if the space or its newest document changed since `row` was read.
async fn write(
    app: &App,
    tenant: &Tenant,
    row: &SpaceRow,
    new: &NewSpace,
    index: Option<&NewIndex>,
) -> ApiResult<Option<SpaceRow>> {
    let id = &row.id.0;
    // Always a later time, so that a concurrent change is noticed.
    let now = Timestamp::now().max(row.updated_at.0.plus(Duration::from_millis(1)));
    let written: entities::Result<Option<SpaceRow>> = app
        .db()
        .write(async |txn| {
            accounts::require_open(&txn, &tenant.account_id).await?;
            // The lock keeps the space and its newest document unchanged until the rows are written.
            if !spaces::system::lock_for_update(&txn, id).await? {
                return Ok(None);
            }
            let current = spaces::find(&txn, tenant, id).await?;
            let newest = documents::latest(&txn, tenant, id).await?.map(|newest| newest.scan_id);
            let indexed = index.map(|index| index.document.scan_id.clone());
            if current.is_none_or(|current| current.updated_at != row.updated_at) || newest != indexed {
                return Ok(None);
            }
            let changed = spaces::replace(&txn, tenant, id, new, now).await?;
            if let Some(NewIndex { document, index, embeddings }) = index {
                let scan = &document.scan_id;
                entities::search::put(&txn, tenant, id, scan, index, embeddings.as_ref()).await?;
            }
            Ok(changed)
        })
        .await;
    Ok(written?)
}
