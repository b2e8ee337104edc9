//! The storages that the tests run against: always the embedded server, and another S3 server if
//! `SCAN_TEST_S3_ENDPOINT` names one (with `SCAN_TEST_S3_ACCESS_KEY_ID` and
//! `SCAN_TEST_S3_SECRET_ACCESS_KEY`, both `test` by default).

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::{Duration, SystemTime},
};

use domain::Secret;
use media::{
    ObjectStore,
    embedded::{self, Credentials},
    objects::Settings,
};
use tempfile::TempDir;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};

/// Size limit that is larger than every object of the tests.
pub(crate) const MAX_TEST_BYTES: u64 = 1 << 30;

/// A storage with its own bucket.
pub(crate) struct Storage {
    pub(crate) name: &'static str,
    pub(crate) store: ObjectStore,
    pub(crate) settings: Settings,
    pub(crate) embedded: Option<(embedded::Server, TempDir)>,
}

/// Returns all storages to test.
pub(crate) async fn storages() -> Vec<Storage> {
    let mut all = vec![embedded_storage().await];
    match std::env::var("SCAN_TEST_S3_ENDPOINT") {
        Ok(endpoint) => all.push(other_storage(endpoint).await),
        Err(_) => eprintln!("note: SCAN_TEST_S3_ENDPOINT is not set, only the embedded server is tested"),
    }
    all
}

/// Starts the embedded server on a temporary folder.
pub(crate) async fn embedded_storage() -> Storage {
    let home = tempfile::tempdir().unwrap();
    let server = serve(home.path()).await;
    let settings = settings(server.endpoint(), "embedded", "a secret of the test");
    let store = ObjectStore::new(&settings).unwrap();
    store.ensure_bucket().await.unwrap();
    Storage { name: "embedded", store, settings, embedded: Some((server, home)) }
}

pub(crate) async fn serve(folder: &std::path::Path) -> embedded::Server {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let credentials = Credentials {
        access_key_id: "embedded".into(),
        secret_access_key: Secret::new("a secret of the test"),
    };
    embedded::serve(folder, listener, credentials).unwrap()
}

async fn other_storage(endpoint: String) -> Storage {
    let env = |name: &str| std::env::var(name).unwrap_or_else(|_| "test".into());
    let (id, secret) = (env("SCAN_TEST_S3_ACCESS_KEY_ID"), env("SCAN_TEST_S3_SECRET_ACCESS_KEY"));
    let settings = settings(endpoint, &id, &secret);
    let store = ObjectStore::new(&settings).unwrap();
    store.ensure_bucket().await.unwrap();
    Storage { name: "other", store, settings, embedded: None }
}

fn settings(endpoint: String, id: &str, secret: &str) -> Settings {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let nanos = SystemTime::UNIX_EPOCH.elapsed().unwrap_or(Duration::ZERO).as_nanos();
    Settings {
        public_endpoint: Some(endpoint.clone()),
        endpoint,
        bucket: format!("scan-test-{nanos:x}-{}", COUNT.fetch_add(1, Ordering::Relaxed)),
        access_key_id: id.into(),
        secret_access_key: Secret::new(secret),
        ..Default::default()
    }
}

impl Storage {
    /// Returns whether the storage rejects wrong signatures. Some test servers accept any
    /// signature.
    pub(crate) async fn checks_signatures(&self) -> bool {
        let settings = Settings { secret_access_key: Secret::new("wrong"), ..self.settings.clone() };
        let unauthorized = ObjectStore::new(&settings).unwrap();
        let checks = unauthorized.put_bytes("probe", "text/plain", "x").await.is_err();
        if !checks {
            eprintln!(
                "note: the {} server accepts any signature, so rejections are not tested on it",
                self.name
            );
        }
        checks
    }
}

/// The response to a raw request.
#[derive(Debug)]
pub(crate) struct RawResponse {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

/// Sends a request exactly as given, even if it is invalid, and reads the response to its end.
pub(crate) async fn raw(url: &str, method: &str, headers: &[(&str, &str)], body: &[u8]) -> RawResponse {
    let mut stream = send(url, method, headers, body).await;
    receive(&mut stream).await
}

/// Sends a request and disconnects after these bytes. The status is 0 if there was no response.
pub(crate) async fn raw_cut(url: &str, method: &str, headers: &[(&str, &str)], body: &[u8]) -> RawResponse {
    let mut stream = send(url, method, headers, body).await;
    let _ = stream.shutdown().await;
    receive(&mut stream).await
}

async fn send(url: &str, method: &str, headers: &[(&str, &str)], body: &[u8]) -> TcpStream {
    let uri: http::Uri = url.parse().unwrap();
    let authority = uri.authority().unwrap().as_str();
    let target = uri.path_and_query().unwrap().as_str();
    let mut stream = TcpStream::connect(authority).await.unwrap();
    let mut request = format!("{method} {target} HTTP/1.1\r\nhost: {authority}\r\nconnection: close\r\n");
    for (name, value) in headers {
        request.push_str(&format!("{name}: {value}\r\n"));
    }
    request.push_str("\r\n");
    // The server may respond and close before it has read everything.
    let _ = stream.write_all(request.as_bytes()).await;
    let _ = stream.write_all(body).await;
    stream
}

async fn receive(stream: &mut TcpStream) -> RawResponse {
    let mut response = Vec::new();
    let _ = stream.read_to_end(&mut response).await;
    let split = response.windows(4).position(|w| w == b"\r\n\r\n").unwrap_or(response.len());
    let head = String::from_utf8_lossy(&response[..split]).into_owned();
    let status = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
    RawResponse { status, body: response.get(split + 4..).unwrap_or_default().to_vec() }
}
