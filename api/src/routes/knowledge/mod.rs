//! What is read from Space Documents. Answered from database and storage alone.

pub mod ask;
pub mod skill;

use domain::{ApiErrorCode, SpaceId};
use entities::{DocumentRow, SpaceRow, documents, spaces};

use crate::{
    App,
    auth::Caller,
    endpoints::Endpoint,
    error::{ApiError, ApiResult},
};

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    [ask::endpoints(), skill::endpoints()].concat()
}

/// A space and its newest document's row.
///
/// # Errors
/// `NOT_FOUND` for a space that is not the caller's, `NO_DOCUMENT` before its first complete scan.
async fn latest(app: &App, caller: &Caller, id: &SpaceId) -> ApiResult<(SpaceRow, DocumentRow)> {
    let space = spaces::find(app.db(), &caller.tenant, id).await?.ok_or_else(ApiError::not_found)?;
    let document = documents::latest(app.db(), &caller.tenant, id).await?;
    Ok((space, document.ok_or_else(|| ApiError::new(ApiErrorCode::NoDocument))?))
}
