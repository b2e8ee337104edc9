//! Webhook endpoints: URLs that receive a tenant's events.

use domain::{
    AccountId, Timestamp, WebhookEndpointId,
    event::EventType,
    mode::Tenant,
    page::{Keyset, Page, PageRequest},
};
use sea_orm::{PaginatorTrait, QueryOrder, QuerySelect, entity::prelude::*, sea_query::LockType};

use crate::{
    Json, Millis, Reader, Result, Text, WriteTxn, accounts, scans::Idempotency, table, table::TenantOwned,
};

/// Maximum number of endpoints of an account, over both modes.
pub const MAX_ENDPOINTS: u64 = 10;

/// An endpoint.
#[derive(Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "webhook_endpoints")]
pub struct Model {
    /// Prefix `whe_`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Text<WebhookEndpointId>,
    /// The owning account.
    pub account_id: Text<AccountId>,
    /// Whether it receives live events.
    pub livemode: bool,
    /// URL that receives the requests.
    pub url: String,
    /// Description by the owner.
    pub description: Option<String>,
    /// Subscribed event types.
    pub events: Json<Vec<EventType>>,
    /// Encrypted signing secret.
    pub secret_ciphertext: String,
    /// Encrypted secret before the last rotation.
    pub previous_secret_ciphertext: Option<String>,
    /// Time until which requests are also signed with the previous secret.
    pub previous_secret_expires_at: Option<Millis>,
    /// Whether it receives events.
    pub enabled: bool,
    /// Reason why it was disabled.
    pub disabled_reason: Option<String>,
    /// Number of failed deliveries since the last success.
    pub consecutive_failures: i64,
    /// Creation time.
    pub created_at: Millis,
    /// Time of the last change by its owner.
    pub updated_at: Millis,
    /// Time of deletion. Finders never return deleted endpoints.
    pub deleted_at: Option<Millis>,
    /// The `Idempotency-Key` of the request that created it.
    pub idempotency_key: Option<String>,
    /// Hash of the request with that key.
    pub request_hash: Option<String>,
}

no_relations!();
tenant_owned!();

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Endpoint").field("id", &self.id).field("url", &self.url).finish_non_exhaustive()
    }
}

impl Model {
    /// Returns the encrypted previous secret while requests are also signed with it.
    pub fn retiring_secret(&self, now: Timestamp) -> Option<&str> {
        self.previous_secret_expires_at.filter(|until| until.0 > now)?;
        self.previous_secret_ciphertext.as_deref()
    }
}

/// An endpoint to add, with a vetted URL.
#[derive(Clone)]
pub struct NewEndpoint {
    /// Id of the endpoint. The secret may be encrypted for this id.
    pub id: WebhookEndpointId,
    /// URL that receives the requests.
    pub url: String,
    /// Description.
    pub description: Option<String>,
    /// Subscribed event types.
    pub events: Vec<EventType>,
    /// Encrypted signing secret.
    pub secret_ciphertext: String,
    /// The `Idempotency-Key` of the request, if any.
    pub idempotency: Option<Idempotency>,
}

/// Outcome of adding an endpoint.
#[derive(Debug, Clone, PartialEq)]
pub enum AddOutcome {
    /// Created by this call.
    Added(Model),
    /// Created by an earlier request with the same idempotency key and body.
    Replayed(Model),
    /// The idempotency key was used with another body, or its endpoint was deleted.
    KeyReused,
    /// The account already has [`MAX_ENDPOINTS`] endpoints.
    Full,
}

/// Changes of an endpoint; `None` keeps the value.
#[derive(Debug, Clone, Default)]
pub struct Changes {
    /// URL that receives the requests.
    pub url: Option<String>,
    /// Description; `Some(None)` removes it.
    pub description: Option<Option<String>>,
    /// Subscribed event types.
    pub events: Option<Vec<EventType>>,
    /// Whether it is enabled. Enabling it resets its failures.
    pub enabled: Option<bool>,
}

/// Adds an endpoint, once for each idempotency key.
///
/// # Errors
/// Returns [`crate::Error::AccountClosed`] for a closed account, or an error if the database fails.
pub async fn insert(
    txn: &WriteTxn,
    tenant: &Tenant,
    new: &NewEndpoint,
    now: Timestamp,
) -> Result<AddOutcome> {
    // The lock on the account serializes concurrent additions, so that the limit and the keys hold.
    accounts::lock(txn, &tenant.account_id).await?;
    if let Some(idempotency) = &new.idempotency
        && let Some(earlier) = find_by_idempotency_key(txn, tenant, idempotency).await?
    {
        return Ok(earlier);
    }
    let count = Entity::find()
        .filter(Column::AccountId.eq(tenant.account_id.as_str()))
        .filter(Column::DeletedAt.is_null())
        .count(txn.conn())
        .await?;
    if count >= MAX_ENDPOINTS {
        return Ok(AddOutcome::Full);
    }
    let (idempotency_key, request_hash) = new.idempotency.clone().map(|it| (it.key, it.request_hash)).unzip();
    let endpoint = Model {
        id: Text::from(&new.id),
        account_id: Text::from(&tenant.account_id),
        livemode: tenant.mode.livemode(),
        url: new.url.clone(),
        description: new.description.clone(),
        events: Json(new.events.clone()),
        secret_ciphertext: new.secret_ciphertext.clone(),
        previous_secret_ciphertext: None,
        previous_secret_expires_at: None,
        enabled: true,
        disabled_reason: None,
        consecutive_failures: 0,
        created_at: now.into(),
        updated_at: now.into(),
        deleted_at: None,
        idempotency_key,
        request_hash,
    };
    table::insert(txn, endpoint.clone()).await?;
    Ok(AddOutcome::Added(endpoint))
}

/// Returns the outcome for a repeated idempotency key, or `None` for a new key.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find_by_idempotency_key(
    reader: &impl Reader,
    tenant: &Tenant,
    idempotency: &Idempotency,
) -> Result<Option<AddOutcome>> {
    let with_key = Entity::of(tenant).filter(Column::IdempotencyKey.eq(&idempotency.key));
    Ok(with_key.one(reader.conn()).await?.map(|endpoint| {
        let same = endpoint.request_hash.as_deref() == Some(&idempotency.request_hash);
        if same && endpoint.deleted_at.is_none() {
            AddOutcome::Replayed(endpoint)
        } else {
            AddOutcome::KeyReused
        }
    }))
}

/// Returns the endpoint with this id, unless it is deleted.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find(reader: &impl Reader, tenant: &Tenant, id: &WebhookEndpointId) -> Result<Option<Model>> {
    Ok(existing(tenant).filter(Column::Id.eq(id.as_str())).one(reader.conn()).await?)
}

/// Returns the endpoints of a tenant, newest first.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn list(reader: &impl Reader, tenant: &Tenant, request: &PageRequest) -> Result<Page<Model>> {
    table::page(reader, existing(tenant), (Column::CreatedAt, Column::Id), request, |row| {
        Keyset::at(row.created_at.0, &row.id.0)
    })
    .await
}

/// Returns the enabled endpoints of a tenant that subscribe to this event type, oldest first.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn list_subscribed(
    reader: &impl Reader,
    tenant: &Tenant,
    event_type: EventType,
) -> Result<Vec<Model>> {
    let rows = existing(tenant).filter(Column::Enabled.eq(true)).order_by_asc(Column::Id);
    let mut rows = rows.all(reader.conn()).await?;
    rows.retain(|endpoint| endpoint.events.contains(&event_type));
    Ok(rows)
}

/// Changes an endpoint. Returns `None` if it does not exist.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn update(
    txn: &WriteTxn,
    tenant: &Tenant,
    id: &WebhookEndpointId,
    changes: &Changes,
    now: Timestamp,
) -> Result<Option<Model>> {
    if find(txn, tenant, id).await?.is_none() {
        return Ok(None);
    }
    let mut update = change(id).col_expr(Column::UpdatedAt, Expr::value(now.as_millis()));
    if let Some(url) = &changes.url {
        update = update.col_expr(Column::Url, Expr::value(url));
    }
    if let Some(description) = &changes.description {
        update = update.col_expr(Column::Description, Expr::value(description.clone()));
    }
    if let Some(events) = &changes.events {
        update = update.col_expr(Column::Events, Expr::value(Json(events.clone())));
    }
    if let Some(enabled) = changes.enabled {
        update = update
            .col_expr(Column::Enabled, Expr::value(enabled))
            .col_expr(Column::DisabledReason, Expr::value(None::<String>));
        if enabled {
            update = update.col_expr(Column::ConsecutiveFailures, Expr::value(0_i64));
        }
    }
    update.exec(txn.conn()).await?;
    find(txn, tenant, id).await
}

/// Sets a new secret. Requests are also signed with the previous secret until `overlap_until`.
/// Returns whether the endpoint exists.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn rotate_secret(
    txn: &WriteTxn,
    tenant: &Tenant,
    id: &WebhookEndpointId,
    secret_ciphertext: &str,
    overlap_until: Timestamp,
    now: Timestamp,
) -> Result<bool> {
    let Some(endpoint) = system::lock(txn, id).await?.filter(|e| e.tenant() == *tenant) else {
        return Ok(false);
    };
    if endpoint.secret_ciphertext == secret_ciphertext {
        return Ok(true);
    }
    change(id)
        .col_expr(Column::PreviousSecretCiphertext, Expr::value(endpoint.secret_ciphertext))
        .col_expr(Column::PreviousSecretExpiresAt, Expr::value(overlap_until.as_millis()))
        .col_expr(Column::SecretCiphertext, Expr::value(secret_ciphertext))
        .col_expr(Column::UpdatedAt, Expr::value(now.as_millis()))
        .exec(txn.conn())
        .await?;
    Ok(true)
}

/// Deletes an endpoint. Returns whether it existed.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn delete(txn: &WriteTxn, tenant: &Tenant, id: &WebhookEndpointId, now: Timestamp) -> Result<bool> {
    let deleted = change(id)
        .filter(Entity::owned_by(tenant))
        .col_expr(Column::DeletedAt, Expr::value(now.as_millis()))
        .col_expr(Column::Enabled, Expr::value(false))
        .exec(txn.conn())
        .await?;
    Ok(deleted.rows_affected > 0)
}

/// Deletes every endpoint of an account, in both modes. Returns their number.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn delete_all(txn: &WriteTxn, account: &AccountId, now: Timestamp) -> Result<u64> {
    let deleted = Entity::update_many()
        .col_expr(Column::DeletedAt, Expr::value(now.as_millis()))
        .col_expr(Column::Enabled, Expr::value(false))
        .filter(Column::AccountId.eq(account.as_str()))
        .filter(Column::DeletedAt.is_null())
        .exec(txn.conn())
        .await?;
    Ok(deleted.rows_affected)
}

fn existing(tenant: &Tenant) -> sea_orm::Select<Entity> {
    Entity::of(tenant).filter(Column::DeletedAt.is_null())
}

fn change(id: &WebhookEndpointId) -> sea_orm::UpdateMany<Entity> {
    Entity::update_many().filter(Column::Id.eq(id.as_str())).filter(Column::DeletedAt.is_null())
}

/// Functions for deliveries, which have only the id of an endpoint.
pub mod system {
    use super::{
        Column, ColumnTrait, Entity, Expr, LockType, Model, QueryFilter, QuerySelect, Reader, Result,
        WebhookEndpointId, WriteTxn, change,
    };
    use crate::Text;
    use sea_orm::{EntityTrait, QueryOrder};

    /// Returns the endpoint with this id, of any tenant, unless it is deleted.
    ///
    /// # Errors
    /// Returns an error if the database fails.
    pub async fn find(reader: &impl Reader, id: &WebhookEndpointId) -> Result<Option<Model>> {
        let rows = Entity::find_by_id(Text::from(id)).filter(Column::DeletedAt.is_null());
        Ok(rows.one(reader.conn()).await?)
    }

    /// Returns up to `limit` endpoints of all tenants after this id, ordered by id, except deleted ones,
    /// whose secrets are never read again.
    ///
    /// # Errors
    /// Returns an error if the database fails.
    pub async fn sealed_after(
        reader: &impl Reader,
        last: Option<&WebhookEndpointId>,
        limit: u64,
    ) -> Result<Vec<Model>> {
        let mut rows = Entity::find().filter(Column::DeletedAt.is_null());
        if let Some(last) = last {
            rows = rows.filter(Column::Id.gt(last.as_str()));
        }
        Ok(rows.order_by_asc(Column::Id).limit(limit).all(reader.conn()).await?)
    }

    /// Replaces the encrypted secrets of an endpoint, unless they have changed since it was read. Returns
    /// whether they were replaced.
    ///
    /// # Errors
    /// Returns an error if the database fails.
    pub async fn replace_sealed(
        txn: &WriteTxn,
        read: &Model,
        current: &str,
        previous: Option<&str>,
    ) -> Result<bool> {
        let update = Entity::update_many()
            .col_expr(Column::SecretCiphertext, Expr::value(current))
            .col_expr(Column::PreviousSecretCiphertext, Expr::value(previous))
            .filter(Column::Id.eq(read.id.0.as_str()))
            .filter(Column::SecretCiphertext.eq(read.secret_ciphertext.as_str()));
        Ok(update.exec(txn.conn()).await?.rows_affected > 0)
    }

    /// Returns the endpoint with this id and locks it until the transaction ends, unless it is
    /// deleted.
    pub(crate) async fn lock(txn: &WriteTxn, id: &WebhookEndpointId) -> Result<Option<Model>> {
        let rows = Entity::find_by_id(Text::from(id)).filter(Column::DeletedAt.is_null());
        Ok(rows.lock(LockType::NoKeyUpdate).one(txn.conn()).await?)
    }

    /// Records the number of consecutive failures, and disables the endpoint if `disable` holds a
    /// reason.
    pub(crate) async fn set_failures(
        txn: &WriteTxn,
        id: &WebhookEndpointId,
        failures: i64,
        disable: Option<&str>,
    ) -> Result<()> {
        let mut update = change(id).col_expr(Column::ConsecutiveFailures, Expr::value(failures));
        if let Some(reason) = disable {
            update = update
                .col_expr(Column::Enabled, Expr::value(false))
                .col_expr(Column::DisabledReason, Expr::value(reason));
        }
        update.exec(txn.conn()).await?;
        Ok(())
    }
}
