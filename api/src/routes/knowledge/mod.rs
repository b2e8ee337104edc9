//! Questions, comparisons, search and skills, all based on stored Space Documents.

pub mod ask;
pub mod diff;
pub mod evidence;
pub mod search;
pub mod skill;

use domain::{ApiErrorCode, ScanId, SpaceId};
use entities::{DocumentRow, SpaceRow, documents, scans, spaces};

use crate::{
    App,
    contract::endpoint::Endpoint,
    http::{
        auth::Caller,
        error::{ApiError, ApiResult},
    },
};

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    [ask::endpoints(), diff::endpoints(), search::endpoints(), skill::endpoints()].concat()
}

/// Returns a space and the row of its newest document.
///
/// # Errors
/// Returns `NOT_FOUND` if the caller has no such space, and `NO_DOCUMENT` before its first complete
/// scan.
pub(super) async fn latest(app: &App, caller: &Caller, id: &SpaceId) -> ApiResult<(SpaceRow, DocumentRow)> {
    let space = spaces::find(app.db(), &caller.tenant, id).await?.ok_or_else(ApiError::not_found)?;
    let document = documents::latest(app.db(), &caller.tenant, id).await?;
    Ok((space, document.ok_or_else(|| ApiError::new(ApiErrorCode::NoDocument))?))
}

/// Returns the row of the document that a scan produced.
///
/// # Errors
/// Returns `NOT_FOUND` if the space has no such scan, and `NO_DOCUMENT` before the scan is
/// complete.
pub(super) async fn of_scan(
    app: &App,
    caller: &Caller,
    space: &SpaceId,
    scan: &ScanId,
) -> ApiResult<DocumentRow> {
    scans::find_in_space(app.db(), &caller.tenant, space, scan).await?.ok_or_else(ApiError::not_found)?;
    let document = documents::find_by_scan(app.db(), &caller.tenant, scan).await?;
    document.ok_or_else(|| ApiError::new(ApiErrorCode::NoDocument))
}
