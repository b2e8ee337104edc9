//! TLS of the listener and of Redis, with self-made certificates.

use std::{path::Path, sync::Arc, time::Duration};

use api::{
    http::{
        server,
        tls::{Tls, TlsError, TlsSettings},
    },
    limits::{Limit, SharedWindows},
};
use domain::Secret;
use rcgen::CertifiedKey;
use rustls::{
    ClientConfig, RootCertStore, ServerConfig,
    pki_types::{PrivateKeyDer, ServerName, pem::PemObject},
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
    sync::oneshot,
};
use tokio_rustls::{TlsAcceptor, TlsConnector, client::TlsStream};

use crate::{app::TestApp, shared_limits::Redis};

type Certificate = CertifiedKey<rcgen::KeyPair>;

fn certificate() -> Certificate {
    rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap()
}

/// Writes the files as a certificate manager does: each is replaced as a whole.
fn store(folder: &Path, certificate: &Certificate) -> TlsSettings {
    let put = |name: &str, text: String| {
        let (draft, file) = (folder.join(format!("{name}.new")), folder.join(name));
        std::fs::write(&draft, text).unwrap();
        std::fs::rename(draft, &file).unwrap();
        file
    };
    TlsSettings {
        key: put("key.pem", certificate.signing_key.serialize_pem()),
        certificate: put("certificate.pem", certificate.cert.pem()),
        reload_seconds: 1,
    }
}

/// Connects, trusting one certificate only.
async fn connect(
    address: &str,
    trusted: &Certificate,
    alpn: &[&[u8]],
) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    roots.add(trusted.cert.der().clone()).unwrap();
    let mut config = ClientConfig::builder().with_root_certificates(roots).with_no_client_auth();
    config.alpn_protocols = alpn.iter().map(|protocol| protocol.to_vec()).collect();
    let stream = TcpStream::connect(address).await?;
    TlsConnector::from(Arc::new(config)).connect(ServerName::try_from("localhost").unwrap(), stream).await
}

#[tokio::test(flavor = "multi_thread")]
async fn the_api_speaks_tls_and_reloads_its_certificate() {
    let app = TestApp::with(|settings| settings.header_timeout_seconds = 2).await;
    let folder = tempfile::tempdir().unwrap();
    let (first, second) = (certificate(), certificate());
    let settings = store(folder.path(), &first);
    let tls = Tls::load(&settings).await.unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = tokio::spawn(server::serve_tls(listener, Some(tls), app.app.clone(), async {
        let _ = stopped.await;
    }));

    // HTTP/1.1, with and without ALPN.
    for alpn in [&[][..], &[b"http/1.1".as_slice()]] {
        let mut stream = connect(&address, &first, alpn).await.unwrap();
        stream
            .write_all(b"GET /v1/me HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            .await
            .unwrap();
        let mut response = String::new();
        let _ = stream.read_to_string(&mut response).await;
        assert!(response.starts_with("HTTP/1.1 401"), "{response}");
    }
    // HTTP/2 by ALPN.
    let client = reqwest::Client::builder()
        .tls_certs_only([reqwest::Certificate::from_pem(first.cert.pem().as_bytes()).unwrap()])
        .no_proxy()
        .build()
        .unwrap();
    let url = format!("https://localhost:{}/v1/me", address.rsplit(':').next().unwrap());
    let response = client.get(&url).send().await.unwrap();
    assert_eq!((response.status().as_u16(), response.version()), (401, http::Version::HTTP_2));
    let plain = reqwest::Client::builder().no_proxy().build().unwrap();
    assert!(plain.get(format!("http://{address}/v1/me")).send().await.is_err(), "plain HTTP is refused");
    // A client that says nothing does not keep its connection.
    let mut silent = TcpStream::connect(&address).await.unwrap();
    let closed = silent.read_u8();
    tokio::time::timeout(Duration::from_secs(10), closed).await.expect("closed").unwrap_err();

    // A key that does not belong to the certificate changes nothing; the whole pair does.
    std::fs::write(&settings.key, second.signing_key.serialize_pem()).unwrap();
    assert!(matches!(Tls::load(&settings).await, Err(TlsError::Certificate(_))));
    connect(&address, &first, &[]).await.unwrap();
    let mut open = connect(&address, &first, &[]).await.unwrap();
    store(folder.path(), &second);
    let reloaded = async {
        while connect(&address, &second, &[]).await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), reloaded).await.expect("the certificate is reloaded");
    assert!(connect(&address, &first, &[]).await.is_err(), "new connections get the new certificate");
    open.write_all(b"GET /v1/me HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").await.unwrap();
    let mut response = String::new();
    let _ = open.read_to_string(&mut response).await;
    assert!(response.starts_with("HTTP/1.1 401"), "open connections go on: {response}");

    let _ = stop.send(());
    serving.await.unwrap();
    app.finish().await;
}

#[tokio::test]
async fn unusable_certificates_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let settings = store(folder.path(), &certificate());
    std::fs::write(&settings.key, "no key").unwrap();
    let error = Tls::load(&settings).await.err().unwrap().to_string();
    assert!(error.contains("key.pem") && !error.contains("no key:"), "{error}");
    std::fs::write(&settings.certificate, "").unwrap();
    let error = Tls::load(&settings).await.err().unwrap().to_string();
    assert!(error.contains("certificate.pem"), "{error}");
    let missing = TlsSettings { certificate: folder.path().join("none.pem"), ..settings };
    assert!(matches!(Tls::load(&missing).await, Err(TlsError::File { .. })));
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_are_shared_through_a_redis_behind_tls() {
    let redis = Redis::start().await;
    let certificate = certificate();
    let folder = tempfile::tempdir().unwrap();
    let files = store(folder.path(), &certificate);
    let key = PrivateKeyDer::from_pem_slice(certificate.signing_key.serialize_pem().as_bytes()).unwrap();
    let config = ServerConfig::builder()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.cert.der().clone()], key)
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let upstream = redis.address();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let mut upstream = TcpStream::connect(&upstream).await.unwrap();
            tokio::spawn(async move { copy_bidirectional(&mut stream, &mut upstream).await });
        }
    });

    let timeout = Duration::from_secs(5);
    let windows =
        |url: String, authority: Option<&Path>| SharedWindows::new(&Secret::new(url), authority, timeout);
    let url = format!("rediss://localhost:{port}/0");
    let limit = Limit::per_minute(2);
    let trusting = windows(url.clone(), Some(&files.certificate)).unwrap();
    let (verdict, _) = trusting.check("tls", "a", limit, None).await.unwrap();
    assert!(verdict.allowed && verdict.remaining == 1);
    let (verdict, _) = redis.windows().check("tls", "a", limit, None).await.unwrap();
    assert!(verdict.allowed && verdict.remaining == 0, "both count in the same Redis");
    let distrusting = windows(url.clone(), None).unwrap();
    assert!(distrusting.check("tls", "a", limit, None).await.is_err(), "the authority is not trusted");
    assert!(windows(format!("{url}#insecure"), None).is_err(), "certificates are always verified");
}
