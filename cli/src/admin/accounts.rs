//! Commands on accounts and users.

use anyhow::Context;
use domain::{Timestamp, money::FREE_SCANS};
use entities::{Db, accounts, audit_log, users};
use serde_json::{Value, json};

/// Creates an account with its first user and free scans. The operator vouches for the address, so it
/// counts as confirmed.
pub(super) async fn create(db: &Db, email: &str, name: &str) -> anyhow::Result<Value> {
    let now = Timestamp::now();
    let new = accounts::NewAccount {
        name: name.to_owned(),
        email: email.to_owned(),
        password_hash: None,
        email_confirmed_at: Some(now),
    };
    let created = db
        .write(async |txn| -> ledger::Result<_> {
            let Some((account, user)) = accounts::create(&txn, &new, now).await? else { return Ok(None) };
            ledger::open_wallets(&txn, &account.id, FREE_SCANS, now).await?;
            let entry =
                super::operator_action(&account.id, "account.created", account.id.as_str(), json!({}));
            audit_log::append(&txn, entry, now).await?;
            Ok(Some((account, user)))
        })
        .await?;
    let (account, user) = created.with_context(|| format!("{email} already has an account"))?;
    Ok(json!({ "account_id": account.id.0, "user_id": user.id.0 }))
}

/// Sets or clears a user's `is_pro` flag.
pub(super) async fn set_pro(db: &Db, email: &str, pro: bool) -> anyhow::Result<Value> {
    let user =
        users::find_by_email(db, email).await?.with_context(|| format!("no user has the address {email}"))?;
    db.write(async |txn| -> entities::Result<()> {
        users::set_pro(&txn, &user.id, pro).await?;
        let detail = json!({ "is_pro": pro });
        let entry = super::operator_action(&user.account_id, "user.pro_changed", user.id.as_str(), detail);
        audit_log::append(&txn, entry, Timestamp::now()).await
    })
    .await?;
    Ok(json!({ "user_id": user.id.0, "is_pro": pro }))
}
