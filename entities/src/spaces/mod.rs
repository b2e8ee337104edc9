//! Spaces: the places that scans are made of.

mod delete;

use domain::{
    AccountId, SpaceId, Timestamp,
    mode::Tenant,
    page::{Keyset, Page, PageRequest},
    space::{NewSpace, SOURCE_API},
};
use sea_orm::{QuerySelect, entity::prelude::*, sea_query::LockType};

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
    /// Live or test.
    pub livemode: bool,
    /// Where it came from; `api` for spaces made through the API.
    pub source: String,
    /// 1 to 200 characters.
    pub name: String,
    /// A type label.
    pub space_type: String,
    /// Free text.
    pub description: Option<String>,
    /// The caller's own reference.
    pub external_id: Option<String>,
    /// Creation time.
    pub created_at: Millis,
    /// Time of the last change.
    pub updated_at: Millis,
    /// When it was deleted; finders never answer deleted spaces.
    pub deleted_at: Option<Millis>,
}

no_relations!();
tenant_owned!();

/// Which spaces to list. `None` means any.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// With exactly this reference.
    pub external_id: Option<String>,
    /// Of exactly this type.
    pub space_type: Option<String>,
}

/// Makes a space.
///
/// # Errors
/// [`crate::Error::AccountClosed`]; of the database.
pub async fn insert(txn: &WriteTxn, tenant: &Tenant, new: &NewSpace, now: Timestamp) -> Result<Model> {
    insert_from(txn, tenant, SOURCE_API, new, now).await
}

/// Makes a space that came from elsewhere than the API.
///
/// # Errors
/// [`crate::Error::AccountClosed`]; of the database.
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

/// The space with this id, unless it is deleted.
///
/// # Errors
/// Of the database.
pub async fn find(reader: &impl Reader, tenant: &Tenant, id: &SpaceId) -> Result<Option<Model>> {
    Ok(existing(tenant).filter(Column::Id.eq(id.as_str())).one(reader.conn()).await?)
}

/// Those of these spaces that are not deleted, in no order.
///
/// # Errors
/// Of the database.
pub async fn of_ids(reader: &impl Reader, tenant: &Tenant, ids: &[SpaceId]) -> Result<Vec<Model>> {
    let these = existing(tenant).filter(Column::Id.is_in(ids.iter().map(SpaceId::as_str)));
    Ok(these.all(reader.conn()).await?)
}

/// The spaces of a tenant, newest first.
///
/// # Errors
/// Of the database.
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
    table::page(reader, rows, (Column::CreatedAt, Column::Id), request, |row| Keyset {
        created_at: row.created_at.as_millis(),
        id: row.id.to_string(),
    })
    .await
}

/// The space with this id, locked until the transaction ends: `Share` keeps it from being deleted,
/// `NoKeyUpdate` is for changing it or numbering what belongs to it.
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

/// For what acts on a space whose tenant was checked before (activities, the ledger).
pub mod system {
    use super::{
        Column, ColumnTrait, Entity, LockType, Model, QueryFilter, QuerySelect, Result, SpaceId, Text,
    };
    use crate::{Reader, WriteTxn};
    use sea_orm::{EntityTrait, QueryOrder};

    /// The space with this id, deleted or not.
    ///
    /// # Errors
    /// Of the database.
    pub async fn find(reader: &impl Reader, id: &SpaceId) -> Result<Option<Model>> {
        Ok(Entity::find_by_id(Text::from(id)).one(reader.conn()).await?)
    }

    /// Spaces that are not deleted, of whatever tenant, by id: those after one.
    ///
    /// # Errors
    /// Of the database.
    pub async fn after(reader: &impl Reader, last: Option<&SpaceId>, limit: u64) -> Result<Vec<Model>> {
        let mut rows = Entity::find().filter(Column::DeletedAt.is_null());
        if let Some(last) = last {
            rows = rows.filter(Column::Id.gt(last.as_str()));
        }
        Ok(rows.order_by_asc(Column::Id).limit(limit).all(reader.conn()).await?)
    }

    /// Keeps the space, and which document of it is the newest, as they are until the transaction ends; `false`
    /// when it is deleted already.
    ///
    /// # Errors
    /// Of the database.
    pub async fn hold_for_change(txn: &WriteTxn, id: &SpaceId) -> Result<bool> {
        let rows = Entity::find_by_id(Text::from(id)).filter(Column::DeletedAt.is_null());
        Ok(rows.lock(LockType::NoKeyUpdate).one(txn.conn()).await?.is_some())
    }

    /// Keeps the space from being deleted until the transaction ends; `false` when it is deleted already.
    ///
    /// # Errors
    /// Of the database.
    pub async fn hold(txn: &WriteTxn, id: &SpaceId) -> Result<bool> {
        let rows = Entity::find_by_id(Text::from(id)).filter(Column::DeletedAt.is_null());
        Ok(rows.lock(LockType::Share).one(txn.conn()).await?.is_some())
    }
}
