//! Helpers for all tables: tenant scoping, pagination and idempotent inserts.

use domain::{
    mode::Tenant,
    page::{Keyset, Page, PageRequest},
};
use sea_orm::{
    ActiveModelTrait, ColumnTrait, Condition, EntityTrait, FromQueryResult, IntoActiveModel, ModelTrait,
    QueryFilter, QueryOrder, QuerySelect, Select, sea_query::OnConflict,
};

use crate::{Reader, Result, WriteTxn};

/// Declares that no query follows the table's relations.
macro_rules! no_relations {
    () => {
        /// Relations to other tables; queries follow none.
        #[derive(Debug, Clone, Copy, sea_orm::EnumIter, sea_orm::DeriveRelation)]
        pub enum Relation {}

        impl sea_orm::ActiveModelBehavior for ActiveModel {}
    };
}

/// Implements [`TenantOwned`] for a table with the columns `account_id` and `livemode`.
macro_rules! tenant_owned {
    () => {
        impl crate::table::TenantOwned for Entity {
            const ACCOUNT: Column = Column::AccountId;
            const LIVEMODE: Column = Column::Livemode;
        }

        impl Model {
            /// Returns the account and mode that own this row.
            pub fn tenant(&self) -> domain::mode::Tenant {
                domain::mode::Tenant {
                    account_id: self.account_id.0.clone(),
                    mode: domain::Mode::from_livemode(self.livemode),
                }
            }
        }
    };
}

/// A table whose rows belong to an account and a mode.
pub(crate) trait TenantOwned: EntityTrait {
    const ACCOUNT: Self::Column;
    const LIVEMODE: Self::Column;

    /// Returns the condition that selects the tenant's rows.
    fn owned_by(tenant: &Tenant) -> Condition {
        Condition::all()
            .add(Self::ACCOUNT.eq(tenant.account_id.as_str()))
            .add(Self::LIVEMODE.eq(tenant.mode.livemode()))
    }

    /// Selects all rows of this tenant.
    fn of(tenant: &Tenant) -> Select<Self> {
        Self::find().filter(Self::owned_by(tenant))
    }
}

/// Returns one page of `rows`, newest first by (`created_at`, `id`).
pub(crate) async fn page<E, C>(
    reader: &impl Reader,
    rows: Select<E>,
    (created_at, id): (C, C),
    request: &PageRequest,
    keyset: impl Fn(&E::Model) -> Keyset,
) -> Result<Page<E::Model>>
where
    E: EntityTrait<Column = C>,
    E::Model: FromQueryResult + Send + Sync,
    C: ColumnTrait,
{
    let rows = match &request.after {
        None => rows,
        // The first condition bounds the index scan; with the OR alone, databases read the list
        // from its beginning.
        Some(after) => rows.filter(
            Condition::all()
                .add(created_at.lte(after.created_at))
                .add(Condition::any().add(created_at.lt(after.created_at)).add(id.lt(after.id.as_str()))),
        ),
    };
    let rows = rows
        .order_by_desc(created_at)
        .order_by_desc(id)
        .limit(u64::from(request.limit) + 1)
        .all(reader.conn())
        .await?;
    Ok(Page::from_overfetch(rows, request.limit, keyset))
}

/// Builds the condition that a row follows `after` in the order of (`created_at`, `id`), oldest
/// first.
pub(crate) fn follows<C: ColumnTrait>((created_at, id): (C, C), after: &Keyset) -> Condition {
    // The first condition bounds the index scan; with the OR alone, databases read the list from
    // its beginning.
    Condition::all()
        .add(created_at.gte(after.created_at))
        .add(Condition::any().add(created_at.gt(after.created_at)).add(id.gt(after.id.as_str())))
}

/// Inserts a row.
pub(crate) async fn insert<M>(txn: &WriteTxn, row: M) -> Result<()>
where
    M: ModelTrait + IntoActiveModel<<M::Entity as EntityTrait>::ActiveModel>,
    <M::Entity as EntityTrait>::ActiveModel: ActiveModelTrait<Entity = M::Entity> + Send,
{
    M::Entity::insert(row.into_active_model()).exec_without_returning(txn.conn()).await?;
    Ok(())
}

/// Inserts a row unless one with the same values in the `unique` columns exists. Returns whether it
/// was inserted. On PostgreSQL this waits for a concurrent insert of the same row.
pub(crate) async fn insert_new<A>(
    txn: &WriteTxn,
    row: A,
    unique: impl IntoIterator<Item = <A::Entity as EntityTrait>::Column>,
) -> Result<bool>
where
    A: ActiveModelTrait + Send,
{
    let do_nothing = OnConflict::columns(unique).do_nothing().to_owned();
    let written = A::Entity::insert(row).on_conflict(do_nothing).exec_without_returning(txn.conn()).await;
    match written {
        Ok(rows) => Ok(rows > 0),
        Err(sea_orm::DbErr::RecordNotInserted) => Ok(false),
        Err(e) => Err(e.into()),
    }
}

/// Repeats the last of the `IN` values until their number is a power of two. Each number of values
/// is a separate prepared statement, so fewer numbers mean fewer statements to prepare and cache.
pub(crate) fn pad_to_power_of_two<T: Clone>(mut values: Vec<T>) -> Vec<T> {
    if let Some(last) = values.last().cloned() {
        values.resize(values.len().next_power_of_two(), last);
    }
    values
}
