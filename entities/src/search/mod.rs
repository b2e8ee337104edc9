//! Rows of the search index. The transaction that completes a scan writes the rows of its document.
//! A space has the rows of its newest document, and none after it is deleted.

pub mod binary_codes;
pub mod deletion_neighbourhoods;
pub mod document_frequencies;
pub mod entries;
pub mod terms;
pub mod vectors;

use std::collections::BTreeSet;

use domain::{
    ScanId, SpaceId,
    mode::Tenant,
    search::{Embeddings, Index},
};
use sea_orm::{ExprTrait, FromQueryResult, QueryOrder, QuerySelect, QueryTrait, entity::prelude::*};

use crate::{Reader, Result, Text, WriteTxn, events, table::TenantOwned};

/// Space that matches a query.
#[derive(Debug, Clone, PartialEq, Eq, FromQueryResult)]
pub struct Candidate {
    /// The space.
    pub space_id: Text<SpaceId>,
    /// Sum of impact times weight over the matching terms.
    pub score: i64,
}

/// Last candidate of the previous page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CandidateCursor {
    /// Score of the candidate.
    pub score: i64,
    /// Space of the candidate.
    pub space_id: String,
}

/// Replaces the rows of a space. Without embeddings, the space has no vectors afterwards: its
/// earlier vectors belong to an older document.
///
/// # Errors
/// Returns an error if the database is unavailable.
pub async fn put(
    txn: &WriteTxn,
    tenant: &Tenant,
    space: &SpaceId,
    scan: &ScanId,
    index: &Index,
    embeddings: Option<&Embeddings>,
) -> Result<()> {
    // Without the lock, one of two concurrent writers could delete deletion neighbourhoods that the
    // other needs.
    events::lock_stream(txn, tenant).await?;
    let before = terms::of_space(txn, tenant, space).await?;
    delete_rows(txn, tenant, space, &before).await?;
    entries::insert(txn, tenant, space, scan, &index.entries).await?;
    terms::insert(txn, tenant, space, &index.postings).await?;
    if let Some(embeddings) = embeddings {
        vectors::insert(txn, tenant, space, &index.passages, embeddings).await?;
    }
    let after: BTreeSet<&String> = index.postings.iter().map(|posting| &posting.term).collect();
    let before: BTreeSet<&String> = before.iter().collect();
    let added: Vec<&String> = after.difference(&before).copied().collect();
    let removed: Vec<&String> = before.difference(&after).copied().collect();
    document_frequencies::add(txn, tenant, &added).await?;
    document_frequencies::subtract(txn, tenant, &removed).await?;
    deletion_neighbourhoods::add(txn, tenant, &index.postings).await?;
    deletion_neighbourhoods::prune(txn, tenant, &removed).await
}

/// Deletes all rows of a space.
///
/// # Errors
/// Returns an error if the database is unavailable.
pub async fn remove(txn: &WriteTxn, tenant: &Tenant, space: &SpaceId) -> Result<()> {
    events::lock_stream(txn, tenant).await?;
    let before = terms::of_space(txn, tenant, space).await?;
    delete_rows(txn, tenant, space, &before).await?;
    let removed: Vec<&String> = before.iter().collect();
    document_frequencies::subtract(txn, tenant, &removed).await?;
    deletion_neighbourhoods::prune(txn, tenant, &removed).await
}

async fn delete_rows(txn: &WriteTxn, tenant: &Tenant, space: &SpaceId, terms: &[String]) -> Result<()> {
    let of_entries = entries::Entity::owned_by(tenant).add(entries::Column::SpaceId.eq(space.as_str()));
    entries::Entity::delete_many().filter(of_entries).exec(txn.conn()).await?;
    terms::delete(txn, tenant, space, terms).await?;
    vectors::delete(txn, tenant, space).await
}

/// Returns the spaces that have any of the weighted terms and all of the required ones.
///
/// Spaces are ordered by descending score, then by id. The score is the sum of impact times weight
/// over the matching terms, in integers.
///
/// # Errors
/// Returns an error if the database is unavailable.
pub async fn candidates(
    reader: &impl Reader,
    tenant: &Tenant,
    weights: &[(String, i64)],
    required: &[String],
    after: Option<&CandidateCursor>,
    limit: u64,
) -> Result<Vec<Candidate>> {
    use terms::{Column, Entity};
    let score = || {
        let mut weight = sea_orm::sea_query::CaseStatement::new();
        for (term, factor) in weights {
            weight = weight.case(Column::Term.eq(term), Expr::value(*factor));
        }
        // PostgreSQL's SUM of BIGINT is NUMERIC, so the result is cast.
        Expr::expr(Expr::col(Column::Impact).mul(weight.finally(0_i64)).sum()).cast_as("BIGINT")
    };
    let mut rows = Entity::of(tenant)
        .select_only()
        .column(Column::SpaceId)
        .expr_as(score(), "score")
        .filter(Column::Term.is_in(weights.iter().map(|(term, _)| term)))
        .group_by(Column::SpaceId);
    for fact in required {
        let with_fact = Entity::of(tenant)
            .select_only()
            .column(Column::SpaceId)
            .filter(Column::Term.eq(fact))
            .into_query();
        rows = rows.filter(Column::SpaceId.in_subquery(with_fact));
    }
    if let Some(after) = after {
        let same_score = score().eq(after.score).and(Column::SpaceId.gt(&after.space_id));
        rows = rows.having(score().lt(after.score).or(same_score));
    }
    // Refers to the column by name: a repeated expression would be computed again.
    let by_score = Expr::col(sea_orm::sea_query::Alias::new("score"));
    let rows = rows.order_by(by_score, sea_orm::Order::Desc).order_by_asc(Column::SpaceId).limit(limit);
    Ok(rows.into_model().all(reader.conn()).await?)
}
