//! Bounds of what an account can pile up: uploads of scans that aren't started, such scans, and spaces.

use domain::scope::Scope;
use entities::testing;
use serde_json::json;

use crate::{
    app::{ApiResponse, Client, TestApp},
    scans::{create_scan, photos, video},
    uploads::JPEG,
};

async fn start_with_quota(quota: u64) -> TestApp {
    TestApp::with(|settings| settings.limits.unstarted_upload_bytes = quota).await
}

async fn put(
    app: &TestApp,
    client: &Client,
    scan: &str,
    index: u32,
    body: impl Into<reqwest::Body>,
) -> ApiResponse {
    let put = app.put(&format!("/v1/scans/{scan}/frames/{index}")).key(client);
    put.header("content-type", "image/jpeg").body(body).send().await
}

#[tokio::test]
async fn declared_videos_count_until_cancelled() {
    let app = start_with_quota(2500).await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let space = space.id.as_str();
    let path = format!("/v1/spaces/{space}/scans");
    let create = || app.post(&path).key(&client).header("idempotency-key", "quota-key-1").json(video(1000));
    create().send().await.expect(201);
    let second = create_scan(&app, &client, space, video(1000)).await;
    let more = || app.post(&path).key(&client).json(video(1000));
    more().send().await.expect_error(409, "UPLOAD_QUOTA_EXCEEDED");
    // Idempotent repetitions succeed regardless of the quota. Photos count when they are uploaded.
    create().send().await.expect(200);
    create_scan(&app, &client, space, photos(1)).await;
    app.delete(&format!("/v1/scans/{second}")).key(&client).send().await.expect(204);
    more().send().await.expect(201);
    app.finish().await;
}

#[tokio::test]
async fn photos_over_the_quota_are_rejected() {
    let photo = JPEG.len() as u64;
    let app = start_with_quota(2 * photo).await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let scan = create_scan(&app, &client, space.id.as_str(), photos(3)).await;
    put(&app, &client, &scan, 0, JPEG).await.expect(204);
    put(&app, &client, &scan, 1, JPEG).await.expect(204);
    put(&app, &client, &scan, 2, JPEG).await.expect_error(409, "UPLOAD_QUOTA_EXCEEDED");
    put(&app, &client, &scan, 1, JPEG).await.expect(204);
    // Without an announced length, the size is checked at the end and the upload is discarded.
    let chunks = futures::stream::iter([Ok::<_, std::io::Error>(JPEG)]);
    let body = reqwest::Body::wrap_stream(chunks);
    put(&app, &client, &scan, 2, body).await.expect_error(409, "UPLOAD_QUOTA_EXCEEDED");
    let stored = app.app.objects().list(&format!("scans/{scan}/")).await.unwrap();
    assert_eq!(stored.len(), 2);
    let start = app.post(&format!("/v1/scans/{scan}/start")).key(&client).json(json!({}));
    start.send().await.expect_error(409, "UPLOAD_INCOMPLETE");
    app.finish().await;
}

#[tokio::test]
async fn the_number_of_unstarted_scans_is_bounded() {
    let app = TestApp::with(|settings| settings.limits.unstarted_scans = 2).await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let space = space.id.as_str();
    let path = format!("/v1/spaces/{space}/scans");
    let first = app.post(&path).key(&client).header("idempotency-key", "bound-key-1").json(photos(1));
    let first = first.send().await.expect(201).body;
    create_scan(&app, &client, space, photos(1)).await;
    let refused = app.post(&path).key(&client).json(photos(1)).send().await;
    assert_eq!(refused.expect_error(409, "UNSTARTED_SCAN_LIMIT").body["error"]["limit"], 2);
    let repeated = app.post(&path).key(&client).header("idempotency-key", "bound-key-1").json(photos(1));
    repeated.send().await.expect(200);
    // The other mode has its own bound, and a cancelled scan leaves room.
    let live = app.create_key(&testing::other_mode(&client.tenant)).await;
    let live_space = testing::space(app.db(), &live.tenant).await;
    create_scan(&app, &live, live_space.id.as_str(), photos(1)).await;
    let cancel = app.delete(&format!("/v1/scans/{}", first["id"].as_str().unwrap())).key(&client);
    cancel.send().await.expect(204);
    create_scan(&app, &client, space, photos(1)).await;
    app.finish().await;
}

#[tokio::test]
async fn the_number_of_spaces_is_bounded() {
    let app = TestApp::with(|settings| settings.limits.spaces = 3).await;
    let client = app.client().await;
    let create = || {
        let new = json!({ "name": "a", "space_type": "b" });
        app.post("/v1/spaces").key(&client).json(new).send()
    };
    let created = futures::future::join_all((0..8).map(|_| create())).await;
    let ids: Vec<_> = created.iter().filter(|response| response.status == 201).collect();
    assert_eq!(ids.len(), 3);
    let refused = create().await.expect_error(409, "SPACE_LIMIT");
    assert_eq!(refused.body["error"]["limit"], 3);
    let id = ids[0].body["id"].as_str().unwrap();
    app.delete(&format!("/v1/spaces/{id}")).key(&client).send().await.expect(204);
    create().await.expect(201);
    app.finish().await;
}

#[tokio::test]
async fn only_a_key_that_writes_scans_gets_upload_urls() {
    let app = TestApp::with_public_storage().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let scan = create_scan(&app, &client, space.id.as_str(), video(1000)).await;
    let reader = app.create_scoped_key(&client, &[Scope::ScansRead]).await;
    for path in [format!("/v1/scans/{scan}"), format!("/v1/spaces/{}/scans/{scan}", space.id.as_str())] {
        let read = app.get(&path).key(&reader).send().await.expect(200).body;
        assert_eq!((read["status"].as_str(), read.get("upload")), (Some("awaiting_upload"), None));
        let written = app.get(&path).key(&client).send().await.expect(200).body;
        assert!(written["upload"]["url"].is_string(), "{written}");
    }
    app.finish().await;
}

#[tokio::test]
async fn cancelled_videos_count_while_their_signed_url_is_valid() {
    let app = TestApp::with_public_storage().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let path = format!("/v1/spaces/{}/scans", space.id.as_str());
    let five_gib = 5 * 1024 * 1024 * 1024;
    // The default quota is 20 GiB.
    for _ in 0..4 {
        let scan = create_scan(&app, &client, space.id.as_str(), video(five_gib)).await;
        app.delete(&format!("/v1/scans/{scan}")).key(&client).send().await.expect(204);
    }
    let refused = app.post(&path).key(&client).json(video(five_gib)).send().await;
    refused.expect_error(409, "UPLOAD_QUOTA_EXCEEDED");
    app.finish().await;
}
