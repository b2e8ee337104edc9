//! Presigned uploads by honest and dishonest clients.

use std::time::Duration;

use crate::support::{MAX_TEST_BYTES, RawResponse, Storage, raw, raw_cut, storages};
use media::{
    embedded::Credentials,
    objects::{PresignedPut, Settings},
};

const TTL: Duration = Duration::from_secs(3600);

async fn presigned(storage: &Storage, length: u64) -> PresignedPut {
    let presigned =
        storage.store.presign_put("scans/a/upload/video", "video/mp4", length, TTL).await.unwrap();
    presigned.expect("storage has a public address")
}

async fn send(presigned: &PresignedPut, headers: &[(&str, &str)], body: &[u8]) -> RawResponse {
    raw(&presigned.url, "PUT", headers, body).await
}

#[tokio::test]
async fn contains_the_headers_that_the_client_must_send() {
    for storage in storages().await {
        let presigned = presigned(&storage, 10).await;
        let headers: Vec<_> = presigned.headers.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
        assert_eq!(headers, [("Content-Length", "10"), ("Content-Type", "video/mp4")]);
        for _repeat in 0..2 {
            let response = send(&presigned, &headers, b"0123456789").await;
            assert_eq!(response.status, 200, "{response:?}");
        }
        let info = storage.store.head("scans/a/upload/video").await.unwrap().unwrap();
        assert_eq!((info.bytes, info.content_type.as_str()), (10, "video/mp4"));
    }
}

#[tokio::test]
async fn uses_the_public_address() {
    let storage = crate::support::embedded_storage().await;
    let public = Some("https://media.example.com:8443".into());
    let settings = Settings { public_endpoint: public, ..storage.settings.clone() };
    let store = media::ObjectStore::new(&settings).unwrap();
    let presigned = store.presign_put("a/b", "video/mp4", 1, TTL).await.unwrap().unwrap();
    let address = format!("https://media.example.com:8443/{}/a/b?", settings.bucket);
    assert!(presigned.url.starts_with(&address), "{}", presigned.url);
    assert!(!presigned.url.contains("secret"));

    let settings = Settings { public_endpoint: None, ..storage.settings.clone() };
    let store = media::ObjectStore::new(&settings).unwrap();
    assert!(!store.has_public_address());
    assert_eq!(store.presign_put("a/b", "video/mp4", 1, TTL).await.unwrap(), None);
}

#[tokio::test]
async fn accepts_only_the_signed_upload() {
    for storage in storages().await {
        if !storage.checks_signatures().await {
            continue;
        }
        let presigned = presigned(&storage, 10).await;
        let kind = ("content-type", "video/mp4");
        let ten = b"0123456789";
        let rejected = [
            ("longer", send(&presigned, &[kind, ("content-length", "11")], b"0123456789a").await),
            ("shorter", send(&presigned, &[kind, ("content-length", "9")], b"012345678").await),
            (
                "other type",
                send(&presigned, &[("content-type", "text/html"), ("content-length", "10")], ten).await,
            ),
            ("no type", send(&presigned, &[("content-length", "10")], ten).await),
        ];
        for (case, response) in rejected {
            assert_eq!(response.status, 403, "{} {case}: {response:?}", storage.name);
        }
        // A chunked body has no length in advance, even if a header gives one.
        let chunks = [kind, ("transfer-encoding", "chunked"), ("content-length", "10")];
        for headers in [&chunks[..2], &chunks[..]] {
            let response = send(&presigned, headers, b"b\r\n0123456789a\r\n0\r\n\r\n").await;
            assert!((400..500).contains(&response.status), "{} {headers:?}: {response:?}", storage.name);
        }

        let elsewhere = presigned.url.replace("upload/video", "upload/other");
        let headers = [kind, ("content-length", "10")];
        assert_eq!(raw(&elsewhere, "PUT", &headers, ten).await.status, 403);
        assert_eq!(raw(&presigned.url, "GET", &[], b"").await.status, 403, "{}", storage.name);
        assert_eq!(storage.store.list("").await.unwrap(), vec![], "{}", storage.name);
    }
}

#[tokio::test]
async fn interrupted_upload_stores_nothing() {
    for storage in storages().await {
        if !storage.checks_signatures().await {
            continue;
        }
        let presigned = presigned(&storage, 10).await;
        let headers = [("content-type", "video/mp4"), ("content-length", "10")];
        let response = raw_cut(&presigned.url, "PUT", &headers, b"0123").await;
        assert_ne!(response.status, 200, "{} {response:?}", storage.name);
        assert_eq!(storage.store.head("scans/a/upload/video").await.unwrap(), None, "{}", storage.name);

        // Sends more than announced: the announced part is the upload, the rest is ignored.
        let response = send(&presigned, &headers, b"0123456789 and more").await;
        assert_eq!(response.status, 200, "{} {response:?}", storage.name);
        let stored = storage.store.get_bytes("scans/a/upload/video", MAX_TEST_BYTES).await.unwrap();
        assert_eq!(stored, "0123456789");
    }
}

#[tokio::test]
async fn is_rejected_after_it_expires() {
    for storage in storages().await {
        if !storage.checks_signatures().await {
            continue;
        }
        let presigned = presigned(&storage, 1).await;
        let headers = [("content-type", "video/mp4"), ("content-length", "1")];
        // Another expiry invalidates the signature.
        let longer = presigned.url.replace("X-Amz-Expires=3600", "X-Amz-Expires=36000");
        assert_ne!(longer, presigned.url);
        assert_eq!(raw(&longer, "PUT", &headers, b"x").await.status, 403);

        let brief = Duration::from_secs(1);
        let presigned = storage.store.presign_put("brief", "video/mp4", 1, brief).await.unwrap().unwrap();
        // Signatures have whole seconds, so the URL is certainly expired after two seconds.
        let rejected = async {
            while raw(&presigned.url, "PUT", &headers, b"x").await.status == 200 {
                tokio::task::yield_now().await;
            }
            raw(&presigned.url, "PUT", &headers, b"x").await.status
        };
        let status = tokio::time::timeout(Duration::from_secs(10), rejected).await.expect("it expires");
        assert_eq!(status, 403, "{}", storage.name);
        assert!(storage.store.presign_put("a", "b/c", 1, Duration::ZERO).await.is_err());
        assert!(storage.store.presign_put("a", "b/c", 1, Duration::from_secs(8 * 86400)).await.is_err());
    }
}

#[tokio::test]
async fn signed_urls_outlive_the_rotation_of_the_embedded_credentials() {
    let home = tempfile::tempdir().unwrap();
    let credentials = |id: &str| Credentials {
        access_key_id: id.into(),
        secret_access_key: domain::Secret::new(format!("secret of {id}")),
    };
    let start = async |address: &str, current: &str, previous: &[&str]| {
        let listener = tokio::net::TcpListener::bind(address).await.unwrap();
        let previous = previous.iter().map(|id| credentials(id)).collect();
        media::embedded::serve_rotating(home.path(), listener, credentials(current), previous).unwrap()
    };
    let sign = async |endpoint: &str, id: &str| {
        let Credentials { access_key_id, secret_access_key } = credentials(id);
        let settings = Settings {
            endpoint: endpoint.to_owned(),
            public_endpoint: Some(endpoint.to_owned()),
            access_key_id,
            secret_access_key,
            ..Settings::default()
        };
        let store = media::ObjectStore::new(&settings).unwrap();
        store.ensure_bucket().await.unwrap();
        store.presign_put("upload", "video/mp4", 1, TTL).await.unwrap().unwrap().url
    };
    let put = async |url: &str| {
        raw(url, "PUT", &[("content-type", "video/mp4"), ("content-length", "1")], b"x").await.status
    };

    let server = start("127.0.0.1:0", "old", &[]).await;
    let (address, endpoint) = (server.address().to_string(), server.endpoint());
    let old_url = sign(&endpoint, "old").await;
    server.stop(Duration::from_secs(5)).await;

    let server = start(&address, "new", &["old"]).await;
    assert_eq!(put(&old_url).await, 200, "the old credentials are still valid");
    let new_url = sign(&endpoint, "new").await;
    assert_eq!(put(&new_url).await, 200);
    server.stop(Duration::from_secs(5)).await;

    let server = start(&address, "new", &[]).await;
    assert_eq!(put(&old_url).await, 403, "the old credentials are removed");
    assert_eq!(put(&new_url).await, 200);
    server.stop(Duration::from_secs(5)).await;
}
