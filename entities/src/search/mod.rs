//! By what spaces are found. Written in the transaction that completes a scan, from its document; a space has the
//! rows of its newest document, and none once it is deleted.

pub mod entries;
pub mod frequencies;
pub mod sketches;
pub mod spellings;
pub mod terms;
pub mod vectors;

use std::collections::BTreeSet;

use domain::{
    ScanId, SpaceId,
    mode::Tenant,
    search::{Index, Meaning},
};
use sea_orm::{ExprTrait, FromQueryResult, QueryOrder, QuerySelect, QueryTrait, entity::prelude::*};

use crate::{Reader, Result, Text, WriteTxn, events, table::TenantOwned};

/// A space that was found.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct Candidate {
    /// The space.
    pub space_id: Text<SpaceId>,
    /// What its terms add up to.
    pub score: i64,
}

/// The last candidate of the page before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct After {
    /// Its score.
    pub score: i64,
    /// Its space.
    pub space_id: String,
}

/// Puts these rows in the place of those that the space has. Without vectors it has none: those that it had were of
/// an older document.
///
/// # Errors
/// Of the database.
pub async fn put(
    txn: &WriteTxn,
    tenant: &Tenant,
    space: &SpaceId,
    scan: &ScanId,
    index: &Index,
    meaning: Option<&Meaning>,
) -> Result<()> {
    // Of two that write at once, one could take spellings away that the other relies on.
    events::hold_stream(txn, tenant).await?;
    let before = terms::of_space(txn, tenant, space).await?;
    delete_rows(txn, tenant, space, &before).await?;
    entries::insert(txn, tenant, space, scan, &index.entries).await?;
    terms::insert(txn, tenant, space, &index.postings).await?;
    if let Some(meaning) = meaning {
        vectors::insert(txn, tenant, space, &index.passages, meaning).await?;
    }
    let after: BTreeSet<&String> = index.postings.iter().map(|posting| &posting.term).collect();
    let before: BTreeSet<&String> = before.iter().collect();
    let fresh: Vec<&String> = after.difference(&before).copied().collect();
    let gone: Vec<&String> = before.difference(&after).copied().collect();
    frequencies::add(txn, tenant, &fresh).await?;
    frequencies::subtract(txn, tenant, &gone).await?;
    spellings::add(txn, tenant, &index.postings).await?;
    spellings::prune(txn, tenant, &gone).await
}

/// Takes all rows of a space away.
///
/// # Errors
/// Of the database.
pub async fn remove(txn: &WriteTxn, tenant: &Tenant, space: &SpaceId) -> Result<()> {
    events::hold_stream(txn, tenant).await?;
    let before = terms::of_space(txn, tenant, space).await?;
    delete_rows(txn, tenant, space, &before).await?;
    let gone: Vec<&String> = before.iter().collect();
    frequencies::subtract(txn, tenant, &gone).await?;
    spellings::prune(txn, tenant, &gone).await
}

async fn delete_rows(txn: &WriteTxn, tenant: &Tenant, space: &SpaceId, terms: &[String]) -> Result<()> {
    let of_entries = entries::Entity::owned_by(tenant).add(entries::Column::SpaceId.eq(space.as_str()));
    entries::Entity::delete_many().filter(of_entries).exec(txn.conn()).await?;
    terms::delete(txn, tenant, space, terms).await?;
    vectors::delete(txn, tenant, space).await
}

/// The spaces that have any of the weighed terms and all of the required ones, best first: by the sum of impact
/// times weight, in whole numbers, then by id.
///
/// # Errors
/// Of the database.
pub async fn candidates(
    reader: &impl Reader,
    tenant: &Tenant,
    weights: &[(String, i64)],
    required: &[String],
    after: Option<&After>,
    limit: u64,
) -> Result<Vec<Candidate>> {
    use terms::{Column, Entity};
    let score = || {
        let mut weight = sea_orm::sea_query::CaseStatement::new();
        for (term, by) in weights {
            weight = weight.case(Column::Term.eq(term), Expr::value(*by));
        }
        // PostgreSQL sums BIGINT to NUMERIC, hence the cast.
        Expr::expr(Expr::col(Column::Impact).mul(weight.finally(0_i64)).sum()).cast_as("BIGINT")
    };
    let mut rows = Entity::of(tenant)
        .select_only()
        .column(Column::SpaceId)
        .expr_as(score(), "score")
        .filter(Column::Term.is_in(weights.iter().map(|(term, _)| term)))
        .group_by(Column::SpaceId);
    for fact in required {
        let having = Entity::of(tenant)
            .select_only()
            .column(Column::SpaceId)
            .filter(Column::Term.eq(fact))
            .into_query();
        rows = rows.filter(Column::SpaceId.in_subquery(having));
    }
    if let Some(after) = after {
        let same = score().eq(after.score).and(Column::SpaceId.gt(&after.space_id));
        rows = rows.having(score().lt(after.score).or(same));
    }
    // By its name: said in full once more, it would be computed once more.
    let by_score = Expr::col(sea_orm::sea_query::Alias::new("score"));
    let rows = rows.order_by(by_score, sea_orm::Order::Desc).order_by_asc(Column::SpaceId).limit(limit);
    Ok(rows.into_model().all(reader.conn()).await?)
}
