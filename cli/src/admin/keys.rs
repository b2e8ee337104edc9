//! Commands on API keys.

use anyhow::{Context, bail};
use domain::{KeyId, Timestamp, key::KeySecret, money::Cents, scope::Scope};
use entities::{Db, Json, KeyRow, Tenant, Text, api_keys, audit_log, users};
use serde_json::{Value, json};

/// Creates an API key. No scopes means all scopes.
pub(super) async fn create(
    db: &Db,
    tenant: &Tenant,
    scopes: Vec<Scope>,
    monthly_cap_cents: Option<Cents>,
    name: &str,
) -> anyhow::Result<Value> {
    let owners = users::of_account(db, &tenant.account_id).await?;
    let owner =
        owners.first().with_context(|| format!("the account {} does not exist", tenant.account_id))?;
    let secret = KeySecret::generate(tenant.mode);
    let key = KeyRow {
        id: KeyId::new().into(),
        account_id: Text::from(&tenant.account_id),
        user_id: owner.id.clone(),
        livemode: tenant.mode.livemode(),
        name: name.to_owned(),
        hint: secret.hint().to_owned(),
        secret_hash: secret.hash(),
        scopes: Json(if scopes.is_empty() { Scope::ALL.to_vec() } else { scopes }),
        monthly_cap_cents,
        last_used_at: None,
        expires_at: None,
        revoked_at: None,
        created_at: Timestamp::now().into(),
    };
    db.write(async |txn| -> entities::Result<()> {
        api_keys::insert(&txn, &key).await?;
        let detail = json!({ "name": key.name, "scopes": key.scopes.0, "livemode": key.livemode });
        let entry = super::operator_action(&tenant.account_id, "key.created", key.id.as_str(), detail);
        audit_log::append(&txn, entry, key.created_at.0).await
    })
    .await?;
    Ok(json!({ "key_id": key.id.0, "mode": tenant.mode, "secret": secret.reveal() }))
}

/// Revokes an API key.
pub(super) async fn revoke(db: &Db, tenant: &Tenant, key: KeyId) -> anyhow::Result<Value> {
    let now = Timestamp::now();
    let revoked = db
        .write(async |txn| -> entities::Result<bool> {
            if !api_keys::revoke(&txn, tenant, &key, now).await? {
                return Ok(false);
            }
            let entry = super::operator_action(&tenant.account_id, "key.revoked", key.as_str(), json!({}));
            audit_log::append(&txn, entry, now).await?;
            Ok(true)
        })
        .await?;
    if !revoked {
        bail!("the account has no key {key} in {} mode", tenant.mode.as_str());
    }
    Ok(json!({ "key_id": key, "revoked": true }))
}
