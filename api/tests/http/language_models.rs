//! Semantic search and reworded answers, with language models that work and that fail.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
    mpsc,
};

use domain::language::{
    Embedder, LanguageModelError, LanguageModels, ModelUsage, Priority, Translator, Writer,
};
use entities::testing;
use serde_json::{Value, json};

use crate::{
    app::{Client, TestApp},
    media::{add_sign, create_complete_scan_with},
};

/// A fake embedder with two topics, cooking and sleeping. Texts without a topic have unrelated
/// vectors.
#[derive(Default)]
struct TopicEmbedder {
    /// Whether requests fail.
    failing: AtomicBool,
    /// Whether the model has another name.
    renamed: AtomicBool,
}

const COOKING: [&str; 3] = ["kitchen", "meals", "cook"];
const SLEEPING: [&str; 3] = ["bedroom", "nap", "sleep"];

impl Embedder for TopicEmbedder {
    fn model(&self) -> &str {
        if self.renamed.load(Ordering::SeqCst) { "another" } else { "meanings" }
    }

    fn least_similarity(&self) -> f32 {
        0.5
    }

    fn embed(
        &self,
        texts: &[String],
        _: Priority,
    ) -> Result<(Vec<Vec<f32>>, ModelUsage), LanguageModelError> {
        if self.failing.load(Ordering::SeqCst) {
            return Err(LanguageModelError {
                code: "ENDPOINT_TIMEOUT",
                reason: "no response in time".into(),
            });
        }
        let vector = |text: &String| {
            let text = text.to_lowercase();
            let has = |words: [&str; 3]| f32::from(u8::from(words.iter().any(|word| text.contains(word))));
            let mut vector = vec![has(COOKING), has(SLEEPING), 0.0, 0.0, 0.0, 0.0, 0.0];
            vector[2 + text.len() % 5] = 0.1;
            vector
        };
        Ok((texts.iter().map(vector).collect(), ModelUsage { requests: 1, ..ModelUsage::default() }))
    }
}

/// A fake writer that always returns the same text.
struct FixedWriter(Result<&'static str, &'static str>);

impl Writer for FixedWriter {
    fn model(&self) -> &str {
        "says"
    }

    fn write(&self, task: &str, material: &str) -> Result<(String, ModelUsage), LanguageModelError> {
        assert!(task.contains("never instructions") && material.contains("NO SMOKING"));
        match self.0 {
            Ok(text) => Ok((text.to_owned(), ModelUsage::default())),
            Err(code) => Err(LanguageModelError { code, reason: "it failed".into() }),
        }
    }
}

/// Creates a space with one room of type `kind` and a sign that reads `raw`.
async fn create_room(app: &TestApp, client: &Client, kind: &str, raw: &str) -> String {
    let space = testing::space(app.db(), &client.tenant).await;
    create_complete_scan_with(app, client, space.id.as_str(), |document| {
        add_sign(document, raw);
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
    let model = Arc::new(TopicEmbedder::default());
    let language = LanguageModels { embedder: Some(model.clone()), ..LanguageModels::default() };
    TestApp::on_each_database_with_models(language, async |app| {
        model.failing.store(false, Ordering::SeqCst);
        model.renamed.store(false, Ordering::SeqCst);
        let client = app.client().await;
        let kitchen = create_room(app, &client, "kitchen", "GUEST 41").await;
        let bedroom = create_room(app, &client, "bedroom", "GUEST 42").await;
        let bathroom = create_room(app, &client, "bathroom", "SOAP 5").await;

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
        model.failing.store(true, Ordering::SeqCst);
        assert_eq!(ids(&search(app, &client, &next).await).len(), 1);
        // Without vectors, or with vectors of another model, word search still finds its hits.
        assert_eq!(ids(&search(app, &client, "q=somewhere+to+cook").await), Vec::<&str>::new());
        assert_eq!(ids(&search(app, &client, "q=kitchen").await), [kitchen.as_str()]);
        model.failing.store(false, Ordering::SeqCst);
        model.renamed.store(true, Ordering::SeqCst);
        assert_eq!(ids(&search(app, &client, "q=somewhere+to+cook").await), Vec::<&str>::new());
    })
    .await;
}

#[tokio::test]
async fn writer_may_only_reword_an_answer() {
    let plain = "A text in kitchen reads “NO SMOKING”.";
    let other = "The sign in the kitchen says “NO SMOKING”.";
    for (output, answer, worded_by) in [
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
        let language =
            LanguageModels { writer: Some(Arc::new(FixedWriter(output))), ..LanguageModels::default() };
        TestApp::on_each_database_with_models(language, async |app| {
            let client = app.client().await;
            let space = create_room(app, &client, "kitchen", "NO SMOKING").await;
            let ask = async |question: &str| {
                let call = app.post(&format!("/v1/spaces/{space}/ask")).key(&client);
                call.json(json!({ "question": question })).send().await.expect(200).body
            };
            let body = ask("What does the sign in the kitchen say?").await;
            assert_eq!((&body["answer"], &body["worded_by"]), (&json!(answer), &worded_by), "{output:?}");
            assert_eq!(body["citations"][0]["value"], "NO SMOKING");
            // Questions without an answer are never sent to the model: the fake would fail on them.
            let none = ask("Is there a piano?").await;
            assert_eq!((&none["answer"], &none["worded_by"]), (&Value::Null, &Value::Null));
        })
        .await;
    }
}

/// An embedder that responds when the test lets it.
struct HangingEmbedder {
    begun: tokio::sync::mpsc::UnboundedSender<()>,
    proceed: Mutex<mpsc::Receiver<()>>,
}

impl Embedder for HangingEmbedder {
    fn model(&self) -> &str {
        "hanging"
    }

    fn least_similarity(&self) -> f32 {
        0.5
    }

    fn embed(
        &self,
        texts: &[String],
        _: Priority,
    ) -> Result<(Vec<Vec<f32>>, ModelUsage), LanguageModelError> {
        self.begun.send(()).unwrap();
        self.proceed.lock().unwrap().recv().unwrap();
        Ok((texts.iter().map(|_| vec![1.0; 8]).collect(), ModelUsage::default()))
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn searches_beyond_the_queue_of_a_hanging_model_are_told_when_to_retry() {
    let (begun, mut beginning) = tokio::sync::mpsc::unbounded_channel();
    let (proceed, proceeding) = mpsc::channel();
    let hanging = HangingEmbedder { begun, proceed: Mutex::new(proceeding) };
    let language = LanguageModels { embedder: Some(Arc::new(hanging)), ..LanguageModels::default() };
    let app = TestApp::with_models(language, |settings| {
        settings.model_threads = 1;
        settings.blocking_queue = 0;
    })
    .await;
    let client = app.client().await;
    let first = app.get("/v1/search?q=kitchen").key(&client).send();
    let rest = async {
        beginning.recv().await.unwrap();
        let refused = app.get("/v1/search?q=bedroom").key(&client).send().await;
        let refused = refused.expect_error(503, "UNAVAILABLE");
        assert_eq!(refused.header("retry-after"), "2");
        // Other work has its own threads.
        app.get("/v1/spaces").key(&client).send().await.expect(200);
        app.post("/v1/spaces")
            .key(&client)
            .json(json!({ "name": "A", "space_type": "office" }))
            .send()
            .await
            .expect(201);
        proceed.send(()).unwrap();
    };
    let (first, ()) = tokio::join!(first, rest);
    first.expect(200);
    app.finish().await;
}

/// A fake translator that always returns the same value, and records what it receives.
struct FixedTranslator {
    value: Result<Value, &'static str>,
    received: Mutex<Vec<String>>,
}

impl Translator for FixedTranslator {
    fn model(&self) -> &str {
        "polyglot"
    }

    fn translate(
        &self,
        task: &str,
        schema: &Value,
        text: &str,
    ) -> Result<(Value, ModelUsage), LanguageModelError> {
        self.received.lock().unwrap().push(format!("{task} {schema} {text}"));
        match &self.value {
            Ok(value) => Ok((value.clone(), ModelUsage::default())),
            Err(code) => Err(LanguageModelError { code, reason: "it failed".into() }),
        }
    }
}

#[tokio::test]
async fn questions_in_other_languages_are_answered_through_the_translator() {
    let query = json!({ "parts": [{
        "question": "What does the sign about smoking say?", "type": "text",
        "topics": [{ "words": "smoking", "also": [] }], "places": [], "days": [], "time": null,
        "existence": false, "permission": false,
    }] });
    let german = "Was steht auf dem Schild und wo ist das?";
    for (value, answer, reason, translated_by) in [
        (Ok(query), json!("A text in kitchen reads “NO SMOKING”."), Value::Null, json!("polyglot")),
        (Ok(json!({ "answer": "yes" })), Value::Null, json!("unsupported_language"), Value::Null),
        (Err("ENDPOINT_TIMEOUT"), Value::Null, json!("unsupported_language"), Value::Null),
        (Err("ENDPOINT_PAUSED"), Value::Null, json!("unsupported_language"), Value::Null),
    ] {
        let translator = Arc::new(FixedTranslator { value, received: Mutex::default() });
        let language = LanguageModels { translator: Some(translator.clone()), ..LanguageModels::default() };
        TestApp::on_each_database_with_models(language, async |app| {
            let client = app.client().await;
            let space = create_room(app, &client, "kitchen", "NO SMOKING").await;
            let ask = async |question: &str| {
                let call = app.post(&format!("/v1/spaces/{space}/ask")).key(&client);
                call.json(json!({ "question": question })).send().await.expect(200).body
            };
            translator.received.lock().unwrap().clear();
            let body = ask(german).await;
            assert_eq!(
                (&body["answer"], &body["reason"], &body["translated_by"]),
                (&answer, &reason, &translated_by)
            );
            let own = ask("What does the sign in the kitchen say?").await;
            assert_eq!((&own["status"], &own["translated_by"]), (&json!("answered"), &Value::Null));
            // The model received one question, and no word of the document.
            let received = translator.received.lock().unwrap();
            assert_eq!(received.len(), 1);
            assert!(received[0].ends_with(german) && !received[0].contains("NO SMOKING"));
        })
        .await;
    }
}

#[tokio::test]
async fn questions_find_signs_of_similar_meaning() {
    let model = Arc::new(TopicEmbedder::default());
    let language = LanguageModels { sentences: Some(model), ..LanguageModels::default() };
    TestApp::on_each_database_with_models(language, async |app| {
        let client = app.client().await;
        let space = create_room(app, &client, "bathroom", "KITCHEN UPSTAIRS").await;
        let call = app.post(&format!("/v1/spaces/{space}/ask")).key(&client);
        let body = call.json(json!({ "question": "Who may cook?" })).send().await.expect(200).body;
        assert_eq!(body["status"], "abstained", "{body}");
        assert_eq!(body["closest"][0]["value"], "KITCHEN UPSTAIRS", "{body}");
    })
    .await;
}
