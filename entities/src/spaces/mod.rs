//! Spaces: the places that are scanned.

mod delete;

use domain::{
    AccountId, SpaceId, Timestamp,
    mode::Tenant,
    page::{Keyset, Page, PageRequest},
    space::{NewSpace, SOURCE_API},
};
use sea_orm::{PaginatorTrait, QuerySelect, entity::prelude::*, sea_query::LockType};

use crate::{Millis, Reader, Result, Text, WriteTxn, accounts, table, table::TenantOwned};

pub use delete::{DeleteOutcome, delete};

/// A space.
#[derive(Debug, Clone, PartialEq, Eq, DeriveEntityModel)]
#[sea_orm(table_name = "spaces")]
pub struct Model {
    /// Prefix `spc_`.
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Text<SpaceId>,
    /// The owning account.
    pub account_id: Text<AccountId>,
    /// Whether it belongs to live mode.
    pub livemode: bool,
    /// Origin; `api` for spaces created through the API.
    pub source: String,
    /// Name, 1 to 200 characters.
    pub name: String,
    /// Type label.
    pub space_type: String,
    /// Description.
    pub description: Option<String>,
    /// Reference of the caller.
    pub external_id: Option<String>,
    /// Creation time.
    pub created_at: Millis,
    /// Time of the last change.
    pub updated_at: Millis,
    /// Time of deletion. Finders never return deleted spaces.
    pub deleted_at: Option<Millis>,
}

no_relations!();
tenant_owned!();

/// Filter of a list of spaces. `None` matches any value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Exact reference.
    pub external_id: Option<String>,
    /// Exact type.
    pub space_type: Option<String>,
}

/// Creates a space.
///
/// # Errors
/// Returns [`crate::Error::AccountClosed`] for a closed account, or an error if the database fails.
pub async fn insert(txn: &WriteTxn, tenant: &Tenant, new: &NewSpace, now: Timestamp) -> Result<Model> {
    insert_from(txn, tenant, SOURCE_API, new, now).await
}

/// Returns whether the tenant has `max` spaces, and locks the account until the transaction ends, so
/// that concurrent additions cannot exceed the limit.
///
/// # Errors
/// Returns [`crate::Error::AccountClosed`] for a closed account, or an error if the database fails.
pub async fn is_limit_reached(txn: &WriteTxn, tenant: &Tenant, max: u64) -> Result<bool> {
    accounts::lock(txn, &tenant.account_id).await?;
    Ok(existing(tenant).count(txn.conn()).await? >= max)
}

/// Creates a space with another origin than the API.
///
/// # Errors
/// Returns [`crate::Error::AccountClosed`] for a closed account, or an error if the database fails.
pub async fn insert_from(
    txn: &WriteTxn,
    tenant: &Tenant,
    source: &str,
    new: &NewSpace,
    now: Timestamp,
) -> Result<Model> {
    accounts::require_open(txn, &tenant.account_id).await?;
    let space = Model {
        id: SpaceId::new().into(),
        account_id: Text::from(&tenant.account_id),
        livemode: tenant.mode.livemode(),
        source: source.to_owned(),
        name: new.name.clone(),
        space_type: new.space_type.clone(),
        description: new.description.clone(),
        external_id: new.external_id.clone(),
        created_at: now.into(),
        updated_at: now.into(),
        deleted_at: None,
    };
    table::insert(txn, space.clone()).await?;
    Ok(space)
}

/// Replaces the values of a space, which the caller has locked. Returns the space, or `None` if it does
/// not exist.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn replace(
    txn: &WriteTxn,
    tenant: &Tenant,
    id: &SpaceId,
    new: &NewSpace,
    now: Timestamp,
) -> Result<Option<Model>> {
    Entity::update_many()
        .col_expr(Column::Name, Expr::value(new.name.as_str()))
        .col_expr(Column::SpaceType, Expr::value(new.space_type.as_str()))
        .col_expr(Column::Description, Expr::value(new.description.clone()))
        .col_expr(Column::ExternalId, Expr::value(new.external_id.clone()))
        .col_expr(Column::UpdatedAt, Expr::value(now.as_millis()))
        .filter(Entity::owned_by(tenant))
        .filter(Column::Id.eq(id.as_str()))
        .filter(Column::DeletedAt.is_null())
        .exec(txn.conn())
        .await?;
    find(txn, tenant, id).await
}

/// Returns the space with this id, unless it is deleted.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn find(reader: &impl Reader, tenant: &Tenant, id: &SpaceId) -> Result<Option<Model>> {
    Ok(existing(tenant).filter(Column::Id.eq(id.as_str())).one(reader.conn()).await?)
}

/// Returns the spaces with these ids, without deleted spaces, in any order.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn of_ids(reader: &impl Reader, tenant: &Tenant, ids: &[SpaceId]) -> Result<Vec<Model>> {
    let rows = existing(tenant).filter(Column::Id.is_in(ids.iter().map(SpaceId::as_str)));
    Ok(rows.all(reader.conn()).await?)
}

/// Returns the spaces of a tenant, newest first.
///
/// # Errors
/// Returns an error if the database fails.
pub async fn list(
    reader: &impl Reader,
    tenant: &Tenant,
    filter: &Filter,
    request: &PageRequest,
) -> Result<Page<Model>> {
    let mut rows = existing(tenant);
    if let Some(external_id) = &filter.external_id {
        rows = rows.filter(Column::ExternalId.eq(external_id));
    }
    if let Some(space_type) = &filter.space_type {
        rows = rows.filter(Column::SpaceType.eq(space_type));
    }
    table::page(reader, rows, (Column::CreatedAt, Column::Id), request, |row| {
        Keyset::at(row.created_at.0, &row.id.0)
    })
    .await
}

/// Returns the space with this id and locks it until the transaction ends. `Share` prevents its
/// deletion; `NoKeyUpdate` is for changing it or numbering its documents.
pub(crate) async fn lock(
    txn: &WriteTxn,
    tenant: &Tenant,
    id: &SpaceId,
    lock: LockType,
) -> Result<Option<Model>> {
    Ok(existing(tenant).filter(Column::Id.eq(id.as_str())).lock(lock).one(txn.conn()).await?)
}

fn existing(tenant: &Tenant) -> sea_orm::Select<Entity> {
    Entity::of(tenant).filter(Column::DeletedAt.is_null())
}

/// Functions for activities and the ledger, whose tenant was checked before.
pub mod system {
    use super::{
        Column, ColumnTrait, Entity, LockType, Model, QueryFilter, QuerySelect, Result, SpaceId, Text,
    };
    use crate::{Reader, WriteTxn};
    use sea_orm::{EntityTrait, QueryOrder};

    /// Returns the space with this id, deleted or not.
    ///
    /// # Errors
    /// Returns an error if the database fails.
    pub async fn find(reader: &impl Reader, id: &SpaceId) -> Result<Option<Model>> {
        Ok(Entity::find_by_id(Text::from(id)).one(reader.conn()).await?)
    }

    /// Returns up to `limit` spaces of any tenant with an id after `last`, without deleted spaces,
    /// ordered by id.
    ///
    /// # Errors
    /// Returns an error if the database fails.
    pub async fn after(reader: &impl Reader, last: Option<&SpaceId>, limit: u64) -> Result<Vec<Model>> {
        let mut rows = Entity::find().filter(Column::DeletedAt.is_null());
        if let Some(last) = last {
            rows = rows.filter(Column::Id.gt(last.as_str()));
        }
        Ok(rows.order_by_asc(Column::Id).limit(limit).all(reader.conn()).await?)
    }

    /// Locks the space and its newest document against changes until the transaction ends. Returns
    /// `false` if the space is deleted.
    ///
    /// # Errors
    /// Returns an error if the database fails.
    pub async fn lock_for_update(txn: &WriteTxn, id: &SpaceId) -> Result<bool> {
        let rows = Entity::find_by_id(Text::from(id)).filter(Column::DeletedAt.is_null());
        Ok(rows.lock(LockType::NoKeyUpdate).one(txn.conn()).await?.is_some())
    }

    /// Locks the space against deletion until the transaction ends. Returns `false` if it is
    /// deleted.
    ///
    /// # Errors
    /// Returns an error if the database fails.
    pub async fn lock_shared(txn: &WriteTxn, id: &SpaceId) -> Result<bool> {
        let rows = Entity::find_by_id(Text::from(id)).filter(Column::DeletedAt.is_null());
        Ok(rows.lock(LockType::Share).one(txn.conn()).await?.is_some())
    }
}
