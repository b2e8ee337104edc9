//! Changes of password and e-mail address by a logged-in user. Both require the password; a new
//! address counts once its owner has confirmed it.

use domain::{Secret, Timestamp, TokenPurpose};
use entities::{
    account_mail::{self, MailKind},
    audit_log, email_changes, sessions, user_tokens, users,
};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use warp::reply::{Json, WithStatus};

use super::{confirm_email::Confirmation, mailed};
use crate::{
    App,
    console::{SessionUser, attempts, credentials},
    http::{
        error::{ApiError, ApiResult},
        request::{Request, Trace},
    },
};

/// The password, entered again.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasswordConfirmation {
    /// The user's password.
    #[schema(value_type = String)]
    pub password: Secret,
}

/// A new password.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PasswordChange {
    /// The current password.
    #[schema(value_type = String)]
    pub password: Secret,
    /// The new password.
    #[schema(value_type = String, min_length = 10, max_length = 200)]
    pub new_password: Secret,
}

/// A new e-mail address.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct EmailChange {
    /// The user's password.
    #[schema(value_type = String)]
    pub password: Secret,
    /// The new address.
    #[schema(schema_with = crate::contract::schema::email)]
    pub email: String,
}

/// Changes the password, and ends all other sessions and all mailed links.
pub(super) async fn password(
    app: App,
    session_user: SessionUser,
    mut request: Request,
) -> ApiResult<StatusCode> {
    let change: PasswordChange = request.json().await?;
    let SessionUser { user, session, .. } = &session_user;
    let invalid = credentials::password(change.new_password.reveal(), &user.email);
    ApiError::reject_invalid([invalid.map(|mut error| {
        error.field = "new_password".to_owned();
        error
    })])?;
    attempts::require_password(&app, request.trace.client, user, change.password).await?;
    let hash = app.passwords().hash(change.new_password).await?;
    let now = Timestamp::now();
    let changed: entities::Result<bool> = app
        .db()
        .write(async |txn| {
            // Another request changed the password after the check.
            let current = users::lock(&txn, &user.id).await?;
            if current.is_none_or(|current| current.password_hash != user.password_hash) {
                return Ok(false);
            }
            users::set_password(&txn, &user.id, &hash).await?;
            sessions::revoke_others(&txn, &user.id, &session.id, now).await?;
            sessions::set_authenticated(&txn, &session.id, now).await?;
            user_tokens::end_all(&txn, &user.id, TokenPurpose::ResetPassword, now).await?;
            email_changes::end_all(&txn, &user.id, now).await?;
            account_mail::enqueue(&txn, MailKind::PasswordChanged, &user.email, now).await?;
            audit_log::append(&txn, super::own_action(user, "user.password_changed"), now).await?;
            Ok(true)
        })
        .await;
    if changed? { Ok(StatusCode::NO_CONTENT) } else { Err(attempts::wrong_password()) }
}

/// Mails a link to the new address. The response is the same if the address has an account.
pub(super) async fn email(
    app: App,
    session_user: SessionUser,
    mut request: Request,
) -> ApiResult<WithStatus<Json>> {
    let change: EmailChange = request.json().await?;
    let user = &session_user.user;
    let email = users::normalize_email(&change.email);
    ApiError::reject_invalid([credentials::email(&email)])?;
    attempts::require_password(&app, request.trace.client, user, change.password).await?;
    let limit = app.settings().console.mail_per_email;
    app.throttle("mail_email", &email, limit).await?;
    app.throttle("email_changes", user.id.as_str(), limit).await?;
    let now = Timestamp::now();
    let queued: entities::Result<()> = app
        .db()
        .write(async |txn| {
            entities::accounts::require_open(&txn, &user.account_id).await?;
            account_mail::enqueue_to(&txn, MailKind::ChangeEmail, &user.id, &email, now).await?;
            audit_log::append(&txn, super::own_action(user, "user.email_change_requested"), now).await
        })
        .await;
    queued?;
    Ok(mailed::accepted(email))
}

pub(super) async fn confirm_email_change(app: App, mut request: Request) -> ApiResult<StatusCode> {
    let confirmation = request.json().await?;
    redeem(&app, &request.trace, confirmation).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Changes the address of the user to the one that the token was mailed to, and reports it to the old
/// one. Used by the endpoint and the page.
pub(crate) async fn redeem(app: &App, trace: &Trace, confirmation: Confirmation) -> ApiResult<()> {
    super::throttle_address(app, trace, "mail", app.settings().console.mail_per_address).await?;
    let (token, now) = (mailed::token(&confirmation.token)?, Timestamp::now());
    let changed: entities::Result<bool> = app
        .db()
        .write(async |txn| {
            let Some((old, _)) = email_changes::redeem(&txn, &token, now).await? else { return Ok(false) };
            for purpose in TokenPurpose::ALL {
                user_tokens::end_all(&txn, &old.id, purpose, now).await?;
            }
            account_mail::enqueue_to(&txn, MailKind::EmailChanged, &old.id, &old.email, now).await?;
            audit_log::append(&txn, super::own_action(&old, "user.email_changed"), now).await?;
            Ok(true)
        })
        .await;
    if changed? { Ok(()) } else { Err(mailed::invalid()) }
}
