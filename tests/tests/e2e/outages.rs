//! Storage, the database, the engine or a worker's disk goes away while scans run: they wait, and complete
//! when it is back. Meanwhile the API responds soon.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use domain::Secret;
use harness::{
    ApiClient, ApiResponse, Dependency, Outage, Service, ServiceOptions, SmallDisk, Stack, api_client::id,
    clips::Clip, until,
};
use media::embedded::{self, Credentials};
use serde_json::{Value, json};
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

/// The activity in each stage of a scan before which a scan is held when an outage begins.
const STAGES: [&str; 5] = ["ingest", "observe_frames", "fuse", "enrich", "save"];
/// Maximum time until the API responds during an outage.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(2);
/// Every dependency, and each way in which it goes away.
const OUTAGES: [(Dependency, Outage); 6] = [
    (Dependency::Storage, Outage::Killed),
    (Dependency::Storage, Outage::Stopped),
    (Dependency::Database, Outage::Killed),
    (Dependency::Database, Outage::Stopped),
    (Dependency::Engine, Outage::Killed),
    (Dependency::Engine, Outage::Stopped),
];

#[tokio::test(flavor = "multi_thread")]
async fn scans_survive_outages_in_every_stage() {
    // A call to storage that hangs fails soon, so that the scan can say what it waits for.
    let short = [("STORAGE__REQUEST_TIMEOUT_SECONDS", "1"), ("STORAGE__ATTEMPTS", "1")];
    survive_outages_of(Duration::from_secs(4), &short).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "takes eleven minutes: run it once before a release"]
async fn scans_survive_outages_of_90_seconds_in_every_stage() {
    survive_outages_of(Duration::from_secs(90), &[]).await;
}

async fn survive_outages_of(length: Duration, settings: &[(&str, &str)]) {
    let mut stack = Stack::start(settings).await.unwrap();
    for (dependency, outage) in OUTAGES {
        let figures = survive(&mut stack, dependency, outage, length).await;
        eprintln!("{dependency:?} {outage:?} for {length:?}: {figures}");
    }
    stack.finish().await;
}

/// Takes a dependency away from scans in every stage, and from requests that are in flight or arrive during
/// the outage. Returns the measured times.
async fn survive(stack: &mut Stack, dependency: Dependency, outage: Outage, length: Duration) -> String {
    let (caller, clip) = (stack.client().await, Clip::moving(2));
    let free_scans = free_scans(&caller).await;
    let uploading = caller.create_scan(&clip).await;
    let half = caller.begin_upload(&uploading, &clip);
    let (unsent, uploaded) = (caller.create_scan(&clip).await, caller.create_uploaded_scan(&clip).await);
    let mut scans = Vec::new();
    for stage in STAGES {
        let scan = caller.create_uploaded_scan(&clip).await;
        stack.failpoints().hold(&format!("before_{stage}"), id(&scan));
        caller.start(&scan).await.expect(202);
        scans.push(scan);
    }
    for (stage, scan) in STAGES.iter().zip(&scans) {
        stack.failpoints().await_held(&format!("before_{stage}"), id(scan)).await;
    }

    stack.take_away(dependency, outage);
    let began = Instant::now();
    stack.failpoints().release_all();
    let path = format!("/scans/{}", id(&uploaded));
    let (read, start, sent, finished) = tokio::join!(
        timed(caller.get(&path)),
        timed(caller.start(&uploaded)),
        timed(caller.upload(&unsent, &clip)),
        timed(half.finish()),
    );
    let slowest = [&read, &start, &sent, &finished].iter().map(|(_, took)| *took).max().unwrap();
    check_responses(dependency, &read.0, &start.0, [&sent.0, &finished.0]);
    assert!(slowest <= RESPONSE_TIMEOUT, "{dependency:?} {outage:?}: the slowest response took {slowest:?}");
    tokio::time::sleep(length.saturating_sub(began.elapsed())).await;
    if dependency == Dependency::Storage {
        await_waiting(&caller, &scans[0], "storage_unavailable").await;
    }

    stack.bring_back(dependency);
    let back = Instant::now();
    // Interrupted requests succeed when they are repeated.
    for scan in [&unsent, &uploading] {
        until("the upload", RECOVERY_TIMEOUT, async || {
            (caller.upload(scan, &clip).await.status == 204).then_some(())
        })
        .await;
    }
    scans.extend([uploaded, unsent, uploading]);
    for scan in &scans {
        let done = complete(&caller, scan).await;
        assert_eq!((&done["charge"]["refunded"], &done["document_revision"]), (&json!(false), &json!(1)));
        assert_eq!(done["waiting"], Value::Null);
    }
    let recovery = back.elapsed();
    let charged = free_scans - i64::try_from(scans.len()).unwrap();
    assert_eq!(self::free_scans(&caller).await, charged, "each scan is charged once");
    format!("slowest response {slowest:.1?}, all scans complete {recovery:.1?} after the outage")
}

/// Checks that requests that need the dependency are refused with `Retry-After`, and others succeed.
fn check_responses(
    dependency: Dependency,
    read: &ApiResponse,
    start: &ApiResponse,
    uploads: [&ApiResponse; 2],
) {
    let refused = |response: &ApiResponse, code: &str| {
        assert_eq!((response.status.as_u16(), response.code()), (503, code), "{}", response.body);
        assert!(response.headers.contains_key("retry-after"));
    };
    match dependency {
        Dependency::Database => {
            for response in [read, start].into_iter().chain(uploads) {
                refused(response, "UNAVAILABLE");
            }
        }
        Dependency::Storage => {
            assert_eq!((read.status.as_u16(), start.status.as_u16()), (200, 202), "{}", start.body);
            for response in uploads {
                refused(response, "UNAVAILABLE");
            }
        }
        Dependency::Engine => {
            assert_eq!(read.status, 200);
            refused(start, "ENGINE_UNAVAILABLE");
            for response in uploads {
                assert_eq!(response.status, 204);
            }
        }
    }
}

async fn timed<T>(work: impl Future<Output = T>) -> (T, Duration) {
    let began = Instant::now();
    (work.await, began.elapsed())
}

async fn free_scans(caller: &ApiClient) -> i64 {
    caller.get("/wallet").await.expect(200).body["free_scans"].as_i64().unwrap()
}

/// Waits until a scan says what it waits for.
async fn await_waiting(caller: &ApiClient, scan: &Value, cause: &str) {
    until("the scan to say what it waits for", SCAN_TIMEOUT, async || {
        (caller.scan(scan).await["waiting"]["cause"] == cause).then_some(())
    })
    .await;
}

/// Waits until a scan is complete, and starts it if an earlier request to start it was refused.
async fn complete(caller: &ApiClient, scan: &Value) -> Value {
    until(&format!("scan {} to be complete", id(scan)), RECOVERY_TIMEOUT, async || {
        let response = caller.get(&format!("/scans/{}", id(scan))).await;
        match response.body["status"].as_str() {
            Some("awaiting_upload") => drop(caller.start(scan).await),
            Some("complete") => return Some(response.body),
            Some("failed" | "cancelled") => panic!("{}", response.body),
            _ => {}
        }
        None
    })
    .await
}

/// Processes that start during an outage wait for its end; they do not exit.
#[tokio::test(flavor = "multi_thread")]
async fn processes_that_start_during_an_outage_wait_for_its_end() {
    let mut stack = Stack::start(&[]).await.unwrap();
    for (dependency, name) in
        [(Dependency::Database, "the database"), (Dependency::Storage, "object storage")]
    {
        let caller = stack.client().await;
        stack.take_away(dependency, Outage::Killed);
        stack.restart().unwrap();
        let message = format!("waiting for {name}");
        until("both processes to wait", SCAN_TIMEOUT, async || {
            (stack.logs().matches(&message).count() == 2).then_some(())
        })
        .await;
        stack.bring_back(dependency);
        stack.await_ready().await;
        let scan = caller.create_uploaded_scan(&Clip::moving(2)).await;
        caller.start(&scan).await.expect(202);
        caller.await_status(&scan, "complete", SCAN_TIMEOUT).await;
    }
    // Fails if a process ended.
    stack.finish().await;
}

/// Less than the sound of ten seconds needs when it is decoded.
const DECODED_BYTES: u64 = 100_000;

/// The disk is full before the media are downloaded, and fills up while their sound is decoded.
#[tokio::test(flavor = "multi_thread")]
async fn scans_wait_for_space_on_the_disk() {
    let folder = tempfile::tempdir().unwrap();
    let Some(disk) = SmallDisk::mount(&folder.path().join("disk"), "64m") else { return };
    let options = ServiceOptions::default().set("SCRATCH", disk.folder().join("scratch").display());
    let service = Service::start(options, None).await.unwrap();
    let caller = service.client(&service.account().unwrap());
    let picture = ["-f", "lavfi", "-i", "testsrc2=size=320x180:rate=5:duration=10"];
    let inputs = [&picture[..], &["-f", "lavfi", "-i", "sine=duration=10"]].concat();
    let clip = Clip::from_inputs(&inputs, &["-c:a", "aac"]);
    let media = u64::try_from(clip.bytes.len()).unwrap();
    for left in [0, media + DECODED_BYTES] {
        let scan = caller.create_uploaded_scan(&clip).await;
        disk.fill(left);
        caller.start(&scan).await.expect(202);
        await_waiting(&caller, &scan, "disk_unavailable").await;
        disk.empty();
        let done = caller.await_status(&scan, "complete", RECOVERY_TIMEOUT).await;
        assert_eq!((&done["charge"]["refunded"], &done["waiting"]), (&json!(false), &Value::Null));
    }
    assert_eq!(caller.get("/wallet").await.expect(200).body["free_scans"], 1, "each is charged once");
    drop(service);
}
