//! `POST /auth/forgot-password`, `POST /auth/reset-password`: another password, by mail.
//!
//! Asking is answered alike, and as fast, whether anyone has the address: nobody looks it up then.

use domain::{Secret, Timestamp, TokenPurpose};
use entities::{
    account_mail::{self, Letter},
    audit_log, sessions, user_tokens, users,
};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use warp::reply::{Json, WithStatus};

use super::mailed;
use crate::{
    App,
    console::credentials,
    error::{ApiError, ApiResult},
    request::{Request, Trace},
};

/// Who forgot their password.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Forgotten {
    /// In whatever case.
    #[schema(schema_with = crate::schema::email)]
    pub email: String,
}

/// Another password, and what was mailed to choose it by.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Reset {
    /// The token.
    #[schema(value_type = String)]
    pub token: Secret,
    /// To log in with from now on.
    #[schema(value_type = String, min_length = 10, max_length = 200)]
    pub password: Secret,
}

pub(super) async fn forgot(app: App, mut request: Request) -> ApiResult<WithStatus<Json>> {
    let given = request.json().await?;
    ask(&app, &request.trace, given).await
}

/// Has a link mailed, if anyone has the address; for the endpoint and for the page.
pub(crate) async fn ask(app: &App, trace: &Trace, given: Forgotten) -> ApiResult<WithStatus<Json>> {
    let limits = &app.settings().console;
    super::throttle_address(app, trace, "mail", limits.mail_per_address).await?;
    let email = users::normal_email(&given.email);
    ApiError::unless_well([credentials::email(&email)])?;
    app.throttle("mail_email", &email, limits.mail_per_email).await?;
    mailed::promise(app, Letter::ResetPassword, email).await
}

pub(super) async fn reset(app: App, mut request: Request) -> ApiResult<StatusCode> {
    let given = request.json().await?;
    redeem(&app, &request.trace, given).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Sets the password of the user that the token was mailed to; for the endpoint and for the page. A password
/// that is refused leaves the token good.
pub(crate) async fn redeem(app: &App, trace: &Trace, given: Reset) -> ApiResult<()> {
    super::throttle_address(app, trace, "mail", app.settings().console.mail_per_address).await?;
    let purpose = TokenPurpose::ResetPassword;
    let token = mailed::token(&given.token)?;
    let user = user_tokens::holder(app.db(), &token, purpose, Timestamp::now()).await?;
    let user = user.ok_or_else(mailed::invalid)?;
    ApiError::unless_well([credentials::password(given.password.reveal(), &user.email)])?;
    let password_hash = app.passwords().hash(given.password).await?;
    let now = Timestamp::now();
    let changed: entities::Result<bool> = app
        .db()
        .write(async |txn| {
            let Some(user) = user_tokens::redeem(&txn, &token, purpose, now).await? else { return Ok(false) };
            users::set_password(&txn, &user.id, &password_hash).await?;
            if user.email_confirmed_at.is_none() {
                // Who has the token reads the mail.
                users::confirm_email(&txn, &user.id, now).await?;
            }
            sessions::revoke_all(&txn, &user.id, now).await?;
            account_mail::enqueue(&txn, Letter::PasswordChanged, &user.email, now).await?;
            audit_log::append(&txn, super::own_action(&user, "user.password_reset"), now).await?;
            Ok(true)
        })
        .await;
    if changed? { Ok(()) } else { Err(mailed::invalid()) }
}
