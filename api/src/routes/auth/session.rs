//! `GET /auth/session`, `POST /auth/log-out`.

use domain::{AccountId, SessionId, Timestamp, UserId};
use entities::{AccountRow, SessionRow, UserRow, audit_log, sessions};
use http::{StatusCode, header};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use warp::reply::{Json, Reply, Response, json};

use crate::{
    App,
    console::{SessionUser, cookie},
    contract::examples::CREATED,
    http::{error::ApiResult, request::Request},
};

/// A console session.
#[derive(Debug, Serialize, ToSchema)]
pub struct Session {
    /// Always `session`.
    #[schema(pattern = "^session$")]
    pub object: &'static str,
    /// Prefix `ses_`.
    pub id: SessionId,
    /// Time when it began.
    pub created_at: Timestamp,
    /// Time when it ends at the latest. An unused session ends earlier.
    pub expires_at: Timestamp,
    /// The user who is logged in.
    pub user: LoggedInUser,
    /// The account of the user.
    pub account: SessionAccount,
}

/// The user who is logged in.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = SessionUser)]
pub struct LoggedInUser {
    /// Prefix `usr_`.
    pub id: UserId,
    /// E-mail address.
    pub email: String,
    /// Whether the user has confirmed the address.
    pub email_confirmed: bool,
    /// Set by the operator of the service.
    pub is_pro: bool,
}

/// The account of a user.
#[derive(Debug, Serialize, ToSchema)]
pub struct SessionAccount {
    /// Prefix `acc_`.
    pub id: AccountId,
    /// Name of the account.
    pub name: String,
}

impl Session {
    pub(super) fn new(session: &SessionRow, user: &UserRow, account: &AccountRow) -> Self {
        Self {
            object: "session",
            id: session.id.0.clone(),
            created_at: session.created_at.0,
            expires_at: session.expires_at.0,
            user: LoggedInUser {
                id: user.id.0.clone(),
                email: user.email.clone(),
                email_confirmed: user.email_confirmed_at.is_some(),
                is_pro: user.is_pro,
            },
            account: SessionAccount { id: account.id.0.clone(), name: account.name.clone() },
        }
    }
}

pub(super) async fn get(_: App, session_user: SessionUser, _: Request) -> ApiResult<Json> {
    Ok(json(&Session::new(&session_user.session, &session_user.user, &session_user.account)))
}

pub(super) async fn log_out(app: App, session_user: SessionUser, _: Request) -> ApiResult<Response> {
    let now = Timestamp::now();
    let ended: entities::Result<()> = app
        .db()
        .write(async |txn| {
            sessions::revoke(&txn, &session_user.session.id, now).await?;
            let entry = audit_log::NewEntry {
                account_id: &session_user.account.id,
                actor: session_user.user.id.as_str(),
                action: "user.logged_out",
                subject: session_user.user.id.as_str(),
                detail: serde_json::json!({ "session": session_user.session.id.as_str() }),
            };
            audit_log::append(&txn, entry, now).await
        })
        .await;
    ended?;
    let mut response = StatusCode::NO_CONTENT.into_response();
    if let Some(cookie) = cookie::clear(&app.settings().public_url) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

/// Example of a session.
pub(super) fn example() -> Value {
    serde_json::json!({
        "object": "session", "id": "ses_01jd3x0000000000000000000c",
        "created_at": CREATED, "expires_at": "2026-03-16T09:15:04.218Z",
        "user": { "id": "usr_01jd3x0000000000000000000a", "email": "kim@example.com",
            "email_confirmed": false, "is_pro": false },
        "account": { "id": "acc_01jd3x0000000000000000000d", "name": "My account" },
    })
}
