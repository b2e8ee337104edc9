//! What is asked for by mail, and tokens that came by it.

use domain::{ApiErrorCode, Secret, Timestamp, Token};
use entities::account_mail::{self, Letter};
use http::StatusCode;
use serde::Serialize;
use utoipa::ToSchema;
use warp::reply::{Json, WithStatus, with_status};

use crate::{
    App,
    error::{ApiError, ApiResult},
};

/// A message that will be mailed, if the address is one to mail it to.
#[derive(Debug, Serialize, ToSchema)]
pub struct MailRequest {
    /// Always `mail_request`.
    #[schema(pattern = "^mail_request$")]
    pub object: &'static str,
    /// The address, as it is kept.
    pub email: String,
}

/// Promises a message. Whether anyone has the address is looked up by who mails it, later.
pub(super) async fn promise(app: &App, letter: Letter, email: String) -> ApiResult<WithStatus<Json>> {
    let now = Timestamp::now();
    let promised: entities::Result<()> =
        app.db().write(async |txn| account_mail::enqueue(&txn, letter, &email, now).await).await;
    promised?;
    let answer = MailRequest { object: "mail_request", email };
    Ok(with_status(warp::reply::json(&answer), StatusCode::ACCEPTED))
}

/// Reads what was mailed.
pub(super) fn token(given: &Secret) -> ApiResult<Token> {
    Token::parse(given.reveal().trim()).ok_or_else(invalid)
}

/// The token is of no one, was used, or is out of time: which, no one is told.
pub(super) fn invalid() -> ApiError {
    ApiError::new(ApiErrorCode::InvalidToken)
}
