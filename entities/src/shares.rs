//! Links that show one document to anybody who has them, until they expire or are revoked.

use std::time::Duration;

use domain::{
    AccountId, ScanId, ShareId, SpaceId, Timestamp, Token,
    document::Hidden,
    mode::Tenant,
    page::{Keyset, Page, PageRequest},
};
use sea_orm::{PaginatorTrait, entity::prelude::*};

use crate::{DocumentRow, Millis, Reader, Result, Text, WriteTxn, table, table::TenantOwned};

/// A link. Only the hash of its secret is stored.
#[derive(Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "shares")]
pub struct Model {
    /// Prefix `shr_`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Text<ShareId>,
    /// The owning account.
    pub account_id: Text<AccountId>,
    /// Whether it belongs to live mode.
    pub livemode: bool,
    /// The space.
    pub space_id: Text<SpaceId>,
    /// The scan whose document it shows.
    pub scan_id: Text<ScanId>,
    /// SHA-256 of the link's secret, in hex.
    pub secret_hash: String,
    /// Whether it shows credentials.
    pub shows_credentials: bool,
    /// Whether it shows persons.
    pub shows_persons: bool,
    /// Time of its creation.
    pub created_at: Millis,
    /// Time at which it expires.
    pub expires_at: Millis,
    /// Time at which it was revoked.
    pub revoked_at: Option<Millis>,
}

no_relations!();
tenant_owned!();

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Share").field("id", &self.id).field("scan_id", &self.scan_id).finish_non_exhaustive()
    }
}

impl Model {
    /// Returns whether the link works now.
    pub fn is_active(&self, now: Timestamp) -> bool {
        self.revoked_at.is_none() && now < self.expires_at.0
    }

    /// Returns what the link hides.
    pub fn hidden(&self) -> Hidden {
        Hidden { credentials: !self.shows_credentials, persons: !self.shows_persons }
    }
}

/// Creates a link to a document that expires after `lifetime`. The caller holds the lock of the space.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn create(
    txn: &WriteTxn,
    document: &DocumentRow,
    hidden: Hidden,
    secret: &Token,
    lifetime: Duration,
    now: Timestamp,
) -> Result<Model> {
    let row = Model {
        id: ShareId::new().into(),
        account_id: document.account_id.clone(),
        livemode: document.livemode,
        space_id: document.space_id.clone(),
        scan_id: document.scan_id.clone(),
        secret_hash: secret.hash(),
        shows_credentials: !hidden.credentials,
        shows_persons: !hidden.persons,
        created_at: now.into(),
        expires_at: now.plus(lifetime).into(),
        revoked_at: None,
    };
    table::insert(txn, row.clone()).await?;
    Ok(row)
}

/// Returns the number of links of a space that work now.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn count_active(
    reader: &impl Reader,
    tenant: &Tenant,
    space: &SpaceId,
    now: Timestamp,
) -> Result<u64> {
    let rows = Entity::of(tenant)
        .filter(Column::SpaceId.eq(space.as_str()))
        .filter(Column::RevokedAt.is_null())
        .filter(Column::ExpiresAt.gt(now.as_millis()));
    Ok(rows.count(reader.conn()).await?)
}

/// Returns the links of a space, newest first.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn list(
    reader: &impl Reader,
    tenant: &Tenant,
    space: &SpaceId,
    request: &PageRequest,
) -> Result<Page<Model>> {
    let rows = Entity::of(tenant).filter(Column::SpaceId.eq(space.as_str()));
    table::page(reader, rows, (Column::CreatedAt, Column::Id), request, |row| {
        Keyset::at(row.created_at.0, &row.id.0)
    })
    .await
}

/// Returns the link whose secret has this hash, ended or not. This lookup identifies the account, so it
/// takes no tenant.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find_by_secret_hash(reader: &impl Reader, secret_hash: &str) -> Result<Option<Model>> {
    Ok(Entity::find().filter(Column::SecretHash.eq(secret_hash)).one(reader.conn()).await?)
}

/// Revokes a link of a space. Returns it as it was; `None` if the space has no such link. A link that
/// was revoked keeps its time.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn revoke(
    txn: &WriteTxn,
    tenant: &Tenant,
    space: &SpaceId,
    id: &ShareId,
    now: Timestamp,
) -> Result<Option<Model>> {
    let found = Entity::of(tenant).filter(Column::Id.eq(id.as_str()));
    let found = found.filter(Column::SpaceId.eq(space.as_str())).one(txn.conn()).await?;
    Entity::update_many()
        .col_expr(Column::RevokedAt, Expr::value(now.as_millis()))
        .filter(Entity::owned_by(tenant))
        .filter(Column::SpaceId.eq(space.as_str()))
        .filter(Column::Id.eq(id.as_str()))
        .filter(Column::RevokedAt.is_null())
        .exec(txn.conn())
        .await?;
    Ok(found)
}

/// Deletes all links of a space.
pub(crate) async fn delete_of_space(txn: &WriteTxn, space: &SpaceId) -> Result<()> {
    Entity::delete_many().filter(Column::SpaceId.eq(space.as_str())).exec(txn.conn()).await?;
    Ok(())
}
