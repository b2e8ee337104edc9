//! The quota of uploads for scans that aren't started.

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
