//! Uploads must have the declared type and size.

use std::time::Duration;

use bytes::Bytes;
use domain::{layout, media::UploadSlot};
use entities::{testing, uploads as rows};
use futures::stream;
use serde_json::json;
use tokio::{io::AsyncWriteExt, net::TcpStream};

use crate::{
    app::{Answer, Client, TestApp},
    scans::{created, photos, started, video},
};

/// The first bytes of a JPEG, and some more.
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
    async fn put(&self, media_type: &str, body: impl Into<reqwest::Body>) -> Answer {
        let call = self.app.put(&self.path).key(self.client).header("content-type", media_type);
        call.body(body).send().await
    }
}

fn chunked(bytes: Vec<u8>) -> reqwest::Body {
    let chunks: Vec<_> =
        bytes.chunks(100_000).map(|c| Ok::<_, std::io::Error>(Bytes::copy_from_slice(c))).collect();
    reqwest::Body::wrap_stream(stream::iter(chunks))
}

async fn stored(app: &TestApp, scan: &str, slot: UploadSlot) -> Option<Bytes> {
    let uploads = rows::system::list(app.db(), &scan.parse().unwrap()).await.unwrap();
    let upload = uploads.iter().find(|upload| upload.slot.0 == slot)?;
    let bytes = app.app.objects().get_bytes(&upload.object_key, 200_000_000).await.unwrap();
    assert_eq!(i64::try_from(bytes.len()), Ok(upload.bytes));
    Some(bytes)
}

/// Returns the number of stored objects of a scan.
async fn lying(app: &TestApp, scan: &str) -> usize {
    app.app.objects().list(&layout::scan_prefix(&scan.parse().unwrap())).await.unwrap().len()
}

#[tokio::test]
async fn stores_a_video_as_declared() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let scan = created(&app, &client, space.id.as_str(), video(300_000)).await;
    let upload = Upload { app: &app, client: &client, path: format!("/v1/scans/{scan}/video") };

    let right = mp4(300_000);
    upload.put("video/webm", right.clone()).await.refused(415, "UNSUPPORTED_MEDIA_TYPE");
    upload.put("application/json", right.clone()).await.refused(415, "UNSUPPORTED_MEDIA_TYPE");
    upload.put("video/mp4", mp4(299_999)).await.refused(400, "UPLOAD_MISMATCH");
    upload.put("video/mp4", mp4(300_001)).await.refused(400, "UPLOAD_MISMATCH");
    upload.put("video/mp4", chunked(mp4(299_999))).await.refused(400, "UPLOAD_MISMATCH");
    upload.put("video/mp4", chunked(mp4(900_000))).await.refused(400, "UPLOAD_MISMATCH");
    upload.put("video/mp4", vec![b'P'; 300_000]).await.refused(400, "UPLOAD_MISMATCH");
    upload.put("video/mp4", Vec::new()).await.refused(400, "UPLOAD_MISMATCH");
    assert_eq!(lying(&app, &scan).await, 0, "nothing wrong was kept");

    upload.put("video/mp4", right.clone()).await.expect(204);
    assert_eq!(stored(&app, &scan, UploadSlot::Video).await.unwrap(), right);
    // Uploads again, chunked without an announced length, with a parameter in the media type.
    upload.put("Video/MP4; codecs=avc1", chunked(right.clone())).await.expect(204);
    assert_eq!(stored(&app, &scan, UploadSlot::Video).await.unwrap(), right);
    upload.put("video/mp4", mp4(299_999)).await.refused(400, "UPLOAD_MISMATCH");
    assert_eq!(stored(&app, &scan, UploadSlot::Video).await.unwrap(), right, "what was there stays");

    let rows = rows::list(app.db(), &client.tenant, &scan.parse().unwrap()).await.unwrap();
    assert_eq!((rows.len(), lying(&app, &scan).await), (1, 1));
    assert_eq!((rows[0].bytes, rows[0].content_type.as_str()), (300_000, "video/mp4"));
    app.finish().await;
}

#[tokio::test]
async fn stores_photos_under_their_ordinals() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let scan = created(&app, &client, space.id.as_str(), photos(2)).await;
    let at =
        |index: &str| Upload { app: &app, client: &client, path: format!("/v1/scans/{scan}/frames/{index}") };

    at("0").put("image/jpeg", JPEG).await.expect(204);
    at("1").put("image/png", chunked(PNG.to_vec())).await.expect(204);
    at("1").put("image/png", PNG).await.expect(204);
    assert_eq!(stored(&app, &scan, UploadSlot::Frame(0)).await.unwrap(), JPEG);
    assert_eq!(stored(&app, &scan, UploadSlot::Frame(1)).await.unwrap(), PNG);
    at("0").put("image/png", JPEG).await.refused(400, "UPLOAD_MISMATCH");
    at("0").put("image/gif", &b"GIF89a"[..]).await.refused(415, "UNSUPPORTED_MEDIA_TYPE");
    at("0").put("video/mp4", mp4(64)).await.refused(415, "UNSUPPORTED_MEDIA_TYPE");
    let bare = app.put(&format!("/v1/scans/{scan}/frames/0")).key(&client).body(JPEG);
    bare.send().await.refused(415, "UNSUPPORTED_MEDIA_TYPE");
    for nowhere in ["2", "-1", "00", "+0", "1.0", "one", "4294967296", "99999999999999999999"] {
        at(nowhere).put("image/jpeg", JPEG).await.refused(404, "NOT_FOUND");
    }
    let video = Upload { app: &app, client: &client, path: format!("/v1/scans/{scan}/video") };
    video.put("video/mp4", mp4(64)).await.refused(404, "NOT_FOUND");

    let mut large = JPEG.to_vec();
    large.resize(20_000_001, 0);
    at("0").put("image/jpeg", large.clone()).await.refused(413, "PAYLOAD_TOO_LARGE");
    at("0").put("image/jpeg", chunked(large.clone())).await.refused(413, "PAYLOAD_TOO_LARGE");
    assert_eq!(stored(&app, &scan, UploadSlot::Frame(0)).await.unwrap(), JPEG, "what was there stays");
    large.truncate(20_000_000);
    at("0").put("image/jpeg", large).await.expect(204);
    app.finish().await;
}

/// Whichever concurrent upload wins, the recorded one is the stored one.
#[tokio::test(flavor = "multi_thread")]
async fn concurrent_uploads_record_and_store_the_same_one() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let scan = created(&app, &client, space.id.as_str(), photos(1)).await;
    let upload = Upload { app: &app, client: &client, path: format!("/v1/scans/{scan}/frames/0") };
    let bodies: Vec<_> =
        (0..16).map(|extra| [JPEG, &vec![extra; 1000 + usize::from(extra)]].concat()).collect();
    let puts = bodies.iter().map(|body| upload.put("image/jpeg", body.clone()));
    for answer in futures::future::join_all(puts).await {
        answer.expect(204);
    }
    let rows = rows::system::list(app.db(), &scan.parse().unwrap()).await.unwrap();
    let found = app.app.objects().head(&rows[0].object_key).await.unwrap().unwrap();
    assert_eq!((rows.len(), &found.etag), (1, &rows[0].etag));
    assert!(bodies.contains(&stored(&app, &scan, UploadSlot::Frame(0)).await.unwrap().to_vec()));
    assert_eq!(lying(&app, &scan).await, 1, "those that were replaced are gone");
    app.finish().await;
}

#[tokio::test]
async fn started_scan_rejects_uploads() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let scan = started(&app, &client, space.id.as_str()).await;
    let upload = Upload { app: &app, client: &client, path: format!("/v1/scans/{scan}/frames/0") };
    upload.put("image/jpeg", PNG).await.refused(409, "SCAN_ALREADY_STARTED");
    app.finish().await;
}

/// Returns the server's own count of connections.
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
    let scan = created(&app, &client, space.id.as_str(), video(1_000_000)).await;
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
    tokio::time::timeout(Duration::from_secs(30), until(others + 1)).await.expect("the connection is taken");
    drop(connection);
    tokio::time::timeout(Duration::from_secs(30), until(others)).await.expect("the connection is given up");
    assert_eq!(lying(&app, &scan).await, 0);
    let rows = rows::list(app.db(), &client.tenant, &scan.parse().unwrap()).await.unwrap();
    assert!(rows.is_empty());
    app.finish().await;
}

#[tokio::test]
async fn stalled_upload_is_aborted() {
    let app = TestApp::with(|settings| settings.upload_idle_seconds = 1).await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let scan = created(&app, &client, space.id.as_str(), video(1000)).await;
    let halting = stream::iter([Ok::<_, std::io::Error>(Bytes::from(mp4(500)))]);
    let halting = futures::StreamExt::chain(halting, stream::pending());
    let upload = Upload { app: &app, client: &client, path: format!("/v1/scans/{scan}/video") };
    upload.put("video/mp4", reqwest::Body::wrap_stream(halting)).await.refused(408, "REQUEST_TIMEOUT");
    assert_eq!(lying(&app, &scan).await, 0);
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
        .refused(413, "PAYLOAD_TOO_LARGE");

    let made = app.post(&path).key(&client).json(video(5000)).send().await.expect(201).body;
    let scan = made["id"].as_str().unwrap();
    let upload = &made["upload"];
    let url = upload["url"].as_str().unwrap();
    assert!(!url.contains("/v1/scans/"), "{url}");
    assert_eq!(upload["headers"]["Content-Type"], "video/mp4");
    assert_eq!(upload["headers"]["Content-Length"], "5000");
    let start = || app.post(&format!("/v1/scans/{scan}/start")).key(&client).json(json!({})).send();
    start().await.refused(409, "UPLOAD_INCOMPLETE");

    let put = |media_type: &str, bytes| {
        app.client.put(url).header("content-type", media_type).body(mp4(bytes)).send()
    };
    assert_eq!(put("video/mp4", 5001).await.unwrap().status(), 403);
    assert_eq!(put("video/webm", 5000).await.unwrap().status(), 403);
    start().await.refused(409, "UPLOAD_INCOMPLETE");
    assert_eq!(put("video/mp4", 5000).await.unwrap().status(), 200);
    start().await.expect(202);
    let rows = rows::list(app.db(), &client.tenant, &scan.parse().unwrap()).await.unwrap();
    assert_eq!(rows.len(), 1, "what lies in storage was recorded");

    // An upload through the API after one with a presigned URL is the newer one.
    let made = app.post(&path).key(&client).json(video(6000)).send().await.expect(201).body;
    let scan = made["id"].as_str().unwrap();
    let by_link = app.client.put(made["upload"]["url"].as_str().unwrap()).header("content-type", "video/mp4");
    assert_eq!(by_link.body(mp4(6000)).send().await.unwrap().status(), 200);
    let mut newer = mp4(6000);
    newer[5999] = 8;
    let upload = Upload { app: &app, client: &client, path: format!("/v1/scans/{scan}/video") };
    upload.put("video/mp4", newer.clone()).await.expect(204);
    app.post(&format!("/v1/scans/{scan}/start")).key(&client).json(json!({})).send().await.expect(202);
    assert_eq!(stored(&app, scan, UploadSlot::Video).await.unwrap(), newer);
    assert_eq!(lying(&app, scan).await, 1);
    app.finish().await;
}
