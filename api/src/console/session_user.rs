//! Authentication by console session.

use domain::{ApiErrorCode, Mode, Timestamp, mode::Tenant};
use entities::{AccountRow, SessionRow, UserRow, sessions};
use http::{HeaderMap, HeaderValue, Method, header};

use super::{cookie, origin};
use crate::{
    App,
    http::error::{ApiError, ApiResult},
};

/// Header with the mode that the console shows.
pub const SCAN_MODE: &str = "scan-mode";

/// User who authenticated with a console session.
#[derive(Debug, Clone)]
pub struct SessionUser {
    /// The user.
    pub user: UserRow,
    /// The account of the user.
    pub account: AccountRow,
    /// The session.
    pub session: SessionRow,
    /// Mode in `Scan-Mode`; test by default.
    pub mode: Mode,
}

impl SessionUser {
    /// Returns the account and mode that the request may read and change.
    pub fn tenant(&self) -> Tenant {
        Tenant { account_id: self.account.id.0.clone(), mode: self.mode }
    }

    /// Requires that the user entered the password in the last minutes.
    ///
    /// # Errors
    /// Returns `REAUTHENTICATION_REQUIRED` if it was longer ago.
    pub(crate) fn require_recent_password(&self, app: &App) -> ApiResult<()> {
        let until = self.session.last_authenticated_at().plus(app.settings().console.password_validity());
        if Timestamp::now() < until {
            return Ok(());
        }
        Err(ApiError::new(ApiErrorCode::ReauthenticationRequired))
    }

    /// Requires what new live credentials require: a confirmed address and a recent password.
    ///
    /// # Errors
    /// Returns `EMAIL_NOT_CONFIRMED` or `REAUTHENTICATION_REQUIRED`.
    pub(crate) fn require_for_live_key(&self, app: &App) -> ApiResult<()> {
        if !self.mode.livemode() {
            return Ok(());
        }
        self.require_confirmed_for_live()?;
        self.require_recent_password(app)
    }

    /// Requires a confirmed e-mail address in live mode.
    ///
    /// # Errors
    /// Returns `EMAIL_NOT_CONFIRMED` without one.
    pub(crate) fn require_confirmed_for_live(&self) -> ApiResult<()> {
        if self.mode.livemode() && self.user.email_confirmed_at.is_none() {
            return Err(ApiError::new(ApiErrorCode::EmailNotConfirmed));
        }
        Ok(())
    }
}

/// Authenticates a request by its session cookie. API keys are ignored.
///
/// # Errors
/// Returns `UNAUTHENTICATED` if the session is missing, unknown, expired or revoked (the error does
/// not tell which), `ORIGIN_REFUSED` for a change from another site's page, and `VALIDATION_FAILED`
/// for an unknown mode.
pub async fn authenticate(app: &App, method: &Method, headers: &HeaderMap) -> ApiResult<SessionUser> {
    origin::require_same_origin(method, headers, &app.settings().public_url)?;
    let secret = cookie::read(headers, &app.settings().public_url).ok_or_else(logged_out)?;
    let (now, idle) = (Timestamp::now(), app.settings().console.session_idle());
    let found = sessions::find_active_by_secret_hash(app.db(), &secret.hash(), idle, now).await?;
    let owner = found.ok_or_else(logged_out)?;
    let mode = mode_of(headers)?;
    touch(app, &owner.session, now);
    Ok(SessionUser { user: owner.user, account: owner.account, session: owner.session, mode })
}

fn logged_out() -> ApiError {
    ApiError::new(ApiErrorCode::Unauthenticated)
        .message("Log in: this endpoint requires a console session.")
        .header(header::WWW_AUTHENTICATE, HeaderValue::from_static("Cookie"))
}

fn mode_of(headers: &HeaderMap) -> ApiResult<Mode> {
    match headers.get(SCAN_MODE).map(HeaderValue::as_bytes) {
        None | Some(b"test") => Ok(Mode::Test),
        Some(b"live") => Ok(Mode::Live),
        Some(_) => Err(ApiError::field("Scan-Mode", "must be `test` or `live`")),
    }
}

/// Records the use of the session in the background. A failure does not affect the response.
fn touch(app: &App, session: &SessionRow, now: Timestamp) {
    let (db, session) = (app.db().clone(), session.clone());
    tokio::spawn(async move {
        if let Err(error) = sessions::touch(&db, &session, now).await {
            tracing::warn!(%error, session = %session.id.as_str(), "recording the use of a session failed");
        }
    });
}
