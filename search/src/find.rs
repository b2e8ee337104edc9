//! Finding spaces: the terms of a query as the tenant's spaces have them, the candidates of the database, joined with
//! those of the same meaning where a model tells, and what of each matches.

use std::collections::BTreeMap;

use domain::{
    SpaceId,
    mode::Tenant,
    page::{Keyset, Page, PageRequest},
    search::EVERY_SPACE,
};
use entities::{
    Db, SpaceRow,
    search::{self, After, Candidate, entries, frequencies, spellings, terms},
    spaces,
};
use knowledge::search::{near, query, type_fact, weight};

use super::meaning::{self, Joined, Meant};
use crate::error::ApiResult;

/// Most rows of a space that are shown.
const SHOWN: usize = 3;
/// Most words that a mistyped one is taken for.
const MEANT: usize = 5;

/// A space that was found.
#[derive(Debug)]
pub struct Found {
    /// The space.
    pub space: SpaceRow,
    /// The row of the space itself.
    pub record: entries::Model,
    /// A sum of whole numbers: the higher, the better.
    pub score: i64,
    /// What matches, best first.
    pub matches: Vec<entries::Model>,
}

/// A page of the spaces that a query finds, best first. Without its meaning, by its words alone.
///
/// # Errors
/// When the database cannot be reached.
pub async fn find(
    db: &Db,
    tenant: &Tenant,
    asked: &str,
    space_type: Option<&str>,
    meant: Option<&Meant>,
    page: &PageRequest,
) -> ApiResult<Page<Found>> {
    let wanted = understand(db, tenant, asked, space_type).await?;
    // A list goes on as it began, whether or not the model answers meanwhile.
    let joined = match &page.after {
        Some(after) => meaning::was_joined(after),
        None => meant.is_some(),
    };
    if joined {
        let Joined { page, near } = meaning::page(db, tenant, &wanted, meant, page).await?;
        return Ok(Page { rows: shown(db, tenant, &wanted, &near, page.rows).await?, next: page.next });
    }
    if wanted.weights.is_empty() {
        return Ok(Page { rows: Vec::new(), next: None });
    }
    let after = page.after.as_ref();
    let after = after.map(|after| After { score: after.created_at, space_id: after.id.clone() });
    let limit = u64::from(page.limit) + 1;
    let candidates =
        search::candidates(db, tenant, &wanted.weights, &wanted.required, after.as_ref(), limit).await?;
    let candidates = Page::from_overfetch(candidates, page.limit, |candidate| Keyset {
        created_at: candidate.score,
        id: candidate.space_id.to_string(),
    });
    let rows = shown(db, tenant, &wanted, &BTreeMap::new(), candidates.rows).await?;
    Ok(Page { rows, next: candidates.next })
}

/// Terms to look for.
#[derive(Default)]
pub(super) struct Wanted {
    /// Those that rank, with what they count.
    pub(super) weights: Vec<(String, i64)>,
    /// Those that a space must have.
    pub(super) required: Vec<String>,
}

/// A word that no space has is taken for words that differ from it by a slip.
async fn understand(db: &Db, tenant: &Tenant, asked: &str, space_type: Option<&str>) -> ApiResult<Wanted> {
    let query = query(asked);
    let all: Vec<String> = query.words.iter().cloned().chain([EVERY_SPACE.to_owned()]).collect();
    let having = frequencies::of_terms(db, tenant, &all).await?;
    let spaces = having.get(EVERY_SPACE).copied().unwrap_or_default();
    let (known, unknown): (Vec<&String>, Vec<&String>) =
        query.words.iter().partition(|word| having.contains_key(*word));
    let mut weights: Vec<(String, i64)> =
        known.into_iter().map(|word| (word.clone(), weight(having[word], spaces, false))).collect();
    let mut meant = Vec::new();
    for word in unknown {
        let spelled = knowledge::search::spellings(word);
        if !spelled.is_empty() {
            let known = spellings::known(db, tenant, &spelled).await?;
            meant.extend(known.into_iter().filter(|known| near(word, known)).take(MEANT));
        }
    }
    meant.retain(|word| !weights.iter().any(|(other, _)| other == word));
    if !meant.is_empty() {
        let having = frequencies::of_terms(db, tenant, &meant).await?;
        weights.extend(having.into_iter().map(|(word, count)| (word, weight(count, spaces, true))));
    }
    if query.words.is_empty() && !query.facts.is_empty() {
        // Every space for which the facts hold.
        weights.push((EVERY_SPACE.to_owned(), 1));
    }
    let mut required = query.facts;
    required.extend(space_type.map(type_fact));
    Ok(Wanted { weights, required })
}

/// Candidates with what matches in them: what has the words, else what `near` says has the meaning. A space that was
/// deleted meanwhile is left out.
async fn shown(
    db: &Db,
    tenant: &Tenant,
    wanted: &Wanted,
    near: &BTreeMap<String, Vec<u32>>,
    candidates: Vec<Candidate>,
) -> ApiResult<Vec<Found>> {
    let ids: Vec<SpaceId> = candidates.iter().map(|candidate| candidate.space_id.0.clone()).collect();
    let mut best = best_entries(db, tenant, wanted, &ids).await?;
    for id in &ids {
        let entries = best.entry(id.to_string()).or_default();
        if entries.is_empty() {
            entries.extend(near.get(id.as_str()).into_iter().flatten());
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
    let found = |candidate: Candidate| {
        let id = candidate.space_id.to_string();
        let space = spaces.remove(&id)?;
        let record = rows.get(&(id.clone(), 0))?.clone();
        let entries = best.get(&id).into_iter().flatten();
        let matches = entries.filter_map(|entry| rows.remove(&(id.clone(), i64::from(*entry)))).collect();
        Some(Found { space, record, score: candidate.score, matches })
    };
    Ok(candidates.into_iter().filter_map(found).collect())
}

/// The entries of each space that hold most of what is looked for.
async fn best_entries(
    db: &Db,
    tenant: &Tenant,
    wanted: &Wanted,
    spaces: &[SpaceId],
) -> ApiResult<BTreeMap<String, Vec<u32>>> {
    let facts = wanted.required.iter().map(|fact| (fact.clone(), 1));
    let worth: BTreeMap<String, i64> = facts.chain(wanted.weights.iter().cloned()).collect();
    let terms: Vec<String> = worth.keys().cloned().collect();
    let mut sums: BTreeMap<String, BTreeMap<u32, i64>> = BTreeMap::new();
    for posting in terms::matching(db, tenant, spaces, &terms).await? {
        let sums = sums.entry(posting.space_id.to_string()).or_default();
        for entry in &posting.entries.0 {
            *sums.entry(*entry).or_default() += worth.get(&posting.term).copied().unwrap_or_default();
        }
    }
    let best = |sums: BTreeMap<u32, i64>| {
        let mut sums: Vec<(u32, i64)> = sums.into_iter().collect();
        sums.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        sums.into_iter().take(SHOWN).map(|(entry, _)| entry).collect()
    };
    Ok(sums.into_iter().map(|(space, sums)| (space, best(sums))).collect())
}
