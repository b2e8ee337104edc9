//! Requests for e-mails, and mailed tokens.

use domain::{ApiErrorCode, Secret, Timestamp, Token};
use entities::account_mail::{self, MailKind};
use http::StatusCode;
use serde::Serialize;
use serde_json::{Value, json};
use utoipa::ToSchema;
use warp::reply::{Json, WithStatus, with_status};

use crate::{
    App,
    http::error::{ApiError, ApiResult},
};

/// A request for an e-mail, which is sent if the address has an account.
#[derive(Debug, Serialize, ToSchema)]
pub struct MailRequest {
    /// Always `mail_request`.
    #[schema(pattern = "^mail_request$")]
    pub object: &'static str,
    /// The normalized address.
    pub email: String,
}

/// Queues an e-mail. The task that sends it looks up the address, so the response takes equally
/// long for unknown addresses.
pub(super) async fn request_mail(app: &App, kind: MailKind, email: String) -> ApiResult<WithStatus<Json>> {
    let now = Timestamp::now();
    let queued: entities::Result<()> =
        app.db().write(async |txn| account_mail::enqueue(&txn, kind, &email, now).await).await;
    queued?;
    Ok(accepted(email))
}

/// Responds that the request is accepted.
pub(super) fn accepted(email: String) -> WithStatus<Json> {
    let body = MailRequest { object: "mail_request", email };
    with_status(warp::reply::json(&body), StatusCode::ACCEPTED)
}

/// Parses a mailed token.
pub(super) fn token(text: &Secret) -> ApiResult<Token> {
    Token::parse(text.reveal().trim()).ok_or_else(invalid)
}

/// Returns the error for an unknown, used or expired token. The caller cannot tell which it is.
pub(super) fn invalid() -> ApiError {
    ApiError::new(ApiErrorCode::InvalidToken)
}

/// Example of a mail request.
pub(super) fn example() -> Value {
    json!({ "object": "mail_request", "email": "kim@example.com" })
}
