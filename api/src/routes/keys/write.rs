//! Creates, updates, rolls and revokes keys, each with an entry in the audit log.

use std::time::Duration;

use domain::{ApiErrorCode, KeyId, Timestamp, key::KeySecret};
use entities::{Json as Column, KeyRow, Transient, WriteTxn, api_keys, audit_log};
use http::StatusCode;
use serde_json::{Value, json};
use warp::reply::{Json, WithStatus, with_status};

use super::{
    present,
    shapes::{KeyChanges, NewKey, NewKeySecret, Roll},
};
use crate::{
    App,
    console::SessionUser,
    http::{
        error::{ApiError, ApiResult},
        request::Request,
    },
};

/// Error of a change.
#[derive(Debug, thiserror::Error)]
enum ChangeError {
    #[error(transparent)]
    Store(#[from] entities::Error),
    #[error("no such key")]
    NotFound,
    #[error("the key is revoked or expired")]
    NotActive,
    #[error("the account has too many active keys")]
    LimitReached,
}

impl Transient for ChangeError {
    fn is_transient(&self) -> bool {
        matches!(self, ChangeError::Store(error) if error.is_transient())
    }
}

impl From<ChangeError> for ApiError {
    fn from(error: ChangeError) -> Self {
        match error {
            ChangeError::Store(error) => error.into(),
            ChangeError::NotFound => ApiError::not_found(),
            ChangeError::NotActive => ApiError::new(ApiErrorCode::KeyNotActive),
            ChangeError::LimitReached => ApiError::new(ApiErrorCode::ApiKeyLimit),
        }
    }
}

pub(super) async fn create(
    app: App,
    session_user: SessionUser,
    mut request: Request,
) -> ApiResult<WithStatus<Json>> {
    session_user.require_for_live_key(&app)?;
    let new: NewKey = request.json().await?;
    let now = Timestamp::now();
    new.validate(now)?;
    let secret = KeySecret::generate(session_user.mode);
    let row = KeyRow {
        id: KeyId::new().into(),
        account_id: session_user.account.id.clone(),
        user_id: session_user.user.id.clone(),
        livemode: session_user.mode.livemode(),
        name: new.name.trim().to_owned(),
        hint: secret.hint().to_owned(),
        secret_hash: secret.hash(),
        scopes: Column(new.scopes),
        monthly_cap_cents: new.monthly_cap_cents,
        last_used_at: None,
        expires_at: new.expires_at.map(Into::into),
        revoked_at: None,
        created_at: now.into(),
    };
    let written: Result<(), ChangeError> = app
        .db()
        .write(async |txn| {
            if api_keys::is_limit_reached(&txn, &row.account_id, now).await? {
                return Err(ChangeError::LimitReached);
            }
            api_keys::insert(&txn, &row).await?;
            Ok(append_audit_entry(&txn, &session_user, "key.created", &row.id, audit_detail(&row), now)
                .await?)
        })
        .await;
    written?;
    created_response(&app, row, &secret).await
}

pub(super) async fn update(app: App, session_user: SessionUser, mut request: Request) -> ApiResult<Json> {
    let id = request.id::<KeyId>("id")?;
    let changes: KeyChanges = request.json().await?;
    changes.validate()?;
    let change = api_keys::KeyChange {
        name: changes.name.map(|name| name.trim().to_owned()),
        scopes: changes.scopes,
        monthly_cap_cents: changes.monthly_cap_cents,
    };
    let (now, tenant) = (Timestamp::now(), session_user.tenant());
    let changed: Result<KeyRow, ChangeError> = app
        .db()
        .write(async |txn| {
            let row = api_keys::change(&txn, &tenant, &id, &change).await?.ok_or(ChangeError::NotFound)?;
            if !row.is_active(now) {
                return Err(ChangeError::NotActive); // Rolls the change back.
            }
            append_audit_entry(&txn, &session_user, "key.changed", &id, audit_detail(&row), now).await?;
            Ok(row)
        })
        .await;
    Ok(warp::reply::json(&present(&app, changed?).await?))
}

pub(super) async fn roll(
    app: App,
    session_user: SessionUser,
    mut request: Request,
) -> ApiResult<WithStatus<Json>> {
    let id = request.id::<KeyId>("id")?;
    session_user.require_for_live_key(&app)?;
    let roll: Roll = request.json_or_default().await?;
    roll.validate()?;
    let (now, tenant) = (Timestamp::now(), session_user.tenant());
    let overlap_ends = now.plus(Duration::from_secs(u64::from(roll.overlap_hours) * 3_600));
    let (new_id, secret) = (KeyId::new(), KeySecret::generate(session_user.mode));
    let rolled: Result<KeyRow, ChangeError> = app
        .db()
        .write(async |txn| {
            let limit_reached = api_keys::is_limit_reached(&txn, &tenant.account_id, now).await?;
            let old = api_keys::find(&txn, &tenant, &id).await?.ok_or(ChangeError::NotFound)?;
            if !old.is_active(now) {
                return Err(ChangeError::NotActive);
            }
            if limit_reached {
                return Err(ChangeError::LimitReached);
            }
            let ends = old.expires_at.map_or(overlap_ends, |end| end.0.min(overlap_ends));
            api_keys::expire_at(&txn, &tenant, &id, ends).await?;
            let row = KeyRow {
                id: new_id.clone().into(),
                user_id: session_user.user.id.clone(),
                hint: secret.hint().to_owned(),
                secret_hash: secret.hash(),
                last_used_at: None,
                created_at: now.into(),
                ..old
            };
            api_keys::insert(&txn, &row).await?;
            let detail = json!({ "new_key": new_id.as_str(), "overlap_hours": roll.overlap_hours });
            append_audit_entry(&txn, &session_user, "key.rolled", &id, detail, now).await?;
            Ok(row)
        })
        .await;
    created_response(&app, rolled?, &secret).await
}

pub(super) async fn revoke(app: App, session_user: SessionUser, request: Request) -> ApiResult<StatusCode> {
    let id = request.id::<KeyId>("id")?;
    let (now, tenant) = (Timestamp::now(), session_user.tenant());
    let revoked: Result<(), ChangeError> = app
        .db()
        .write(async |txn| {
            let key = api_keys::find(&txn, &tenant, &id).await?.ok_or(ChangeError::NotFound)?;
            if key.revoked_at.is_none() {
                api_keys::revoke(&txn, &tenant, &id, now).await?;
                append_audit_entry(&txn, &session_user, "key.revoked", &id, json!({}), now).await?;
            }
            Ok(())
        })
        .await;
    revoked?;
    Ok(StatusCode::NO_CONTENT)
}

async fn created_response(app: &App, row: KeyRow, secret: &KeySecret) -> ApiResult<WithStatus<Json>> {
    let body = NewKeySecret::new(present(app, row).await?, secret);
    Ok(with_status(warp::reply::json(&body), StatusCode::CREATED))
}

/// Returns the fields of a key for the audit log.
fn audit_detail(row: &KeyRow) -> Value {
    json!({ "name": row.name, "scopes": row.scopes.0, "monthly_cap_cents": row.monthly_cap_cents, "livemode": row.livemode })
}

async fn append_audit_entry(
    txn: &WriteTxn,
    session_user: &SessionUser,
    action: &str,
    key: &KeyId,
    detail: Value,
    now: Timestamp,
) -> entities::Result<()> {
    let (account_id, actor) = (&session_user.account.id.0, session_user.user.id.as_str());
    audit_log::append(
        txn,
        audit_log::NewEntry { account_id, actor, action, subject: key.as_str(), detail },
        now,
    )
    .await
}
