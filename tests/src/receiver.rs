//! A webhook receiver on loopback with real TLS and its own certificate authority.

use std::{
    collections::{HashMap, VecDeque},
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

/// Public host that the service calls. The dial map maps it to the receiver.
pub const HOST: &str = "hooks.receiver-of-scans.com";

/// A received request.
#[derive(Debug, Clone)]
pub struct Received {
    /// Time of arrival.
    pub at: Timestamp,
    /// Path of the request.
    pub path: String,
    /// `Scan-Event-Id`.
    pub event_id: String,
    /// `Scan-Signature`.
    pub signature: String,
    /// `User-Agent`.
    pub user_agent: String,
    /// The raw body.
    pub body: Bytes,
    /// Status that the receiver responded with, once it has responded.
    pub responded: Option<StatusCode>,
}

impl Received {
    /// Returns whether the signature is valid for this secret, as a receiver's library would verify
    /// it.
    pub fn is_signed_with(&self, secret: &str) -> bool {
        let tolerance = outbound::webhook::SIGNATURE_TOLERANCE;
        outbound::webhook::verify(&Secret::new(secret), &self.signature, &self.body, self.at, tolerance)
            .is_ok()
    }

    /// Parses the body as JSON.
    ///
    /// # Panics
    /// Panics if the body isn't JSON.
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).expect("a JSON body")
    }
}

/// A running receiver. Stops when dropped.
pub struct Receiver {
    address: SocketAddr,
    authority_pem: String,
    state: Arc<State>,
    serving: JoinHandle<()>,
}

struct State {
    received: watch::Sender<Vec<Received>>,
    responses: Mutex<VecDeque<StatusCode>>,
    forwards: Mutex<HashMap<String, String>>,
    http: reqwest::Client,
}

impl Receiver {
    /// Starts a receiver that responds with 200.
    ///
    /// # Errors
    /// Returns an error if the certificates or the listener cannot be created.
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
        let state = Arc::new(State {
            received: watch::Sender::new(Vec::new()),
            responses: Mutex::default(),
            forwards: Mutex::default(),
            http: crate::http_client(),
        });
        let serving = tokio::spawn(accept(listener, TlsAcceptor::from(Arc::new(config)), state.clone()));
        Ok(Self { address, authority_pem: authority.pem(), state, serving })
    }

    /// Returns the URL to register.
    pub fn url(&self) -> String {
        format!("https://{HOST}/webhooks")
    }

    /// Returns the URL of another path: `/refuse` always responds with 500, `/hang` never responds.
    pub fn url_of(&self, path: &str) -> String {
        format!("https://{HOST}{path}")
    }

    /// Returns the address that the receiver listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the certificate authority to trust, in PEM.
    pub fn authority_pem(&self) -> &str {
        &self.authority_pem
    }

    /// Responds to the next requests with these statuses, in order, and with 200 afterwards.
    pub fn respond_next(&self, responses: impl IntoIterator<Item = StatusCode>) {
        self.state.responses.lock().unwrap_or_else(PoisonError::into_inner).extend(responses);
    }

    /// Responds to the next requests with these statuses, and with none that was set before.
    pub fn respond_next_only(&self, responses: impl IntoIterator<Item = StatusCode>) {
        let responses = responses.into_iter().collect();
        *self.state.responses.lock().unwrap_or_else(PoisonError::into_inner) = responses;
    }

    /// Forwards requests for this path to a URL, as a TLS proxy does, and responds with its status.
    pub fn forward(&self, path: &str, url: &str) {
        let mut forwards = self.state.forwards.lock().unwrap_or_else(PoisonError::into_inner);
        forwards.insert(path.to_owned(), url.to_owned());
    }

    /// Returns all received requests.
    pub fn received(&self) -> Vec<Received> {
        self.state.received.borrow().clone()
    }

    /// Waits for a request for which `matches` returns true.
    ///
    /// # Panics
    /// Panics if none arrives within `limit`.
    pub async fn await_request(&self, limit: Duration, matches: impl Fn(&Received) -> bool) -> Received {
        let mut arrivals = self.state.received.subscribe();
        let waited = tokio::time::timeout(limit, async {
            loop {
                if let Some(found) = arrivals.borrow_and_update().iter().find(|r| matches(r)) {
                    return found.clone();
                }
                arrivals.changed().await.expect("the receiver is running");
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
            let service = service_fn(move |request| respond(state.clone(), request));
            // Ignores clients that disconnect early.
            let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
        });
    }
}

async fn respond(state: Arc<State>, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
    let header =
        |name: &str| request.headers().get(name).and_then(|v| v.to_str().ok()).unwrap_or_default().to_owned();
    let (event_id, signature, user_agent) =
        (header("scan-event-id"), header("scan-signature"), header("user-agent"));
    let path = request.uri().path().to_owned();
    let headers = request.headers().clone();
    let body = request.into_body().collect().await.map(|b| b.to_bytes()).unwrap_or_default();
    let at = Timestamp::now();
    let forward = state.forwards.lock().unwrap_or_else(PoisonError::into_inner).get(&path).cloned();
    let (hangs, refuses) = (path == "/hang", path == "/refuse");
    let received =
        Received { at, path, event_id, signature, user_agent, body: body.clone(), responded: None };
    let mut position = 0;
    state.received.send_modify(|all| {
        position = all.len();
        all.push(received);
    });
    if hangs {
        std::future::pending::<()>().await;
    }
    let default = if refuses { StatusCode::INTERNAL_SERVER_ERROR } else { StatusCode::OK };
    let status = match forward {
        Some(url) => {
            let forwarded = state.http.post(url).headers(headers).body(body).send().await;
            forwarded.map_or(StatusCode::BAD_GATEWAY, |response| response.status())
        }
        None => {
            let mut responses = state.responses.lock().unwrap_or_else(PoisonError::into_inner);
            responses.pop_front().unwrap_or(default)
        }
    };
    state.received.send_modify(|all| all[position].responded = Some(status));
    let mut response = Response::new(Full::default());
    *response.status_mut() = status;
    Ok(response)
}
