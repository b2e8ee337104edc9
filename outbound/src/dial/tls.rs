//! TLS of outgoing connections: rustls with ring, HTTP/1.1 only. Trusts the public authorities of
//! `webpki-roots` and ignores the trust store of the machine.

use std::sync::Arc;

use rustls::{
    ClientConfig, RootCertStore,
    client::Resumption,
    pki_types::{CertificateDer, ServerName, pem::PemObject},
};
use tokio::net::TcpStream;
use tokio_rustls::{TlsConnector, client::TlsStream};

use super::DialError;

/// Error of an invalid TLS configuration.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// The extra authority is not a list of PEM certificates.
    #[error("invalid PEM file of certificates: {0}")]
    Pem(String),
    /// The TLS library refused the configuration.
    #[error("TLS cannot be set up: {0}")]
    Setup(#[from] rustls::Error),
}

/// Builds a configuration that trusts the public authorities, and `extra_pem` if given. Disables
/// session resumption.
pub(crate) fn client_config(extra_pem: Option<&[u8]>) -> Result<ClientConfig, TlsError> {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    if let Some(pem) = extra_pem {
        let certificates: Vec<_> = CertificateDer::pem_slice_iter(pem)
            .collect::<Result<_, _>>()
            .map_err(|error| TlsError::Pem(error.to_string()))?;
        if certificates.is_empty() {
            return Err(TlsError::Pem("the file contains no certificate".into()));
        }
        for certificate in certificates {
            roots.add(certificate)?;
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.resumption = Resumption::disabled();
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// Performs the TLS handshake. The server must prove that it is `host`.
pub(super) async fn handshake(
    host: &str,
    socket: TcpStream,
    config: Arc<ClientConfig>,
) -> Result<TlsStream<TcpStream>, DialError> {
    let name = ServerName::try_from(host.to_owned())
        .map_err(|_| DialError::Tls("the host is not a valid server name".into()))?;
    TlsConnector::from(config).connect(name, socket).await.map_err(|error| {
        // Certificate errors arrive wrapped in an I/O error, as do broken connections.
        match error.get_ref().and_then(|inner| inner.downcast_ref::<rustls::Error>()) {
            Some(tls) => DialError::Tls(tls.to_string()),
            None => DialError::Tls(error.kind().to_string()),
        }
    })
}
