//! Documents with signed URLs, and the evidence behind these URLs.

use domain::{Stage, Timestamp, language::Priority, layout, search::Embeddings};
use entities::{scans as rows, spaces, testing};
use serde_json::{Value, json};

use crate::{
    app::{Client, TestApp},
    scans::create_started_scan,
    uploads::JPEG,
};

/// Builds a document with one frame, as the pipeline stores it.
fn document(frame_key: &str) -> Value {
    json!({
        "schema_version": "1.0", "kind": "frames", "language": "en",
        "media": [{ "id": "med_photo_0", "kind": "photo", "ordinal": 0, "sha256": "0", "bytes": 1, "width": 4,
            "height": 3, "has_audio": false }],
        "frames": [{ "id": "frm_00001", "media_id": "med_photo_0", "ordinal": 0, "width": 4, "height": 3,
            "sharpness": 1.0, "exposure": 0.5, "hash": "0123456789abcdef", "kept_because": "photo",
            "key": frame_key }],
        "zones": [], "openings": [], "objects": [], "texts": [], "narration": [], "measurements": [],
        "relations": [], "summary": [],
        "quality": { "blurred": 0.0, "dark": 0.0, "uncovered": [], "warnings": [] }, "runs": [],
    })
}

/// Creates a complete scan with its document and frame in storage.
pub(crate) async fn create_complete_scan(app: &TestApp, client: &Client, space: &str) -> String {
    create_complete_scan_with(app, client, space, |_| ()).await
}

/// Adds a zone with a sign that reads `raw` to a document.
pub(crate) fn add_sign(document: &mut Value, raw: &str) {
    let evidence = json!({ "media_id": "med_photo_0", "frame_id": "frm_00001", "ordinal": 0, "score": 0.9 });
    let claim = |id: &str, value: &str, run: &str| json!({ "id": id, "value": value, "confidence": 0.9, "basis": "read", "run_id": run, "evidence": [evidence] });
    let run = |task: &str| {
        json!({ "id": format!("run_{task}"), "task": task, "provider": "signal", "model": task, "version": "1",
            "parameters": {} })
    };
    document["zones"] = json!([{ "id": "zon_1", "label": "Kitchen", "types": [claim("clm_1", "kitchen", "run_zones")],
        "intervals": [{ "start": 0, "end": 0 }], "best_frame_id": "frm_00001", "frame_ids": ["frm_00001"],
        "attributes": [], "coverage": 1.0 }]);
    document["texts"] = json!([{ "id": "txt_1", "raw": raw, "normalized": raw.to_lowercase(), "kind": "sign",
        "zone_id": "zon_1", "claim": claim("clm_2", raw, "run_text") }]);
    document["runs"] = json!([run("zones"), run("text")]);
}

/// Like [`create_complete_scan`], with an edited document.
pub(crate) async fn create_complete_scan_with(
    app: &TestApp,
    client: &Client,
    space: &str,
    edit: impl FnOnce(&mut Value),
) -> String {
    let scan = create_started_scan(app, client, space).await;
    let id: domain::ScanId = scan.parse().unwrap();
    let (frame, object_key) = (layout::frame(&id, "frm_00001"), layout::document(&id));
    let objects = app.app.objects();
    objects.put_bytes(&frame, "image/jpeg", JPEG).await.unwrap();
    let mut document = document(&frame);
    edit(&mut document);
    let index = index_of(app, client, space, &document).await;
    let embeddings = app.app.language().embedder.clone().map(|embedder| {
        let texts: Vec<String> = index.passages.iter().map(|passage| passage.text.clone()).collect();
        let (vectors, _) = embedder.embed(&texts, Priority::Background).unwrap();
        Embeddings { model: embedder.model().to_owned(), vectors }
    });
    let bytes = serde_json::to_vec(&document).unwrap();
    let length = bytes.len() as i64;
    objects.put_bytes(&object_key, "application/json", bytes).await.unwrap();
    let done = rows::Completion { scan_id: id.clone(), object_key, sha256: "0".repeat(64), bytes: length };
    let now = Timestamp::now();
    let completed: entities::Result<_> = app
        .db()
        .write(async |txn| {
            rows::begin_stage(&txn, &id, Stage::Saving, now).await?;
            let outcome = rows::complete(&txn, &done, now).await?;
            let space = space.parse().unwrap();
            let (tenant, embeddings) = (&client.tenant, embeddings.as_ref());
            entities::search::put(&txn, tenant, &space, &id, &index, embeddings).await?;
            Ok(outcome)
        })
        .await;
    assert!(matches!(completed.unwrap(), rows::CompleteOutcome::Completed { .. }));
    scan
}

/// Builds the search index of the space, as saving does.
async fn index_of(app: &TestApp, client: &Client, space: &str, document: &Value) -> domain::search::Index {
    let space = spaces::find(app.db(), &client.tenant, &space.parse().unwrap()).await.unwrap().unwrap();
    let document = serde_json::from_value(document.clone()).unwrap();
    search::build_index(&search::SpaceRecord::from(&space), &document)
}

#[tokio::test]
async fn document_contains_signed_urls() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    let first = create_complete_scan(&app, &client, space.id.as_str()).await;
    let path = format!("/v1/spaces/{}", space.id.as_str());
    let read = app.get(&path).key(&client).send().await.expect(200).body;
    assert_eq!(read["document_revision"], 1);
    assert_eq!(read["scan_id"], first);
    let url = read["document"]["frames"][0]["url"].as_str().unwrap().to_owned();

    // Needs no key and returns the stored picture.
    let picture = app.get(&url).send().await.expect(200);
    assert_eq!(picture.bytes, JPEG);
    assert_eq!(picture.header("content-type"), "image/jpeg");
    assert_eq!(picture.header("x-content-type-options"), "nosniff");
    assert!(picture.header("cache-control").starts_with("private"));
    let head = app.call(reqwest::Method::HEAD, &url).send().await.expect(200);
    assert_eq!(head.header("content-length"), JPEG.len().to_string());

    let second = create_complete_scan(&app, &client, space.id.as_str()).await;
    let read = app.get(&path).key(&client).send().await.expect(200).body;
    assert_eq!((&read["document_revision"], &read["scan_id"]), (&json!(2), &json!(second)));
    let past = app.get(&format!("{path}/scans/{first}")).key(&client).send().await.expect(200).body;
    assert_eq!(past["document_revision"], 1);
    let key = past["document"]["frames"][0]["key"].as_str().unwrap();
    assert!(key.contains(&first), "the document of the past scan: {key}");
    app.finish().await;
}

#[tokio::test]
async fn only_signed_urls_return_objects() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    create_complete_scan(&app, &client, space.id.as_str()).await;
    let read =
        app.get(&format!("/v1/spaces/{}", space.id.as_str())).key(&client).send().await.expect(200).body;
    let url = read["document"]["frames"][0]["url"].as_str().unwrap();
    let (path, query) = url.split_once('?').unwrap();
    let other = path.replace("frm_00001", "frm_00002");
    for bad in [
        path.to_owned(),
        format!("{other}?{query}"),
        format!("{path}?{}", query.replace("expires=1", "expires=2")),
        format!("{path}?{}", with_another_last_digit(query)),
        format!("{path}?signature=&expires=99999999999999999999"),
    ] {
        app.get(&bad).send().await.expect_error(403, "INVALID_SIGNATURE");
        app.get(&bad).key(&client).send().await.expect_error(403, "INVALID_SIGNATURE");
    }
    // Signed, but deleted from storage.
    let key = "scans/scn_x/frames/gone.jpg";
    let signed = |ago: u64| {
        let then = Timestamp::now().minus(std::time::Duration::from_secs(ago));
        let secret = domain::Secret::new(crate::app::SECRET);
        let query = media::evidence::sign(&secret, key, then, media::evidence::DEFAULT_TTL);
        format!("{}?{query}", media::evidence::evidence_path(key))
    };
    app.get(&signed(0)).send().await.expect_error(404, "NOT_FOUND");
    app.get(&signed(3601)).send().await.expect_error(403, "INVALID_SIGNATURE");
    app.finish().await;
}

/// Replaces the last character by another hex digit.
fn with_another_last_digit(text: &str) -> String {
    let (rest, last) = text.split_at(text.len() - 1);
    format!("{rest}{}", if last == "0" { "1" } else { "0" })
}

#[tokio::test]
async fn downloads_can_be_resumed_with_a_range() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let space = testing::space(app.db(), &client.tenant).await;
    create_complete_scan(&app, &client, space.id.as_str()).await;
    let path = format!("/v1/spaces/{}", space.id.as_str());
    let document = app.get(&path).key(&client).send().await.expect(200).body;
    let url = document["document"]["frames"][0]["url"].as_str().unwrap();
    let whole = app.get(url).send().await.expect(200);
    assert_eq!(whole.header("accept-ranges"), "bytes");
    let total = whole.bytes.len();
    assert!(total > 2);
    let rest = app.get(url).header("range", "bytes=1-").header("if-range", whole.header("etag"));
    let rest = rest.send().await.expect(206);
    assert_eq!(rest.bytes, whole.bytes[1..]);
    assert_eq!(rest.header("content-range"), format!("bytes 1-{}/{total}", total - 1));
    assert_eq!(rest.header("content-length"), (total - 1).to_string());
    let last = app.get(url).header("range", "bytes=-1").send().await.expect(206);
    assert_eq!(last.bytes, whole.bytes[total - 1..]);
    let changed = app.get(url).header("range", "bytes=1-").header("if-range", "\"other\"").send().await;
    assert_eq!(changed.expect(200).bytes, whole.bytes);
    let behind = app.get(url).header("range", &format!("bytes={total}-")).send().await;
    let behind = behind.expect_error(416, "RANGE_NOT_SATISFIABLE");
    assert_eq!(behind.header("content-range"), format!("bytes */{total}"));
    app.finish().await;
}
