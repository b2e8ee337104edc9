//! `GET /me`: the user and the scopes of an API key.

use domain::{ApiErrorCode, KeyId, Mode, UserId, scope::Scope};
use entities::users;
use http::Method;
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;
use warp::reply::{Json, json};

use crate::{
    App,
    contract::endpoint::{Endpoint, endpoint},
    http::{
        auth::{Caller, Principal},
        error::{ApiError, ApiResult},
        request::Request,
    },
};

/// The user and the key of a request.
#[derive(Debug, Serialize, ToSchema)]
pub struct Me {
    /// The owner of the key.
    pub user: User,
    /// The key.
    pub key: Key,
}

/// The owner of an API key.
#[derive(Debug, Serialize, ToSchema)]
pub struct User {
    /// Prefix `usr_`.
    pub id: UserId,
    /// E-mail address.
    pub email: String,
    /// Set by the operator of the service.
    pub is_pro: bool,
}

/// An API key, without its secret.
#[derive(Debug, Serialize, ToSchema)]
pub struct Key {
    /// Prefix `key_`.
    pub id: KeyId,
    /// `test` keys act on test data only.
    pub mode: Mode,
    /// Its scopes.
    pub scopes: Vec<Scope>,
}

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    vec![
        endpoint(Method::GET, "/me", "getMe", "Account")
            .about("Get the owner and the scopes of the API key", "Accepts any key, regardless of its scopes.")
            .responds::<Me>(200, "The user and the key.")
            .response_example(200, json!({
                "user": { "id": "usr_01jd3x0000000000000000000a", "email": "kim@example.com", "is_pro": false },
                "key": { "id": "key_01jd3x0000000000000000000b", "mode": "test",
                    "scopes": ["spaces:read", "spaces:write", "scans:read", "scans:write"] },
            }))
            .key(None, me),
    ]
}

async fn me(app: App, caller: Caller, _: Request) -> ApiResult<Json> {
    // The user may have been erased since the key was read.
    let Principal::Key(key) = caller.principal else {
        return Err(ApiError::new(ApiErrorCode::Unauthenticated));
    };
    let invalid_key = || ApiError::new(ApiErrorCode::InvalidApiKey);
    let user = users::find(app.db(), &key.user_id).await?.ok_or_else(invalid_key)?;
    let user = User { id: user.id.0, email: user.email, is_pro: user.is_pro };
    let key = Key { id: key.id.0, mode: caller.tenant.mode, scopes: key.scopes.0 };
    Ok(json(&Me { user, key }))
}
