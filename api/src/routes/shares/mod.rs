//! `/spaces/{id}/shares`: links that show one document to somebody without an account.

mod link;
mod shared;

use std::time::Duration;

use domain::{ApiErrorCode, ScanId, ShareId, SpaceId, Timestamp, Token, document::Hidden, scope::Scope};
use entities::{ShareRow, Transient, WriteTxn, accounts, audit_log, shares, spaces};
use http::{Method, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use warp::reply::{Json, WithStatus, json, with_status};

use crate::{
    App,
    contract::{
        endpoint::{Endpoint, endpoint},
        examples::{CREATED, SCAN, SHARE, SPACE, list_of, with},
    },
    http::{
        auth::Caller,
        error::{ApiError, ApiResult},
        page::List,
        request::Request,
    },
    routes::knowledge,
};

/// Longest lifetime of a link, in days.
const MAX_DAYS: u64 = 90;
/// Lifetime of a link if the request names none, in days.
const DEFAULT_DAYS: u64 = 7;
/// Maximum number of active links of a space.
const MAX_ACTIVE: u64 = 100;
/// Path of the page that shows a shared document.
const PAGE: &str = "/console/shared";
/// Expiry of the example link.
const EXPIRES: &str = "2026-03-09T09:15:04.218Z";

/// A link to be made.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NewShare {
    /// Scan whose document is shared; the newest document if omitted. The link keeps showing this
    /// document after later scans.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scan_id: Option<ScanId>,
    /// Days until it expires, 1 to 90; 7 if omitted.
    #[schema(minimum = 1, maximum = 90)]
    pub expires_in_days: u64,
    /// Whether it shows passwords, PINs, door codes and network keys, and the frames with them.
    pub shows_credentials: bool,
    /// Whether it shows the frames with persons.
    pub shows_persons: bool,
}

impl Default for NewShare {
    fn default() -> Self {
        Self { scan_id: None, expires_in_days: DEFAULT_DAYS, shows_credentials: false, shows_persons: false }
    }
}

/// A link that shows one document to anybody who has it.
#[derive(Debug, Serialize, ToSchema)]
pub struct Share {
    /// Always `share`.
    #[schema(pattern = "^share$")]
    pub object: &'static str,
    /// Prefix `shr_`.
    pub id: ShareId,
    /// The space.
    pub space_id: SpaceId,
    /// The scan whose document it shows.
    pub scan_id: ScanId,
    /// Whether it has neither expired nor been revoked.
    pub active: bool,
    /// Whether it shows credentials.
    pub shows_credentials: bool,
    /// Whether it shows persons.
    pub shows_persons: bool,
    /// Creation time.
    pub created_at: Timestamp,
    /// Time at which it expires.
    pub expires_at: Timestamp,
    /// Time at which it was revoked; null if it was not.
    pub revoked_at: Option<Timestamp>,
}

/// A new link with its URL.
#[derive(Debug, Serialize, ToSchema)]
pub struct ShareWithUrl {
    /// The link.
    #[serde(flatten)]
    pub share: Share,
    /// The link to send. Only this response contains it.
    pub url: String,
}

impl Share {
    fn new(row: ShareRow, now: Timestamp) -> Self {
        Self {
            object: "share",
            active: row.is_active(now),
            id: row.id.0,
            space_id: row.space_id.0,
            scan_id: row.scan_id.0,
            shows_credentials: row.shows_credentials,
            shows_persons: row.shows_persons,
            created_at: row.created_at.0,
            expires_at: row.expires_at.0,
            revoked_at: row.revoked_at.map(|at| at.0),
        }
    }
}

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    let owner = vec![
        endpoint(Method::POST, "/spaces/{id}/shares", "createShare", "Shares")
            .about(
                "Share a document",
                "Makes a link that shows one document with its frames to anybody who has it, without an account. It \
                 hides credentials and persons unless the request says otherwise. Only this response contains the link. \
                 A space can have at most 100 active links.",
            )
            .optional_json_body::<NewShare>()
            .responds::<ShareWithUrl>(201, "The link.")
            .errors(&[ApiErrorCode::NoDocument, ApiErrorCode::ShareLimit])
            .request_example(json!({ "expires_in_days": 7 }))
            .response_example(201, with(example(), json!({ "url": example_url() })))
            .key(Scope::SharesWrite, create),
        endpoint(Method::GET, "/spaces/{id}/shares", "listShares", "Shares")
            .about("List the share links of a space", "Newest first, including those that ended within a week.")
            .paged()
            .responds::<List<Share>>(200, "A page of links, without their URLs.")
            .response_example(200, list_of(example()))
            .key(Scope::SpacesRead, list),
        endpoint(Method::DELETE, "/spaces/{id}/shares/{share_id}", "revokeShare", "Shares")
            .about(
                "Revoke a share link",
                "Takes effect at once; pictures that a reader has opened stay readable for five minutes. Idempotent.",
            )
            .responds_empty(204, "Revoked.")
            .key(Scope::SharesWrite, revoke),
    ];
    [owner, shared::endpoints()].concat()
}

/// Error of a change that is rolled back.
#[derive(Debug, thiserror::Error)]
enum CreateError {
    #[error("the space was deleted")]
    SpaceDeleted,
    #[error("the space has too many active links")]
    TooMany,
    #[error(transparent)]
    Database(#[from] entities::Error),
}

impl Transient for CreateError {
    fn is_transient(&self) -> bool {
        matches!(self, CreateError::Database(error) if error.is_transient())
    }
}

async fn create(app: App, caller: Caller, mut request: Request) -> ApiResult<WithStatus<Json>> {
    let id = request.id::<SpaceId>("id")?;
    spaces::find(app.db(), &caller.tenant, &id).await?.ok_or_else(ApiError::not_found)?;
    let new: NewShare = request.json_or_default().await?;
    if !(1..=MAX_DAYS).contains(&new.expires_in_days) {
        return Err(ApiError::field("expires_in_days", format!("must be an integer from 1 to {MAX_DAYS}")));
    }
    let document = match &new.scan_id {
        None => knowledge::latest(&app, &caller, &id).await?.1,
        Some(scan) => knowledge::of_scan(&app, &caller, &id, scan).await?,
    };
    let hidden = Hidden { credentials: !new.shows_credentials, persons: !new.shows_persons };
    let lifetime = Duration::from_secs(new.expires_in_days * 24 * 60 * 60);
    let (secret, now) = (Token::generate(), Timestamp::now());
    let made = app.db().write(async |txn| {
        accounts::require_open(&txn, &caller.tenant.account_id).await?;
        if !spaces::system::lock_for_update(&txn, &id).await? {
            return Err(CreateError::SpaceDeleted);
        }
        if shares::count_active(&txn, &caller.tenant, &id, now).await? >= MAX_ACTIVE {
            return Err(CreateError::TooMany);
        }
        let row = shares::create(&txn, &document, hidden, &secret, lifetime, now).await?;
        audit(&txn, &caller, "document.shared", &row, now).await?;
        Ok(row)
    });
    let row = made.await.map_err(|error| match error {
        CreateError::SpaceDeleted => ApiError::not_found(),
        CreateError::TooMany => ApiError::new(ApiErrorCode::ShareLimit).with("limit", MAX_ACTIVE),
        CreateError::Database(error) => error.into(),
    })?;
    let url = format!("{}{PAGE}#{}", app.settings().public_url, link::seal(app.signing_secrets(), &secret));
    Ok(with_status(json(&ShareWithUrl { share: Share::new(row, now), url }), StatusCode::CREATED))
}

async fn list(app: App, caller: Caller, request: Request) -> ApiResult<Json> {
    let id = request.id::<SpaceId>("id")?;
    spaces::find(app.db(), &caller.tenant, &id).await?.ok_or_else(ApiError::not_found)?;
    let page = app.cursors().request("shares", &caller.tenant, &request.query)?;
    let rows = shares::list(app.db(), &caller.tenant, &id, &page).await?;
    let now = Timestamp::now();
    Ok(json(&app.cursors().list("shares", &caller.tenant, rows.map(|row| Share::new(row, now)))))
}

async fn revoke(app: App, caller: Caller, request: Request) -> ApiResult<StatusCode> {
    let (id, share) = (request.id::<SpaceId>("id")?, request.id::<ShareId>("share_id")?);
    let now = Timestamp::now();
    let revoked: entities::Result<bool> = app
        .db()
        .write(async |txn| {
            let Some(row) = shares::revoke(&txn, &caller.tenant, &id, &share, now).await? else {
                return Ok(false);
            };
            if row.revoked_at.is_none() {
                audit(&txn, &caller, "document.share_revoked", &row, now).await?;
            }
            Ok(true)
        })
        .await;
    if revoked? { Ok(StatusCode::NO_CONTENT) } else { Err(ApiError::not_found()) }
}

/// Appends an entry to the audit log.
async fn audit(
    txn: &WriteTxn,
    caller: &Caller,
    action: &str,
    share: &ShareRow,
    now: Timestamp,
) -> entities::Result<()> {
    let detail = json!({
        "space_id": share.space_id.as_str(), "scan_id": share.scan_id.as_str(), "expires_at": share.expires_at.0,
        "shows_credentials": share.shows_credentials, "shows_persons": share.shows_persons,
    });
    let (account_id, actor) = (&caller.tenant.account_id, caller.actor());
    let entry = audit_log::NewEntry { account_id, actor, action, subject: share.id.as_str(), detail };
    audit_log::append(txn, entry, now).await
}

/// Example of a link.
fn example() -> Value {
    json!({
        "object": "share", "id": SHARE, "space_id": SPACE, "scan_id": SCAN, "active": true,
        "shows_credentials": false, "shows_persons": false, "created_at": CREATED, "expires_at": EXPIRES,
        "revoked_at": null,
    })
}

fn example_url() -> String {
    format!("https://scan.example.com{PAGE}#…")
}
