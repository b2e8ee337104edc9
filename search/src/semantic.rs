//! Spaces that mean what a query means, joined with those that have its words.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    SpaceId,
    language::Haste,
    mode::Tenant,
    page::{Keyset, Page, PageRequest},
    search::sketch,
};
use entities::{
    Db, Text,
    search::{self, Candidate, sketches, terms, vectors},
};
use knowledge::search::{apart, closest, fused};

use super::find::Wanted;
use crate::{App, error::ApiResult};

/// Most spaces of a tenant that are looked at, the newest.
const LOOKED_AT: usize = 50_000;
/// Sketches that are read at a time.
const PAGE: u64 = 5_000;
/// Spaces with the most alike sketches, whose vectors are read.
const LIKELY: usize = 300;
/// Most spaces of each ranking that are joined: what lies below is on no page.
const JOINED: usize = 500;
/// Most spaces that mean the same, and need not have a word of the query.
const NEAREST: usize = 50;
/// What the cursor of a joined list begins with: its scores are not those of words.
const MARK: &str = "joined:";

/// A query as a vector.
#[derive(Debug, Clone)]
pub struct Meant {
    /// The model that made it.
    pub model: String,
    /// The vector.
    pub vector: Vec<f32>,
    /// Cosine below which a space has nothing to do with it.
    pub least: f32,
}

/// A page of joined rankings.
pub(super) struct Joined {
    pub(super) page: Page<Candidate>,
    /// Entries of spaces that mean the same.
    pub(super) near: BTreeMap<String, Vec<u32>>,
}

/// The meaning of a query; none without a model, or when it does not answer in time.
pub(super) async fn meant(app: &App, asked: &str) -> Option<Meant> {
    let embedder = app.language().embedder.clone()?;
    let texts = [asked.to_owned()];
    let asking = tokio::task::spawn_blocking(move || {
        let (mut vectors, used) = embedder.embed(&texts, Haste::Someone)?;
        let meant = vectors.pop().map(|vector| Meant {
            model: embedder.model().to_owned(),
            vector,
            least: embedder.least_similarity(),
        });
        Ok::<_, domain::language::NoAnswer>((meant, used))
    });
    match asking.await.ok()? {
        Ok((meant, used)) => {
            app.metrics().model_asked("search", Ok(&used));
            meant
        }
        Err(no_answer) => {
            app.metrics().model_asked("search", Err(no_answer.code));
            tracing::warn!(%no_answer, "searched by words alone");
            None
        }
    }
}

/// Whether a list that goes on after this one was joined.
pub(super) fn was_joined(after: &Keyset) -> bool {
    after.id.starts_with(MARK)
}

/// A page of what words and meaning find together. Without the meaning (the model fell silent between two pages) what
/// the words find goes on.
pub(super) async fn page(
    db: &Db,
    tenant: &Tenant,
    wanted: &Wanted,
    meant: Option<&Meant>,
    request: &PageRequest,
) -> ApiResult<Joined> {
    let by_words = if wanted.weights.is_empty() {
        Vec::new()
    } else {
        search::candidates(db, tenant, &wanted.weights, &wanted.required, None, JOINED as u64).await?
    };
    let near = match meant {
        Some(meant) => nearest(db, tenant, wanted, meant).await?,
        None => Vec::new(),
    };
    let by_words: Vec<String> = by_words.iter().map(|candidate| candidate.space_id.to_string()).collect();
    let by_meaning: Vec<String> = near.iter().map(|near| near.space.to_string()).collect();
    let later = |(id, score): &(String, i64)| match &request.after {
        None => true,
        Some(after) => {
            let last = after.id.strip_prefix(MARK).unwrap_or_default();
            *score < after.created_at || (*score == after.created_at && id.as_str() > last)
        }
    };
    let rows = fused(&[by_words, by_meaning]).into_iter().filter(later).take(request.limit as usize + 1);
    let rows = rows.map(|(id, score)| Candidate { space_id: Text(SpaceId::trusted(id)), score });
    let page = Page::from_overfetch(rows.collect(), request.limit, |candidate| Keyset {
        created_at: candidate.score,
        id: format!("{MARK}{}", candidate.space_id.as_str()),
    });
    Ok(Joined { page, near: near.into_iter().map(|near| (near.space.to_string(), near.entries)).collect() })
}

/// A space that means what the query means.
struct Near {
    space: SpaceId,
    cosine: f32,
    entries: Vec<u32>,
}

/// Spaces for which the facts hold, closest first.
async fn nearest(db: &Db, tenant: &Tenant, wanted: &Wanted, meant: &Meant) -> ApiResult<Vec<Near>> {
    let mut found: Vec<Near> = Vec::new();
    let model = (meant.model.as_str(), meant.vector.len());
    for row in vectors::of_spaces(db, tenant, model, &likely(db, tenant, meant).await?).await? {
        let Some((passage, cosine)) = closest(&meant.vector, &row.vectors) else { continue };
        if cosine >= meant.least {
            let entries = row.entries.0.get(passage).cloned().unwrap_or_default();
            found.push(Near { space: row.space_id.0, cosine, entries });
        }
    }
    found.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then_with(|| a.space.as_str().cmp(b.space.as_str())));
    if !wanted.required.is_empty() {
        let ids: Vec<SpaceId> = found.iter().map(|near| near.space.clone()).collect();
        let held = terms::matching(db, tenant, &ids, &wanted.required).await?;
        let held: BTreeSet<(&str, &str)> =
            held.iter().map(|row| (row.space_id.as_str(), row.term.as_str())).collect();
        let holds = |near: &Near, fact: &String| held.contains(&(near.space.as_str(), fact.as_str()));
        found.retain(|near| wanted.required.iter().all(|fact| holds(near, fact)));
    }
    found.truncate(NEAREST);
    Ok(found)
}

/// The spaces whose sketches are most alike that of the query.
async fn likely(db: &Db, tenant: &Tenant, meant: &Meant) -> ApiResult<Vec<String>> {
    let model = (meant.model.as_str(), meant.vector.len());
    let query = sketch(&meant.vector);
    let mut all: Vec<(u32, String)> = Vec::new();
    loop {
        let last = all.last().map(|(_, space)| space.as_str());
        let rows = sketches::of_model(db, tenant, model, last, PAGE).await?;
        let whole = rows.len() as u64 == PAGE;
        // What has no sketch of the query's length keeps its place, so that the next page is found.
        all.extend(rows.into_iter().map(|(space, of)| (apart(&query, &of).unwrap_or(u32::MAX), space)));
        if !whole || all.len() >= LOOKED_AT {
            break;
        }
    }
    all.sort_unstable();
    all.truncate(LIKELY);
    Ok(all.into_iter().map(|(_, space)| space).collect())
}
