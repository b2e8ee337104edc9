//! A webhook receiver on loopback with real TLS, its certificate signed by an authority of its own.

use std::{
    collections::VecDeque,
    convert::Infallible,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use bytes::Bytes;
use domain::{Secret, Timestamp};
use http_body_util::{BodyExt, Full};
use hyper::{Request, Response, StatusCode, body::Incoming, server::conn::http1, service::service_fn};
use hyper_util::rt::TokioIo;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::{net::TcpListener, sync::watch, task::JoinHandle};
use tokio_rustls::TlsAcceptor;

/// The public name that the service dials; the dial map leads it here.
pub const HOST: &str = "hooks.receiver-of-scans.com";

/// One request that arrived.
#[derive(Debug, Clone)]
pub struct Received {
    /// When.
    pub at: Timestamp,
    /// The path it was sent to.
    pub path: String,
    /// `Scan-Event-Id`.
    pub event_id: String,
    /// `Scan-Signature`.
    pub signature: String,
    /// `User-Agent`.
    pub user_agent: String,
    /// The raw body.
    pub body: Bytes,
}

impl Received {
    /// Whether the signature is right for this secret, as a receiver's library would check it.
    pub fn is_signed_with(&self, secret: &str) -> bool {
        let tolerance = outbound::webhook::SIGNATURE_TOLERANCE;
        outbound::webhook::verify(&Secret::new(secret), &self.signature, &self.body, self.at, tolerance)
            .is_ok()
    }

    /// The body as JSON.
    ///
    /// # Panics
    /// When it is none.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("a JSON body")
    }
}

/// A running receiver. It ends when dropped.
pub struct Receiver {
    address: SocketAddr,
    authority_pem: String,
    state: Arc<State>,
    serving: JoinHandle<()>,
}

struct State {
    received: watch::Sender<Vec<Received>>,
    answers: Mutex<VecDeque<StatusCode>>,
}

impl Receiver {
    /// Starts a receiver that answers 200.
    ///
    /// # Errors
    /// When certificates or the listener cannot be made.
    pub async fn start() -> anyhow::Result<Self> {
        let mut authority = CertificateParams::new(Vec::new())?;
        authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate()?)?;
        let key = KeyPair::generate()?;
        let certificate = CertificateParams::new(vec![HOST.to_owned()])?.signed_by(&key, &authority)?;
        let config =
            rustls::ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
                .with_safe_default_protocol_versions()?
                .with_no_client_auth()
                .with_single_cert(
                    vec![certificate.der().clone()],
                    PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(key.serialize_der())),
                )?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let state = Arc::new(State { received: watch::Sender::new(Vec::new()), answers: Mutex::default() });
        let serving = tokio::spawn(accept(listener, TlsAcceptor::from(Arc::new(config)), state.clone()));
        Ok(Self { address, authority_pem: authority.pem(), state, serving })
    }

    /// The URL to register.
    pub fn url(&self) -> String {
        format!("https://{HOST}/webhooks")
    }

    /// The URL of another path to register: `/refuse` always answers 500, `/hang` never answers.
    pub fn url_of(&self, path: &str) -> String {
        format!("https://{HOST}{path}")
    }

    /// Where it really listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The authority to trust, PEM.
    pub fn authority_pem(&self) -> &str {
        &self.authority_pem
    }

    /// Answers the next requests with these, in order, and 200 after them.
    pub fn answer_next(&self, answers: impl IntoIterator<Item = StatusCode>) {
        self.state.answers.lock().unwrap_or_else(PoisonError::into_inner).extend(answers);
    }

    /// Everything that has arrived.
    pub fn received(&self) -> Vec<Received> {
        self.state.received.borrow().clone()
    }

    /// Waits until a request for which `wanted` holds has arrived.
    ///
    /// # Panics
    /// When `limit` is over.
    pub async fn await_request(&self, limit: Duration, wanted: impl Fn(&Received) -> bool) -> Received {
        let mut arrivals = self.state.received.subscribe();
        let waited = tokio::time::timeout(limit, async {
            loop {
                if let Some(found) = arrivals.borrow_and_update().iter().find(|r| wanted(r)) {
                    return found.clone();
                }
                arrivals.changed().await.expect("the receiver lives");
            }
        });
        waited.await.unwrap_or_else(|_| panic!("no such webhook in {limit:?}; got {:?}", self.received()))
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

async fn accept(listener: TcpListener, tls: TlsAcceptor, state: Arc<State>) {
    while let Ok((socket, _)) = listener.accept().await {
        let (tls, state) = (tls.clone(), state.clone());
        tokio::spawn(async move {
            let Ok(stream) = tls.accept(socket).await else { return };
            let service = service_fn(move |request| answer(state.clone(), request));
            // A sender that goes away in the middle is its own business.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn answer(state: Arc<State>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let header =
        |name: &str| request.headers().get(name).and_then(|v| v.to_str().ok()).unwrap_or_default().to_owned();
    let (event_id, signature, user_agent) =
        (header("scan-event-id"), header("scan-signature"), header("user-agent"));
    let path = request.uri().path().to_owned();
    let body = request.into_body().collect().await.map(|b| b.to_bytes()).unwrap_or_default();
    let at = Timestamp::now();
    let hangs = path == "/hang";
    let refuses = path == "/refuse";
    let received = Received { at, path, event_id, signature, user_agent, body };
    state.received.send_modify(|all| all.push(received));
    if hangs {
        std::future::pending::<()>().await;
    }
    let status = state.answers.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let mut response = Response::new(Full::default());
    let usual = if refuses { StatusCode::INTERNAL_SERVER_ERROR } else { StatusCode::OK };
    *response.status_mut() = status.unwrap_or(usual);
    Ok(response)
}
