//! Measures the search over the documents of the walks and over made-up spaces.
//!
//! - `search_ndcg`: normalized discounted cumulative gain of the first ten hits; 1 is the ideal
//!   order;
//! - `search_nothing_for_nothing`: share of the queries without a relevant space that find nothing.
//!
//! The relevance of a space comes from its ground truth, never from the index that the ranking
//! uses. The queries run on a database, as in production, by words and by the meaning of the packaged
//! sentence embeddings.

mod ground_truth;
mod made_up;
mod queries;

use std::sync::Arc;

use domain::{ScanId, document::SpaceDocument, language::Embedder, page::PageRequest, space::NewSpace};
use entities::{
    Db, spaces,
    testing::{self, NOON, TestDatabase},
};
use perception::models::{Settings, packaged};
use search::{QueryVector, SpaceRecord, build_index};
use walkgen::truth::Truth;

use super::{baselines, metrics::Metrics};
use ground_truth::GroundTruth;
use queries::Query;

/// Number of hits that are scored.
const HITS: u32 = 10;
/// Queries that score below this are reported.
const REPORT_BELOW: f64 = 0.8;

/// The spaces that are searched.
pub(super) struct Corpus(Vec<Space>);

/// A space with its ground truth.
struct Space {
    new: NewSpace,
    truth: GroundTruth,
    document: SpaceDocument,
}

type Change = fn(&SpaceDocument) -> SpaceDocument;

impl Corpus {
    /// Returns a corpus of the made-up spaces.
    pub(super) fn with_made_up_spaces() -> anyhow::Result<Self> {
        Ok(Self(made_up::spaces()?))
    }

    /// Adds the document of a walk.
    pub(super) fn add(&mut self, document: &SpaceDocument, truth: &Truth) {
        let new = NewSpace {
            name: format!("Walk {}", self.0.len()),
            space_type: "house".to_owned(),
            external_id: None,
            description: None,
        };
        let truth = GroundTruth::of_walk(truth, &new);
        self.0.push(Space { new, truth, document: document.clone() });
    }

    /// Runs every query over our documents and over those of the baselines. Returns the queries
    /// with a low score as text.
    pub(super) fn measure(
        &self,
        ours: &mut Metrics,
        others: &mut baselines::Baselines,
    ) -> anyhow::Result<String> {
        let mut all = queries::written()?;
        all.extend(self.0.iter().flat_map(|space| queries::queries_for(&space.truth)));
        let mut seen = std::collections::BTreeSet::new();
        all.retain(|query| seen.insert(query.text.clone()));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let embedder = packaged::embedder(&Settings::default());
        let vectors = runtime.block_on(query_vectors(embedder.as_ref(), &all))?;
        let models = Models { embedder: embedder.as_ref(), vectors: &vectors };
        let report = runtime.block_on(self.ask(&all, models, |document| document.clone(), ours))?;
        let baselines: [(Change, &mut Metrics); 3] = [
            (baselines::blind, &mut others.blind),
            (baselines::constant, &mut others.constant),
            (baselines::text_only, &mut others.text_only),
        ];
        for (change, metrics) in baselines {
            runtime.block_on(self.ask(&all, models, change, metrics))?;
        }
        Ok(report)
    }

    async fn ask(
        &self,
        all: &[Query],
        models: Models<'_>,
        change: Change,
        metrics: &mut Metrics,
    ) -> anyhow::Result<String> {
        let database = TestDatabase::sqlite().await;
        let db = database.db();
        let tenant = testing::account(db).await;
        let mut ids = Vec::new();
        for space in &self.0 {
            ids.push(store(db, &tenant, &space.new, &change(&space.document), models.embedder).await?);
        }
        let mut report = String::new();
        for (query, vector) in all.iter().zip(models.vectors) {
            let page = PageRequest { limit: HITS, ..PageRequest::default() };
            let found = search::find(db, &tenant, &query.text, None, vector.as_ref(), &page).await;
            let found = found.map_err(|e| anyhow::anyhow!("{}: {e:?}", query.text))?;
            let grades: Vec<u32> = self.0.iter().map(|space| query.grade(&space.truth)).collect();
            let at = |id: &str| ids.iter().position(|other| other == id);
            let hits: Vec<usize> = found.rows.iter().filter_map(|hit| at(hit.space.id.as_str())).collect();
            metrics.count("search_queries", 1);
            let Some(score) = ndcg(&hits.iter().map(|at| grades[*at]).collect::<Vec<_>>(), &grades) else {
                metrics.share("search_nothing_for_nothing", usize::from(hits.is_empty()), 1);
                continue;
            };
            metrics.mean("search_ndcg", Some(score));
            if score < REPORT_BELOW {
                let names: Vec<&str> = hits.iter().map(|at| self.0[*at].new.name.as_str()).collect();
                report.push_str(&format!("  {score:.2} {}: {names:?}\n", query.text));
            }
        }
        database.drop_database().await;
        Ok(report)
    }
}

/// The sentence embeddings, and the vector of each query; none without the model.
#[derive(Clone, Copy)]
struct Models<'a> {
    embedder: Option<&'a Arc<dyn Embedder>>,
    vectors: &'a [Option<QueryVector>],
}

async fn query_vectors(
    embedder: Option<&Arc<dyn Embedder>>,
    all: &[Query],
) -> anyhow::Result<Vec<Option<QueryVector>>> {
    let mut out = Vec::with_capacity(all.len());
    for query in all {
        out.push(match embedder {
            Some(embedder) => search::embed_query(embedder.clone(), &query.text).await?.0,
            None => None,
        });
    }
    Ok(out)
}

/// Stores a space like the service does when a scan completes. Returns its id.
async fn store(
    db: &Db,
    tenant: &domain::mode::Tenant,
    new: &NewSpace,
    document: &SpaceDocument,
    embedder: Option<&Arc<dyn Embedder>>,
) -> anyhow::Result<String> {
    let stored = db.write(async |txn| -> entities::Result<String> {
        let space = spaces::insert(&txn, tenant, new, NOON).await?;
        let rows = build_index(&SpaceRecord::from(&space), document);
        let (vectors, _) = search::embed_passages(embedder, &rows).await;
        entities::search::put(&txn, tenant, &space.id, &ScanId::new(), &rows, vectors.as_ref()).await?;
        Ok(space.id.to_string())
    });
    Ok(stored.await?)
}

/// Returns the normalized discounted cumulative gain, or `None` if no space is relevant.
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

    /// Queries for something that no made-up space has. Words may find something all the same; meaning
    /// may add little. The queries had no part in the choice of the least similarity.
    #[test]
    fn meaning_finds_little_where_there_is_nothing() {
        let Some(embedder) = packaged::embedder(&Settings::default()) else { return };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let corpus = Corpus::with_made_up_spaces().unwrap();
        let queries: Vec<Query> = include_str!("nothing.txt").lines().map(Query::for_nothing).collect();
        let share = |embedder: Option<&Arc<dyn Embedder>>| {
            let vectors = runtime.block_on(query_vectors(embedder, &queries)).unwrap();
            let models = Models { embedder, vectors: &vectors };
            let mut metrics = Metrics::default();
            runtime.block_on(corpus.ask(&queries, models, SpaceDocument::clone, &mut metrics)).unwrap();
            metrics.get("search_nothing_for_nothing").unwrap()
        };
        let (words, both) = (share(None), share(Some(&embedder)));
        println!("nothing for nothing: by words {words:.2}, by words and meaning {both:.2}");
        assert!(both >= words - 0.2, "by words {words:.2}, by words and meaning {both:.2}");
    }

    #[test]
    fn ideal_order_scores_one_and_others_less() {
        let all = [0, 3, 1, 0];
        assert_eq!(ndcg(&[3, 1], &all), Some(1.0));
        assert_eq!(ndcg(&[3, 1, 0, 0], &all), Some(1.0));
        let (late, half) = (ndcg(&[1, 3], &all).unwrap(), ndcg(&[3], &all).unwrap());
        assert!(late < 0.8 && half < 1.0 && late < half);
        assert_eq!((ndcg(&[], &all), ndcg(&[0], &[0, 0])), (Some(0.0), None));
    }
}
