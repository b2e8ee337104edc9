//! The main use case: a scan becomes a document, and subscribers receive a webhook.

use domain::document::SpaceDocument;
use harness::{Receiver, Service, ServiceOptions, api_client::id, clips, clips::Clip};
use serde_json::json;

use crate::{
    SCAN_TIMEOUT,
    endpoint::{Reply, Server},
};

#[tokio::test(flavor = "multi_thread")]
async fn video_becomes_a_document_and_a_verified_webhook() {
    let receiver = Receiver::start().await.unwrap();
    let service = Service::start(ServiceOptions::default(), Some(&receiver)).await.unwrap();
    let account = service.account().unwrap();
    let secret = service.register(&account, &receiver).unwrap();
    let caller = service.client(&account);
    let clip = Clip::moving(6);

    let scan = caller.create_uploaded_scan(&clip).await;
    assert_eq!(scan["status"], "awaiting_upload");
    let started = caller.start(&scan).await.expect(202).body;
    assert_eq!(started["status"], "queued");
    assert_eq!(started["charge"], json!({ "kind": "free_scan", "price_cents": 0, "refunded": false }));
    let done = caller.await_status(&scan, "complete", SCAN_TIMEOUT).await;
    assert_eq!(done["document_revision"], 1);
    let stages: Vec<_> =
        done["timeline"].as_array().unwrap().iter().filter_map(|t| t["stage"].as_str()).collect();
    assert_eq!(stages, ["ingesting", "observing", "fusing", "enriching", "saving"]);

    let space = caller.get(&format!("/spaces/{}", scan["space_id"].as_str().unwrap())).await.expect(200);
    let document: SpaceDocument = serde_json::from_value(space.body["document"].clone()).unwrap();
    assert_eq!(document.defects(), Vec::<String>::new());
    assert!(!document.frames.is_empty() && !document.zones.is_empty());
    let frame = document.frames[0].url.as_ref().expect("a signed URL");
    let picture = harness::http_client().get(frame).send().await.unwrap();
    assert_eq!(picture.headers()["content-type"], "image/jpeg");
    assert!(picture.bytes().await.unwrap().starts_with(&[0xff, 0xd8]));

    // Search finds the space by its words, also after a reindex.
    for reindex in [false, true] {
        if reindex {
            let report = service.admin(&["reindex"]).unwrap();
            assert_eq!((&report["indexed"], &report["failed"]), (&json!(1), &json!([])));
        }
        let found = caller.get("/search?q=apartmnt").await.expect(200).body;
        assert_eq!(found["data"][0]["space"]["id"], scan["space_id"], "{found}");
        assert_eq!(found["data"][0]["scan_id"], scan["id"]);
        assert_eq!(caller.get("/search?q=zzzz").await.expect(200).body["data"], json!([]));
    }

    let event_id = format!("evt_{}_completed", id(&scan));
    let webhook = receiver.await_request(SCAN_TIMEOUT, |r| r.event_id == event_id).await;
    assert!(webhook.is_signed_with(&secret), "the signature does not verify");
    assert!(!webhook.is_signed_with("whsec_another"));
    assert_eq!(webhook.user_agent, "Scan-Webhooks/1");
    let event = webhook.json();
    assert_eq!(event["id"], event_id);
    assert_eq!(event["type"], "scan.completed");
    assert_eq!(event["livemode"], false);
    assert_eq!(event["data"]["scan"]["status"], "complete");

    // A scan completes once: one event arrived, even if activities ran again.
    let arrived = receiver.received().iter().filter(|r| r.event_id == event_id).count();
    assert_eq!(arrived, 1);
    let wallet = caller.get("/wallet").await.expect(200).body;
    assert_eq!(wallet["free_scans"], 2);
    service.admin(&["verify-ledger"]).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn photos_become_a_document_that_semantic_search_finds() {
    // The first request for vectors fails; later ones succeed.
    let endpoint = Server::start(&[Reply::Status(429, 0), Reply::Status(429, 0), Reply::Valid]);
    let options = ServiceOptions::default()
        .set("PERCEPTION__MODELS__ENDPOINT__BASE_URL", &endpoint.base_url)
        .set("PERCEPTION__MODELS__ENDPOINT__EMBEDDING_MODEL", "near")
        .set("PERCEPTION__MODELS__ENDPOINT__TRIES", 2)
        .set("PERCEPTION__MODELS__ENDPOINT__LONGEST_WAIT_MS", 10);
    let service = Service::start(options, None).await.unwrap();
    let caller = service.client(&service.account().unwrap());
    let space = caller.create_space().await;
    let photos = clips::photos(4);
    let input = json!({ "input": { "kind": "frames", "language": "en",
        "frames": photos.iter().map(|_| json!({})).collect::<Vec<_>>() } });
    let scan = caller.post(&format!("/spaces/{space}/scans"), input).await.expect(201).body;
    assert_eq!(scan["upload"]["kind"], "frames");
    let template = scan["upload"]["url_template"].as_str().unwrap();
    for (index, photo) in photos.iter().enumerate().take(3) {
        let url = template.replace("{index}", &index.to_string());
        caller.put(&url, "image/jpeg", photo.clone()).await.expect(204);
    }
    let early = caller.start(&scan).await.expect(409);
    assert_eq!(early.code(), "UPLOAD_INCOMPLETE");
    caller.put(&template.replace("{index}", "3"), "image/jpeg", photos[3].clone()).await.expect(204);
    caller.put(&template.replace("{index}", "4"), "image/jpeg", photos[3].clone()).await.expect(404);
    caller.start(&scan).await.expect(202);
    caller.await_status(&scan, "complete", SCAN_TIMEOUT).await;
    let past = caller.get(&format!("/spaces/{space}/scans/{}", id(&scan))).await.expect(200).body;
    assert_eq!(past["status"], "complete");

    // A scan doesn't fail because of missing vectors: word search finds the space until a reindex
    // adds them. (The fake endpoint returns the same vector for every first text.)
    assert_eq!(endpoint.count(), 2);
    assert_eq!(caller.get("/search?q=zzzz").await.expect(200).body["data"], json!([]));
    assert_eq!(caller.get("/search?q=apartment").await.expect(200).body["data"][0]["space"]["id"], space);
    let report = service.admin(&["reindex"]).unwrap();
    assert_eq!((&report["indexed"], &report["without_vectors"]), (&json!(1), &json!(0)));
    assert_eq!(caller.get("/search?q=zzzz").await.expect(200).body["data"][0]["space"]["id"], space);
    assert!(endpoint.requests.lock().unwrap().iter().all(|request| request.path == "/v1/embeddings"));
}
