//! Webhook receivers on loopback with real TLS. A dial map maps public hosts to them.

use domain::Secret;
use outbound::{
    dial::{DialMap, DialSettings},
    seal::{MasterKey, SealSettings},
};
use webhooks::Webhooks;

use crate::tls::{Authority, Endpoint, HOST};

/// Host of a receiver that responds with 500.
pub(crate) const REFUSING: &str = "refusing.example.com";
/// Host of a closed port.
pub(crate) const GONE: &str = "gone.example.com";
/// Hosts that the test vectors of `outbound` expect to be denied.
const DENIED: [&str; 3] = ["denied.example.net", "*.scan-service.example.org", "bücher.example.org"];

/// Receivers for one test.
pub(crate) struct Receivers {
    /// Responds with 200 under [`HOST`].
    pub(crate) accepting: Endpoint,
    _refusing: Endpoint,
    webhooks: Webhooks,
}

impl Receivers {
    pub(crate) async fn start() -> Self {
        let authority = Authority::new();
        let response = |status: &str, text: &str| {
            format!("HTTP/1.1 {status}\r\ncontent-length: {}\r\n\r\n{text}", text.len())
        };
        let accepting = Endpoint::responding(authority.server(HOST), response("200 OK", "thanks")).await;
        let refusing = Endpoint::responding(authority.server(REFUSING), response("500 Oops", "why?")).await;
        let closed_port = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let names = [(HOST, accepting.address), (REFUSING, refusing.address), (GONE, closed_port)];
        let targets = DialSettings {
            dial_map: DialMap::new(names.map(|(name, address)| (name.to_owned(), address))).unwrap(),
            deny_hosts: DENIED.map(String::from).to_vec(),
            ..authority.settings(accepting.address)
        };
        let key = MasterKey { id: "test".into(), key: Secret::new("5e".repeat(32)) };
        let seal = SealSettings { keys: vec![key] };
        let settings = outbound::Settings { webhooks: targets, seal, ..Default::default() };
        Self { accepting, _refusing: refusing, webhooks: Webhooks::open(&settings).unwrap() }
    }

    /// Returns the webhook sender for the service.
    pub(crate) fn webhooks(&self) -> Webhooks {
        self.webhooks.clone()
    }
}
