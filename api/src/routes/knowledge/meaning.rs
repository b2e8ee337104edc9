//! Spaces that mean what a query means, joined with those that have its words.

use std::collections::{BTreeMap, BTreeSet};

use domain::{
    SpaceId,
    language::Haste,
    mode::Tenant,
    page::{Keyset, Page, PageRequest},
};
use entities::{
    Db, Text,
    search::{self, Candidate, terms, vectors},
};
use knowledge::search::{closest, fused};

use super::find::Wanted;
use crate::{App, error::ApiResult};

/// Most spaces of a tenant whose vectors are looked at, the newest.
const LOOKED_AT: usize = 20_000;
/// Vectors that are read at a time.
const PAGE: u64 = 1000;
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
    let model = (meant.model.as_str(), meant.vector.len());
    let mut found: Vec<Near> = Vec::new();
    let mut before: Option<SpaceId> = None;
    for _ in 0..LOOKED_AT / PAGE as usize {
        let rows = vectors::of_model(db, tenant, model, before.as_ref(), PAGE).await?;
        let whole = rows.len() as u64 == PAGE;
        before = rows.last().map(|row| row.space_id.0.clone());
        for row in rows {
            let Some((passage, cosine)) = closest(&meant.vector, &row.vectors) else { continue };
            if cosine >= meant.least {
                let entries = row.entries.0.get(passage).cloned().unwrap_or_default();
                found.push(Near { space: row.space_id.0, cosine, entries });
            }
        }
        if !whole {
            break;
        }
    }
    found.sort_by(|a, b| b.cosine.total_cmp(&a.cosine).then_with(|| a.space.as_str().cmp(b.space.as_str())));
    found.truncate(JOINED);
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
