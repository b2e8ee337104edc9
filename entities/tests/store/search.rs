//! Tests of the search rows: equal ranking on every database, separate tenants, and deletion with
//! the space.

use domain::{
    ScanId, SpaceId,
    mode::Tenant,
    search::{EVERY_SPACE, Embeddings, Entry, EntryKind, Index, Passage, Posting},
};
use entities::{
    Db, Reader, search,
    search::{
        CandidateCursor, binary_codes, deletion_neighbourhoods, document_frequencies, entries, terms, vectors,
    },
    spaces,
    testing::{self, NOON, on_each_database},
};
use sea_orm::ConnectionTrait;

fn index(words: &[(&str, i64)]) -> Index {
    let posting = |(term, impact): (&str, i64)| Posting {
        term: term.to_owned(),
        impact,
        entries: vec![0],
        deletion_neighbourhood: if term.len() > 3 {
            vec![term.to_owned(), term[1..].to_owned()]
        } else {
            Vec::new()
        },
    };
    let entry = Entry {
        kind: EntryKind::Space,
        source_id: "spc".into(),
        zone_id: None,
        text: "Flat".into(),
        frame_id: None,
        t_ms: Some(5),
        ordinal: None,
    };
    let all = words.iter().copied().chain([(EVERY_SPACE, 0)]);
    Index { entries: vec![entry], postings: all.map(posting).collect(), passages: Vec::new() }
}

async fn put(db: &Db, tenant: &Tenant, space: &SpaceId, words: &[(&str, i64)]) {
    let (scan, index) = (ScanId::new(), index(words));
    let put: entities::Result<()> =
        db.write(async |txn| search::put(&txn, tenant, space, &scan, &index, None).await).await;
    put.unwrap();
}

async fn found(db: &Db, tenant: &Tenant, weights: &[(&str, i64)], required: &[&str]) -> Vec<(String, i64)> {
    let weights: Vec<(String, i64)> = weights.iter().map(|(term, by)| ((*term).to_owned(), *by)).collect();
    let required: Vec<String> = required.iter().map(|term| (*term).to_owned()).collect();
    let mut all = Vec::new();
    let mut after = None;
    // One candidate a page, so that every page but the last has a successor.
    loop {
        let page = search::candidates(db, tenant, &weights, &required, after.as_ref(), 1).await.unwrap();
        let Some(one) = page.into_iter().next() else { return all };
        after = Some(CandidateCursor { score: one.score, space_id: one.space_id.to_string() });
        all.push((one.space_id.to_string(), one.score));
    }
}

/// Returns the document frequency of a word.
async fn frequency(db: &Db, tenant: &Tenant, word: &str) -> Option<i64> {
    let of_words = document_frequencies::of_terms(db, tenant, &[word.to_owned()]).await.unwrap();
    of_words.get(word).copied()
}

async fn terms_with(db: &Db, tenant: &Tenant, form: &str) -> Vec<String> {
    deletion_neighbourhoods::terms_with(db, tenant, &[form.to_owned()]).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn orders_candidates_of_one_tenant() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let mut ids = Vec::new();
        for _ in 0..4 {
            ids.push(testing::space(&db, &tenant).await.id.0);
        }
        ids.sort_by(|a, b| a.as_str().cmp(b.as_str()));
        let [a, b, c, d] = &ids[..] else { unreachable!() };
        put(&db, &tenant, a, &[("kitchen", 100), ("bed", 10)]).await;
        put(&db, &tenant, b, &[("kitchen", 100), ("bed=2", 0)]).await;
        put(&db, &tenant, c, &[("kitchen", 300), ("oven", 1), ("bed=2", 0)]).await;
        put(&db, &tenant, d, &[("room 室'\"", 7)]).await;

        let candidates = |all: &[(&SpaceId, i64)]| -> Vec<(String, i64)> {
            all.iter().map(|(id, score)| (id.to_string(), *score)).collect()
        };
        let kitchens = found(&db, &tenant, &[("kitchen", 2), ("oven", 50)], &[]).await;
        assert_eq!(kitchens, candidates(&[(c, 650), (a, 200), (b, 200)]));
        assert_eq!(
            found(&db, &tenant, &[("bed", 30), ("kitchen", 1)], &[]).await,
            candidates(&[(a, 400), (c, 300), (b, 100)])
        );
        assert_eq!(
            found(&db, &tenant, &[("kitchen", 1)], &["bed=2"]).await,
            candidates(&[(c, 300), (b, 100)])
        );
        assert_eq!(found(&db, &tenant, &[("kitchen", 1)], &["bed=2", "oven"]).await, candidates(&[(c, 300)]));
        assert_eq!(found(&db, &tenant, &[(EVERY_SPACE, 1)], &["bed=2"]).await, candidates(&[(b, 0), (c, 0)]));
        assert_eq!(found(&db, &tenant, &[("room 室'\"", 1)], &[]).await, candidates(&[(d, 7)]));

        let all = ["kitchen", "bed=2", "none", EVERY_SPACE].map(str::to_owned);
        let counts: Vec<_> =
            document_frequencies::of_terms(&db, &tenant, &all).await.unwrap().into_iter().collect();
        assert_eq!(counts, [(EVERY_SPACE.to_owned(), 4), ("bed=2".into(), 2), ("kitchen".into(), 3)]);
        let rows = terms::matching(&db, &tenant, &ids[..2], &all[..1]).await.unwrap();
        assert_eq!(rows.len(), 2);
        let rows = entries::of_spaces(&db, &tenant, &ids[..2], &[]).await.unwrap();
        assert_eq!((rows.len(), rows[0].t_ms), (2, Some(5)));

        for other in [testing::other_mode(&tenant), testing::account(&db).await] {
            assert_eq!(found(&db, &other, &[("kitchen", 1)], &[]).await, []);
            assert!(document_frequencies::of_terms(&db, &other, &all).await.unwrap().is_empty());
            assert!(terms::matching(&db, &other, &ids, &all).await.unwrap().is_empty());
            assert!(entries::of_spaces(&db, &other, &ids, &[0]).await.unwrap().is_empty());
            assert_eq!(terms_with(&db, &other, "kitchen").await, Vec::<String>::new());
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn removed_terms_leave_no_rows() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let (a, b) = (testing::space(&db, &tenant).await.id.0, testing::space(&db, &tenant).await.id.0);
        put(&db, &tenant, &a, &[("kitchen", 1), ("secret", 1)]).await;
        put(&db, &tenant, &b, &[("kitchen", 1)]).await;
        assert_eq!(terms_with(&db, &tenant, "itchen").await, ["kitchen"]);
        // Idempotent.
        put(&db, &tenant, &a, &[("kitchen", 1), ("secret", 1)]).await;
        assert_eq!(found(&db, &tenant, &[("secret", 1)], &[]).await.len(), 1);
        assert_eq!(frequency(&db, &tenant, "secret").await, Some(1));
        assert_eq!(frequency(&db, &tenant, "kitchen").await, Some(2));

        let stranger = testing::account(&db).await;
        for tenant in [&tenant, &stranger] {
            db.write(async |txn| document_frequencies::recount(&txn, tenant).await).await.unwrap();
        }
        assert_eq!(frequency(&db, &tenant, "kitchen").await, Some(2));
        assert_eq!(frequency(&db, &stranger, "kitchen").await, None);

        put(&db, &tenant, &a, &[("kitchen", 1)]).await;
        assert_eq!(found(&db, &tenant, &[("secret", 1)], &[]).await, []);
        assert_eq!(terms_with(&db, &tenant, "ecret").await, Vec::<String>::new());
        assert_eq!(frequency(&db, &tenant, "secret").await, None);

        db.write(async |txn| spaces::delete(&txn, &tenant, &a, NOON).await).await.unwrap();
        assert_eq!(found(&db, &tenant, &[("kitchen", 1)], &[]).await, [(b.to_string(), 1)]);
        assert_eq!(terms_with(&db, &tenant, "itchen").await, ["kitchen"], "the other space still has it");
        assert_eq!(frequency(&db, &tenant, "kitchen").await, Some(1));
        db.write(async |txn| spaces::delete(&txn, &tenant, &b, NOON).await).await.unwrap();
        assert_eq!(found(&db, &tenant, &[("kitchen", 1)], &[]).await, []);
        assert_eq!(terms_with(&db, &tenant, "itchen").await, Vec::<String>::new());
        assert_eq!(frequency(&db, &tenant, "kitchen").await, None);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn separates_vectors_by_tenant_and_model_and_deletes_them_with_the_space() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let (a, b) = (testing::space(&db, &tenant).await.id.0, testing::space(&db, &tenant).await.id.0);
        let passage = |at| Passage { text: "about".into(), entries: vec![at] };
        let index = Index { passages: vec![passage(0), passage(3)], ..index(&[("kitchen", 1)]) };
        let put = async |space: &SpaceId, embeddings: Option<(&str, Vec<Vec<f32>>)>| {
            let embeddings = embeddings.map(|(model, vectors)| Embeddings { model: model.into(), vectors });
            let scan = ScanId::new();
            let put: entities::Result<()> = db
                .write(async |txn| {
                    search::put(&txn, &tenant, space, &scan, &index, embeddings.as_ref()).await
                })
                .await;
            put.unwrap();
        };
        let both = [a.to_string(), b.to_string()];
        let rows_of = async |tenant: &Tenant, model: (&str, usize)| {
            let rows = vectors::of_spaces(&db, tenant, model, &both).await.unwrap();
            let codes = binary_codes::of_model(&db, tenant, model, None, 10).await.unwrap();
            let spaces: Vec<&str> = rows.iter().map(|row| row.space_id.as_str()).collect();
            assert_eq!(codes.iter().map(|(space, _)| space.as_str()).collect::<Vec<_>>(), spaces);
            rows
        };
        put(&a, Some(("m", vec![vec![1.0, 0.25], vec![-0.5, 2.0]]))).await;
        // Idempotent.
        put(&a, Some(("m", vec![vec![1.0, 0.25], vec![-0.5, 2.0]]))).await;
        put(&b, Some(("m", vec![vec![0.0, 1.0, 0.0]; 2]))).await;
        let rows = rows_of(&tenant, ("m", 2)).await;
        assert_eq!(
            (rows.len(), rows[0].space_id.as_str(), &rows[0].entries.0),
            (1, a.as_str(), &vec![vec![0], vec![3]])
        );
        let numbers: Vec<f32> =
            rows[0].vectors.chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
        assert_eq!(numbers, [1.0, 0.25, -0.5, 2.0]);
        let codes = binary_codes::of_model(&db, &tenant, ("m", 2), None, 10).await.unwrap();
        assert_eq!(codes, [(a.to_string(), vec![0, 1])]);
        assert_eq!(binary_codes::of_model(&db, &tenant, ("m", 2), Some(a.as_str()), 10).await.unwrap(), []);
        assert_eq!(rows_of(&tenant, ("m", 3)).await.len(), 1);
        assert_eq!(rows_of(&tenant, ("n", 2)).await, []);
        assert_eq!(vectors::of_spaces(&db, &tenant, ("m", 2), &both[1..]).await.unwrap(), []);
        for other in [testing::other_mode(&tenant), testing::account(&db).await] {
            assert_eq!(rows_of(&other, ("m", 2)).await, []);
        }
        // Vectors of an older document are deleted.
        put(&a, None).await;
        assert_eq!(rows_of(&tenant, ("m", 2)).await, []);
        db.write(async |txn| spaces::delete(&txn, &tenant, &b, NOON).await).await.unwrap();
        assert_eq!(rows_of(&tenant, ("m", 3)).await, []);
    })
    .await;
}

/// The migration that adds the codes also computes them for existing vectors.
#[tokio::test(flavor = "multi_thread")]
async fn migration_adds_binary_codes_to_existing_vectors() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await.id.0;
        let passages = (0..2).map(|at| Passage { text: "about".into(), entries: vec![at] }).collect();
        let index = Index { passages, ..index(&[("kitchen", 1)]) };
        let vectors = vec![vec![1.0, -0.25, 0.0], vec![-0.5, 2.0, -0.1]];
        let embeddings = Embeddings { model: "m".into(), vectors };
        let put: entities::Result<()> = db
            .write(async |txn| {
                search::put(&txn, &tenant, &space, &ScanId::new(), &index, Some(&embeddings)).await
            })
            .await;
        put.unwrap();
        let codes = async || binary_codes::of_model(&db, &tenant, ("m", 3), None, 10).await.unwrap();
        let expected = codes().await;
        assert_eq!(expected, [(space.to_string(), vec![0b010, 0b101])]);
        let revert = "DROP TABLE search_sketches;
            CREATE INDEX search_vectors_by_model ON search_vectors (account_id);
            DELETE FROM seaql_migrations WHERE version = 'm0019_search_sketches';";
        db.conn().execute_unprepared(revert).await.unwrap();
        migration::migrate(db.conn()).await.unwrap();
        assert_eq!(codes().await, expected);
    })
    .await;
}
