//! Language models: semantic search and worded answers, also when the models fail.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use domain::language::{Embedder, LanguageModels, NoAnswer, Priority, Used, Writer};
use entities::testing;
use serde_json::{Value, json};

use crate::{
    app::{Client, TestApp},
    media::{complete_as, reads},
};

/// A fake embedder with two topics, cooking and sleeping. Texts without a topic have unrelated
/// vectors.
#[derive(Default)]
struct Meanings {
    silent: AtomicBool,
    renamed: AtomicBool,
}

const COOKING: [&str; 3] = ["kitchen", "meals", "cook"];
const SLEEPING: [&str; 3] = ["bedroom", "nap", "sleep"];

impl Embedder for Meanings {
    fn model(&self) -> &str {
        if self.renamed.load(Ordering::SeqCst) { "another" } else { "meanings" }
    }

    fn least_similarity(&self) -> f32 {
        0.5
    }

    fn embed(&self, texts: &[String], _: Priority) -> Result<(Vec<Vec<f32>>, Used), NoAnswer> {
        if self.silent.load(Ordering::SeqCst) {
            return Err(NoAnswer { code: "ENDPOINT_TIMEOUT", reason: "no answer in time".into() });
        }
        let vector = |text: &String| {
            let text = text.to_lowercase();
            let has = |words: [&str; 3]| f32::from(u8::from(words.iter().any(|word| text.contains(word))));
            let mut vector = vec![has(COOKING), has(SLEEPING), 0.0, 0.0, 0.0, 0.0, 0.0];
            vector[2 + text.len() % 5] = 0.1;
            vector
        };
        Ok((texts.iter().map(vector).collect(), Used { requests: 1, ..Used::default() }))
    }
}

/// A fake writer that always returns the same text.
struct Says(Result<&'static str, &'static str>);

impl Writer for Says {
    fn model(&self) -> &str {
        "says"
    }

    fn write(&self, task: &str, material: &str) -> Result<(String, Used), NoAnswer> {
        assert!(task.contains("never instructions") && material.contains("NO SMOKING"));
        match self.0 {
            Ok(text) => Ok((text.to_owned(), Used::default())),
            Err(code) => Err(NoAnswer { code, reason: "it failed".into() }),
        }
    }
}

/// Creates a space with one room of this type.
async fn room(app: &TestApp, client: &Client, kind: &str, raw: &str) -> String {
    let space = testing::space(app.db(), &client.tenant).await;
    complete_as(app, client, space.id.as_str(), |document| {
        reads(document, raw);
        document["zones"][0]["types"][0]["value"] = json!(kind);
        document["zones"][0]["label"] = json!(kind);
    })
    .await;
    space.id.to_string()
}

async fn search(app: &TestApp, client: &Client, query: &str) -> Value {
    app.get(&format!("/v1/search?{query}")).key(client).send().await.expect(200).body
}

fn ids(found: &Value) -> Vec<&str> {
    found["data"].as_array().unwrap().iter().map(|hit| hit["space"]["id"].as_str().unwrap()).collect()
}

#[tokio::test]
async fn semantic_search_finds_synonyms() {
    let model = Arc::new(Meanings::default());
    let language = LanguageModels { embedder: Some(model.clone()), writer: None };
    TestApp::with_language(language, async |app| {
        model.silent.store(false, Ordering::SeqCst);
        model.renamed.store(false, Ordering::SeqCst);
        let client = app.client().await;
        let kitchen = room(app, &client, "kitchen", "GUEST 41").await;
        let bedroom = room(app, &client, "bedroom", "GUEST 42").await;
        let bathroom = room(app, &client, "bathroom", "SOAP 5").await;

        let found = search(app, &client, "q=somewhere+to+cook").await;
        assert_eq!(ids(&found), [kitchen.as_str()]);
        let shown = &found["data"][0]["matches"][0];
        assert_eq!((&shown["kind"], &shown["frame_id"]), (&json!("zone"), &json!("frm_00001")));
        // Both rankings count: one has the word, the other the meaning.
        let found = search(app, &client, "q=cook+soap").await;
        let mut both = ids(&found);
        both.sort_unstable();
        let mut expected = [kitchen.as_str(), bathroom.as_str()];
        expected.sort_unstable();
        assert_eq!(both, expected);
        assert_eq!(ids(&search(app, &client, "q=nap+guest").await), [bedroom.as_str(), kitchen.as_str()]);
        // Facts filter the hits regardless of the model.
        assert_eq!(ids(&search(app, &client, "q=cook+2+bedrooms").await), Vec::<&str>::new());
        assert_eq!(
            ids(&search(app, &client, "q=1+bedroom+to+cook&space_type=apartment").await),
            [bedroom.as_str()]
        );
        assert_eq!(ids(&search(app, &client, "q=nothing+at+all").await), Vec::<&str>::new());
        let stranger = app.client().await;
        assert_eq!(ids(&search(app, &stranger, "q=cook").await), Vec::<&str>::new());

        // Each hit occurs once over all pages. If the model fails between two pages, word search
        // continues.
        let first = search(app, &client, "q=guest+nap&limit=1").await;
        let next = format!("q=guest+nap&limit=1&cursor={}", first["next_cursor"].as_str().unwrap());
        let second = search(app, &client, &next).await;
        assert_eq!([ids(&first), ids(&second)].concat(), [bedroom.as_str(), kitchen.as_str()]);
        assert_eq!(second["next_cursor"], Value::Null);
        model.silent.store(true, Ordering::SeqCst);
        assert_eq!(ids(&search(app, &client, &next).await).len(), 1);
        // Without vectors, or with vectors of another model, word search still finds its hits.
        assert_eq!(ids(&search(app, &client, "q=somewhere+to+cook").await), Vec::<&str>::new());
        assert_eq!(ids(&search(app, &client, "q=kitchen").await), [kitchen.as_str()]);
        model.silent.store(false, Ordering::SeqCst);
        model.renamed.store(true, Ordering::SeqCst);
        assert_eq!(ids(&search(app, &client, "q=somewhere+to+cook").await), Vec::<&str>::new());
    })
    .await;
}

#[tokio::test]
async fn writer_may_only_reword_an_answer() {
    let plain = "A text in kitchen reads “NO SMOKING”.";
    let other = "The sign in the kitchen says “NO SMOKING”.";
    for (says, answer, worded_by) in [
        (Ok(other), other, json!("says")),
        (Ok("The sign in the kitchen says \"NO SMOKING\"."), other, json!("says")),
        (Ok("There is no sign in the kitchen."), plain, Value::Null),
        (Ok("The sign in the kitchen says “SMOKING”."), plain, Value::Null),
        (Ok("The sign in the bathroom says “NO SMOKING”."), plain, Value::Null),
        (Ok("The sign in the kitchen says “NO SMOKING”. Call 555 1234."), plain, Value::Null),
        (Ok(""), plain, Value::Null),
        (Err("ENDPOINT_TIMEOUT"), plain, Value::Null),
        (Err("ENDPOINT_REFUSED"), plain, Value::Null),
    ] {
        let language = LanguageModels { embedder: None, writer: Some(Arc::new(Says(says))) };
        TestApp::with_language(language, async |app| {
            let client = app.client().await;
            let space = room(app, &client, "kitchen", "NO SMOKING").await;
            let asked = async |question: &str| {
                let call = app.post(&format!("/v1/spaces/{space}/ask")).key(&client);
                call.json(json!({ "question": question })).send().await.expect(200).body
            };
            let answered = asked("What does the sign in the kitchen say?").await;
            assert_eq!(
                (&answered["answer"], &answered["worded_by"]),
                (&json!(answer), &worded_by),
                "{says:?}"
            );
            assert_eq!(answered["citations"][0]["value"], "NO SMOKING");
            // Questions without an answer are never sent to the model: the fake would fail on them.
            let none = asked("Is there a piano?").await;
            assert_eq!((&none["answer"], &none["worded_by"]), (&Value::Null, &Value::Null));
        })
        .await;
    }
}
