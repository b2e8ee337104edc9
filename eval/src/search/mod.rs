//! How well spaces are found: `search_ndcg`, over the walks' documents among made-up ones.
//!
//! Relevance comes from what is true of a space (of a walk its truth, of a made-up place all that it was made from),
//! never from what ranks. Each query is asked as callers ask it, of a database, and its first ten hits are scored:
//! what stands lower counts less, and 1 is the best order there could be.

mod places;
mod queries;
mod truths;

use domain::{ScanId, document::SpaceDocument, page::PageRequest, space::NewSpace};
use entities::{
    Db, spaces,
    testing::{self, NOON, TestDatabase},
};
use search::{SpaceRecord, build_index};
use xtask::sample::truth::Truth;

use super::{baselines, figures::Figures};
use queries::Query;
use truths::Truths;

/// Hits that are scored.
const HITS: u32 = 10;
/// A query that scores below this is told of.
const TOLD: f64 = 0.8;

/// Every space that is searched.
pub(super) struct Shelf(Vec<Space>);

/// A space, and what is true of it.
struct Space {
    new: NewSpace,
    truths: Truths,
    document: SpaceDocument,
}

type Change = fn(&SpaceDocument) -> SpaceDocument;

impl Shelf {
    /// The made-up spaces.
    pub(super) fn open() -> anyhow::Result<Self> {
        Ok(Self(places::places()?))
    }

    /// Puts a walk beside them.
    pub(super) fn add(&mut self, document: &SpaceDocument, truth: &Truth) {
        let new = NewSpace {
            name: format!("Walk {}", self.0.len()),
            space_type: "house".to_owned(),
            external_id: None,
            description: None,
        };
        let truths = Truths::of_walk(truth, &new);
        self.0.push(Space { new, truths, document: document.clone() });
    }

    /// Asks every query of our documents and of those of the baselines; returns which did badly, for people.
    pub(super) fn measure(
        &self,
        ours: &mut Figures,
        others: &mut baselines::Baselines,
    ) -> anyhow::Result<String> {
        let mut all = queries::written()?;
        all.extend(self.0.iter().flat_map(|space| queries::of(&space.truths)));
        let mut once = std::collections::BTreeSet::new();
        all.retain(|query| once.insert(query.text.clone()));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let told = runtime.block_on(self.ask(&all, |document| document.clone(), ours))?;
        let baselines: [(Change, &mut Figures); 3] = [
            (baselines::blind, &mut others.blind),
            (baselines::constant, &mut others.constant),
            (baselines::text_only, &mut others.text_only),
        ];
        for (change, figures) in baselines {
            runtime.block_on(self.ask(&all, change, figures))?;
        }
        Ok(told)
    }

    async fn ask(&self, all: &[Query], change: Change, figures: &mut Figures) -> anyhow::Result<String> {
        let database = TestDatabase::sqlite().await;
        let db = database.db();
        let tenant = testing::account(db).await;
        let mut ids = Vec::new();
        for space in &self.0 {
            ids.push(put(db, &tenant, &space.new, &change(&space.document)).await?);
        }
        let mut told = String::new();
        for query in all {
            let page = PageRequest { limit: HITS, ..PageRequest::default() };
            let found = search::find(db, &tenant, &query.text, None, None, &page).await;
            let found = found.map_err(|e| anyhow::anyhow!("{}: {e:?}", query.text))?;
            let grades: Vec<u32> = self.0.iter().map(|space| query.grade(&space.truths)).collect();
            let at = |id: &str| ids.iter().position(|other| other == id);
            let hits: Vec<usize> = found.rows.iter().filter_map(|hit| at(hit.space.id.as_str())).collect();
            figures.count("search_queries", 1);
            let Some(score) = ndcg(&hits.iter().map(|at| grades[*at]).collect::<Vec<_>>(), &grades) else {
                figures.share("search_nothing_for_nothing", usize::from(hits.is_empty()), 1);
                continue;
            };
            figures.mean("search_ndcg", Some(score));
            if score < TOLD {
                let names: Vec<&str> = hits.iter().map(|at| self.0[*at].new.name.as_str()).collect();
                told.push_str(&format!("  {score:.2} {}: {names:?}\n", query.text));
            }
        }
        database.drop_database().await;
        Ok(told)
    }
}

/// Stores a space as the service does when a scan of it completes; its id.
async fn put(
    db: &Db,
    tenant: &domain::mode::Tenant,
    new: &NewSpace,
    document: &SpaceDocument,
) -> anyhow::Result<String> {
    let put = db.write(async |txn| -> entities::Result<String> {
        let space = spaces::insert(&txn, tenant, new, NOON).await?;
        let rows = build_index(&SpaceRecord::from(&space), document);
        entities::search::put(&txn, tenant, &space.id, &ScanId::new(), &rows, None).await?;
        Ok(space.id.to_string())
    });
    Ok(put.await?)
}

/// Normalized discounted cumulative gain; none where nothing is right.
fn ndcg(hits: &[u32], all: &[u32]) -> Option<f64> {
    let gain = |grades: &[u32]| {
        let one = |(at, grade): (usize, &u32)| (f64::from(1_u32 << grade) - 1.0) / (at as f64 + 2.0).log2();
        grades.iter().take(HITS as usize).enumerate().map(one).sum::<f64>()
    };
    let mut best = all.to_vec();
    best.sort_unstable_by(|a, b| b.cmp(a));
    let best = gain(&best);
    (best > 0.0).then(|| gain(hits) / best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_order_is_one_and_others_are_less() {
        let all = [0, 3, 1, 0];
        assert_eq!(ndcg(&[3, 1], &all), Some(1.0));
        assert_eq!(ndcg(&[3, 1, 0, 0], &all), Some(1.0));
        let (late, half) = (ndcg(&[1, 3], &all).unwrap(), ndcg(&[3], &all).unwrap());
        assert!(late < 0.8 && half < 1.0 && late < half);
        assert_eq!((ndcg(&[], &all), ndcg(&[0], &[0, 0])), (Some(0.0), None));
    }
}
