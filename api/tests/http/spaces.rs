//! Spaces: creation, lists, single spaces, deletion.

use std::collections::HashSet;

use domain::{Timestamp, space::NewSpace};
use entities::{spaces, testing};
use serde_json::{Value, json};

use crate::app::{Client, TestApp};

async fn create(app: &TestApp, client: &Client, name: &str) -> String {
    let body = json!({ "name": name, "space_type": "apartment", "external_id": format!("ref {name}") });
    let response = app.post("/v1/spaces").key(client).json(body).send().await.expect(201);
    response.body["id"].as_str().unwrap().to_owned()
}

#[tokio::test]
async fn created_space_contains_the_sent_fields() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let body = json!({ "name": "Größe 1", "space_type": "office", "description": "two\nlines" });
    let created = app.post("/v1/spaces").key(&client).json(body).send().await.expect(201).body;
    assert_eq!(created["object"], "space");
    assert_eq!(created["source"], "api");
    assert_eq!(created["livemode"], false);
    assert_eq!(created["name"], "Größe 1");
    assert_eq!(created["external_id"], json!(null));
    assert_eq!(created["created_at"], created["updated_at"]);

    let id = created["id"].as_str().unwrap();
    let read = app.get(&format!("/v1/spaces/{id}")).key(&client).send().await.expect(200).body;
    assert_eq!(read["description"], "two\nlines");
    assert_eq!(read["document"], json!(null));
    assert_eq!(read["document_revision"], json!(null));
    assert_eq!(read["scan_id"], json!(null));
    app.finish().await;
}

#[tokio::test]
async fn invalid_fields_are_reported() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let cases = [
        (json!({}), vec!["name"]),
        (json!({ "name": " ", "space_type": "" }), vec!["name", "space_type"]),
        (json!({ "name": "a", "space_type": "b", "colour": "c" }), vec!["colour"]),
        (json!({ "name": 1, "space_type": "b" }), vec!["name"]),
        (json!({ "name": "a".repeat(201), "space_type": "b" }), vec!["name"]),
        (json!({ "name": "a", "space_type": "b", "external_id": "x".repeat(129) }), vec!["external_id"]),
        (json!({ "name": "a", "space_type": "b", "description": "a\u{0}b" }), vec!["description"]),
        (json!([]), vec!["body"]),
        (json!("name"), vec!["body"]),
    ];
    for (body, fields) in cases {
        let response = app.post("/v1/spaces").key(&client).json(body.clone()).send().await;
        let response = response.expect_error(400, "VALIDATION_FAILED");
        assert_eq!(response.invalid_fields(), fields, "{body}");
    }
    app.finish().await;
}

#[tokio::test]
async fn pages_contain_each_space_once() {
    TestApp::on_each_database(async |app| {
        let client = app.client().await;
        let mut created = HashSet::new();
        for i in 0..7 {
            created.insert(create(app, &client, &i.to_string()).await);
        }
        create(app, &app.client().await, "of someone else").await;

        let mut seen = Vec::new();
        let mut cursor = String::new();
        loop {
            let path = format!("/v1/spaces?limit=3{cursor}");
            let page = app.get(&path).key(&client).send().await.expect(200).body;
            assert_eq!(page["object"], "list");
            let ids = page["data"].as_array().unwrap().iter().map(|s| s["id"].as_str().unwrap().to_owned());
            seen.extend(ids);
            match page["next_cursor"].as_str() {
                Some(next) => cursor = format!("&cursor={next}"),
                None => break,
            }
        }
        assert_eq!(seen.len(), 7);
        assert_eq!(seen.into_iter().collect::<HashSet<_>>(), created);

        let one = app.get("/v1/spaces?external_id=ref+3").key(&client).send().await.expect(200).body;
        assert_eq!(one["data"].as_array().unwrap().len(), 1);
        assert_eq!(one["data"][0]["name"], "3");
        let none = app.get("/v1/spaces?space_type=office").key(&client).send().await.expect(200).body;
        assert_eq!(none["data"], json!([]));
    })
    .await;
}

#[tokio::test]
async fn rejects_tampered_cursors_and_invalid_limits() {
    let app = TestApp::start().await;
    let client = app.client().await;
    for i in 0..3 {
        create(&app, &client, &i.to_string()).await;
    }
    let page = app.get("/v1/spaces?limit=1").key(&client).send().await.expect(200).body;
    let cursor = page["next_cursor"].as_str().unwrap();
    let space = page["data"][0]["id"].as_str().unwrap().to_owned();

    let mut flipped = cursor.to_owned().into_bytes();
    flipped[5] = if flipped[5] == b'A' { b'B' } else { b'A' };
    let flipped = String::from_utf8(flipped).unwrap();
    for bad in [flipped.as_str(), "", "x", "%00", "..%2F..", &cursor[..cursor.len() - 2]] {
        let response = app.get(&format!("/v1/spaces?cursor={bad}")).key(&client).send().await;
        assert_eq!(response.expect_error(400, "VALIDATION_FAILED").invalid_fields(), ["cursor"], "{bad}");
    }
    // Cursors of another list and of another account.
    let path = format!("/v1/spaces/{space}/scans?cursor={cursor}");
    app.get(&path).key(&client).send().await.expect_error(400, "VALIDATION_FAILED");
    let other = app.client().await;
    app.get(&format!("/v1/spaces?cursor={cursor}"))
        .key(&other)
        .send()
        .await
        .expect_error(400, "VALIDATION_FAILED");

    for bad in ["0", "101", "-1", "1.5", "ten", "", "99999999999999999999"] {
        let response = app.get(&format!("/v1/spaces?limit={bad}")).key(&client).send().await;
        assert_eq!(response.expect_error(400, "VALIDATION_FAILED").invalid_fields(), ["limit"], "{bad}");
    }
    let unknown =
        app.get("/v1/spaces?limt=5").key(&client).send().await.expect_error(400, "VALIDATION_FAILED");
    assert_eq!(unknown.invalid_fields(), ["limt"]);
    app.finish().await;
}

#[tokio::test]
async fn only_idle_spaces_created_by_the_api_can_be_deleted() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let id = create(&app, &client, "a").await;
    let path = format!("/v1/spaces/{id}");
    app.delete(&path).key(&client).send().await.expect(204);
    app.delete(&path).key(&client).send().await.expect_error(404, "NOT_FOUND");
    app.get(&path).key(&client).send().await.expect_error(404, "NOT_FOUND");
    let list = app.get("/v1/spaces").key(&client).send().await.expect(200);
    assert_eq!(list.body["data"], json!([]));

    let tenant = client.tenant.clone();
    let new = NewSpace { name: "i".into(), space_type: "x".into(), external_id: None, description: None };
    let imported: entities::Result<_> = app
        .db()
        .write(async |txn| spaces::insert_from(&txn, &tenant, "import", &new, Timestamp::now()).await)
        .await;
    let path = format!("/v1/spaces/{}", imported.unwrap().id.as_str());
    app.delete(&path).key(&client).send().await.expect_error(409, "SPACE_NOT_DELETABLE");

    let busy = testing::space(app.db(), &client.tenant).await;
    let scan = crate::scans::create_started_scan(&app, &client, busy.id.as_str()).await;
    let path = format!("/v1/spaces/{}", busy.id.as_str());
    app.delete(&path).key(&client).send().await.expect_error(409, "SPACE_BUSY");
    // The scan is unchanged.
    let scan = app.get(&format!("/v1/scans/{scan}")).key(&client).send().await.expect(200);
    assert_eq!(scan.body["status"], "queued");
    app.finish().await;
}

#[tokio::test]
async fn a_changed_space_is_found_by_its_new_name() {
    TestApp::on_each_database(async |app| {
        let client = app.client().await;
        let new = json!({ "name": "Zebra House", "space_type": "apartment", "description": "old" });
        let space = app.post("/v1/spaces").key(&client).json(new).send().await.expect(201).body;
        let path = format!("/v1/spaces/{}", space["id"].as_str().unwrap());
        let patch = |body: Value| app.call(reqwest::Method::PATCH, &path).key(&client).json(body).send();
        // Before a scan is complete, there is nothing to index.
        let changed = patch(json!({ "external_id": "r-1" })).await.expect(200).body;
        assert_eq!((&changed["external_id"], &changed["name"]), (&json!("r-1"), &space["name"]));
        crate::media::create_complete_scan(app, &client, space["id"].as_str().unwrap()).await;
        patch(json!({ "name": "Zebra House 2" })).await.expect(200);
        let found = async |word: &str| {
            let found = app.get(&format!("/v1/search?q={word}")).key(&client).send().await.expect(200).body;
            found["data"].as_array().unwrap().len()
        };
        assert_eq!(found("zebra").await, 1);

        let changes = json!({ "name": "Okapi House", "description": null, "external_id": null });
        let changed = patch(changes.clone()).await.expect(200).body;
        assert_eq!((&changed["name"], &changed["description"]), (&json!("Okapi House"), &json!(null)));
        assert!(changed["updated_at"].as_str() > space["updated_at"].as_str());
        assert_eq!((found("okapi").await, found("zebra").await), (1, 0));
        assert_eq!(patch(changes).await.expect(200).body, changed, "a repeat changes nothing");
        let read = app.get(&path).key(&client).send().await.expect(200).body;
        assert_eq!(read["name"], "Okapi House");
        assert!(read["document"].is_object(), "the document stays");
        for invalid in [json!({ "name": " " }), json!({ "space_type": "a\nb" }), json!({ "colour": "red" })] {
            patch(invalid).await.expect_error(400, "VALIDATION_FAILED");
        }
        // Of concurrent changes of different fields, none is lost.
        let both = [json!({ "name": "Tapir House" }), json!({ "external_id": "r-2" })];
        for response in futures::future::join_all(both.map(patch)).await {
            response.expect(200);
        }
        let read = app.get(&path).key(&client).send().await.expect(200).body;
        assert_eq!((&read["name"], &read["external_id"]), (&json!("Tapir House"), &json!("r-2")));
    })
    .await;
}
