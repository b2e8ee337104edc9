//! `/keys`: the API keys of an account.

pub mod shapes;
mod write;

use domain::{ApiErrorCode, KeyId, Timestamp};
use entities::{KeyRow, api_keys, key_uses};
use http::Method;
use serde_json::json;
use shapes::{Key, KeyChanges, KeyUse, NewKey, NewKeySecret, Roll};
use warp::reply::{Json, json};

use crate::{
    App,
    console::SessionUser,
    contract::{
        endpoint::{Endpoint, endpoint},
        examples::list_of,
    },
    http::{
        error::{ApiError, ApiResult},
        page::List,
        request::Request,
    },
};

/// The endpoints of this resource.
pub fn endpoints() -> Vec<Endpoint> {
    let not_active = &[ApiErrorCode::KeyNotActive];
    vec![
        endpoint(Method::GET, "/keys", "listKeys", "Console")
            .about("List API keys", "Newest first, including revoked keys.")
            .paged()
            .in_mode()
            .responds::<List<Key>>(200, "A page of keys.")
            .response_example(200, list_of(shapes::example()))
            .session(list),
        endpoint(Method::POST, "/keys", "createKey", "Console")
            .about("Create an API key", "Only this response contains the secret. An account can have at most 100 active keys, counting both modes.")
            .in_mode()
            .json_body::<NewKey>()
            .responds::<NewKeySecret>(201, "The key and its secret.")
            .errors(&[ApiErrorCode::ApiKeyLimit, ApiErrorCode::EmailNotConfirmed, ApiErrorCode::ReauthenticationRequired])
            .request_example(json!({
                "name": "Server", "scopes": ["spaces:read", "scans:read", "scans:write"], "monthly_cap_cents": 5000,
            }))
            .response_example(201, shapes::example_with_secret())
            .session(write::create),
        endpoint(Method::GET, "/keys/{id}", "getKey", "Console")
            .about("Get an API key", "")
            .in_mode()
            .responds::<Key>(200, "The key.")
            .response_example(200, shapes::example())
            .session(get),
        endpoint(Method::GET, "/keys/{id}/uses", "listKeyUses", "Console")
            .about("List the uses of an API key", "Requests by day, of the last 90 days with requests, newest first.")
            .in_mode()
            .responds::<List<KeyUse>>(200, "The days.")
            .response_example(200, list_of(json!({ "object": "key_use", "day": "2026-03-02", "requests": 1204 })))
            .session(uses),
        endpoint(Method::PATCH, "/keys/{id}", "updateKey", "Console")
            .about("Update an API key", "Omitted fields are unchanged.")
            .in_mode()
            .json_body::<KeyChanges>()
            .responds::<Key>(200, "The key.")
            .errors(not_active)
            .request_example(json!({ "monthly_cap_cents": 5000 }))
            .response_example(200, shapes::example())
            .session(write::update),
        endpoint(Method::POST, "/keys/{id}/roll", "rollKey", "Console")
            .about(
                "Replace an API key",
                "Creates a key with the same name, scopes, cap and expiry. The old key expires after the overlap.",
            )
            .in_mode()
            .optional_json_body::<Roll>()
            .responds::<NewKeySecret>(201, "The new key and its secret.")
            .errors(&[ApiErrorCode::KeyNotActive, ApiErrorCode::ApiKeyLimit, ApiErrorCode::EmailNotConfirmed, ApiErrorCode::ReauthenticationRequired])
            .request_example(json!({ "overlap_hours": 24 }))
            .response_example(201, shapes::example_with_secret())
            .session(write::roll),
        endpoint(Method::DELETE, "/keys/{id}", "revokeKey", "Console")
            .about("Revoke an API key", "Takes effect at once. Idempotent.")
            .in_mode()
            .responds_empty(204, "Revoked.")
            .session(write::revoke),
    ]
}

async fn list(app: App, session_user: SessionUser, request: Request) -> ApiResult<Json> {
    let tenant = session_user.tenant();
    let page = app.cursors().request("keys", &tenant, &request.query)?;
    let rows = api_keys::list(app.db(), &tenant, &page).await?;
    let mut keys = Vec::with_capacity(rows.rows.len());
    for row in rows.rows {
        keys.push(present(&app, row).await?);
    }
    let page = domain::page::Page { rows: keys, next: rows.next };
    Ok(json(&app.cursors().list("keys", &tenant, page)))
}

async fn get(app: App, session_user: SessionUser, request: Request) -> ApiResult<Json> {
    let id = request.id::<KeyId>("id")?;
    let row = api_keys::find(app.db(), &session_user.tenant(), &id).await?.ok_or_else(ApiError::not_found)?;
    Ok(json(&present(&app, row).await?))
}

/// Returns the key with its spending of this month.
/// Number of days in a list of uses.
const USE_DAYS: u64 = 90;

async fn uses(app: App, session_user: SessionUser, request: Request) -> ApiResult<Json> {
    let found = api_keys::find(app.db(), &session_user.tenant(), &request.id("id")?).await?;
    let key = found.ok_or_else(ApiError::not_found)?;
    let rows = key_uses::list(app.db(), &key.id, USE_DAYS).await?;
    let data = rows.into_iter().map(KeyUse::from).collect();
    Ok(json(&List { object: "list", data, next_cursor: None }))
}

async fn present(app: &App, row: KeyRow) -> ApiResult<Key> {
    let now = Timestamp::now();
    let spent = ledger::spent_by_key(app.db(), &row.tenant(), &row.id, now).await?;
    Ok(Key::new(row, spent, now))
}
