//! What is read from Space Documents. Answered from database and storage alone.

pub mod ask;
pub mod diff;
pub mod search;
pub mod skill;

use domain::{ApiErrorCode, ScanId, SpaceId};
use entities::{DocumentRow, SpaceRow, documents, scans, spaces};

use crate::{
    App,
    auth::Caller,
    endpoints::Endpoint,
    error::{ApiError, ApiResult},
};

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    [ask::endpoints(), diff::endpoints(), search::endpoints(), skill::endpoints()].concat()
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

/// The document that a scan of a space wrote.
///
/// # Errors
/// `NOT_FOUND` for a scan that is not of this space, `NO_DOCUMENT` before it is complete.
async fn of_scan(app: &App, caller: &Caller, space: &SpaceId, scan: &ScanId) -> ApiResult<DocumentRow> {
    scans::find_in_space(app.db(), &caller.tenant, space, scan).await?.ok_or_else(ApiError::not_found)?;
    let written = documents::find_by_scan(app.db(), &caller.tenant, scan).await?;
    written.ok_or_else(|| ApiError::new(ApiErrorCode::NoDocument))
}
