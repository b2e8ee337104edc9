//! `GET /shared-document`: the document of a share link, for anybody who has the link.

use std::{cmp::min, time::Duration};

use domain::{
    ApiErrorCode, Timestamp,
    document::{Hidden, SpaceDocument},
};
use entities::{DocumentRow, ShareRow, SpaceRow, documents, shares, spaces};
use http::Method;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use warp::reply::{Json, json};

use super::link;
use crate::{
    App,
    contract::{
        endpoint::{Endpoint, endpoint},
        examples::FINISHED,
        schema::SchemaRef,
    },
    http::{
        error::{ApiError, ApiResult},
        request::Request,
    },
    routes::space_documents,
};

/// Header with the token of a link.
const SCAN_SHARE: &str = "Scan-Share";
/// Lifetime of the signed URLs of frames. A link that ends therefore shows no picture for longer.
const FRAME_TTL: Duration = Duration::from_secs(5 * 60);

/// A document that its owner shares.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SharedDocument {
    /// Always `shared_document`.
    #[schema(pattern = "^shared_document$")]
    pub object: &'static str,
    /// Name of the space.
    pub name: String,
    /// Type of the space, for example `apartment`.
    pub space_type: String,
    /// Time at which the document was made.
    pub scanned_at: Timestamp,
    /// Time at which the link expires.
    pub expires_at: Timestamp,
    /// What the owner hides.
    pub hidden: HiddenParts,
    /// The Space Document without what is hidden. Visible frames have signed `url`s that are valid for
    /// five minutes; request the document again for new ones.
    #[schema(value_type = SpaceDocument)]
    pub document: Value,
}

/// What the owner of a shared document hides.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct HiddenParts {
    /// Whether passwords, PINs, door codes and network keys are left out.
    pub credentials: bool,
    /// Whether persons are left out.
    pub persons: bool,
    /// Number of frames without a picture, because they show something hidden.
    pub frames: usize,
}

/// The endpoint of this resource.
pub(super) fn endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::GET, "/shared-document", "getSharedDocument", "Shares")
            .about(
                "Read a shared document",
                "For anybody who has a share link, without an account. The token is the part of the link after `#`.",
            )
            .required_header(SCAN_SHARE, "The token of the link.", SchemaRef::text())
            .responds::<SharedDocument>(200, "The document.")
            .response_example(200, example())
            .errors(&[ApiErrorCode::NotFound, ApiErrorCode::ShareEnded])
            .signed(get),
    ]
}

async fn get(app: App, request: Request) -> ApiResult<Json> {
    let token = request.header(SCAN_SHARE).and_then(|text| link::open(app.signing_secrets(), text));
    let refused =
        || ApiError::new(ApiErrorCode::InvalidSignature).message("The share link is incomplete or wrong.");
    let token = token.ok_or_else(refused)?;
    let now = Timestamp::now();
    let share =
        shares::find_by_secret_hash(app.db(), &token.hash()).await?.ok_or_else(ApiError::not_found)?;
    if !share.is_active(now) {
        return Err(ApiError::new(ApiErrorCode::ShareEnded));
    }
    let tenant = share.tenant();
    let space = spaces::find(app.db(), &tenant, &share.space_id).await?.ok_or_else(ApiError::not_found)?;
    let row = documents::find_by_scan(app.db(), &tenant, &share.scan_id).await?;
    let row = row.ok_or_else(ApiError::not_found)?;
    Ok(json(&read(&app, &share, space, &row, now).await?))
}

/// Reads the document without what the link hides.
async fn read(
    app: &App,
    share: &ShareRow,
    space: SpaceRow,
    row: &DocumentRow,
    now: Timestamp,
) -> ApiResult<SharedDocument> {
    let slot = app.document_pool().enter().await?;
    let mut document = space_documents::read_typed(app, &slot, row).await?;
    let hidden = share.hidden();
    let lifetime = min(FRAME_TTL, share.expires_at.0.since(now));
    let app = app.clone();
    let shown = slot.run(move || {
        let withheld = document.redact(hidden);
        for frame in document.frames.iter_mut().filter(|frame| !withheld.contains(&frame.id)) {
            frame.url = Some(space_documents::signed_url_for(&app, &frame.key, now, lifetime));
        }
        Ok::<_, serde_json::Error>((serde_json::to_value(&document)?, withheld.len()))
    });
    let (document, frames) = shown.await?.map_err(ApiError::internal)?;
    let Hidden { credentials, persons } = hidden;
    Ok(SharedDocument {
        object: "shared_document",
        name: space.name,
        space_type: space.space_type,
        scanned_at: row.created_at.0,
        expires_at: share.expires_at.0,
        hidden: HiddenParts { credentials, persons, frames },
        document,
    })
}

fn example() -> Value {
    json!({
        "object": "shared_document", "name": "Unit 4B", "space_type": "apartment", "scanned_at": FINISHED,
        "expires_at": super::EXPIRES, "hidden": { "credentials": true, "persons": true, "frames": 0 },
        "document": space_documents::example(),
    })
}
