//! `POST /auth/send-confirmation` and `POST /auth/confirm-email`: confirms e-mail addresses.

use domain::{Secret, Timestamp, TokenPurpose};
use entities::{account_mail::MailKind, audit_log, user_tokens, users};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use warp::reply::{Json, WithStatus};

use super::mailed;
use crate::{
    App,
    console::SessionUser,
    http::{
        error::ApiResult,
        request::{Request, Trace},
    },
};

/// The token that was mailed to confirm an address.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Confirmation {
    /// The token.
    #[schema(value_type = String)]
    pub token: Secret,
}

pub(super) async fn send(app: App, session_user: SessionUser, _: Request) -> ApiResult<WithStatus<Json>> {
    let email = session_user.user.email;
    app.throttle("mail_email", &email, app.settings().console.mail_per_email).await?;
    mailed::request_mail(&app, MailKind::ConfirmEmail, email).await
}

pub(super) async fn confirm(app: App, mut request: Request) -> ApiResult<StatusCode> {
    let confirmation = request.json().await?;
    redeem(&app, &request.trace, confirmation).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Confirms the address that the token was mailed to. Used by the endpoint and the page.
pub(crate) async fn redeem(app: &App, trace: &Trace, confirmation: Confirmation) -> ApiResult<()> {
    super::throttle_address(app, trace, "mail", app.settings().console.mail_per_address).await?;
    let (token, now) = (mailed::token(&confirmation.token)?, Timestamp::now());
    let confirmed: entities::Result<bool> = app
        .db()
        .write(async |txn| {
            let redeemed = user_tokens::redeem(&txn, &token, TokenPurpose::ConfirmEmail, now).await?;
            let Some(user) = redeemed else { return Ok(false) };
            users::confirm_email(&txn, &user.id, now).await?;
            audit_log::append(&txn, super::own_action(&user, "user.email_confirmed"), now).await?;
            Ok(true)
        })
        .await;
    if confirmed? { Ok(()) } else { Err(mailed::invalid()) }
}
