//! Semantic search: finds spaces of similar meaning and merges them with the ranking by words.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    SpaceId,
    mode::Tenant,
    page::{Keyset, Page, PageRequest},
    search::binary_code,
};
use entities::{
    Db, Text,
    search::{self, Candidate, binary_codes, terms, vectors},
};

use crate::{
    embedding::QueryVector,
    error::Result,
    query_terms::QueryTerms,
    rank_fusion::reciprocal_rank_fusion,
    similarity::{closest, hamming_distance},
};

/// Maximum number of a tenant's spaces whose binary codes are compared, newest first.
const MAX_COMPARED_SPACES: usize = 50_000;
/// Number of spaces whose binary codes are read in one query.
const CODES_PAGE: u64 = 5_000;
/// Number of spaces with the nearest binary codes, whose vectors are read.
const MAX_VECTOR_CANDIDATES: usize = 300;
/// Maximum number of spaces of a ranking that are merged. Lower ranks are on no page.
const MAX_MERGED: usize = 500;
/// Maximum number of spaces that are found by meaning alone.
const MAX_SIMILAR: usize = 50;
/// Prefix of the cursor of a merged list, whose scores differ from those of the ranking by words.
const MERGED_CURSOR_PREFIX: &str = "joined:";

/// Page of the merged ranking.
pub(crate) struct MergedPage {
    pub(crate) page: Page<Candidate>,
    /// For each space of similar meaning, the entries of its closest passage.
    pub(crate) similar: BTreeMap<String, Vec<u32>>,
}

/// Whether the cursor belongs to a merged list.
pub(crate) fn is_merged_cursor(after: &Keyset) -> bool {
    after.id.starts_with(MERGED_CURSOR_PREFIX)
}

/// Returns a page of the ranking by words merged with the ranking by meaning. Without a query
/// vector (the model failed between two pages), the page has the ranking by words only.
pub(crate) async fn page(
    db: &Db,
    tenant: &Tenant,
    query: &QueryTerms,
    vector: Option<&QueryVector>,
    request: &PageRequest,
) -> Result<MergedPage> {
    let by_words = if query.weights.is_empty() {
        Vec::new()
    } else {
        search::candidates(db, tenant, &query.weights, &query.required, None, MAX_MERGED as u64).await?
    };
    let similar = match vector {
        Some(vector) => similar_spaces(db, tenant, query, vector).await?,
        None => Vec::new(),
    };
    let by_words: Vec<String> = by_words.iter().map(|candidate| candidate.space_id.to_string()).collect();
    let by_meaning: Vec<String> = similar.iter().map(|similar| similar.space.to_string()).collect();
    let is_after_cursor = |(id, score): &(String, i64)| match &request.after {
        None => true,
        Some(after) => {
            let last = after.id.strip_prefix(MERGED_CURSOR_PREFIX).unwrap_or_default();
            *score < after.created_at || (*score == after.created_at && id.as_str() > last)
        }
    };
    let merged = reciprocal_rank_fusion(&[by_words, by_meaning]).into_iter().filter(is_after_cursor);
    let rows = merged
        .take(request.limit as usize + 1)
        .map(|(id, score)| Candidate { space_id: Text(SpaceId::trusted(id)), score });
    let page = Page::from_overfetch(rows.collect(), request.limit, |candidate| Keyset {
        created_at: candidate.score,
        id: format!("{MERGED_CURSOR_PREFIX}{}", candidate.space_id.as_str()),
    });
    let similar = similar.into_iter().map(|similar| (similar.space.to_string(), similar.entries));
    Ok(MergedPage { page, similar: similar.collect() })
}

/// Space of similar meaning.
struct SimilarSpace {
    space: SpaceId,
    cosine: f32,
    /// Entries of the closest passage.
    entries: Vec<u32>,
}

/// Returns the spaces that have all required terms and are closest to the query vector, closest
/// first.
async fn similar_spaces(
    db: &Db,
    tenant: &Tenant,
    query: &QueryTerms,
    vector: &QueryVector,
) -> Result<Vec<SimilarSpace>> {
    let mut found: Vec<SimilarSpace> = Vec::new();
    let model = (vector.model.as_str(), vector.vector.len());
    let candidates = nearest_by_code(db, tenant, vector).await?;
    for row in vectors::of_spaces(db, tenant, model, &candidates).await? {
        let Some((passage, cosine)) = closest(&vector.vector, &row.vectors) else { continue };
        if cosine >= vector.least_similarity {
            let entries = row.entries.0.get(passage).cloned().unwrap_or_default();
            found.push(SimilarSpace { space: row.space_id.0, cosine, entries });
        }
    }
    found.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then_with(|| a.space.as_str().cmp(b.space.as_str())));
    if !query.required.is_empty() {
        let ids: Vec<SpaceId> = found.iter().map(|similar| similar.space.clone()).collect();
        let rows = terms::matching(db, tenant, &ids, &query.required).await?;
        let terms: BTreeSet<(&str, &str)> =
            rows.iter().map(|row| (row.space_id.as_str(), row.term.as_str())).collect();
        let has =
            |similar: &SimilarSpace, term: &String| terms.contains(&(similar.space.as_str(), term.as_str()));
        found.retain(|similar| query.required.iter().all(|term| has(similar, term)));
    }
    found.truncate(MAX_SIMILAR);
    Ok(found)
}

/// Returns the spaces whose binary codes are nearest to that of the query.
async fn nearest_by_code(db: &Db, tenant: &Tenant, vector: &QueryVector) -> Result<Vec<String>> {
    let model = (vector.model.as_str(), vector.vector.len());
    let query = binary_code(&vector.vector);
    let mut all: Vec<(u32, String)> = Vec::new();
    loop {
        let last = all.last().map(|(_, space)| space.as_str());
        let rows = binary_codes::of_model(db, tenant, model, last, CODES_PAGE).await?;
        let is_full_page = rows.len() as u64 == CODES_PAGE;
        // A space without a comparable code stays in the list: its id may be the next cursor.
        let distance = |codes: &[u8]| hamming_distance(&query, codes).unwrap_or(u32::MAX);
        all.extend(rows.into_iter().map(|(space, codes)| (distance(&codes), space)));
        if !is_full_page || all.len() >= MAX_COMPARED_SPACES {
            break;
        }
    }
    all.sort_unstable();
    all.truncate(MAX_VECTOR_CANDIDATES);
    Ok(all.into_iter().map(|(_, space)| space).collect())
}
