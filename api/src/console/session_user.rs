//! Who is logged in.

use domain::{ApiErrorCode, Mode, Timestamp, mode::Tenant};
use entities::{AccountRow, SessionRow, UserRow, sessions};
use http::{HeaderMap, HeaderValue, Method, header};

use super::{cookie, origin};
use crate::{
    App,
    http::error::{ApiError, ApiResult},
};

/// The header by which the console says which world it shows.
pub const SCAN_MODE: &str = "scan-mode";

/// Who sent a request, authenticated by a console session.
#[derive(Debug, Clone)]
pub struct SessionUser {
    /// Who is logged in.
    pub user: UserRow,
    /// The account they act for.
    pub account: AccountRow,
    /// Their session.
    pub session: SessionRow,
    /// The world they look at: `Scan-Mode`, or test without it.
    pub mode: Mode,
}

impl SessionUser {
    /// The account and mode that the request may see and change.
    pub fn tenant(&self) -> Tenant {
        Tenant { account_id: self.account.id.0.clone(), mode: self.mode }
    }
}

/// Finds out who is logged in. API keys are not looked at: they open no console endpoint.
///
/// # Errors
/// `UNAUTHENTICATED` without an active session: which of missing, unknown, expired and ended it is, no one
/// is told; `ORIGIN_REFUSED` for a change that another page asked for; `VALIDATION_FAILED` for a mode
/// that is none.
pub async fn authenticate(app: &App, method: &Method, headers: &HeaderMap) -> ApiResult<SessionUser> {
    origin::require_own(method, headers, &app.settings().public_url)?;
    let secret = cookie::read(headers).ok_or_else(logged_out)?;
    let (now, idle) = (Timestamp::now(), app.settings().console.session_idle());
    let found = sessions::find_active_by_secret_hash(app.db(), &secret.hash(), idle, now).await?;
    let owner = found.ok_or_else(logged_out)?;
    let mode = mode_of(headers)?;
    touch(app, &owner.session, now);
    Ok(SessionUser { user: owner.user, account: owner.account, session: owner.session, mode })
}

fn logged_out() -> ApiError {
    ApiError::new(ApiErrorCode::Unauthenticated)
        .message("Log in: this endpoint takes a console session.")
        .header(header::WWW_AUTHENTICATE, HeaderValue::from_static("Cookie"))
}

fn mode_of(headers: &HeaderMap) -> ApiResult<Mode> {
    match headers.get(SCAN_MODE).map(HeaderValue::as_bytes) {
        None | Some(b"test") => Ok(Mode::Test),
        Some(b"live") => Ok(Mode::Live),
        Some(_) => Err(ApiError::field("Scan-Mode", "must be `test` or `live`")),
    }
}

/// Records the use of the session, beside the request: the answer does not wait for it, and does not fail
/// with it.
fn touch(app: &App, session: &SessionRow, now: Timestamp) {
    let (db, session) = (app.db().clone(), session.clone());
    tokio::spawn(async move {
        if let Err(error) = sessions::touch(&db, &session, now).await {
            tracing::warn!(%error, session = %session.id.as_str(), "the use of a session was not recorded");
        }
    });
}
