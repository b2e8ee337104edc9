//! `DELETE /auth/account`: closes and erases an account.

use domain::{AccountId, ApiErrorCode, Secret, Timestamp};
use entities::erasure;
use http::{StatusCode, header};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use warp::reply::{Reply, Response};

use crate::{
    App,
    console::{SessionUser, attempts, cookie},
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
    let client = request.trace.client;
    attempts::require_password(&app, client, &session_user.user, confirmation.password).await?;
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
