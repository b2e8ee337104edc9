//! Tests that every storage must pass.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use crate::support::{MAX_TEST_BYTES, storages};
use bytes::Bytes;
use futures::{StreamExt, TryStreamExt, stream};
use media::{
    ObjectStore,
    objects::{Error, Settings},
};
use sha2::{Digest, Sha256};

type Chunk = Result<Bytes, std::io::Error>;

fn chunks(parts: &[&'static str]) -> impl futures::Stream<Item = Chunk> + Send + use<> {
    let parts: Vec<Chunk> = parts.iter().map(|part| Ok(Bytes::from_static(part.as_bytes()))).collect();
    stream::iter(parts)
}

#[tokio::test]
async fn objects_can_be_stored_read_and_deleted() {
    for storage in storages().await {
        let store = &storage.store;
        store.ensure_bucket().await.unwrap();
        assert_eq!(store.head("a/b").await.unwrap(), None);

        let put = store.put_bytes("a/b", "image/jpeg", "0123456789").await.unwrap();
        assert_eq!((put.bytes, put.content_type.as_str()), (10, "image/jpeg"));
        assert_eq!(store.head("a/b").await.unwrap(), Some(put.clone()), "{}", storage.name);
        assert_eq!(store.get_bytes("a/b", 10).await.unwrap(), "0123456789");
        let object = store.get_stream("a/b").await.unwrap();
        assert_eq!(object.info, put);
        assert_eq!(object.chunks.try_collect::<Vec<_>>().await.unwrap().concat(), b"0123456789");

        store.put_bytes("a/b", "image/png", "other").await.unwrap();
        let replaced = store.head("a/b").await.unwrap().unwrap();
        assert_eq!((replaced.bytes, replaced.content_type.as_str()), (5, "image/png"));
        assert_ne!(replaced.etag, put.etag);

        store.delete("a/b").await.unwrap();
        store.delete("a/b").await.unwrap();
        assert_eq!(store.head("a/b").await.unwrap(), None);
        assert!(matches!(store.get_bytes("a/b", 1).await, Err(Error::NotFound { .. })));
    }
}

#[tokio::test]
async fn a_missing_bucket_is_an_outage_and_not_a_missing_object() {
    for storage in storages().await {
        let bucket = format!("{}-gone", storage.settings.bucket);
        let store = ObjectStore::new(&Settings { bucket, ..storage.settings.clone() }).unwrap();
        let unavailable = |error: Error| matches!(error, Error::Unavailable { .. });
        assert!(unavailable(store.head("a").await.unwrap_err()), "{}", storage.name);
        assert!(unavailable(store.get_bytes("a", 1).await.unwrap_err()), "{}", storage.name);
        assert!(unavailable(store.put_bytes("a", "text/plain", "x").await.unwrap_err()), "{}", storage.name);
        assert!(
            unavailable(store.copy_if_match("a", "b", "\"etag\"").await.unwrap_err()),
            "{}",
            storage.name
        );
        store.ensure_bucket().await.unwrap();
        assert_eq!(store.head("a").await.unwrap(), None, "{}", storage.name);
    }
}

#[tokio::test]
async fn supports_unusual_keys_and_empty_objects() {
    for storage in storages().await {
        let store = &storage.store;
        for key in ["a b+c", "ü/ñ.jpg", "a%2Fb", "deep/er/est", "q?x=1&y#z", "*()'!"] {
            store.put_bytes(key, "text/plain", key.to_owned()).await.unwrap();
            assert_eq!(store.get_bytes(key, MAX_TEST_BYTES).await.unwrap(), key, "{} {key}", storage.name);
            let etag = store.head(key).await.unwrap().unwrap().etag;
            store.copy_if_match(key, "copy", &etag).await.unwrap();
            assert_eq!(store.get_bytes("copy", MAX_TEST_BYTES).await.unwrap(), key, "{} {key}", storage.name);
        }
        let listed = store.list("").await.unwrap();
        assert!(listed.iter().any(|object| object.key == "q?x=1&y#z" && object.bytes == 9));

        store.put_bytes("empty", "text/plain", "").await.unwrap();
        store.put_stream("none", "text/plain", 0, chunks(&["", ""])).await.unwrap();
        for key in ["empty", "none"] {
            assert_eq!(store.head(key).await.unwrap().unwrap().bytes, 0);
            assert_eq!(store.get_bytes(key, 0).await.unwrap(), "");
            assert_eq!(store.get_head_bytes(key, 64).await.unwrap(), "");
        }
    }
}

#[tokio::test]
async fn reads_ranges_of_an_object() {
    for storage in storages().await {
        let store = &storage.store;
        store.put_bytes("digits", "text/plain", "0123456789").await.unwrap();
        assert_eq!(store.get_range("digits", 2..5).await.unwrap(), "234");
        assert_eq!(store.get_range("digits", 8..99).await.unwrap(), "89");
        assert_eq!(store.get_range("digits", 10..20).await.unwrap(), "", "{}", storage.name);
        assert_eq!(store.get_range("digits", 3..3).await.unwrap(), "");
        assert_eq!(store.get_head_bytes("digits", 64).await.unwrap(), "0123456789");
        assert!(matches!(store.get_range("absent", 0..9).await, Err(Error::NotFound { .. })));
    }
}

#[tokio::test]
async fn objects_over_the_limit_are_not_read() {
    for storage in storages().await {
        let store = &storage.store;
        store.put_bytes("ten", "text/plain", "0123456789").await.unwrap();
        assert!(matches!(store.get_bytes("ten", 9).await, Err(Error::TooLarge { limit: 9, .. })));
        let home = tempfile::tempdir().unwrap();
        let path = home.path().join("file");
        assert!(matches!(store.get_to_file("ten", &path, 9).await, Err(Error::TooLarge { .. })));
        assert_eq!(std::fs::read_dir(home.path()).unwrap().count(), 0, "no partial file remains");
    }
}

#[tokio::test]
async fn files_can_be_uploaded_and_downloaded() {
    for storage in storages().await {
        let store = &storage.store;
        let home = tempfile::tempdir().unwrap();
        let (from, to) = (home.path().join("from"), home.path().join("to"));
        let bytes: Vec<u8> = (0..3_000_000_u32).flat_map(|n| [(n % 251) as u8]).collect();
        std::fs::write(&from, &bytes).unwrap();
        let put = store.put_file("file", "video/mp4", &from).await.unwrap();
        assert_eq!((put.bytes, put.content_type.as_str()), (3_000_000, "video/mp4"));

        std::fs::write(&to, "an older one").unwrap();
        let got = store.get_to_file("file", &to, MAX_TEST_BYTES).await.unwrap();
        assert_eq!((got.bytes, got.sha256), (3_000_000, hex::encode(Sha256::digest(&bytes))));
        assert!(std::fs::read(&to).unwrap() == bytes);
        assert!(matches!(
            store.put_file("file", "video/mp4", &home.path().join("absent")).await,
            Err(Error::File(_))
        ));
    }
}

#[tokio::test]
async fn stream_of_another_length_is_not_stored() {
    for storage in storages().await {
        let store = &storage.store;
        store.put_bytes("kept", "text/plain", "before").await.unwrap();
        for key in ["kept", "new"] {
            let put = |length, parts| store.put_stream(key, "text/plain", length, chunks(parts));
            let short = put(9, &["abc", "def"]).await;
            assert!(matches!(short, Err(Error::LengthMismatch { declared: 9, received: 6 })), "{short:?}");
            let long = put(5, &["abc", "def"]).await;
            assert!(matches!(long, Err(Error::LengthMismatch { declared: 5, received: 6 })), "{long:?}");
            // Reaches the declared length exactly, then sends more.
            let more = put(6, &["abc", "def", "g"]).await;
            assert!(matches!(more, Err(Error::LengthMismatch { declared: 6, received: 7 })), "{more:?}");
            let some = put(0, &["a"]).await;
            assert!(matches!(some, Err(Error::LengthMismatch { declared: 0, received: 1 })), "{some:?}");
        }
        assert_eq!(store.head("new").await.unwrap(), None, "{}", storage.name);
        assert_eq!(store.get_bytes("kept", MAX_TEST_BYTES).await.unwrap(), "before", "{}", storage.name);
        let right = store.put_stream("new", "text/plain", 6, chunks(&["abc", "", "def"])).await.unwrap();
        assert_eq!(right.bytes, 6);
        assert_eq!(store.get_bytes("new", 6).await.unwrap(), "abcdef");
    }
}

#[tokio::test]
async fn failed_or_dropped_stream_is_not_stored() {
    for storage in storages().await {
        let store = &storage.store;
        let failing = chunks(&["abc"]).chain(stream::iter([Err(std::io::Error::other("the client left"))]));
        let outcome = store.put_stream("failing", "text/plain", 6, failing).await;
        assert!(
            matches!(&outcome, Err(Error::Source { reason }) if reason == "the client left"),
            "{outcome:?}"
        );

        // Fails only after the declared length.
        let late = chunks(&["abc", "def"]).chain(stream::iter([Err(std::io::Error::other("late"))]));
        assert!(matches!(
            store.put_stream("failing", "text/plain", 6, late).await,
            Err(Error::Source { .. })
        ));

        // Dropped while storage has part of it: the stream signals when the first chunks are read.
        let (started_sender, started) = tokio::sync::oneshot::channel();
        let mut started_sender = Some(started_sender);
        let endless = stream::poll_fn(move |_| match started_sender.take() {
            Some(started_sender) => {
                let _ = started_sender.send(());
                std::task::Poll::Ready(Some(Chunk::Ok(Bytes::from(vec![1; 300_000]))))
            }
            None => std::task::Poll::Pending,
        });
        let (task_store, key) = (store.clone(), "given-up");
        let task =
            tokio::spawn(async move { task_store.put_stream(key, "text/plain", 900_000, endless).await });
        started.await.unwrap();
        task.abort();
        assert!(task.await.unwrap_err().is_cancelled());
        for key in ["failing", "given-up"] {
            assert_eq!(store.head(key).await.unwrap(), None, "{} {key}", storage.name);
        }
    }
}

#[tokio::test]
async fn stalled_stream_is_aborted() {
    for storage in storages().await {
        let settings = Settings { idle_timeout_seconds: 1, ..storage.settings.clone() };
        let store = ObjectStore::new(&settings).unwrap();
        let still = chunks(&["abc"]).chain(stream::pending());
        let outcome = store.put_stream("still", "text/plain", 6, still).await;
        assert!(matches!(outcome, Err(Error::Source { .. })), "{outcome:?}");
        assert_eq!(store.head("still").await.unwrap(), None);
    }
}

/// Bytes that count how many of them are in memory.
struct Counted {
    bytes: Vec<u8>,
    alive: Arc<AtomicUsize>,
}

impl AsRef<[u8]> for Counted {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.alive.fetch_sub(self.bytes.len(), Ordering::Relaxed);
    }
}

#[tokio::test]
async fn large_streams_are_never_buffered_completely() {
    const CHUNK: usize = 64 * 1024;
    const COUNT: usize = 960;
    for storage in storages().await {
        let store = &storage.store;
        let (alive, peak) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let body = {
            let (alive, peak) = (alive.clone(), peak.clone());
            stream::iter(0..COUNT).map(move |n| {
                let now = alive.fetch_add(CHUNK, Ordering::Relaxed) + CHUNK;
                peak.fetch_max(now, Ordering::Relaxed);
                let bytes = vec![n as u8; CHUNK];
                Chunk::Ok(Bytes::from_owner(Counted { bytes, alive: alive.clone() }))
            })
        };
        let length = (CHUNK * COUNT) as u64;
        let put = store.put_stream("large", "video/mp4", length, body).await.unwrap();
        assert_eq!(put.bytes, length);
        assert_eq!(alive.load(Ordering::Relaxed), 0);
        let peak = peak.load(Ordering::Relaxed);
        eprintln!("{}: at most {peak} of {length} bytes in memory", storage.name);
        assert!(peak <= 4 * 1024 * 1024, "{peak} bytes were in memory at once");

        let mut hash = Sha256::new();
        let mut largest = 0;
        let mut object = store.get_stream("large").await.unwrap();
        while let Some(chunk) = object.chunks.try_next().await.unwrap() {
            largest = largest.max(chunk.len());
            hash.update(&chunk);
        }
        let mut expected = Sha256::new();
        (0..COUNT).for_each(|n| expected.update(vec![n as u8; CHUNK]));
        assert_eq!(hash.finalize(), expected.finalize());
        assert!(largest <= 4 * 1024 * 1024, "a chunk of {largest} bytes");
    }
}

#[tokio::test]
async fn copies_only_the_version_with_the_given_etag() {
    for storage in storages().await {
        let store = &storage.store;
        let original = store.put_bytes("upload", "video/mp4", "confirmed").await.unwrap();
        let copy = store.copy_if_match("upload", "source", &original.etag).await.unwrap();
        assert_eq!((copy.bytes, copy.content_type.as_str()), (9, "video/mp4"), "{}", storage.name);
        assert_eq!(copy.etag, original.etag);
        let again = store.copy_if_match("upload", "source", &original.etag).await.unwrap();
        assert_eq!(again, copy);

        store.put_bytes("upload", "video/mp4", "put later").await.unwrap();
        let rejected = store.copy_if_match("upload", "changed", &original.etag).await;
        assert!(matches!(rejected, Err(Error::PreconditionFailed { .. })), "{rejected:?}");
        assert_eq!(store.head("changed").await.unwrap(), None);
        assert_eq!(store.get_bytes("source", MAX_TEST_BYTES).await.unwrap(), "confirmed");
        store.delete("upload").await.unwrap();
        assert_eq!(store.get_bytes("source", MAX_TEST_BYTES).await.unwrap(), "confirmed");
        let absent = store.copy_if_match("upload", "source", &original.etag).await;
        assert!(matches!(absent, Err(Error::NotFound { .. })), "{absent:?}");
    }
}

#[tokio::test]
async fn lists_and_deletes_several_pages() {
    for storage in storages().await {
        let store = &storage.store;
        let keys: Vec<String> = (0..1003).map(|n| format!("scans/a/frames/{n:05}")).collect();
        let others = ["scans/a.b", "scans/ab/x", "scans/b/y"];
        stream::iter(keys.iter().map(String::as_str).chain(others))
            .for_each_concurrent(8, |key| async move {
                store.put_bytes(key, "image/jpeg", "x").await.unwrap();
            })
            .await;
        let listed = store.list("scans/a/").await.unwrap();
        assert!(listed.iter().map(|object| &object.key).eq(&keys), "{} {}", storage.name, listed.len());
        let age = domain::Timestamp::now().since(listed[0].modified);
        assert!(age < Duration::from_secs(600), "{:?}", listed[0]);

        assert_eq!(store.delete_prefix("scans/a/").await.unwrap(), 1003);
        assert_eq!(store.delete_prefix("scans/a/").await.unwrap(), 0);
        let left: Vec<_> = store.list("").await.unwrap().into_iter().map(|object| object.key).collect();
        assert_eq!(left, others, "{}", storage.name);
        for everything in ["", "/", "scans"] {
            assert!(store.delete_prefix(everything).await.is_err());
        }
        assert_eq!(store.list("scans/").await.unwrap().len(), 3);
    }
}

#[tokio::test]
async fn one_of_several_concurrent_writers_wins_completely() {
    let body = |n: usize| Bytes::from(vec![n as u8; 100_000 + n]);
    for storage in storages().await {
        let (store, is_embedded) = (&storage.store, storage.embedded.is_some());
        let read = &async || {
            let object = store.get_stream("one").await.unwrap();
            let bytes = object.chunks.try_collect::<Vec<_>>().await.unwrap().concat();
            let writer = usize::from(bytes[0]);
            assert_eq!(bytes, body(writer));
            assert_eq!(object.info.content_type, format!("test/{writer}"));
            assert_eq!(object.info.bytes, bytes.len() as u64);
        };
        for _round in 0..5 {
            stream::iter(0..8_usize)
                .for_each_concurrent(8, |n| async move {
                    store.put_bytes("one", &format!("test/{n}"), body(n)).await.unwrap();
                    // Some servers block readers while there are writers. The embedded server must
                    // not.
                    if is_embedded {
                        read().await;
                    }
                })
                .await;
            read().await;
        }
    }
}

#[tokio::test]
async fn errors_tell_why_storage_is_unusable() {
    for storage in storages().await {
        if storage.checks_signatures().await {
            let wrong = domain::Secret::new("wrong");
            let settings = Settings { secret_access_key: wrong, ..storage.settings.clone() };
            let unauthorized = ObjectStore::new(&settings).unwrap();
            let denied = unauthorized.get_bytes("a", 1).await;
            assert!(matches!(denied, Err(Error::Denied { .. })), "{denied:?}");
            assert!(!format!("{denied:?}").contains("wrong"));
        }
    }
}

#[tokio::test]
async fn absent_or_silent_server_is_unavailable_in_bounded_time() {
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let closed_port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for address in [silent.local_addr().unwrap(), closed_port] {
        let store = ObjectStore::new(&Settings {
            endpoint: format!("http://{address}"),
            access_key_id: "test".into(),
            secret_access_key: domain::Secret::new("test"),
            request_timeout_seconds: 1,
            idle_timeout_seconds: 1,
            attempts: 2,
            ..Default::default()
        })
        .unwrap();
        let calls = async {
            let put = store.put_bytes("a", "b/c", "d");
            let stream = store.put_stream("a", "b/c", 3, chunks(&["abc"]));
            let (put, stream, head) = tokio::join!(put, stream, store.head("a"));
            [put.unwrap_err(), stream.unwrap_err(), head.unwrap_err()]
        };
        let errors = tokio::time::timeout(Duration::from_secs(30), calls).await.expect("bounded");
        assert!(errors.iter().all(Error::is_retryable), "{errors:?}");
    }
}
