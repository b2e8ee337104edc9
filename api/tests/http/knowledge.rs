//! What is read from Space Documents, over HTTP.

use entities::testing;

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
