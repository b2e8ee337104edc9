//! Webhook endpoints on loopback with real TLS and their own certificate authority.

#![allow(dead_code, unreachable_pub, reason = "each test binary uses a part of it")]

pub mod watch;

use std::{
    future::Future,
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use outbound::dial::{DialMap, DialSettings, Dialer};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::{ServerConfig, pki_types::PrivateKeyDer};
use tempfile::NamedTempFile;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use tokio_rustls::{TlsAcceptor, server::TlsStream};

/// Host under which tests reach their endpoint.
pub const HOST: &str = "hooks.example.com";

/// A certificate authority for one test.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
    file: NamedTempFile,
}

impl Authority {
    pub fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let issuer = CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap();
        let file = NamedTempFile::new().unwrap();
        std::fs::write(file.path(), issuer.pem()).unwrap();
        Self { issuer, file }
    }

    /// Returns the TLS configuration of a server that proves to be `name`.
    pub fn server(&self, name: &str) -> Arc<ServerConfig> {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![certificate.der().clone()],
                PrivateKeyDer::Pkcs8(key.serialize_der().into()),
            );
        Arc::new(config.unwrap())
    }

    /// Returns settings that map [`HOST`] to `address` and trust this authority there.
    pub fn settings(&self, address: SocketAddr) -> DialSettings {
        DialSettings {
            dial_map: DialMap::new([(HOST.to_owned(), address)]).unwrap(),
            test_ca_file: Some(self.file.path().to_owned()),
            ..Default::default()
        }
    }

    pub fn dialer(&self, address: SocketAddr) -> Dialer {
        Dialer::new(&self.settings(address)).unwrap()
    }
}

/// A received request.
#[derive(Debug, Clone)]
pub struct Received {
    pub head: String,
    pub body: Vec<u8>,
}

impl Received {
    /// Returns the only value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut found = self.head.lines().skip(1).filter_map(|line| {
            let (key, value) = line.split_once(':')?;
            key.eq_ignore_ascii_case(name).then(|| value.trim())
        });
        let value = found.next();
        assert!(found.next().is_none(), "{name} is there twice");
        value
    }
}

/// A listening endpoint and the requests that it has received.
pub struct Endpoint {
    pub address: SocketAddr,
    received: Arc<Mutex<Vec<Received>>>,
    connections: Arc<Mutex<usize>>,
}

impl Endpoint {
    /// Reads each request completely, then passes the stream to `respond`.
    pub async fn start<F, R>(tls: Arc<ServerConfig>, respond: F) -> Self
    where
        F: Fn(TlsStream<TcpStream>) -> R + Clone + Send + Sync + 'static,
        R: Future<Output = ()> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let endpoint = Self { address, received: Arc::default(), connections: Arc::default() };
        let (received, connections) = (endpoint.received.clone(), endpoint.connections.clone());
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                *connections.lock().unwrap() += 1;
                let (acceptor, received, respond) =
                    (TlsAcceptor::from(tls.clone()), received.clone(), respond.clone());
                tokio::spawn(async move {
                    let Ok(mut stream) = acceptor.accept(socket).await else { return };
                    let Some(request) = read_request(&mut stream).await else { return };
                    received.lock().unwrap().push(request);
                    respond(stream).await;
                });
            }
        });
        endpoint
    }

    /// Responds to every request with these bytes and closes the connection.
    pub async fn responding(tls: Arc<ServerConfig>, response: impl Into<Vec<u8>>) -> Self {
        let response: Arc<[u8]> = response.into().into();
        Self::start(tls, move |mut stream| {
            let response = response.clone();
            async move {
                let _ = stream.write_all(&response).await;
                let _ = stream.shutdown().await;
            }
        })
        .await
    }

    pub fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    pub fn connections(&self) -> usize {
        *self.connections.lock().unwrap()
    }
}

/// Reads a request to the end of its body. Returns `None` if the client disconnects.
pub async fn read_request(stream: &mut (impl AsyncRead + Unpin)) -> Option<Received> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(&mut bytes).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(bytes[..head_end].to_vec()).unwrap();
    let mut request = Received { head, body: bytes.split_off(head_end) };
    let length: usize = request.header("content-length").unwrap_or("0").parse().unwrap();
    while request.body.len() < length {
        if stream.read_buf(&mut request.body).await.ok()? == 0 {
            return None;
        }
    }
    Some(request)
}
