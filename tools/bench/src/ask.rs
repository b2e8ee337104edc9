//! `bench ask`: measures questions about an hour's document, and searches over many spaces on both
//! databases.

use std::{path::Path, time::Instant};

use anyhow::{Context, ensure};
use clap::Args;
use domain::{
    ScanId, Secret, document::SpaceDocument, layout, mode::Tenant, page::PageRequest, search::Embeddings,
    space::NewSpace,
};
use entities::{
    Db, spaces,
    testing::{self, NOON, TestDatabase},
};
use knowledge::ask::{Status, ask};
use media::{
    ObjectStore,
    embedded::{self, Credentials},
    objects,
};
use search::{QueryVector, SpaceRecord, build_index, find};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::documents::{FLAT, HOUR, Random, document};

/// Number of different documents. Many spaces share one and differ in their names.
const FLATS: u64 = 500;
/// Name of the embedding model.
const MODEL: &str = "bench";
/// Dimensions of the vectors, as of a small embedding model.
const DIMENSIONS: usize = 384;
/// Spaces that are written in one transaction.
const BATCH_SIZE: usize = 500;
const QUESTIONS: [&str; 14] = [
    "Is there a couch in the library?",
    "How many chairs are there?",
    "How many chairs are in the kitchen?",
    "Where is the oven?",
    "What is in the workshop?",
    "What does the sign in the reception say?",
    "Is there a piano?",
    "How big is the office?",
    "Which rooms have a bed?",
    "What is the wifi password?",
    "Who owns this place?",
    "When was the garage renovated?",
    "Are there more chairs than benches?",
    "Is the hallway dark?",
];
const QUERIES: [&str; 14] = [
    "kitchen",
    "kitchen with oven and wifi",
    "2 bedrooms",
    "no smoking",
    "kichen",
    "harbour view apartment",
    "meeting room tv couch",
    "garden old trees",
    "3 bathrooms with a couch",
    "sofas",
    "fire exit room",
    "lounge",
    "heating under the floor",
    "bedroom bathroom hallway office storage library",
];

#[derive(Args)]
pub(crate) struct Arguments {
    /// Number of spaces that are searched.
    #[arg(long, default_value_t = 10_000)]
    spaces: usize,
    /// Number of times that each question and each query runs.
    #[arg(long, default_value_t = 8)]
    rounds: usize,
    /// Print one line of JSON instead of indented JSON.
    #[arg(long)]
    json: bool,
}

#[tokio::main]
pub(crate) async fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let questions = measure_questions(arguments.rounds).await?;
    let sqlite = measure_searches(TestDatabase::sqlite().await, arguments).await?;
    let postgres = match TestDatabase::postgres().await {
        Some(database) => Some(measure_searches(database, arguments).await?),
        None => None,
    };
    let p95 = |latencies: &Value| latencies["p95_ms"].as_f64();
    let worst = |of: fn(&Value) -> &Value| {
        let both = [Some(&sqlite), postgres.as_ref()].into_iter().flatten();
        both.filter_map(|latencies| p95(of(latencies))).fold(0.0, f64::max)
    };
    let line = json!({
        "ask_p95_ms": p95(&questions),
        "search_p95_ms": worst(|latencies| latencies),
        "search_by_meaning_p95_ms": worst(|latencies| &latencies["by_meaning"]),
        "spaces": arguments.spaces,
        "ask": questions,
        "sqlite": sqlite,
        "postgres": postgres,
        "cores": std::thread::available_parallelism()?.get(),
    });
    crate::print_results(&line, arguments.json)
}

/// Measures questions as the API answers them: each one fetches and parses the stored document.
async fn measure_questions(rounds: usize) -> anyhow::Result<Value> {
    let hour = document(1, HOUR);
    ensure!(hour.defects().is_empty(), "the generated document has defects");
    let bytes = hour.to_bytes()?;
    let (size, key) = (bytes.len(), layout::document(&ScanId::new()));
    let folder = tempfile::tempdir()?;
    let (_server, store) = storage(folder.path()).await?;
    store.put_bytes(&key, "application/json", bytes).await?;
    let (mut all, mut answered) = (Vec::new(), 0);
    for question in (0..rounds).flat_map(|_| QUESTIONS) {
        let began = Instant::now();
        let bytes = store.get_bytes(&key, u64::MAX).await?;
        let document: SpaceDocument = serde_json::from_slice(&bytes)?;
        let answer = ask(&document, question);
        all.push(began.elapsed().as_secs_f64() * 1000.0);
        answered += usize::from(answer.status != Status::Abstained);
    }
    ensure!(answered > 0, "no question was answered");
    let mut latencies = summary(all);
    latencies["answered"] = answered.into();
    latencies["document_bytes"] = size.into();
    Ok(latencies)
}

/// Starts the object storage of `scan up`.
async fn storage(folder: &Path) -> anyhow::Result<(embedded::Server, ObjectStore)> {
    let credentials =
        Credentials { access_key_id: "bench".into(), secret_access_key: Secret::new("of the bench") };
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let server = embedded::serve(folder, listener, credentials.clone())?;
    let store = ObjectStore::new(&objects::Settings {
        endpoint: server.endpoint(),
        access_key_id: credentials.access_key_id,
        secret_access_key: credentials.secret_access_key,
        ..Default::default()
    })?;
    store.ensure_bucket().await?;
    Ok((server, store))
}

/// Fills the database, measures the searches, and drops the database.
async fn measure_searches(database: TestDatabase, arguments: &Arguments) -> anyhow::Result<Value> {
    let db = database.db().clone();
    let outcome = async {
        let tenant = testing::account(&db).await;
        let began = Instant::now();
        fill(&db, &tenant, arguments.spaces).await?;
        let filled = began.elapsed().as_secs_f64();
        let mut random = Random::new(4);
        let mut found = summary(query_latencies(&db, &tenant, arguments.rounds, || None).await?);
        let vector = || {
            let vector = random.vector(DIMENSIONS);
            Some(QueryVector { model: MODEL.to_owned(), vector, least_similarity: 0.0 })
        };
        found["by_meaning"] = summary(query_latencies(&db, &tenant, 2, vector).await?);
        found["fill_seconds"] = filled.into();
        anyhow::Ok(found)
    }
    .await;
    database.drop_database().await;
    outcome.context("search")
}

/// Runs the queries and returns the latency of each in milliseconds.
async fn query_latencies(
    db: &Db,
    tenant: &Tenant,
    rounds: usize,
    mut vector: impl FnMut() -> Option<QueryVector>,
) -> anyhow::Result<Vec<f64>> {
    let (mut all, mut hits) = (Vec::new(), 0);
    for query in (0..rounds).flat_map(|_| QUERIES) {
        let vector = vector();
        let began = Instant::now();
        let page = find(db, tenant, query, None, vector.as_ref(), &PageRequest::default()).await;
        all.push(began.elapsed().as_secs_f64() * 1000.0);
        hits += page.map_err(|e| anyhow::anyhow!("{query}: {e:?}"))?.rows.len();
    }
    ensure!(hits > 0, "no query found anything");
    Ok(all)
}

/// Writes the spaces with their search index.
async fn fill(db: &Db, tenant: &Tenant, count: usize) -> anyhow::Result<()> {
    let flats: Vec<SpaceDocument> = (0..FLATS).map(|seed| document(seed + 100, FLAT)).collect();
    let mut random = Random::new(3);
    let mut names = (0..count)
        .map(|at| format!("{} {}", random.rare_word(), at))
        .collect::<Vec<_>>()
        .into_iter()
        .enumerate();
    loop {
        let batch: Vec<(usize, String)> = names.by_ref().take(BATCH_SIZE).collect();
        if batch.is_empty() {
            return Ok(());
        }
        db.write(async |txn| -> entities::Result<()> {
            for (at, name) in &batch {
                let new = NewSpace {
                    name: name.clone(),
                    space_type: ["apartment", "office", "house"][at % 3].into(),
                    external_id: None,
                    description: None,
                };
                let space = spaces::insert(&txn, tenant, &new, NOON).await?;
                let rows = build_index(&SpaceRecord::from(&space), &flats[at % flats.len()]);
                let mut random = Random::new(*at as u64);
                let vectors = rows.passages.iter().map(|_| random.vector(DIMENSIONS)).collect();
                let embeddings = Embeddings { model: MODEL.to_owned(), vectors };
                let scan = ScanId::new();
                entities::search::put(&txn, tenant, &space.id, &scan, &rows, Some(&embeddings)).await?;
            }
            Ok(())
        })
        .await?;
    }
}

/// Summarizes latencies in milliseconds.
fn summary(mut all: Vec<f64>) -> Value {
    all.sort_by(f64::total_cmp);
    let at = |share: f64| all[((all.len() - 1) as f64 * share).round() as usize];
    json!({ "p50_ms": at(0.5), "p95_ms": at(0.95), "max_ms": at(1.0), "asked": all.len() })
}
