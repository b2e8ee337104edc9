//! TLS of the API's listener: HTTP/2 and HTTP/1.1 by ALPN, with a certificate that is reloaded when its
//! files change.

use std::{
    io,
    path::PathBuf,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

use rustls::{
    ServerConfig,
    crypto::{CryptoProvider, ring},
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject},
    server::{ClientHello, ResolvesServerCert},
    sign::CertifiedKey,
};
use serde::{Deserialize, Serialize};
use tokio::net::TcpStream;
use tokio_rustls::{TlsAcceptor, server::TlsStream};
use tokio_util::sync::CancellationToken;

/// Files of the certificate.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct TlsSettings {
    /// PEM file with the certificate of the server, followed by its intermediate certificates.
    pub certificate: PathBuf,
    /// PEM file with the private key.
    pub key: PathBuf,
    /// Time between two looks at both files. Changed files are used for new connections.
    pub reload_seconds: u64,
}

impl Default for TlsSettings {
    fn default() -> Self {
        Self { certificate: PathBuf::new(), key: PathBuf::new(), reload_seconds: 30 }
    }
}

/// Reason why a certificate cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A file is not the PEM of certificates, or of a private key.
    #[error("{}: {reason}", path.display())]
    Pem {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The key is not supported, or not the one of the certificate.
    #[error("the certificate cannot be used: {0}")]
    Certificate(#[from] rustls::Error),
}

/// The TLS configuration of a listener. Clones share the certificate.
#[derive(Clone)]
pub struct Tls {
    acceptor: TlsAcceptor,
    current: Arc<CurrentCertificate>,
    settings: TlsSettings,
}

/// The certificate for new connections.
#[derive(Debug)]
struct CurrentCertificate(RwLock<Arc<CertifiedKey>>);

impl ResolvesServerCert for CurrentCertificate {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.read().unwrap_or_else(PoisonError::into_inner).clone())
    }
}

/// The contents of both files.
#[derive(PartialEq, Eq)]
struct Files {
    certificate: Vec<u8>,
    key: Vec<u8>,
}

impl Tls {
    /// Loads the certificate.
    ///
    /// # Errors
    /// Returns an error if a file cannot be read, or key and certificate cannot be used.
    pub async fn load(settings: &TlsSettings) -> Result<Self, TlsError> {
        let provider = Arc::new(ring::default_provider());
        let certified = read(settings).await?.certified(settings, &provider)?;
        let current = Arc::new(CurrentCertificate(RwLock::new(Arc::new(certified))));
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_cert_resolver(current.clone());
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Ok(Self { acceptor: Arc::new(config).into(), current, settings: settings.clone() })
    }

    /// Does the handshake of a connection.
    pub(super) async fn accept(&self, stream: TcpStream) -> io::Result<TlsStream<TcpStream>> {
        self.acceptor.accept(stream).await
    }

    /// Reloads the certificate whenever its files change, until `stop` is cancelled. Files that cannot be
    /// used, for example while they are being replaced, are reported, and the last certificate stays.
    pub(super) async fn reload_until(self, stop: CancellationToken) {
        let provider = ring::default_provider();
        let mut looks = tokio::time::interval(Duration::from_secs(self.settings.reload_seconds.max(1)));
        looks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        // The first look also finds files that changed since the certificate was loaded.
        let mut last: Option<Files> = None;
        while stop.run_until_cancelled(looks.tick()).await.is_some() {
            let files = match read(&self.settings).await {
                Ok(files) => files,
                Err(error) => {
                    tracing::warn!(%error, "the certificate is not reloaded");
                    continue;
                }
            };
            if last.as_ref() == Some(&files) {
                continue;
            }
            match files.certified(&self.settings, &provider) {
                Ok(certified) => {
                    self.replace(certified);
                    tracing::info!(file = %self.settings.certificate.display(), "certificate loaded");
                }
                Err(error) => tracing::warn!(%error, "the certificate is not reloaded"),
            }
            last = Some(files);
        }
    }

    fn replace(&self, certified: CertifiedKey) {
        *self.current.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(certified);
    }
}

async fn read(settings: &TlsSettings) -> Result<Files, TlsError> {
    let file = async |path: &PathBuf| {
        tokio::fs::read(path).await.map_err(|source| TlsError::File { path: path.clone(), source })
    };
    Ok(Files { certificate: file(&settings.certificate).await?, key: file(&settings.key).await? })
}

impl Files {
    fn certified(&self, settings: &TlsSettings, provider: &CryptoProvider) -> Result<CertifiedKey, TlsError> {
        let pem = |path: &PathBuf, reason: String| TlsError::Pem { path: path.clone(), reason };
        let chain: Vec<_> = CertificateDer::pem_slice_iter(&self.certificate)
            .collect::<Result<_, _>>()
            .map_err(|error| pem(&settings.certificate, error.to_string()))?;
        if chain.is_empty() {
            return Err(pem(&settings.certificate, "it has no certificate".to_owned()));
        }
        // The error of the parser could contain a part of the key.
        let key = PrivateKeyDer::from_pem_slice(&self.key)
            .map_err(|_| pem(&settings.key, "it is not the PEM of a private key".to_owned()))?;
        Ok(CertifiedKey::from_der(chain, key, provider)?)
    }
}
