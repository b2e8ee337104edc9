//! Runs the vectors of `tests/data` through the dialler. All connections lead to one listener,
//! which counts them.

mod support;

use std::{
    net::{IpAddr, SocketAddr},
    sync::atomic::Ordering,
};

use domain::{EventId, Timestamp};
use outbound::{
    dial::{DialSettings, Dialer},
    vetting::{AddressClass, RefusalCode},
    webhook::{Attempt, AttemptErrorCode, AttemptOutcome, generate_secret, send},
};
use serde::Deserialize;
use support::{
    Authority, Endpoint, HOST,
    watch::{PUBLIC, recording_dialer},
};

#[derive(Deserialize)]
struct UrlVector {
    input: String,
    code: Option<RefusalCode>,
}

#[derive(Deserialize)]
struct AddressVector {
    address: IpAddr,
    class: AddressClass,
}

fn lines<T: for<'de> Deserialize<'de>>(text: &str) -> Vec<T> {
    text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|e| panic!("{line}: {e}"))).collect()
}

/// The settings that the vectors assume.
fn settings() -> DialSettings {
    let deny = ["denied.example.net", "*.scan-service.example.org", "bücher.example.org"];
    DialSettings {
        deny_hosts: deny.map(String::from).to_vec(),
        deny_networks: vec!["198.41.0.0/24".parse().unwrap()],
        ..Default::default()
    }
}

async fn deliver(dialer: &Dialer, url: &str) -> AttemptOutcome {
    let attempt = Attempt {
        url: url.to_owned(),
        secrets: generate_secret().into(),
        event_id: EventId::trusted("evt_1"),
        body: b"{}".as_slice().into(),
        now: Timestamp::now(),
    };
    send(dialer, attempt).await
}

/// Asserts that the attempt was refused with this code and its sentence for people.
#[track_caller]
fn assert_refused(outcome: &AttemptOutcome, code: RefusalCode, what: &str) {
    let error = outcome.error.as_ref().unwrap_or_else(|| panic!("a request was sent to {what}"));
    assert_eq!(error.code, AttemptErrorCode::TargetRefused, "{what}: {error:?}");
    assert_eq!(error.message, code.reason(), "{what}");
    assert_eq!((outcome.ok, outcome.status), (false, None), "{what}");
}

/// A server on loopback to which every dialled address leads.
async fn counting() -> Endpoint {
    Endpoint::responding(Authority::new().server(HOST), "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await
}

#[tokio::test]
async fn vets_every_url_vector_before_each_request() {
    let vectors: Vec<UrlVector> = lines(include_str!("data/webhook_urls.jsonl"));
    assert!(vectors.len() >= 150);
    let server = counting().await;
    let mut dialled = 0;
    for vector in &vectors {
        let (dialer, resolver, connector) =
            recording_dialer(&settings(), server.address, vec![PUBLIC], vec![PUBLIC], Vec::new());
        let outcome = deliver(&dialer, &vector.input).await;
        let connections = connector.dialled.lock().unwrap().clone();
        match vector.code {
            Some(code) => {
                assert_refused(&outcome, code, &vector.input);
                assert_eq!(resolver.lookups.load(Ordering::SeqCst), 0, "{} was looked up", vector.input);
                assert_eq!(connections, [], "{} was dialled", vector.input);
            }
            // Reaches TLS and fails there: the server has no public certificate.
            None => {
                let code = outcome.error.map(|error| error.code);
                assert_eq!(code, Some(AttemptErrorCode::TlsFailed), "{}", vector.input);
                assert_eq!(connections, [SocketAddr::new(PUBLIC, 443)], "{}", vector.input);
                dialled += 1;
            }
        }
    }
    assert_eq!(server.connections(), dialled, "as many connections as good targets");
    assert!(dialled > 0 && server.received().is_empty());
}

#[tokio::test]
async fn vets_every_address_vector_when_added_and_before_each_request() {
    let vectors: Vec<AddressVector> = lines(include_str!("data/addresses.jsonl"));
    assert!(vectors.len() >= 150);
    let url = format!("https://{HOST}/hook");
    let server = counting().await;
    for AddressVector { address, class } in &vectors {
        let (dialer, _, connector) =
            recording_dialer(&settings(), server.address, vec![*address], vec![*address], Vec::new());
        let (added, outcome) = (dialer.vet(&url).await, deliver(&dialer, &url).await);
        let connections = connector.dialled.lock().unwrap().clone();
        if *class == AddressClass::Public {
            assert!(added.is_ok(), "{address}");
            assert_eq!(connections, [SocketAddr::new(*address, 443)]);
        } else {
            assert_eq!(added.unwrap_err().code, RefusalCode::AddressNotPublic, "{address}");
            assert_refused(&outcome, RefusalCode::AddressNotPublic, &address.to_string());
            assert_eq!(connections, []);
        }
    }
    let public = vectors.iter().filter(|vector| vector.class == AddressClass::Public).count();
    assert_eq!(server.connections(), public);
}

#[tokio::test]
async fn dns_rebinding_never_opens_a_connection() {
    let vectors: Vec<AddressVector> = lines(include_str!("data/addresses.jsonl"));
    let url = format!("https://{HOST}/hook");
    let server = counting().await;
    for vector in vectors.iter().filter(|vector| vector.class != AddressClass::Public) {
        // The address is public when the endpoint is added. When a request is sent, the denied
        // address comes alone or after a public one.
        for later in [vec![vector.address], vec![PUBLIC, vector.address]] {
            let (dialer, _, connector) =
                recording_dialer(&settings(), server.address, vec![PUBLIC], later, Vec::new());
            let target = dialer.vet(&url).await.unwrap();
            assert_eq!(target.addresses(), [SocketAddr::new(PUBLIC, 443)]);
            for _ in 0..2 {
                let outcome = deliver(&dialer, &url).await;
                assert_refused(&outcome, RefusalCode::AddressNotPublic, &vector.address.to_string());
            }
            assert_eq!(*connector.dialled.lock().unwrap(), []);
        }
    }
    assert_eq!(server.connections(), 0);
}
