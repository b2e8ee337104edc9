//! Corrections of a document by its owner.

use entities::{audit_log, testing};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    app::{Client, TestApp},
    media::{add_sign, create_complete_scan, create_complete_scan_with},
};

struct Corrected {
    app: TestApp,
    client: Client,
    space: String,
    scan: String,
}

impl Corrected {
    /// Creates a space whose document has the zone `zon_1` (a kitchen) with the sign `txt_1`.
    async fn start() -> Self {
        let app = TestApp::start().await;
        let client = app.client().await;
        let space = testing::space(app.db(), &client.tenant).await.id.to_string();
        let scan =
            create_complete_scan_with(&app, &client, &space, |document| add_sign(document, "NO SMOKNG"))
                .await;
        Self { app, client, space, scan }
    }

    fn patch(&self, corrections: &Value) -> crate::app::Call {
        let path = format!("/v1/spaces/{}/document", self.space);
        self.app.call(Method::PATCH, &path).key(&self.client).json(json!({ "corrections": corrections }))
    }

    async fn get(&self, path: &str) -> Value {
        let path = format!("/v1/spaces/{}{path}", self.space);
        self.app.get(&path).key(&self.client).send().await.expect(200).body
    }

    async fn answer(&self) -> Value {
        let path = format!("/v1/spaces/{}/ask", self.space);
        let question = json!({ "question": "What does the sign say?" });
        self.app.post(&path).key(&self.client).json(question).send().await.expect(200).body
    }

    async fn search(&self, query: &str) -> usize {
        let found = self.app.get(&format!("/v1/search?q={query}")).key(&self.client).send().await.expect(200);
        found.body["data"].as_array().unwrap().len()
    }
}

fn reworded(text: &str) -> Value {
    json!([{ "target_id": "txt_1", "field": "text", "value": text }])
}

#[tokio::test]
async fn document_answers_and_search_have_the_corrected_text() {
    let test = Corrected::start().await;
    assert_eq!(test.search("vaping").await, 0);
    let made = test.patch(&reworded("NO VAPING")).send().await.expect(200).body;
    assert_eq!(
        (&made["scan_id"], &made["corrections"][0]["value"]),
        (&json!(test.scan), &json!("NO VAPING"))
    );

    let document = test.get("").await["document"].clone();
    let text = &document["texts"][0];
    assert_eq!((&text["raw"], &text["claim"]["basis"]), (&json!("NO VAPING"), &json!("user")));
    assert_eq!(document["corrections"][0]["found"], "NO SMOKNG");
    assert!(document["frames"][0]["url"].is_string());
    let past = test.get(&format!("/scans/{}", test.scan)).await;
    assert_eq!(past["document"]["texts"][0]["raw"], "NO VAPING");
    let answer = test.answer().await;
    assert_eq!(
        (&answer["citations"][0]["value"], &answer["citations"][0]["basis"]),
        (&json!("NO VAPING"), &json!("user"))
    );
    assert_eq!((test.search("vaping").await, test.search("smokng").await), (1, 0));
    test.app.finish().await;
}

#[tokio::test]
async fn a_withdrawn_correction_restores_what_the_scan_found() {
    let test = Corrected::start().await;
    let kind = json!([{ "target_id": "zon_1", "field": "type", "value": "laundry room" }]);
    let made = test.patch(&kind).send().await.expect(200).body;
    let id = made["corrections"][0]["id"].as_str().unwrap().to_owned();
    assert_eq!(test.get("").await["document"]["zones"][0]["label"], "Laundry room");
    assert_eq!(test.search("laundry").await, 1);

    let path = format!("/v1/spaces/{}/corrections/{id}", test.space);
    let delete = || test.app.call(Method::DELETE, &path).key(&test.client).send();
    delete().await.expect(204);
    delete().await.expect_error(404, "NOT_FOUND");
    let document = test.get("").await["document"].clone();
    assert_eq!((&document["zones"][0]["label"], &document["corrections"]), (&json!("Kitchen"), &json!(null)));
    assert_eq!(test.search("laundry").await, 0);
    test.app.finish().await;
}

#[tokio::test]
async fn a_repeated_correction_changes_nothing_and_another_one_replaces_it() {
    let test = Corrected::start().await;
    let first = test.patch(&reworded("NO SMOKING")).send().await.expect(200).body;
    let again = test.patch(&reworded("NO SMOKING")).send().await.expect(200).body;
    assert_eq!(first, again);
    let other = test.patch(&reworded("NO VAPING")).send().await.expect(200).body;
    assert_eq!(
        (other["corrections"].as_array().unwrap().len(), &other["corrections"][0]["value"]),
        (1, &json!("NO VAPING"))
    );
    let listed = test.get("/corrections").await;
    assert_eq!(listed["data"], other["corrections"]);
    let entries = audit_log::list(test.app.db(), &test.client.tenant.account_id, None, 50).await.unwrap();
    let corrected = entries.iter().filter(|entry| entry.action == "document.corrected").count();
    assert_eq!(corrected, 2, "the repetition is not recorded");
    assert!(entries.iter().all(|entry| !entry.detail.0.to_string().contains("VAPING")));
    test.app.finish().await;
}

#[tokio::test]
async fn invalid_corrections_are_refused_together() {
    let test = Corrected::start().await;
    for (corrections, field) in [
        (json!([]), "corrections"),
        (json!([{ "target_id": "txt_9", "field": "text", "value": "x" }]), "corrections[0].target_id"),
        (json!([{ "target_id": "zon_1", "field": "text", "value": "x" }]), "corrections[0].field"),
        (json!([{ "target_id": "txt_1", "field": "text" }]), "corrections[0].value"),
        (
            json!([{ "target_id": "txt_1", "field": "text", "value": "x" }, { "target_id": "zon_1", "field": "name", "value": " " }]),
            "corrections[1].value",
        ),
    ] {
        let refused = test.patch(&corrections).send().await.expect_error(400, "VALIDATION_FAILED");
        assert_eq!(refused.invalid_fields(), [field]);
    }
    assert_eq!(test.get("/corrections").await["data"], json!([]), "no part of a refused request is made");
    test.app.finish().await;
}

#[tokio::test]
async fn a_space_without_a_document_cannot_be_corrected() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await.id.to_string();
    let path = format!("/v1/spaces/{space}/document");
    let body = json!({ "corrections": reworded("x") });
    let refused = app.call(Method::PATCH, &path).key(&client).json(body.clone()).send().await;
    refused.expect_error(409, "NO_DOCUMENT");
    create_complete_scan(&app, &client, &space).await;
    let stranger = app.client().await;
    app.call(Method::PATCH, &path).key(&stranger).json(body).send().await.expect_error(404, "NOT_FOUND");
    app.finish().await;
}

#[tokio::test]
async fn a_correction_is_visible_in_a_comparison() {
    let test = Corrected::start().await;
    create_complete_scan_with(&test.app, &test.client, &test.space, |document| {
        add_sign(document, "NO SMOKNG")
    })
    .await;
    assert_eq!(test.get("/diff").await["changes"], json!([]));
    test.patch(&reworded("NO VAPING")).send().await.expect(200);
    let changes = test.get("/diff").await["changes"].clone();
    assert_eq!((&changes[0]["kind"], &changes[0]["after"]["basis"]), (&json!("changed"), &json!("user")));
    assert_eq!(changes[0]["before"]["basis"], "read");
    test.app.finish().await;
}
