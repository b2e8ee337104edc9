//! `/auth/exports`: archives of all data of an account.

use domain::{ApiErrorCode, ExportId, ExportState, Timestamp, layout};
use entities::{account_exports, audit_log};
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use warp::reply::{Json, Response, WithStatus, json, with_status};

use crate::{
    App,
    console::SessionUser,
    contract::examples::{CREATED, EXPORT, with},
    http::{
        download,
        error::{ApiError, ApiResult},
        request::Request,
    },
};

/// An archive of all data of an account.
#[derive(Debug, Serialize, ToSchema)]
pub struct AccountExport {
    /// Always `account_export`.
    #[schema(pattern = "^account_export$")]
    pub object: &'static str,
    /// Prefix `exp_`.
    pub id: ExportId,
    /// `pending`, `ready` to download, or `expired`.
    pub state: ExportState,
    /// Download URL while it is `ready`. Requires a console session.
    pub url: Option<String>,
    /// Size in bytes, once it is ready.
    pub bytes: Option<i64>,
    /// Time when it was requested.
    pub created_at: Timestamp,
    /// Time when it is deleted, once it is ready.
    pub expires_at: Option<Timestamp>,
}

impl AccountExport {
    fn new(app: &App, row: account_exports::Model) -> Self {
        let ready = row.state.0 == ExportState::Ready;
        Self {
            object: "account_export",
            url: ready.then(|| app.url(&format!("/auth/exports/{}/archive", row.id.0))),
            id: row.id.0,
            state: row.state.0,
            bytes: row.bytes,
            created_at: row.created_at.0,
            expires_at: row.expires_at.map(|at| at.0),
        }
    }
}

pub(super) async fn create(app: App, session_user: SessionUser, _: Request) -> ApiResult<WithStatus<Json>> {
    session_user.require_recent_password(&app)?;
    let account = &session_user.account.id.0;
    app.throttle("exports", account.as_str(), app.settings().console.exports_per_account).await?;
    let now = Timestamp::now();
    let export: entities::Result<account_exports::Model> = app
        .db()
        .write(async |txn| {
            let export = account_exports::begin(&txn, account, now).await?;
            let (actor, subject) = (session_user.user.id.as_str(), export.id.as_str());
            let (action, detail) = ("account.export_requested", serde_json::json!({}));
            let entry = audit_log::NewEntry { account_id: account, actor, action, subject, detail };
            audit_log::append(&txn, entry, now).await?;
            Ok(export)
        })
        .await;
    Ok(with_status(json(&AccountExport::new(&app, export?)), StatusCode::ACCEPTED))
}

pub(super) async fn get(app: App, session_user: SessionUser, request: Request) -> ApiResult<Json> {
    let export = find(&app, &session_user, &request).await?;
    Ok(json(&AccountExport::new(&app, export)))
}

pub(super) async fn download(app: App, session_user: SessionUser, request: Request) -> ApiResult<Response> {
    let export = find(&app, &session_user, &request).await?;
    match export.state.0 {
        ExportState::Ready => {}
        ExportState::Pending => return Err(ApiError::new(ApiErrorCode::ExportNotReady)),
        ExportState::Expired => return Err(ApiError::not_found()),
    }
    let key = layout::account_export(&export.account_id, &export.id);
    let mut response = download::object(&app, &key, &request.headers).await?;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/zip"));
    let name = HeaderValue::from_static("attachment; filename=\"account.zip\"");
    headers.insert(header::CONTENT_DISPOSITION, name);
    Ok(response)
}

async fn find(app: &App, session_user: &SessionUser, request: &Request) -> ApiResult<account_exports::Model> {
    let found = account_exports::find(app.db(), &session_user.account.id, &request.id("id")?).await?;
    found.ok_or_else(ApiError::not_found)
}

/// Example of a pending export.
pub(super) fn pending_example() -> Value {
    example("pending", serde_json::json!({}))
}

/// Example of a ready export.
pub(super) fn ready_example() -> Value {
    let more = serde_json::json!({
        "url": format!("https://api.example.com/v1/auth/exports/{EXPORT}/archive"),
        "bytes": 48_217_330, "expires_at": "2026-03-09T09:18:12.930Z",
    });
    example("ready", more)
}

fn example(state: &str, more: Value) -> Value {
    let export = serde_json::json!({
        "object": "account_export", "id": EXPORT, "state": state, "url": null, "bytes": null,
        "created_at": CREATED, "expires_at": null,
    });
    with(export, more)
}
