//! What is read from Space Documents, over HTTP.

use entities::testing;
use serde_json::json;

use crate::{app::TestApp, media::complete};

#[tokio::test]
async fn a_space_is_a_skill_once_a_scan_is_complete() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let path = format!("/v1/spaces/{}/skill", space.id.as_str());
    app.get(&path).key(&client).send().await.refused(409, "NO_DOCUMENT");
    let scan = complete(&app, &client, space.id.as_str()).await;

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
async fn a_question_is_answered_from_claims_or_not_at_all() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let path = format!("/v1/spaces/{}/ask", space.id.as_str());
    let question = json!({ "question": "Is there a bed?" });
    app.post(&path).key(&client).json(question.clone()).send().await.refused(409, "NO_DOCUMENT");
    let scan = complete(&app, &client, space.id.as_str()).await;

    // The document shows nothing, which does not mean that nothing is there.
    let answer = app.post(&path).key(&client).json(question).send().await.expect(200).body;
    assert_eq!((&answer["object"], &answer["scan_id"]), (&json!("answer"), &json!(scan)));
    assert_eq!((&answer["status"], &answer["reason"]), (&json!("abstained"), &json!("not_observed")));
    assert_eq!((&answer["answer"], &answer["citations"]), (&json!(null), &json!([])));

    let of_scan = json!({ "question": "Who owns this?", "scan_id": scan });
    let answer = app.post(&path).key(&client).json(of_scan).send().await.expect(200).body;
    assert_eq!(answer["reason"], "out_of_scope");
    let unknown = json!({ "question": "Is there a bed?", "scan_id": domain::ScanId::new().to_string() });
    app.post(&path).key(&client).json(unknown).send().await.refused(404, "NOT_FOUND");
    let longest = json!({ "question": "ü".repeat(500) });
    app.post(&path).key(&client).json(longest).send().await.expect(200);
    for wrong in [json!({}), json!({ "question": " " }), json!({ "question": "ü".repeat(501) })] {
        let refused = app.post(&path).key(&client).json(wrong).send().await.refused(400, "VALIDATION_FAILED");
        assert_eq!(refused.wrong_fields(), ["question"]);
    }
    app.finish().await;
}
