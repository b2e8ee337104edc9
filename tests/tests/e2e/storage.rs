//! After scans have ended in any way, storage contains only referenced objects. Runs on the
//! embedded storage, and on another S3 server if `SCAN_TEST_S3_ENDPOINT` names one.

use domain::{ScanId, Secret, layout};
use harness::{Service, ServiceOptions, api_client::id, clips::Clip, until};
use media::{ObjectStore, objects::Settings};

use crate::SCAN_TIMEOUT;

#[tokio::test(flavor = "multi_thread")]
async fn embedded_storage_has_no_orphans() {
    let service = Service::start(ServiceOptions::default(), None).await.unwrap();
    let secrets = std::fs::read_to_string(service.folder().join("secrets.toml")).unwrap();
    let (_, secret) = secrets.split_once("secret_access_key = \"").unwrap();
    let settings = Settings {
        endpoint: service.storage_url(),
        access_key_id: "embedded".into(),
        secret_access_key: Secret::new(secret.split('"').next().unwrap()),
        ..Settings::default()
    };
    assert_no_orphans(&service, &settings).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn other_storage_has_no_orphans() {
    let Ok(endpoint) = std::env::var("SCAN_TEST_S3_ENDPOINT") else {
        eprintln!("note: SCAN_TEST_S3_ENDPOINT is not set, only the embedded storage is tested");
        return;
    };
    let env = |name: &str| std::env::var(name).unwrap_or_else(|_| "test".into());
    let settings = Settings {
        endpoint,
        bucket: format!("scan-e2e-{}", ScanId::new().as_str().replace('_', "-")),
        access_key_id: env("SCAN_TEST_S3_ACCESS_KEY_ID"),
        secret_access_key: Secret::new(env("SCAN_TEST_S3_SECRET_ACCESS_KEY")),
        ..Settings::default()
    };
    let options = ServiceOptions::default()
        .set("EMBEDDED__STORAGE", false)
        .set("STORAGE__ENDPOINT", &settings.endpoint)
        .set("STORAGE__BUCKET", &settings.bucket)
        .set("STORAGE__ACCESS_KEY_ID", &settings.access_key_id)
        .set("STORAGE__SECRET_ACCESS_KEY", settings.secret_access_key.reveal());
    let service = Service::start(options, None).await.unwrap();
    assert_no_orphans(&service, &settings).await;
}

async fn assert_no_orphans(service: &Service, storage: &Settings) {
    let store = ObjectStore::new(storage).unwrap();
    let caller = service.client(&service.account().unwrap());
    let clip = Clip::moving(2);

    // Uploads twice: the first upload is unreferenced.
    let complete = caller.create_uploaded_scan(&clip).await;
    caller.upload(&complete, &clip).await.expect(204);
    caller.start(&complete).await.expect(202);
    caller.await_status(&complete, "complete", SCAN_TIMEOUT).await;
    let scan: ScanId = id(&complete).parse().unwrap();
    let kept = [layout::source_prefix(&scan), frames_prefix(&scan)];
    let results = [layout::document(&scan), layout::views(&scan)];
    await_remaining(&store, &complete, |key| {
        results.iter().any(|result| key == result) || kept.iter().any(|prefix| key.starts_with(prefix))
    })
    .await;
    let remaining = keys(&store, &complete).await;
    assert!(results.iter().all(|result| remaining.contains(result)), "{remaining:?}");

    let cancelled = caller.create_uploaded_scan(&clip).await;
    caller.delete(&format!("/scans/{}", id(&cancelled))).await.expect(204);
    await_remaining(&store, &cancelled, |_| false).await;

    // The index of the video is in the second half.
    let truncated = Clip::raw(clip.bytes[..clip.bytes.len() / 2].to_vec());
    let failed = caller.create_uploaded_scan(&truncated).await;
    caller.start(&failed).await.expect(202);
    caller.await_status(&failed, "failed", SCAN_TIMEOUT).await;
    await_remaining(&store, &failed, |_| false).await;

    for scan in [&complete, &cancelled, &failed] {
        caller.delete(&format!("/spaces/{}", scan["space_id"].as_str().unwrap())).await.expect(204);
    }
    await_remaining(&store, &complete, |_| false).await;
    until("an empty bucket", SCAN_TIMEOUT, async || store.list("").await.unwrap().is_empty().then_some(()))
        .await;
}

/// Waits until a scan has only objects that `may_remain` accepts.
async fn await_remaining(store: &ObjectStore, scan: &serde_json::Value, may_remain: impl Fn(&str) -> bool) {
    let condition = format!("only objects that {} refers to", id(scan));
    until(&condition, SCAN_TIMEOUT, async || {
        keys(store, scan).await.iter().all(|key| may_remain(key)).then_some(())
    })
    .await;
}

async fn keys(store: &ObjectStore, scan: &serde_json::Value) -> Vec<String> {
    let prefix = layout::scan_prefix(&id(scan).parse().unwrap());
    store.list(&prefix).await.unwrap().into_iter().map(|object| object.key).collect()
}

fn frames_prefix(scan: &ScanId) -> String {
    let frame = layout::frame(scan, "x");
    frame[..frame.rfind('/').unwrap() + 1].to_owned()
}
