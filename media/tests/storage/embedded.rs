//! Tests the embedded server: keys never leave its folder, and a killed server never leaves partial
//! objects.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use crate::support::{MAX_TEST_BYTES, embedded_storage, raw, serve};
use bytes::Bytes;
use futures::stream;
use media::{
    ObjectStore,
    embedded::{self, Credentials},
    objects::{Error, Settings},
};
use tokio::net::TcpListener;

/// Returns all files below a folder, objects and drafts.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            found.extend(files(&entry.path()));
        } else if entry.file_name() != ".lock" {
            found.push(entry.path().display().to_string());
        }
    }
    found
}

#[tokio::test]
async fn keys_never_leave_their_bucket() {
    let storage = embedded_storage().await;
    let (server, home) = storage.embedded.as_ref().unwrap();
    let other = Settings { bucket: "other-bucket".into(), ..storage.settings.clone() };
    let other = ObjectStore::new(&other).unwrap();
    other.ensure_bucket().await.unwrap();
    other.put_bytes("secret", "text/plain", "theirs").await.unwrap();

    let keys = [
        "../other-bucket/secret",
        "a/../../other-bucket/secret",
        "../.lock",
        "./a",
        "a//b",
        "a/",
        "..",
        "a\nb",
    ];
    for key in keys {
        let put = storage.store.put_bytes(key, "text/plain", "mine").await;
        assert!(put.is_err(), "{key}");
        assert!(storage.store.get_bytes(key, MAX_TEST_BYTES).await.is_err(), "{key}");
        assert!(storage.store.copy_if_match(key, "copy", "*").await.is_err(), "{key}");
        assert!(storage.store.delete(key).await.is_err(), "{key}");
    }
    for target in ["/../../etc/passwd", "/%2e%2e/x", "/other-bucket/%2e%2e/%2e%2e/x", "/.drafts/0"] {
        let response = raw(&format!("{}{target}", server.endpoint()), "GET", &[], b"").await;
        assert!((400..500).contains(&response.status), "{target}: {response:?}");
    }
    assert_eq!(other.get_bytes("secret", MAX_TEST_BYTES).await.unwrap(), "theirs");
    assert_eq!(files(home.path()).len(), 1);
}

#[tokio::test]
async fn rejects_unsigned_requests() {
    let storage = embedded_storage().await;
    storage.store.put_bytes("a", "text/plain", "x").await.unwrap();
    let bucket = format!("{}/{}", storage.settings.endpoint, storage.settings.bucket);
    for (method, url) in [("GET", format!("{bucket}/a")), ("PUT", format!("{bucket}/b")), ("GET", bucket)] {
        let response = raw(&url, method, &[("content-length", "0")], b"").await;
        assert_eq!(response.status, 403, "{method} {url}: {response:?}");
    }
}

#[tokio::test]
async fn body_with_a_wrong_checksum_is_not_stored() {
    let storage = embedded_storage().await;
    storage.store.put_bytes("kept", "text/plain", "before").await.unwrap();
    let upload =
        storage.store.presign_put("kept", "text/plain", 5, Duration::from_secs(60)).await.unwrap().unwrap();
    let put = async |name: &str, sum: &str| {
        let headers = [("content-type", "text/plain"), ("content-length", "5"), (name, sum)];
        raw(&upload.url, "PUT", &headers, b"hello").await
    };
    for (name, wrong) in [
        ("content-md5", "AAAAAAAAAAAAAAAAAAAAAA=="),
        ("x-amz-checksum-crc32", "AAAAAA=="),
        ("x-amz-checksum-sha256", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
    ] {
        let response = put(name, wrong).await;
        assert_eq!(response.status, 400, "{name}: {response:?}");
        assert_eq!(storage.store.get_bytes("kept", MAX_TEST_BYTES).await.unwrap(), "before");
    }
    let response = put("content-md5", "XUFAKrxLKna5cZ2REBfFkg==").await;
    assert_eq!(response.status, 200, "{response:?}");
    assert!(response.body.iter().all(u8::is_ascii_whitespace), "{response:?}");
    assert_eq!(storage.store.get_bytes("kept", MAX_TEST_BYTES).await.unwrap(), "hello");
}

#[tokio::test]
async fn rejected_copy_keeps_the_existing_object() {
    let storage = embedded_storage().await;
    let store = &storage.store;
    let old = store.put_bytes("from", "text/plain", "old").await.unwrap();
    store.put_bytes("from", "text/plain", "new").await.unwrap();
    store.put_bytes("to", "text/plain", "kept").await.unwrap();
    let rejected = store.copy_if_match("from", "to", &old.etag).await;
    assert!(matches!(rejected, Err(Error::PreconditionFailed { .. })), "{rejected:?}");
    assert_eq!(store.get_bytes("to", MAX_TEST_BYTES).await.unwrap(), "kept");
}

#[tokio::test]
async fn key_is_either_an_object_or_a_folder() {
    let storage = embedded_storage().await;
    storage.store.put_bytes("a/b", "text/plain", "x").await.unwrap();
    for key in ["a", "a/b/c"] {
        let rejected = storage.store.put_bytes(key, "text/plain", "y").await;
        assert!(matches!(&rejected, Err(error) if !error.is_retryable()), "{rejected:?}");
        assert_eq!(storage.store.head(key).await.unwrap(), None);
        storage.store.delete(key).await.unwrap();
    }
    assert_eq!(storage.store.get_bytes("a/b", MAX_TEST_BYTES).await.unwrap(), "x");
    // The folder is deleted with its last object, so the key is free.
    storage.store.delete("a/b").await.unwrap();
    storage.store.put_bytes("a", "text/plain", "y").await.unwrap();
}

#[tokio::test]
async fn foreign_files_are_not_served() {
    let storage = embedded_storage().await;
    let (_, home) = storage.embedded.as_ref().unwrap();
    storage.store.put_bytes("good", "text/plain", "x").await.unwrap();
    std::fs::write(home.path().join(&storage.settings.bucket).join("stray"), "put here by hand").unwrap();
    assert!(matches!(storage.store.get_bytes("stray", MAX_TEST_BYTES).await, Err(Error::Unavailable { .. })));
    let listed = storage.store.list("").await.unwrap();
    assert_eq!(listed.len(), 1);
}

#[tokio::test]
async fn concurrent_writes_and_deletes_in_a_folder_lose_nothing() {
    let storage = embedded_storage().await;
    let store = &storage.store;
    let work = |n: u32| async move {
        for round in 0..20 {
            let key = format!("deep/er/{n}");
            store.put_bytes(&key, "text/plain", format!("{round}")).await.unwrap();
            assert_eq!(store.get_bytes(&key, 9).await.unwrap(), format!("{round}"));
            store.delete(&key).await.unwrap();
        }
    };
    futures::future::join_all((0..6).map(work)).await;
    assert_eq!(store.list("").await.unwrap(), vec![]);
}

#[tokio::test]
async fn stops_on_request_and_keeps_its_objects() {
    let home = tempfile::tempdir().unwrap();
    let server = serve(home.path()).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let credentials = Credentials { access_key_id: "a".into(), secret_access_key: domain::Secret::new("b") };
    let second = embedded::serve(home.path(), listener, credentials);
    assert!(matches!(second, Err(embedded::Error::InUse(_))));

    let store = client(&server.endpoint());
    store.ensure_bucket().await.unwrap();
    store.put_bytes("a", "text/plain", "x").await.unwrap();
    // The client keeps its connection open, which must not delay the shutdown.
    tokio::time::timeout(Duration::from_secs(5), server.stop(Duration::from_secs(60))).await.expect("prompt");
    assert!(store.get_bytes("a", 1).await.unwrap_err().is_retryable());

    let again = serve(home.path()).await;
    assert_eq!(client(&again.endpoint()).get_bytes("a", 1).await.unwrap(), "x");
}

fn client(endpoint: &str) -> ObjectStore {
    ObjectStore::new(&Settings {
        endpoint: endpoint.into(),
        bucket: "killed".into(),
        access_key_id: "embedded".into(),
        secret_access_key: domain::Secret::new("a secret of the test"),
        attempts: 1,
        ..Default::default()
    })
    .unwrap()
}

/// Not a test: runs the server for the next test in a process that can be killed.
#[tokio::test]
#[ignore = "runs as the child of killed_server_leaves_no_partial_objects"]
async fn child_server() {
    let Some(folder) = std::env::var_os("SCAN_TEST_CHILD_FOLDER") else { return };
    let server = serve(Path::new(&folder)).await;
    eprintln!("serving {}", server.endpoint());
    std::future::pending::<()>().await;
}

fn start_child(folder: &Path) -> (Child, String) {
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "embedded::child_server", "--ignored", "--nocapture"])
        .env("SCAN_TEST_CHILD_FOLDER", folder)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let address =
        lines.map_while(Result::ok).find_map(|line| Some(line.strip_prefix("serving ")?.to_owned()));
    (child, address.expect("the child serves"))
}

#[tokio::test]
async fn killed_server_leaves_no_partial_objects() {
    let home = tempfile::tempdir().unwrap();
    let (mut child, endpoint) = start_child(home.path());
    let store = client(&endpoint);
    store.ensure_bucket().await.unwrap();
    store.put_bytes("kept", "text/plain", "before").await.unwrap();

    // Two uploads stall after their first part. The server is killed when both parts are on its
    // disk.
    let half = || {
        let part = Ok::<_, std::io::Error>(Bytes::from(vec![7; 600_000]));
        futures::StreamExt::chain(stream::iter([part]), stream::pending())
    };
    let put = |key: &'static str| {
        let store = store.clone();
        tokio::spawn(async move { store.put_stream(key, "video/mp4", 900_000, half()).await })
    };
    let uploads = [put("kept"), put("new")];
    let on_disk = || files(&home.path().join(".drafts")).len();
    let waited = async {
        while on_disk() < 2 {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), waited).await.expect("both are being written");
    child.kill().unwrap();
    child.wait().unwrap();
    for upload in uploads {
        assert!(upload.await.unwrap().unwrap_err().is_retryable());
    }
    assert_eq!(on_disk(), 2, "the killed server left drafts");

    let server = serve(home.path()).await;
    assert_eq!(on_disk(), 0);
    let store = client(&server.endpoint());
    assert_eq!(store.get_bytes("kept", MAX_TEST_BYTES).await.unwrap(), "before");
    assert_eq!(store.head("new").await.unwrap(), None);
}
