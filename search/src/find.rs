//! Finds the spaces that match a query, and the entries of each that match.

use std::collections::BTreeMap;

use domain::{
    SpaceId,
    mode::Tenant,
    page::{Keyset, Page, PageRequest},
};
use entities::{
    Db, SpaceRow,
    search::{self, Candidate, CandidateCursor, entries, terms},
    spaces,
};

use crate::{
    embedding::QueryVector,
    error::Result,
    query_terms::QueryTerms,
    semantic::{self, MergedPage},
};

/// Maximum number of matching entries that a hit shows.
const MAX_MATCHES: usize = 3;

/// Space that matches a query.
#[derive(Debug)]
pub struct SpaceHit {
    /// The space.
    pub space: SpaceRow,
    /// Index entry of the space itself.
    pub record: entries::Model,
    /// Score as an integer. Higher is better.
    pub score: i64,
    /// Matching entries, best first.
    pub matches: Vec<entries::Model>,
}

/// Returns a page of the spaces that match a query, best first. Without a query vector, spaces are
/// ranked by words alone.
///
/// # Errors
/// Returns an error if the database is unavailable.
pub async fn find(
    db: &Db,
    tenant: &Tenant,
    query: &str,
    space_type: Option<&str>,
    vector: Option<&QueryVector>,
    page: &PageRequest,
) -> Result<Page<SpaceHit>> {
    let terms = QueryTerms::resolve(db, tenant, query, space_type).await?;
    // A later page uses the ranking of the first one, even if the model has become unavailable.
    let is_merged = match &page.after {
        Some(after) => semantic::is_merged_cursor(after),
        None => vector.is_some(),
    };
    if is_merged {
        let MergedPage { page, similar } = semantic::page(db, tenant, &terms, vector, page).await?;
        return Ok(Page { rows: hits(db, tenant, &terms, &similar, page.rows).await?, next: page.next });
    }
    if terms.weights.is_empty() {
        return Ok(Page { rows: Vec::new(), next: None });
    }
    let after = page.after.as_ref();
    let after = after.map(|after| CandidateCursor { score: after.created_at, space_id: after.id.clone() });
    let limit = u64::from(page.limit) + 1;
    let candidates =
        search::candidates(db, tenant, &terms.weights, &terms.required, after.as_ref(), limit).await?;
    let candidates = Page::from_overfetch(candidates, page.limit, |candidate| Keyset {
        created_at: candidate.score,
        id: candidate.space_id.to_string(),
    });
    let rows = hits(db, tenant, &terms, &BTreeMap::new(), candidates.rows).await?;
    Ok(Page { rows, next: candidates.next })
}

/// Adds the matching entries to each candidate: those with the query's words, or, if there are
/// none, those of the passage in `similar`. Leaves out spaces that were deleted in the meantime.
async fn hits(
    db: &Db,
    tenant: &Tenant,
    query: &QueryTerms,
    similar: &BTreeMap<String, Vec<u32>>,
    candidates: Vec<Candidate>,
) -> Result<Vec<SpaceHit>> {
    let ids: Vec<SpaceId> = candidates.iter().map(|candidate| candidate.space_id.0.clone()).collect();
    let mut best = best_entries(db, tenant, query, &ids).await?;
    for id in &ids {
        let entries = best.entry(id.to_string()).or_default();
        if entries.is_empty() {
            entries.extend(similar.get(id.as_str()).into_iter().flatten());
        }
    }
    let mut all: Vec<u32> = best.values().flatten().copied().collect();
    all.sort_unstable();
    all.dedup();
    let rows = entries::of_spaces(db, tenant, &ids, &all).await?;
    let mut rows: BTreeMap<(String, i64), entries::Model> =
        rows.into_iter().map(|row| ((row.space_id.to_string(), row.entry), row)).collect();
    let spaces = spaces::of_ids(db, tenant, &ids).await?;
    let mut spaces: BTreeMap<String, SpaceRow> =
        spaces.into_iter().map(|space| (space.id.to_string(), space)).collect();
    let hit = |candidate: Candidate| {
        let id = candidate.space_id.to_string();
        let space = spaces.remove(&id)?;
        let record = rows.get(&(id.clone(), 0))?.clone();
        let entries = best.get(&id).into_iter().flatten();
        let matches = entries.filter_map(|entry| rows.remove(&(id.clone(), i64::from(*entry)))).collect();
        Some(SpaceHit { space, record, score: candidate.score, matches })
    };
    Ok(candidates.into_iter().filter_map(hit).collect())
}

/// Returns the entries of each space that have the highest sum of term weights.
async fn best_entries(
    db: &Db,
    tenant: &Tenant,
    query: &QueryTerms,
    spaces: &[SpaceId],
) -> Result<BTreeMap<String, Vec<u32>>> {
    let facts = query.required.iter().map(|fact| (fact.clone(), 1));
    let weights: BTreeMap<String, i64> = facts.chain(query.weights.iter().cloned()).collect();
    let terms: Vec<String> = weights.keys().cloned().collect();
    let mut sums: BTreeMap<String, BTreeMap<u32, i64>> = BTreeMap::new();
    for posting in terms::matching(db, tenant, spaces, &terms).await? {
        let sums = sums.entry(posting.space_id.to_string()).or_default();
        for entry in &posting.entries.0 {
            *sums.entry(*entry).or_default() += weights.get(&posting.term).copied().unwrap_or_default();
        }
    }
    let best = |sums: BTreeMap<u32, i64>| {
        let mut sums: Vec<(u32, i64)> = sums.into_iter().collect();
        sums.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        sums.into_iter().take(MAX_MATCHES).map(|(entry, _)| entry).collect()
    };
    Ok(sums.into_iter().map(|(space, sums)| (space, best(sums))).collect())
}
