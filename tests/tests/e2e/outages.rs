//! Storage goes away while scans run: they wait, and complete when it is back.

use std::{net::SocketAddr, time::Duration};

use domain::Secret;
use harness::{Service, ServiceOptions, clips::Clip, until};
use media::embedded::{self, Credentials};
use serde_json::json;
use tokio::net::TcpListener;

use crate::SCAN_TIMEOUT;

/// Longer than five attempts take, after which a step with a defect gives up.
const OUTAGE: Duration = Duration::from_secs(35);
/// Maximum time until the service notices that storage is back: the longest pause between two
/// attempts of each running step, and the scan itself.
const RECOVERY_TIMEOUT: Duration = Duration::from_secs(240);

/// An S3 server that a test can turn off and on.
pub(crate) struct Storage {
    folder: tempfile::TempDir,
    address: SocketAddr,
    server: Option<embedded::Server>,
}

impl Storage {
    pub(crate) async fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = embedded::serve(folder.path(), listener, credentials()).unwrap();
        Self { folder, address, server: Some(server) }
    }

    /// Refuses connections from now on.
    pub(crate) async fn turn_off(&mut self) {
        self.server.take().expect("a running server").stop(Duration::ZERO).await;
    }

    /// Serves the same objects at the same address again.
    pub(crate) async fn turn_on(&mut self) {
        // The port and the folder are free once the last connection has ended.
        let server = until("the storage to start", Duration::from_secs(30), async || {
            let listener = TcpListener::bind(self.address).await.ok()?;
            embedded::serve(self.folder.path(), listener, credentials()).ok()
        });
        let server = server.await;
        self.server = Some(server);
    }

    pub(crate) fn options(&self) -> ServiceOptions {
        ServiceOptions::default()
            .set("EMBEDDED__STORAGE", false)
            .set("STORAGE__ENDPOINT", format!("http://{}", self.address))
            .set("STORAGE__BUCKET", "outages")
            .set("STORAGE__ACCESS_KEY_ID", credentials().access_key_id)
            .set("STORAGE__SECRET_ACCESS_KEY", credentials().secret_access_key.reveal())
            .set("STORAGE__ATTEMPTS", 1)
    }
}

fn credentials() -> Credentials {
    Credentials { access_key_id: "test".into(), secret_access_key: Secret::new("test-secret") }
}

#[tokio::test(flavor = "multi_thread")]
async fn scans_wait_for_storage_and_complete() {
    let mut storage = Storage::start().await;
    let service = Service::start(storage.options(), None).await.unwrap();
    let caller = service.client(&service.account().unwrap());

    // One scan loses storage in a stage, the other before the first one.
    let running = caller.create_uploaded_scan(&Clip::moving(3)).await;
    let starting = caller.create_uploaded_scan(&Clip::moving(2)).await;
    caller.start(&running).await.expect(202);
    caller.await_status(&running, "processing", SCAN_TIMEOUT).await;
    storage.turn_off().await;
    caller.start(&starting).await.expect(202);
    tokio::time::sleep(OUTAGE).await;
    let waiting = caller.scan(&starting).await;
    assert_eq!(waiting["status"], "queued");
    assert_eq!(waiting["waiting"]["cause"], "storage_unavailable");
    assert!(waiting["waiting"]["since"].as_str() > waiting["started_at"].as_str(), "{waiting}");
    assert_ne!(caller.scan(&running).await["status"], "failed");

    storage.turn_on().await;
    for scan in [&running, &starting] {
        let done = caller.await_status(scan, "complete", RECOVERY_TIMEOUT).await;
        assert_eq!(done["charge"]["refunded"], false);
        assert_eq!(done["waiting"], serde_json::Value::Null);
    }
    assert_eq!(caller.get("/wallet").await.expect(200).body["free_scans"], 1, "each is charged once");
}

#[tokio::test(flavor = "multi_thread")]
async fn scan_is_refunded_after_the_longest_outage() {
    let mut storage = Storage::start().await;
    let options = storage.options().set("SCANS__MAX_OUTAGE_SECONDS", 2);
    let service = Service::start(options, None).await.unwrap();
    let caller = service.client(&service.account().unwrap());
    let scan = caller.create_uploaded_scan(&Clip::moving(2)).await;
    storage.turn_off().await;
    caller.start(&scan).await.expect(202);
    let failed = caller.await_status(&scan, "failed", SCAN_TIMEOUT).await;
    assert_eq!(failed["error"]["code"], "PIPELINE_ERROR");
    assert_eq!(failed["charge"], json!({ "kind": "free_scan", "price_cents": 0, "refunded": true }));
    assert_eq!(caller.get("/wallet").await.expect(200).body["free_scans"], 3);
}
