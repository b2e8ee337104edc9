//! Uploads must have the declared type and size.

use std::time::Duration;

use bytes::Bytes;
use domain::{layout, media::UploadSlot};
use entities::{testing, uploads as rows};
use futures::stream;
use serde_json::json;
use tokio::{io::AsyncWriteExt, net::TcpStream};

use crate::{
    app::{ApiResponse, Client, TestApp},
    scans::{create_scan, create_started_scan, photos, video},
};

/// Bytes that start like a JPEG.
pub(crate) const JPEG: &[u8] = b"\xff\xd8\xff\xe0\0\x10JFIF\0 and the rest of it";
const PNG: &[u8] = b"\x89PNG\r\n\x1a\n and the rest of it";

/// Bytes that start like an MP4.
pub(crate) fn mp4(bytes: usize) -> Vec<u8> {
    let mut file = b"\0\0\0\x20ftypisom\0\0\x02\0isomiso2mp41".to_vec();
    file.resize(bytes, 7);
    file
}

struct Upload<'a> {
    app: &'a TestApp,
    client: &'a Client,
    path: String,
}

impl Upload<'_> {
    async fn put(&self, media_type: &str, body: impl Into<reqwest::Body>) -> ApiResponse {
        let call = self.app.put(&self.path).key(self.client).header("content-type", media_type);
        call.body(body).send().await
    }
}

fn chunked(bytes: Vec<u8>) -> reqwest::Body {
    let chunks: Vec<_> =
        bytes.chunks(100_000).map(|c| Ok::<_, std::io::Error>(Bytes::copy_from_slice(c))).collect();
    reqwest::Body::wrap_stream(stream::iter(chunks))
}

async fn read_upload(app: &TestApp, scan: &str, slot: UploadSlot) -> Option<Bytes> {
    let uploads = rows::system::list(app.db(), &scan.parse().unwrap()).await.unwrap();
    let upload = uploads.iter().find(|upload| upload.slot.0 == slot)?;
    let bytes = app.app.objects().get_bytes(&upload.object_key, 200_000_000).await.unwrap();
    assert_eq!(i64::try_from(bytes.len()), Ok(upload.bytes));
    Some(bytes)
}

/// Returns the number of stored objects of a scan.
async fn count_objects(app: &TestApp, scan: &str) -> usize {
    app.app.objects().list(&layout::scan_prefix(&scan.parse().unwrap())).await.unwrap().len()
}

#[tokio::test]
async fn video_is_stored_only_as_declared() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let scan = create_scan(&app, &client, space.id.as_str(), video(300_000)).await;
    let upload = Upload { app: &app, client: &client, path: format!("/v1/scans/{scan}/video") };

    let right = mp4(300_000);
    upload.put("video/webm", right.clone()).await.expect_error(415, "UNSUPPORTED_MEDIA_TYPE");
    upload.put("application/json", right.clone()).await.expect_error(415, "UNSUPPORTED_MEDIA_TYPE");
    upload.put("video/mp4", mp4(299_999)).await.expect_error(400, "UPLOAD_MISMATCH");
    upload.put("video/mp4", mp4(300_001)).await.expect_error(400, "UPLOAD_MISMATCH");
    upload.put("video/mp4", chunked(mp4(299_999))).await.expect_error(400, "UPLOAD_MISMATCH");
    upload.put("video/mp4", chunked(mp4(900_000))).await.expect_error(400, "UPLOAD_MISMATCH");
    upload.put("video/mp4", vec![b'P'; 300_000]).await.expect_error(400, "UPLOAD_MISMATCH");
    upload.put("video/mp4", Vec::new()).await.expect_error(400, "UPLOAD_MISMATCH");
    assert_eq!(count_objects(&app, &scan).await, 0, "rejected uploads are not stored");

    upload.put("video/mp4", right.clone()).await.expect(204);
    assert_eq!(read_upload(&app, &scan, UploadSlot::Video).await.unwrap(), right);
    // Uploads again, chunked without an announced length, with a parameter in the media type.
    upload.put("Video/MP4; codecs=avc1", chunked(right.clone())).await.expect(204);
    assert_eq!(read_upload(&app, &scan, UploadSlot::Video).await.unwrap(), right);
    upload.put("video/mp4", mp4(299_999)).await.expect_error(400, "UPLOAD_MISMATCH");
    assert_eq!(
        read_upload(&app, &scan, UploadSlot::Video).await.unwrap(),
        right,
        "the accepted upload stays"
    );

    let rows = rows::list(app.db(), &client.tenant, &scan.parse().unwrap()).await.unwrap();
    assert_eq!((rows.len(), count_objects(&app, &scan).await), (1, 1));
    assert_eq!((rows[0].bytes, rows[0].content_type.as_str()), (300_000, "video/mp4"));
    app.finish().await;
}

#[tokio::test]
async fn photos_are_stored_under_their_ordinals() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let scan = create_scan(&app, &client, space.id.as_str(), photos(2)).await;
    let at =
        |index: &str| Upload { app: &app, client: &client, path: format!("/v1/scans/{scan}/frames/{index}") };

    at("0").put("image/jpeg", JPEG).await.expect(204);
    at("1").put("image/png", chunked(PNG.to_vec())).await.expect(204);
    at("1").put("image/png", PNG).await.expect(204);
    assert_eq!(read_upload(&app, &scan, UploadSlot::Frame(0)).await.unwrap(), JPEG);
    assert_eq!(read_upload(&app, &scan, UploadSlot::Frame(1)).await.unwrap(), PNG);
    at("0").put("image/png", JPEG).await.expect_error(400, "UPLOAD_MISMATCH");
    at("0").put("image/gif", &b"GIF89a"[..]).await.expect_error(415, "UNSUPPORTED_MEDIA_TYPE");
    at("0").put("video/mp4", mp4(64)).await.expect_error(415, "UNSUPPORTED_MEDIA_TYPE");
    let bare = app.put(&format!("/v1/scans/{scan}/frames/0")).key(&client).body(JPEG);
    bare.send().await.expect_error(415, "UNSUPPORTED_MEDIA_TYPE");
    for invalid in ["2", "-1", "00", "+0", "1.0", "one", "4294967296", "99999999999999999999"] {
        at(invalid).put("image/jpeg", JPEG).await.expect_error(404, "NOT_FOUND");
    }
    let video = Upload { app: &app, client: &client, path: format!("/v1/scans/{scan}/video") };
    video.put("video/mp4", mp4(64)).await.expect_error(404, "NOT_FOUND");

    let mut large = JPEG.to_vec();
    large.resize(20_000_001, 0);
    at("0").put("image/jpeg", large.clone()).await.expect_error(413, "PAYLOAD_TOO_LARGE");
    at("0").put("image/jpeg", chunked(large.clone())).await.expect_error(413, "PAYLOAD_TOO_LARGE");
    assert_eq!(
        read_upload(&app, &scan, UploadSlot::Frame(0)).await.unwrap(),
        JPEG,
        "the accepted upload stays"
    );
    large.truncate(20_000_000);
    at("0").put("image/jpeg", large).await.expect(204);
    app.finish().await;
}

/// Any of the concurrent uploads may win; the database records the one in storage.
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_uploads_record_the_stored_one() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let scan = create_scan(&app, &client, space.id.as_str(), photos(1)).await;
    let upload = Upload { app: &app, client: &client, path: format!("/v1/scans/{scan}/frames/0") };
    let bodies: Vec<_> =
        (0..16).map(|extra| [JPEG, &vec![extra; 1000 + usize::from(extra)]].concat()).collect();
    let puts = bodies.iter().map(|body| upload.put("image/jpeg", body.clone()));
    for response in futures::future::join_all(puts).await {
        response.expect(204);
    }
    let rows = rows::system::list(app.db(), &scan.parse().unwrap()).await.unwrap();
    let found = app.app.objects().head(&rows[0].object_key).await.unwrap().unwrap();
    assert_eq!((rows.len(), &found.etag), (1, &rows[0].etag));
    assert!(bodies.contains(&read_upload(&app, &scan, UploadSlot::Frame(0)).await.unwrap().to_vec()));
    assert_eq!(count_objects(&app, &scan).await, 1, "replaced uploads are deleted");
    app.finish().await;
}

#[tokio::test]
async fn started_scan_rejects_uploads() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let scan = create_started_scan(&app, &client, space.id.as_str()).await;
    let upload = Upload { app: &app, client: &client, path: format!("/v1/scans/{scan}/frames/0") };
    upload.put("image/jpeg", PNG).await.expect_error(409, "SCAN_ALREADY_STARTED");
    app.finish().await;
}

/// Returns the number of open connections from the metrics.
fn connections(app: &TestApp) -> i64 {
    let text = String::from_utf8(app.app.metrics().text().unwrap()).unwrap();
    let line = text.lines().find_map(|line| line.strip_prefix("scan_api_connections "));
    line.unwrap().parse().unwrap()
}

#[tokio::test]
async fn interrupted_upload_stores_nothing() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let scan = create_scan(&app, &client, space.id.as_str(), video(1_000_000)).await;
    let others = connections(&app);
    let mut connection = TcpStream::connect(app.address).await.unwrap();
    let head = format!(
        "PUT /v1/scans/{scan}/video HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Type: video/mp4\r\n\
         Content-Length: 1000000\r\n\r\n",
        client.secret
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    connection.write_all(&mp4(500_000)).await.unwrap();
    connection.flush().await.unwrap();
    let until = async |count: i64| {
        while connections(&app) != count {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(30), until(others + 1))
        .await
        .expect("the connection is accepted");
    drop(connection);
    tokio::time::timeout(Duration::from_secs(30), until(others)).await.expect("the connection is closed");
    assert_eq!(count_objects(&app, &scan).await, 0);
    let rows = rows::list(app.db(), &client.tenant, &scan.parse().unwrap()).await.unwrap();
    assert!(rows.is_empty());
    app.finish().await;
}

#[tokio::test]
async fn stalled_upload_is_aborted() {
    let app = TestApp::with(|settings| settings.upload_idle_seconds = 1).await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let scan = create_scan(&app, &client, space.id.as_str(), video(1000)).await;
    let stalled = stream::iter([Ok::<_, std::io::Error>(Bytes::from(mp4(500)))]);
    let stalled = futures::StreamExt::chain(stalled, stream::pending());
    let upload = Upload { app: &app, client: &client, path: format!("/v1/scans/{scan}/video") };
    upload.put("video/mp4", reqwest::Body::wrap_stream(stalled)).await.expect_error(408, "REQUEST_TIMEOUT");
    assert_eq!(count_objects(&app, &scan).await, 0);
    app.finish().await;
}

#[tokio::test]
async fn video_can_be_uploaded_directly_to_storage() {
    let app = TestApp::with_public_storage().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    // Larger than the limit of uploads through the API.
    let path = format!("/v1/spaces/{}/scans", space.id.as_str());
    app.post(&path).key(&client).json(video(95_000_001)).send().await.expect(201);
    app.post(&path)
        .key(&client)
        .json(video(5 * 1024 * 1024 * 1024 + 1))
        .send()
        .await
        .expect_error(413, "PAYLOAD_TOO_LARGE");

    let created = app.post(&path).key(&client).json(video(5000)).send().await.expect(201).body;
    let scan = created["id"].as_str().unwrap();
    let upload = &created["upload"];
    let url = upload["url"].as_str().unwrap();
    assert!(!url.contains("/v1/scans/"), "{url}");
    assert_eq!(upload["headers"]["Content-Type"], "video/mp4");
    assert_eq!(upload["headers"]["Content-Length"], "5000");
    let start = || app.post(&format!("/v1/scans/{scan}/start")).key(&client).json(json!({})).send();
    start().await.expect_error(409, "UPLOAD_INCOMPLETE");

    let put = |media_type: &str, bytes| {
        app.client.put(url).header("content-type", media_type).body(mp4(bytes)).send()
    };
    assert_eq!(put("video/mp4", 5001).await.unwrap().status(), 403);
    assert_eq!(put("video/webm", 5000).await.unwrap().status(), 403);
    start().await.expect_error(409, "UPLOAD_INCOMPLETE");
    assert_eq!(put("video/mp4", 5000).await.unwrap().status(), 200);
    start().await.expect(202);
    let rows = rows::list(app.db(), &client.tenant, &scan.parse().unwrap()).await.unwrap();
    assert_eq!(rows.len(), 1, "the upload in storage was recorded");

    // An upload through the API after one with a presigned URL is the newer one.
    let created = app.post(&path).key(&client).json(video(6000)).send().await.expect(201).body;
    let scan = created["id"].as_str().unwrap();
    let by_url =
        app.client.put(created["upload"]["url"].as_str().unwrap()).header("content-type", "video/mp4");
    assert_eq!(by_url.body(mp4(6000)).send().await.unwrap().status(), 200);
    let mut newer = mp4(6000);
    newer[5999] = 8;
    let upload = Upload { app: &app, client: &client, path: format!("/v1/scans/{scan}/video") };
    upload.put("video/mp4", newer.clone()).await.expect(204);
    app.post(&format!("/v1/scans/{scan}/start")).key(&client).json(json!({})).send().await.expect(202);
    assert_eq!(read_upload(&app, scan, UploadSlot::Video).await.unwrap(), newer);
    assert_eq!(count_objects(&app, scan).await, 1);
    app.finish().await;
}
