//! Skills, answers, comparisons and search over HTTP.

use entities::{spaces, testing};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{
    app::{ApiResponse, Client, TestApp},
    media::{add_sign, create_complete_scan, create_complete_scan_with},
    uploads::JPEG,
};

#[tokio::test]
async fn skill_is_available_once_a_scan_is_complete() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let path = format!("/v1/spaces/{}/skill", space.id.as_str());
    app.get(&path).key(&client).send().await.expect_error(409, "NO_DOCUMENT");
    let scan = create_complete_scan(&app, &client, space.id.as_str()).await;

    let skill = app.get(&path).key(&client).send().await.expect(200);
    assert_eq!(skill.header("content-type"), "application/json");
    assert_eq!(skill.header("vary"), "accept");
    assert_eq!(skill.body["scan_id"], scan);
    assert_eq!(skill.body["files"][0]["path"], "SKILL.md");
    let name = skill.body["name"].as_str().unwrap();
    assert_eq!(name, space.id.as_str().replace('_', "-"));

    let zip = app.get(&path).key(&client).header("accept", "application/zip").send().await.expect(200);
    assert_eq!(zip.header("content-type"), "application/zip");
    assert_eq!(zip.header("content-disposition"), format!("attachment; filename=\"{name}.zip\""));
    assert!(zip.bytes.starts_with(b"PK\x03\x04"));
    app.finish().await;
}

#[tokio::test]
async fn answers_are_based_on_claims() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let path = format!("/v1/spaces/{}/ask", space.id.as_str());
    let question = json!({ "question": "Is there a bed?" });
    app.post(&path).key(&client).json(question.clone()).send().await.expect_error(409, "NO_DOCUMENT");
    let scan = create_complete_scan(&app, &client, space.id.as_str()).await;

    // The document contains no evidence, which isn't evidence of absence.
    let answer = app.post(&path).key(&client).json(question).send().await.expect(200).body;
    assert_eq!((&answer["object"], &answer["scan_id"]), (&json!("answer"), &json!(scan)));
    assert_eq!((&answer["status"], &answer["reason"]), (&json!("abstained"), &json!("not_observed")));
    assert_eq!((&answer["answer"], &answer["citations"]), (&json!(null), &json!([])));

    let of_scan = json!({ "question": "Who owns this?", "scan_id": scan });
    let answer = app.post(&path).key(&client).json(of_scan).send().await.expect(200).body;
    assert_eq!(answer["reason"], "out_of_scope");
    let unknown = json!({ "question": "Is there a bed?", "scan_id": domain::ScanId::new().to_string() });
    app.post(&path).key(&client).json(unknown).send().await.expect_error(404, "NOT_FOUND");
    let longest = json!({ "question": "ü".repeat(500) });
    app.post(&path).key(&client).json(longest).send().await.expect(200);
    for invalid in [json!({}), json!({ "question": " " }), json!({ "question": "ü".repeat(501) })] {
        let refused =
            app.post(&path).key(&client).json(invalid).send().await.expect_error(400, "VALIDATION_FAILED");
        assert_eq!(refused.invalid_fields(), ["question"]);
    }
    app.finish().await;
}

#[tokio::test]
async fn citations_have_readable_evidence() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    create_complete_scan_with(&app, &client, space.id.as_str(), |document| add_sign(document, "NO SMOKING"))
        .await;
    let path = format!("/v1/spaces/{}/ask", space.id.as_str());
    let question = json!({ "question": "What does the sign in the kitchen say?" });
    let answer = app.post(&path).key(&client).json(question).send().await.expect(200).body;
    assert_eq!(
        (&answer["status"], &answer["citations"][0]["value"]),
        (&json!("answered"), &json!("NO SMOKING"))
    );
    let evidence = &answer["citations"][0]["evidence"][0];
    assert_eq!(evidence["frame_id"], "frm_00001");
    assert_eq!(app.get(evidence["url"].as_str().unwrap()).send().await.expect(200).bytes, JPEG);
    app.finish().await;
}

#[tokio::test]
async fn two_scans_of_a_space_are_compared() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let path = format!("/v1/spaces/{}/diff", space.id.as_str());
    let get = async |query: &str| app.get(&format!("{path}{query}")).key(&client).send().await;
    get("").await.expect_error(409, "NO_DOCUMENT");
    let scan = |raw: &'static str| {
        create_complete_scan_with(&app, &client, space.id.as_str(), move |d| add_sign(d, raw))
    };
    let first = scan("WIFI GUEST 41").await;
    get("").await.expect_error(409, "NO_DOCUMENT");
    let same = get(&format!("?from={first}")).await.expect(200).body;
    assert_eq!(
        (&same["from"], &same["changes"]),
        (&same["to"], &json!([])),
        "a scan doesn't differ from itself"
    );

    let second = scan("WIFI GUEST 42").await;
    let diff = get("").await.expect(200).body;
    assert_eq!((&diff["object"], &diff["space_id"]), (&json!("diff"), &json!(space.id.as_str())));
    assert_eq!(diff["from"], json!({ "scan_id": first, "document_revision": 1 }));
    assert_eq!(diff["to"], json!({ "scan_id": second, "document_revision": 2 }));
    assert_eq!(
        diff["zones"],
        json!([{ "from_zone_id": "zon_1", "to_zone_id": "zon_1", "score": diff["zones"][0]["score"] }])
    );
    let [change] = diff["changes"].as_array().unwrap().as_slice() else { panic!("{diff}") };
    assert_eq!((&change["kind"], &change["subject"]), (&json!("changed"), &json!("text")));
    for (side, words) in [("before", "WIFI GUEST 41"), ("after", "WIFI GUEST 42")] {
        assert_eq!(change[side]["value"], words);
        let url = change[side]["evidence"][0]["url"].as_str().unwrap();
        assert_eq!(app.get(url).send().await.expect(200).bytes, JPEG);
    }
    let back = get(&format!("?from={second}&to={first}")).await.expect(200).body;
    assert_eq!(back["changes"][0]["after"]["value"], "WIFI GUEST 41");
    get(&format!("?to={first}")).await.expect_error(409, "NO_DOCUMENT");

    let elsewhere = testing::space(app.db(), &client.tenant).await;
    let other = create_complete_scan(&app, &client, elsewhere.id.as_str()).await;
    for unknown in [other, domain::ScanId::new().to_string(), "x".to_owned()] {
        get(&format!("?from={unknown}")).await.expect_error(404, "NOT_FOUND");
        get(&format!("?to={unknown}")).await.expect_error(404, "NOT_FOUND");
    }
    app.finish().await;
}

/// Returns the names of the hits, best first.
fn names(found: &Value) -> Vec<&str> {
    found["data"].as_array().unwrap().iter().map(|hit| hit["space"]["name"].as_str().unwrap()).collect()
}

async fn search(app: &TestApp, client: &Client, query: &str) -> ApiResponse {
    app.get(&format!("/v1/search?{query}")).key(client).send().await
}

async fn create_space(app: &TestApp, client: &Client, name: &str, space_type: &str) -> String {
    let new = domain::space::NewSpace {
        name: name.into(),
        space_type: space_type.into(),
        external_id: None,
        description: None,
    };
    let now = domain::Timestamp::now();
    let created = app.db().write(async |txn| spaces::insert(&txn, &client.tenant, &new, now).await).await;
    created.unwrap().id.to_string()
}

#[tokio::test]
async fn search_finds_spaces_by_words_and_facts() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let flat = create_space(&app, &client, "Riverside flat", "apartment").await;
    let office = create_space(&app, &client, "Harbour", "office").await;
    let none = search(&app, &client, "q=riverside").await.expect(200).body;
    assert_eq!(names(&none), Vec::<&str>::new(), "no scan is complete");
    let scan =
        create_complete_scan_with(&app, &client, &flat, |document| add_sign(document, "WIFI GUEST 41")).await;
    create_complete_scan_with(&app, &client, &office, |document| add_sign(document, "会議室")).await;

    let found = search(&app, &client, "q=kitchens+with+wi-fi").await.expect(200).body;
    assert_eq!(names(&found), ["Riverside flat", "Harbour"], "{found}");
    let hit = &found["data"][0];
    assert_eq!((&hit["object"], &hit["scan_id"]), (&json!("search_hit"), &json!(scan)));
    let text = hit["matches"].as_array().unwrap().iter().find(|row| row["kind"] == "text").unwrap();
    assert_eq!((&text["text"], &text["frame_id"]), (&json!("WIFI GUEST 41"), &json!("frm_00001")));
    assert_eq!(app.get(text["url"].as_str().unwrap()).send().await.expect(200).bytes, JPEG);

    for (query, expected) in [
        ("q=riversde", vec!["Riverside flat"]),
        ("q=%E4%BC%9A%E8%AD%B0%E5%AE%A4", vec!["Harbour"]),
        ("q=1+kitchen", vec!["Riverside flat", "Harbour"]),
        ("q=2+kitchens", vec![]),
        ("q=kitchenette&space_type=office", vec!["Harbour"]),
        ("q=kitchen&space_type=offic", vec![]),
        ("q=zzzz", vec![]),
        ("q=the", vec![]),
    ] {
        let mut found = search(&app, &client, query).await.expect(200).body;
        found["data"].as_array_mut().unwrap().sort_by_key(|hit| hit["space"]["name"] == "Harbour");
        assert_eq!(names(&found), expected, "{query}");
    }
    let long = format!("q={}", "a".repeat(201));
    for invalid in ["", "q=", "q=+", &long] {
        let refused = search(&app, &client, invalid).await.expect_error(400, "VALIDATION_FAILED");
        assert_eq!(refused.invalid_fields(), ["q"]);
    }
    app.finish().await;
}

#[tokio::test]
async fn hits_are_paginated_and_from_the_newest_document() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let get = async |query: &str| search(&app, &client, query).await.expect(200).body;
    let flat = create_space(&app, &client, "Flat", "apartment").await;
    let attic = create_space(&app, &client, "Attic", "apartment").await;
    for space in [&flat, &attic] {
        create_complete_scan_with(&app, &client, space, |document| add_sign(document, "GUEST")).await;
    }
    let first = get("q=kitchen&limit=1").await;
    let cursor = first["next_cursor"].as_str().unwrap();
    let second = get(&format!("q=kitchen&limit=1&cursor={cursor}")).await;
    let mut both = [names(&first), names(&second)].concat();
    both.sort_unstable();
    assert_eq!((both, &second["next_cursor"]), (vec!["Attic", "Flat"], &Value::Null));
    let other_query = search(&app, &client, &format!("q=oven&cursor={cursor}")).await;
    assert_eq!(other_query.expect_error(400, "VALIDATION_FAILED").invalid_fields(), ["cursor"]);

    create_complete_scan_with(&app, &client, &flat, |document| add_sign(document, "NO SMOKING")).await;
    assert_eq!(names(&get("q=guest").await), ["Attic"]);
    assert_eq!(names(&get("q=smoking").await), ["Flat"]);
    app.call(Method::DELETE, &format!("/v1/spaces/{attic}")).key(&client).send().await.expect(204);
    assert_eq!(names(&get("q=guest").await), Vec::<&str>::new());
    app.finish().await;
}
