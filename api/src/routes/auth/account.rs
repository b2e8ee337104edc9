//! `DELETE /auth/account`: closes and erases an account.

use domain::{AccountId, ApiErrorCode, Secret, Timestamp};
use entities::erasure;
use http::{StatusCode, header};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use warp::reply::{Reply, Response};

use crate::{
    App,
    console::{SessionUser, cookie},
    http::{
        error::{ApiError, ApiResult},
        request::Request,
    },
};

/// Confirmation of an account deletion.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = Farewell)]
pub struct AccountDeletion {
    /// The user's password.
    #[schema(value_type = String)]
    pub password: Secret,
}

/// A closed account, whose data is being deleted.
#[derive(Debug, Serialize, ToSchema)]
pub struct ClosedAccount {
    /// Always `closed_account`.
    #[schema(pattern = "^closed_account$")]
    pub object: &'static str,
    /// Prefix `acc_`.
    pub id: AccountId,
    /// Time when it was closed.
    pub closed_at: Timestamp,
}

pub(super) async fn delete(app: App, session_user: SessionUser, mut request: Request) -> ApiResult<Response> {
    let confirmation: AccountDeletion = request.json().await?;
    let email = &session_user.user.email;
    app.throttle("log_in_email", email, app.settings().console.log_in_per_email).await?;
    if !app.passwords().verify(confirmation.password, session_user.user.password_hash.clone()).await? {
        return Err(ApiError::new(ApiErrorCode::InvalidCredentials));
    }
    let (id, closed_at) = (session_user.account.id.0, Timestamp::now());
    let closed: entities::Result<bool> =
        app.db().write(async |txn| erasure::close(&txn, &id, closed_at).await).await;
    // A concurrent request closed the account, which ended this session.
    if !closed? {
        return Err(ApiError::new(ApiErrorCode::Unauthenticated));
    }
    let body = warp::reply::json(&ClosedAccount { object: "closed_account", id, closed_at });
    let mut response = warp::reply::with_status(body, StatusCode::ACCEPTED).into_response();
    if let Some(cookie) = cookie::clear(&app.settings().public_url) {
        response.headers_mut().insert(header::SET_COOKIE, cookie);
    }
    Ok(response)
}
