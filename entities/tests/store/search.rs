//! Tests of search: the same order on every database, tenant isolation, and complete removal.

use domain::{
    ScanId, SpaceId,
    mode::Tenant,
    search::{EVERY_SPACE, Entry, EntryKind, Index, Meaning, Passage, Posting},
};
use entities::{
    Db, Reader, search,
    search::{After, entries, frequencies, sketches, spellings, terms, vectors},
    spaces,
    testing::{self, NOON, on_each_database},
};
use sea_orm::ConnectionTrait;

fn index(words: &[(&str, i64)]) -> Index {
    let posting = |(term, impact): (&str, i64)| Posting {
        term: term.to_owned(),
        impact,
        entries: vec![0],
        spellings: if term.len() > 3 { vec![term.to_owned(), term[1..].to_owned()] } else { Vec::new() },
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
    // One result a page, so that every page but the last is full.
    loop {
        let page = search::candidates(db, tenant, &weights, &required, after.as_ref(), 1).await.unwrap();
        let Some(one) = page.into_iter().next() else { return all };
        after = Some(After { score: one.score, space_id: one.space_id.to_string() });
        all.push((one.space_id.to_string(), one.score));
    }
}

/// Returns the document frequency of a word.
async fn frequency(db: &Db, tenant: &Tenant, word: &str) -> Option<i64> {
    let of_words = frequencies::of_terms(db, tenant, &[word.to_owned()]).await.unwrap();
    of_words.get(word).copied()
}

async fn spelled(db: &Db, tenant: &Tenant, spelling: &str) -> Vec<String> {
    spellings::known(db, tenant, &[spelling.to_owned()]).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn candidates_have_one_order_and_one_tenant() {
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

        let of = |all: &[(&SpaceId, i64)]| -> Vec<(String, i64)> {
            all.iter().map(|(id, score)| (id.to_string(), *score)).collect()
        };
        let kitchens = found(&db, &tenant, &[("kitchen", 2), ("oven", 50)], &[]).await;
        assert_eq!(kitchens, of(&[(c, 650), (a, 200), (b, 200)]));
        assert_eq!(
            found(&db, &tenant, &[("bed", 30), ("kitchen", 1)], &[]).await,
            of(&[(a, 400), (c, 300), (b, 100)])
        );
        assert_eq!(found(&db, &tenant, &[("kitchen", 1)], &["bed=2"]).await, of(&[(c, 300), (b, 100)]));
        assert_eq!(found(&db, &tenant, &[("kitchen", 1)], &["bed=2", "oven"]).await, of(&[(c, 300)]));
        assert_eq!(found(&db, &tenant, &[(EVERY_SPACE, 1)], &["bed=2"]).await, of(&[(b, 0), (c, 0)]));
        assert_eq!(found(&db, &tenant, &[("room 室'\"", 1)], &[]).await, of(&[(d, 7)]));

        let all = ["kitchen", "bed=2", "none", EVERY_SPACE].map(str::to_owned);
        let counts: Vec<_> = frequencies::of_terms(&db, &tenant, &all).await.unwrap().into_iter().collect();
        assert_eq!(counts, [(EVERY_SPACE.to_owned(), 4), ("bed=2".into(), 2), ("kitchen".into(), 3)]);
        let rows = terms::matching(&db, &tenant, &ids[..2], &all[..1]).await.unwrap();
        assert_eq!(rows.len(), 2);
        let rows = entries::of_spaces(&db, &tenant, &ids[..2], &[]).await.unwrap();
        assert_eq!((rows.len(), rows[0].t_ms), (2, Some(5)));

        for other in [testing::other_mode(&tenant), testing::account(&db).await] {
            assert_eq!(found(&db, &other, &[("kitchen", 1)], &[]).await, []);
            assert!(frequencies::of_terms(&db, &other, &all).await.unwrap().is_empty());
            assert!(terms::matching(&db, &other, &ids, &all).await.unwrap().is_empty());
            assert!(entries::of_spaces(&db, &other, &ids, &[0]).await.unwrap().is_empty());
            assert_eq!(spelled(&db, &other, "kitchen").await, Vec::<String>::new());
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn removal_leaves_no_trace() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let (a, b) = (testing::space(&db, &tenant).await.id.0, testing::space(&db, &tenant).await.id.0);
        put(&db, &tenant, &a, &[("kitchen", 1), ("secret", 1)]).await;
        put(&db, &tenant, &b, &[("kitchen", 1)]).await;
        assert_eq!(spelled(&db, &tenant, "itchen").await, ["kitchen"]);
        // Idempotent.
        put(&db, &tenant, &a, &[("kitchen", 1), ("secret", 1)]).await;
        assert_eq!(found(&db, &tenant, &[("secret", 1)], &[]).await.len(), 1);
        assert_eq!(frequency(&db, &tenant, "secret").await, Some(1));
        assert_eq!(frequency(&db, &tenant, "kitchen").await, Some(2));

        let stranger = testing::account(&db).await;
        for whose in [&tenant, &stranger] {
            db.write(async |txn| frequencies::recount(&txn, whose).await).await.unwrap();
        }
        assert_eq!(frequency(&db, &tenant, "kitchen").await, Some(2));
        assert_eq!(frequency(&db, &stranger, "kitchen").await, None);

        put(&db, &tenant, &a, &[("kitchen", 1)]).await;
        assert_eq!(found(&db, &tenant, &[("secret", 1)], &[]).await, []);
        assert_eq!(spelled(&db, &tenant, "ecret").await, Vec::<String>::new());
        assert_eq!(frequency(&db, &tenant, "secret").await, None);

        db.write(async |txn| spaces::delete(&txn, &tenant, &a, NOON).await).await.unwrap();
        assert_eq!(found(&db, &tenant, &[("kitchen", 1)], &[]).await, [(b.to_string(), 1)]);
        assert_eq!(spelled(&db, &tenant, "itchen").await, ["kitchen"], "the other space has it still");
        assert_eq!(frequency(&db, &tenant, "kitchen").await, Some(1));
        db.write(async |txn| spaces::delete(&txn, &tenant, &b, NOON).await).await.unwrap();
        assert_eq!(found(&db, &tenant, &[("kitchen", 1)], &[]).await, []);
        assert_eq!(spelled(&db, &tenant, "itchen").await, Vec::<String>::new());
        assert_eq!(frequency(&db, &tenant, "kitchen").await, None);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn vectors_belong_to_one_tenant_model_and_space() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let (a, b) = (testing::space(&db, &tenant).await.id.0, testing::space(&db, &tenant).await.id.0);
        let passage = |at| Passage { text: "about".into(), entries: vec![at] };
        let index = Index { passages: vec![passage(0), passage(3)], ..index(&[("kitchen", 1)]) };
        let put = async |space: &SpaceId, meaning: Option<(&str, Vec<Vec<f32>>)>| {
            let meaning = meaning.map(|(model, vectors)| Meaning { model: model.into(), vectors });
            let scan = ScanId::new();
            let put: entities::Result<()> = db
                .write(async |txn| search::put(&txn, &tenant, space, &scan, &index, meaning.as_ref()).await)
                .await;
            put.unwrap();
        };
        let both = [a.to_string(), b.to_string()];
        let there = async |tenant: &Tenant, model: (&str, usize)| {
            let rows = vectors::of_spaces(&db, tenant, model, &both).await.unwrap();
            let sketched = sketches::of_model(&db, tenant, model, None, 10).await.unwrap();
            let spaces: Vec<&str> = rows.iter().map(|row| row.space_id.as_str()).collect();
            assert_eq!(sketched.iter().map(|(space, _)| space.as_str()).collect::<Vec<_>>(), spaces);
            rows
        };
        put(&a, Some(("m", vec![vec![1.0, 0.25], vec![-0.5, 2.0]]))).await;
        // Idempotent.
        put(&a, Some(("m", vec![vec![1.0, 0.25], vec![-0.5, 2.0]]))).await;
        put(&b, Some(("m", vec![vec![0.0, 1.0, 0.0]; 2]))).await;
        let rows = there(&tenant, ("m", 2)).await;
        assert_eq!(
            (rows.len(), rows[0].space_id.as_str(), &rows[0].entries.0),
            (1, a.as_str(), &vec![vec![0], vec![3]])
        );
        let numbers: Vec<f32> =
            rows[0].vectors.chunks(4).map(|b| f32::from_le_bytes(b.try_into().unwrap())).collect();
        assert_eq!(numbers, [1.0, 0.25, -0.5, 2.0]);
        let sketched = sketches::of_model(&db, &tenant, ("m", 2), None, 10).await.unwrap();
        assert_eq!(sketched, [(a.to_string(), vec![0, 1])]);
        assert_eq!(sketches::of_model(&db, &tenant, ("m", 2), Some(a.as_str()), 10).await.unwrap(), []);
        assert_eq!(there(&tenant, ("m", 3)).await.len(), 1);
        assert_eq!(there(&tenant, ("n", 2)).await, []);
        assert_eq!(vectors::of_spaces(&db, &tenant, ("m", 2), &both[1..]).await.unwrap(), []);
        for other in [testing::other_mode(&tenant), testing::account(&db).await] {
            assert_eq!(there(&other, ("m", 2)).await, []);
        }
        // Vectors of an older document do not stay beside the rows of a newer one.
        put(&a, None).await;
        assert_eq!(there(&tenant, ("m", 2)).await, []);
        db.write(async |txn| spaces::delete(&txn, &tenant, &b, NOON).await).await.unwrap();
        assert_eq!(there(&tenant, ("m", 3)).await, []);
    })
    .await;
}

/// The step that makes sketches finds vectors that were written before it.
#[tokio::test(flavor = "multi_thread")]
async fn migration_adds_binary_codes_of_existing_vectors() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let space = testing::space(&db, &tenant).await.id.0;
        let passages = (0..2).map(|at| Passage { text: "about".into(), entries: vec![at] }).collect();
        let index = Index { passages, ..index(&[("kitchen", 1)]) };
        let vectors = vec![vec![1.0, -0.25, 0.0], vec![-0.5, 2.0, -0.1]];
        let meaning = Meaning { model: "m".into(), vectors };
        let put: entities::Result<()> = db
            .write(async |txn| {
                search::put(&txn, &tenant, &space, &ScanId::new(), &index, Some(&meaning)).await
            })
            .await;
        put.unwrap();
        let sketched = async || sketches::of_model(&db, &tenant, ("m", 3), None, 10).await.unwrap();
        let made = sketched().await;
        assert_eq!(made, [(space.to_string(), vec![0b010, 0b101])]);
        let before = "DROP TABLE search_sketches;
            CREATE INDEX search_vectors_by_model ON search_vectors (account_id);
            DELETE FROM seaql_migrations WHERE version = 'm0019_search_sketches';";
        db.conn().execute_unprepared(before).await.unwrap();
        migration::migrate(db.conn()).await.unwrap();
        assert_eq!(sketched().await, made);
    })
    .await;
}
