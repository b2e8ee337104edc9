//! `POST /auth/log-in`.
//!
//! An unknown address, a wrong password and a user without a password get the same response after
//! the same time.

use domain::{ApiErrorCode, Secret, Timestamp, Token};
use entities::{SessionRow, UserRow, accounts, audit_log, client, sessions, users};
use http::{HeaderValue, header};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use utoipa::ToSchema;
use warp::reply::{Reply, Response};

use super::session::Session;
use crate::{
    App,
    console::{attempts, cookie, credentials},
    http::{
        error::{ApiError, ApiResult},
        request::{Request, Trace},
    },
};

/// Credentials of a user.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Credentials {
    /// E-mail address, case-insensitive.
    pub email: String,
    /// Password.
    #[schema(value_type = String)]
    pub password: Secret,
}

pub(super) async fn log_in(app: App, mut request: Request) -> ApiResult<Response> {
    let limits = &app.settings().console;
    super::throttle_address(&app, &request.trace, "log_in", limits.log_in_per_address).await?;
    let credentials: Credentials = request.json().await?;
    let user = match verify_credentials(&app, &request.trace, &credentials).await? {
        Some(user) => user,
        None => return Err(ApiError::new(ApiErrorCode::InvalidCredentials)),
    };
    // `None` if the password changed in the meantime.
    let opened = open(&app, &user).await?;
    let (session, cookie) = opened.ok_or_else(|| ApiError::new(ApiErrorCode::InvalidCredentials))?;
    let account = accounts::find(app.db(), &user.account_id).await?;
    let account = account.ok_or_else(|| ApiError::internal("the user has no account"))?;
    let _ = request.trace.account.set(account.id.0.clone());
    let mut response = warp::reply::json(&Session::new(&session, &user, &account)).into_response();
    if let Some(cookie) = cookie {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

/// Returns the user with this address and password.
async fn verify_credentials(
    app: &App,
    trace: &Trace,
    credentials: &Credentials,
) -> ApiResult<Option<UserRow>> {
    let email = users::normalize_email(&credentials.email);
    let password = credentials.password.clone();
    let too_long = password.reveal().chars().count() > credentials::MAX_PASSWORD;
    if too_long || credentials::email(&email).is_some() {
        // No user matches, but the response must take as long.
        app.passwords().verify(Secret::default(), None).await?;
        return Ok(None);
    }
    let user = users::find_by_email(app.db(), &email).await?;
    if attempts::check_password(app, trace.client, &email, user.as_ref(), password).await? {
        return Ok(user);
    }
    if let Some(user) = user {
        record_failure(app, &user);
    }
    Ok(None)
}

/// Opens a session and returns it with its cookie, unless the user's password has changed: a password reset must also end a
/// session that starts at the same time.
pub(super) async fn open(app: &App, user: &UserRow) -> ApiResult<Option<(SessionRow, Option<HeaderValue>)>> {
    let settings = &app.settings().console;
    let secret = Token::generate();
    let (now, lifetime, max_sessions) =
        (Timestamp::now(), settings.session_lifetime(), settings.max_sessions);
    let opened = app
        .db()
        .write(async |txn| {
            let current = users::lock(&txn, &user.id).await?;
            if current.is_none_or(|current| current.password_hash != user.password_hash) {
                return Ok(None);
            }
            let session = sessions::open(&txn, &user.id, &secret, lifetime, now).await?;
            sessions::revoke_oldest(&txn, &user.id, max_sessions, now).await?;
            let detail = json!({ "session": session.id.as_str() });
            audit_log::append(&txn, entry(user, "user.logged_in", detail), now).await?;
            Ok::<_, entities::Error>(Some(session))
        })
        .await;
    let cookie = || cookie::set(&secret, lifetime, &app.settings().public_url);
    Ok(opened?.map(|session| (session, cookie())))
}

/// Records a failed log-in in the background, so that the response takes as long as for unknown
/// users.
fn record_failure(app: &App, user: &UserRow) {
    let (db, user, now) = (app.db().clone(), user.clone(), Timestamp::now());
    tokio::spawn(client::acting_for(client::current(), async move {
        let recorded: entities::Result<()> = db
            .write(async |txn| {
                audit_log::append(&txn, entry(&user, "user.log_in_failed", json!({})), now).await
            })
            .await;
        if let Err(error) = recorded {
            tracing::warn!(%error, user = %user.id.as_str(), "recording a failed log-in failed");
        }
    }));
}

fn entry<'a>(user: &'a UserRow, action: &'a str, detail: Value) -> audit_log::NewEntry<'a> {
    let (account_id, actor) = (&user.account_id.0, user.id.as_str());
    audit_log::NewEntry { account_id, actor, action, subject: actor, detail }
}
