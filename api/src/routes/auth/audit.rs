//! `GET /auth/audit-log`.

use domain::{
    Mode, Timestamp,
    mode::Tenant,
    page::{Keyset, Page},
};
use entities::audit_log;
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;
use warp::reply::{Json, json};

use crate::{
    App,
    console::SessionUser,
    http::{error::ApiResult, request::Request},
};

/// An action in an account.
#[derive(Debug, Serialize, ToSchema)]
pub struct AuditEntry {
    /// Always `audit_entry`.
    #[schema(pattern = "^audit_entry$")]
    pub object: &'static str,
    /// Id of the user or key that acted, or `operator`.
    pub actor: String,
    /// Name of the action, for example `key.revoked`. New actions may be added.
    pub action: String,
    /// Id of the resource that it changed.
    pub subject: String,
    /// Details of the action.
    #[schema(value_type = Object)]
    pub detail: Value,
    /// Time of the action.
    pub at: Timestamp,
    /// IP address of the client that requested it, if it was a request.
    pub client_address: Option<String>,
    /// `User-Agent` of the client that requested it, or the operator's program.
    pub user_agent: Option<String>,
}

pub(super) async fn list(app: App, session_user: SessionUser, request: Request) -> ApiResult<Json> {
    // The log covers both modes, but a cursor is bound to one: always use test.
    let tenant = Tenant { account_id: session_user.account.id.0.clone(), mode: Mode::Test };
    let page = app.cursors().request("audit-log", &tenant, &request.query)?;
    let before = page.after.as_ref().and_then(|after| after.id.parse().ok());
    let rows = audit_log::list(app.db(), &tenant.account_id, before, u64::from(page.limit) + 1).await?;
    let rows = Page::from_overfetch(rows, page.limit, |row| Keyset::at(row.at.0, &row.id));
    let entries = rows.map(|row| AuditEntry {
        object: "audit_entry",
        actor: row.actor,
        action: row.action,
        subject: row.subject,
        detail: row.detail.0,
        at: row.at.0,
        client_address: row.client_address,
        user_agent: row.user_agent,
    });
    Ok(json(&app.cursors().list("audit-log", &tenant, entries)))
}
