//! `/keys`: the API keys of an account, as its people see and change them.

pub mod shapes;
mod write;

use domain::{ApiErrorCode, KeyId, Timestamp};
use entities::{KeyRow, api_keys};
use http::Method;
use shapes::{Key, KeyChanges, NewKey, NewKeySecret, Roll};
use warp::reply::{Json, json};

use crate::{
    App,
    console::Visitor,
    contract::endpoint::{Endpoint, endpoint},
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
            .about("List API keys", "Newest first, the revoked ones among them.")
            .paged()
            .in_mode()
            .answers::<List<Key>>(200, "A page of keys.")
            .session(list),
        endpoint(Method::POST, "/keys", "createKey", "Console")
            .about("Make an API key", "Its secret is in this answer and never again.")
            .in_mode()
            .json_body::<NewKey>()
            .answers::<NewKeySecret>(201, "The key and its secret.")
            .session(write::create),
        endpoint(Method::GET, "/keys/{id}", "getKey", "Console")
            .about("Get an API key", "")
            .in_mode()
            .answers::<Key>(200, "The key.")
            .session(get),
        endpoint(Method::PATCH, "/keys/{id}", "updateKey", "Console")
            .about("Change an API key", "What is left out stays.")
            .in_mode()
            .json_body::<KeyChanges>()
            .answers::<Key>(200, "The key.")
            .errors(not_active)
            .session(write::update),
        endpoint(Method::POST, "/keys/{id}/roll", "rollKey", "Console")
            .about(
                "Replace an API key",
                "Makes a key with the same name, scopes, cap and end. The old one ends after the overlap.",
            )
            .in_mode()
            .optional_json_body::<Roll>()
            .answers::<NewKeySecret>(201, "The new key and its secret.")
            .errors(not_active)
            .session(write::roll),
        endpoint(Method::DELETE, "/keys/{id}", "revokeKey", "Console")
            .about("Revoke an API key", "At once; repeated, it changes nothing.")
            .in_mode()
            .answers_nothing(204, "Revoked.")
            .session(write::revoke),
    ]
}

async fn list(app: App, visitor: Visitor, request: Request) -> ApiResult<Json> {
    let tenant = visitor.tenant();
    let page = app.cursors().request("keys", &tenant, &request.query)?;
    let rows = api_keys::list(app.db(), &tenant, &page).await?;
    let mut keys = Vec::with_capacity(rows.rows.len());
    for row in rows.rows {
        keys.push(shown(&app, row).await?);
    }
    let page = domain::page::Page { rows: keys, next: rows.next };
    Ok(json(&app.cursors().list("keys", &tenant, page)))
}

async fn get(app: App, visitor: Visitor, request: Request) -> ApiResult<Json> {
    let id = request.id::<KeyId>("id")?;
    let row = api_keys::find(app.db(), &visitor.tenant(), &id).await?.ok_or_else(ApiError::not_found)?;
    Ok(json(&shown(&app, row).await?))
}

/// The key as it is answered, with what it spent this month.
async fn shown(app: &App, row: KeyRow) -> ApiResult<Key> {
    let now = Timestamp::now();
    let spent = ledger::spent_by_key(app.db(), &row.tenant(), &row.id, now).await?;
    Ok(Key::new(row, spent, now))
}
