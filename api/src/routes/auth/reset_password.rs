//! `POST /auth/forgot-password` and `POST /auth/reset-password`.
//!
//! A request for a reset gets the same response in the same time whether the address is known or
//! not: it is looked up later.
//!
//! A reset that confirms the address for the first time also revokes all keys and webhook endpoints:
//! anybody could have signed up with that address before its owner.

use domain::{Secret, Timestamp, TokenPurpose};
use entities::{
    UserRow, WriteTxn,
    account_mail::{self, MailKind},
    api_keys, audit_log, email_changes, sessions, user_tokens, users, webhook_endpoints,
};
use http::{HeaderValue, StatusCode, header};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;
use warp::reply::{Json, Reply, Response, WithStatus};

use super::{log_in, mailed};
use crate::{
    App,
    console::credentials,
    http::{
        error::{ApiError, ApiResult},
        request::{Request, Trace},
    },
};

/// A request to reset a password.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Forgotten)]
pub struct ResetRequest {
    /// E-mail address, case-insensitive.
    #[schema(schema_with = crate::contract::schema::email)]
    pub email: String,
}

/// A new password, with the mailed token.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Reset)]
pub struct PasswordReset {
    /// The token.
    #[schema(value_type = String)]
    pub token: Secret,
    /// The new password.
    #[schema(value_type = String, min_length = 10, max_length = 200)]
    pub password: Secret,
}

pub(super) async fn forgot(app: App, mut request: Request) -> ApiResult<WithStatus<Json>> {
    let reset_request = request.json().await?;
    request_link(&app, &request.trace, reset_request).await
}

/// Queues a mail with a link to reset the password. Used by the endpoint and the page.
pub(crate) async fn request_link(
    app: &App,
    trace: &Trace,
    reset_request: ResetRequest,
) -> ApiResult<WithStatus<Json>> {
    let limits = &app.settings().console;
    super::throttle_address(app, trace, "mail", limits.mail_per_address).await?;
    let email = users::normalize_email(&reset_request.email);
    ApiError::reject_invalid([credentials::email(&email)])?;
    // Over the limit, as many links as it allows were mailed in the last hour, and each is valid for an
    // hour. A refusal would let a stranger keep the user from asking.
    if app.throttle("reset_email", &email, limits.mail_per_email).await.is_err() {
        return Ok(mailed::accepted(email));
    }
    mailed::request_mail(app, MailKind::ResetPassword, email).await
}

pub(super) async fn reset(app: App, mut request: Request) -> ApiResult<Response> {
    let new_password = request.json().await?;
    let cookie = redeem(&app, &request.trace, new_password).await?;
    let mut response = StatusCode::NO_CONTENT.into_response();
    if let Some(cookie) = cookie {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    Ok(response)
}

/// Sets the password of the user that the token was mailed to, and logs the user in: returns the
/// cookie of a new session. Used by the endpoint and the page. If the password is refused, the token
/// stays valid.
pub(crate) async fn redeem(
    app: &App,
    trace: &Trace,
    new_password: PasswordReset,
) -> ApiResult<Option<HeaderValue>> {
    let purpose = TokenPurpose::ResetPassword;
    let holder = match mailed::token(&new_password.token) {
        Ok(token) => {
            user_tokens::holder(app.db(), &token, purpose, Timestamp::now()).await?.map(|user| (token, user))
        }
        Err(_) => None,
    };
    // Only guesses count: a link works, however many requests came from the same address.
    let Some((token, user)) = holder else {
        super::throttle_address(app, trace, "mail", app.settings().console.mail_per_address).await?;
        return Err(mailed::invalid());
    };
    ApiError::reject_invalid([credentials::password(new_password.password.reveal(), &user.email)])?;
    let password_hash = app.passwords().hash(new_password.password).await?;
    let now = Timestamp::now();
    let changed: entities::Result<Option<UserRow>> = app
        .db()
        .write(async |txn| {
            let Some(user) = user_tokens::redeem(&txn, &token, purpose, now).await? else { return Ok(None) };
            email_changes::end_all(&txn, &user.id, now).await?;
            users::set_password(&txn, &user.id, &password_hash).await?;
            if user.email_confirmed_at.is_none() {
                // The token proves that mail reaches the user, and nothing proved before that the same
                // person had signed up.
                users::confirm_email(&txn, &user.id, now).await?;
                revoke_access(&txn, &user, now).await?;
            }
            sessions::revoke_all(&txn, &user.id, now).await?;
            account_mail::enqueue(&txn, MailKind::PasswordChanged, &user.email, now).await?;
            audit_log::append(&txn, super::own_action(&user, "user.password_reset"), now).await?;
            Ok(Some(UserRow { password_hash: Some(password_hash.clone()), ..user }))
        })
        .await;
    let user = changed?.ok_or_else(mailed::invalid)?;
    Ok(log_in::open(app, &user).await?.and_then(|(_, cookie)| cookie))
}

/// Revokes every key and deletes every webhook endpoint of an account whose address was never
/// confirmed, so that a stranger who signed up with somebody else's address keeps no access.
async fn revoke_access(txn: &WriteTxn, user: &UserRow, now: Timestamp) -> entities::Result<()> {
    let keys = api_keys::revoke_all(txn, &user.account_id, now).await?;
    let endpoints = webhook_endpoints::delete_all(txn, &user.account_id, now).await?;
    if keys + endpoints == 0 {
        return Ok(());
    }
    let detail = json!({ "keys": keys, "webhook_endpoints": endpoints });
    let entry = super::own_action(user, "account.access_revoked");
    audit_log::append(txn, audit_log::NewEntry { detail, ..entry }, now).await
}
