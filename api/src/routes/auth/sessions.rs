//! `/auth/sessions`: lists and ends sessions of the user. `POST /auth/confirm-password`.

use domain::{SessionId, Timestamp};
use entities::{SessionRow, audit_log, sessions};
use http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use warp::reply::Json;

use super::changes::PasswordConfirmation;
use crate::{
    App,
    console::{SessionUser, attempts},
    contract::examples::{CREATED, SESSION},
    http::{
        error::{ApiError, ApiResult},
        page::List,
        request::Request,
    },
};

/// A session of the user.
#[derive(Debug, Serialize, ToSchema)]
pub struct OpenSession {
    /// Always `open_session`.
    #[schema(pattern = "^open_session$")]
    pub object: &'static str,
    /// Prefix `ses_`.
    pub id: SessionId,
    /// Whether this request belongs to it.
    pub current: bool,
    /// Time of the log-in.
    pub created_at: Timestamp,
    /// Time of the last use, accurate to one minute.
    pub last_seen_at: Timestamp,
    /// Time when it ends at the latest.
    pub expires_at: Timestamp,
    /// IP address of the log-in.
    pub client_address: Option<String>,
    /// `User-Agent` of the log-in.
    pub user_agent: Option<String>,
}

impl OpenSession {
    fn new(row: SessionRow, current: &SessionRow) -> Self {
        Self {
            object: "open_session",
            current: row.id == current.id,
            id: row.id.0,
            created_at: row.created_at.0,
            last_seen_at: row.last_seen_at.0,
            expires_at: row.expires_at.0,
            client_address: row.client_address,
            user_agent: row.user_agent,
        }
    }
}

pub(super) async fn list(app: App, session_user: SessionUser, _: Request) -> ApiResult<Json> {
    let SessionUser { user, session, .. } = &session_user;
    let idle = app.settings().console.session_idle();
    let rows = sessions::list_active(app.db(), &user.id, idle, Timestamp::now()).await?;
    let data = rows.into_iter().map(|row| OpenSession::new(row, session)).collect();
    Ok(warp::reply::json(&List { object: "list", data, next_cursor: None }))
}

pub(super) async fn end(app: App, session_user: SessionUser, request: Request) -> ApiResult<StatusCode> {
    let id = request.id::<SessionId>("id")?;
    let (user, now) = (&session_user.user, Timestamp::now());
    let ended: entities::Result<bool> = app
        .db()
        .write(async |txn| {
            if !sessions::revoke_of_user(&txn, &user.id, &id, now).await? {
                return Ok(false);
            }
            let entry = super::own_action(user, "user.session_ended");
            let entry = audit_log::NewEntry { detail: json!({ "session": id.as_str() }), ..entry };
            audit_log::append(&txn, entry, now).await?;
            Ok(true)
        })
        .await;
    if ended? { Ok(StatusCode::NO_CONTENT) } else { Err(ApiError::not_found()) }
}

pub(super) async fn confirm_password(
    app: App,
    session_user: SessionUser,
    mut request: Request,
) -> ApiResult<StatusCode> {
    let confirmation: PasswordConfirmation = request.json().await?;
    let SessionUser { user, session, .. } = &session_user;
    attempts::require_password(&app, request.trace.client, user, confirmation.password).await?;
    let now = Timestamp::now();
    let recorded: entities::Result<()> = app
        .db()
        .write(async |txn| {
            sessions::set_authenticated(&txn, &session.id, now).await?;
            audit_log::append(&txn, super::own_action(user, "user.password_confirmed"), now).await
        })
        .await;
    recorded?;
    Ok(StatusCode::NO_CONTENT)
}

/// Example of a session.
pub(super) fn example() -> Value {
    json!({
        "object": "open_session", "id": SESSION, "current": true, "created_at": CREATED,
        "last_seen_at": CREATED, "expires_at": "2026-03-16T09:15:04.218Z",
        "client_address": "203.0.113.7", "user_agent": "Mozilla/5.0",
    })
}
