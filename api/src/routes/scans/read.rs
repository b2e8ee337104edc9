//! Reads scans. Needs only the database, so it works while workers are down.

use domain::{ScanId, SpaceId, Timestamp, page::Page};
use entities::{documents, scans, spaces};
use warp::reply::{Json, json};

use super::{ScanWithDocument, present, with_upload};
use crate::{
    App,
    http::{
        auth::Caller,
        error::{ApiError, ApiResult},
        request::Request,
    },
    routes::space_documents,
};

pub(super) async fn list(app: App, caller: Caller, request: Request) -> ApiResult<Json> {
    let space = request.id::<SpaceId>("id")?;
    let page = app.cursors().request("scans", &caller.tenant, &request.query)?;
    spaces::find(app.db(), &caller.tenant, &space).await?.ok_or_else(ApiError::not_found)?;
    let found = scans::list_of_space(app.db(), &caller.tenant, &space, &page).await?;
    let page = Page { rows: scans::views(app.db(), &found.rows).await?, next: found.next };
    Ok(json(&app.cursors().list("scans", &caller.tenant, page)))
}

pub(super) async fn get(app: App, caller: Caller, request: Request) -> ApiResult<Json> {
    let found = app.loaders().scans.get((caller.tenant.clone(), request.id::<ScanId>("id")?)).await?;
    let (row, scan) = found.ok_or_else(ApiError::not_found)?;
    Ok(json(&with_upload(&app, &caller, &row, scan, Timestamp::now()).await?))
}

pub(super) async fn get_of_space(app: App, caller: Caller, request: Request) -> ApiResult<Json> {
    let (space, id) = (request.id::<SpaceId>("id")?, request.id::<ScanId>("scan_id")?);
    spaces::find(app.db(), &caller.tenant, &space).await?.ok_or_else(ApiError::not_found)?;
    let row = scans::find_in_space(app.db(), &caller.tenant, &space, &id).await?;
    let row = row.ok_or_else(ApiError::not_found)?;
    let scan = present(&app, &caller, &row, Timestamp::now()).await?;
    let Some(stored) = documents::find_by_scan(app.db(), &caller.tenant, &id).await? else {
        return Ok(json(&ScanWithDocument { scan, document: None }));
    };
    let slot = app.document_pool().enter().await?;
    let document = Some(space_documents::read(&app, &slot, &stored).await?);
    slot.run(move || json(&ScanWithDocument { scan, document })).await
}
