//! Tests deliveries over real TLS to well-behaved, slow, broken and hostile endpoints.

mod support;

use std::{
    future::pending,
    io,
    net::{IpAddr, SocketAddr},
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use async_trait::async_trait;
use domain::{EventId, Secret, Timestamp};
use outbound::{
    dial::{DialMap, DialSettings, Dialer},
    vetting::Resolver,
    webhook::{
        Attempt, AttemptErrorCode, AttemptOutcome, SIGNATURE_TOLERANCE, SigningSecrets, generate_secret,
        send, verify,
    },
};
use support::{
    Authority, Endpoint, HOST,
    watch::{LOOPBACK, OTHER_PUBLIC, PUBLIC, recording_dialer},
};
use tokio::{io::AsyncWriteExt, net::TcpListener};

const BODY: &[u8] = br#"{"id":"evt_1","object":"event"}"#;
const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";
/// Long enough for expected responses, short enough to wait for missing ones.
const SHORT: Duration = Duration::from_millis(400);

fn attempt(url: &str) -> Attempt {
    Attempt {
        url: url.to_owned(),
        secrets: SigningSecrets::from(generate_secret()),
        event_id: EventId::trusted("evt_1"),
        body: BODY.into(),
        now: Timestamp::now(),
    }
}

async fn deliver(dialer: &Dialer) -> AttemptOutcome {
    send(dialer, attempt(&format!("https://{HOST}/hook"))).await
}

fn code(outcome: &AttemptOutcome) -> Option<AttemptErrorCode> {
    assert_eq!(outcome.ok, outcome.error.is_none());
    outcome.error.as_ref().map(|error| error.code)
}

/// Returns the outcome of a delivery to which the endpoint responds with these bytes.
async fn outcome_of(response: impl Into<Vec<u8>>) -> AttemptOutcome {
    let authority = Authority::new();
    let endpoint = Endpoint::responding(authority.server(HOST), response).await;
    deliver(&authority.dialer(endpoint.address)).await
}

#[tokio::test]
async fn delivery_has_the_documented_headers_and_body() {
    let authority = Authority::new();
    let endpoint = Endpoint::responding(authority.server(HOST), OK).await;
    let attempt = attempt(&format!("https://{HOST}/hook/a?b=c%20d"));
    let secrets = SigningSecrets { retiring: Some(generate_secret()), ..attempt.secrets.clone() };
    let outcome =
        send(&authority.dialer(endpoint.address), Attempt { secrets: secrets.clone(), ..attempt }).await;

    assert_eq!(code(&outcome), None);
    assert_eq!((outcome.status, outcome.response.as_deref()), (Some(200), Some("hello")));
    assert!(!outcome.response_truncated);

    let [request] = &endpoint.received()[..] else { panic!("one request") };
    assert!(request.head.starts_with("POST /hook/a?b=c%20d HTTP/1.1\r\n"));
    assert_eq!(request.header("host"), Some(HOST));
    assert_eq!(request.header("content-type"), Some("application/json"));
    assert_eq!(request.header("user-agent"), Some("Scan-Webhooks/1"));
    assert_eq!(request.header("scan-event-id"), Some("evt_1"));
    assert_eq!(request.body, BODY);
    let signature = request.header("scan-signature").unwrap();
    for secret in [&secrets.current, secrets.retiring.as_ref().unwrap()] {
        verify(secret, signature, &request.body, Timestamp::now(), SIGNATURE_TOLERANCE).unwrap();
    }
    verify(&generate_secret(), signature, &request.body, Timestamp::now(), SIGNATURE_TOLERANCE).unwrap_err();
}

#[tokio::test]
async fn any_2xx_is_a_success() {
    for response in [
        "HTTP/1.1 204 No Content\r\n\r\n",
        "HTTP/1.1 299 Fine\r\ncontent-length: 0\r\n\r\n",
        "HTTP/1.1 201 Created\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        "HTTP/1.0 200 OK\r\n\r\nuntil the connection closes",
        "HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n",
    ] {
        let outcome = outcome_of(response).await;
        assert_eq!(code(&outcome), None, "{response}: {outcome:?}");
    }
}

#[tokio::test]
async fn other_statuses_fail_with_the_response() {
    for status in [199, 304, 400, 401, 404, 410, 429, 500, 503] {
        let outcome = outcome_of(format!("HTTP/1.1 {status} X\r\nconnection: close\r\n\r\n")).await;
        assert!(!outcome.ok, "{status}");
    }
    let outcome = outcome_of("HTTP/1.1 500 Oops\r\ncontent-length: 4\r\n\r\nwhy?").await;
    assert_eq!(code(&outcome), Some(AttemptErrorCode::NotAccepted));
    assert_eq!((outcome.status, outcome.response.as_deref()), (Some(500), Some("why?")));
}

#[tokio::test]
async fn redirects_fail_and_are_not_followed() {
    let authority = Authority::new();
    let elsewhere = Endpoint::responding(authority.server(HOST), OK).await;
    for status in [301, 302, 303, 307, 308] {
        let response = format!(
            "HTTP/1.1 {status} Moved\r\nlocation: https://{HOST}:{}/\r\ncontent-length: 0\r\n\r\n",
            elsewhere.address.port()
        );
        let endpoint = Endpoint::responding(authority.server(HOST), response).await;
        let outcome = deliver(&authority.dialer(endpoint.address)).await;
        assert_eq!(code(&outcome), Some(AttemptErrorCode::Redirected));
        assert_eq!(outcome.status, Some(status));
        assert_eq!(endpoint.connections(), 1);
    }
    assert_eq!(elsewhere.connections(), 0);
}

#[tokio::test]
async fn slow_head_ends_at_the_total_limit() {
    let authority = Authority::new();
    let endpoint = Endpoint::start(authority.server(HOST), |mut stream| async move {
        let mut interval = tokio::time::interval(Duration::from_millis(20));
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nx-drip: ").await;
        while stream.write_all(b"a").await.is_ok() && stream.flush().await.is_ok() {
            interval.tick().await;
        }
    })
    .await;
    let outcome = deliver(&authority.dialer(endpoint.address).with_timeout(SHORT)).await;
    assert_eq!((code(&outcome), outcome.status), (Some(AttemptErrorCode::TimedOut), None));
    assert!(outcome.duration_ms >= 400 && outcome.duration_ms < 8_000, "{}", outcome.duration_ms);
}

#[tokio::test]
async fn status_decides_although_the_body_is_slow() {
    for (status, expected) in
        [(200, None), (302, Some(AttemptErrorCode::Redirected)), (500, Some(AttemptErrorCode::NotAccepted))]
    {
        let authority = Authority::new();
        let endpoint = Endpoint::start(authority.server(HOST), move |mut stream| async move {
            let mut interval = tokio::time::interval(Duration::from_millis(20));
            let head = format!("HTTP/1.1 {status} X\r\ncontent-length: 50000\r\n\r\n");
            let _ = stream.write_all(head.as_bytes()).await;
            while stream.write_all(b"a").await.is_ok() && stream.flush().await.is_ok() {
                interval.tick().await;
            }
        })
        .await;
        let outcome = deliver(&authority.dialer(endpoint.address).with_timeout(SHORT)).await;
        assert_eq!((code(&outcome), outcome.status), (expected, Some(status)));
        assert_eq!(outcome.ok, status == 200);
        assert!(outcome.response.unwrap().starts_with('a') && outcome.response_truncated);
        assert!(outcome.duration_ms < 8_000, "{}", outcome.duration_ms);
    }
}

#[tokio::test]
async fn status_decides_although_the_body_breaks_off() {
    let outcome = outcome_of("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf").await;
    assert_eq!((code(&outcome), outcome.status), (None, Some(200)));
    assert_eq!((outcome.response.as_deref(), outcome.response_truncated), (Some("half"), true));
}

#[tokio::test]
async fn endless_body_is_read_up_to_the_limit() {
    let authority = Authority::new();
    let (closed, mut closes) = tokio::sync::mpsc::channel(1);
    let endpoint = Endpoint::start(authority.server(HOST), move |mut stream| {
        let closed = closed.clone();
        async move {
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await;
            while stream.write_all(&[b'x'; 4096]).await.is_ok() {}
            closed.send(()).await.unwrap();
        }
    })
    .await;
    let outcome = deliver(&authority.dialer(endpoint.address)).await;
    assert_eq!((code(&outcome), outcome.status), (None, Some(200)));
    assert_eq!(outcome.response.map(|text| text.len()), Some(20_000));
    assert!(outcome.response_truncated);
    // The endpoint sees the connection close, so nothing keeps reading after the outcome.
    tokio::time::timeout(Duration::from_secs(5), closes.recv()).await.unwrap().unwrap();
}

#[tokio::test]
async fn body_of_exactly_the_kept_size_is_not_truncated() {
    for (size, truncated) in [(20_000, false), (20_001, true), (64 * 1024, true)] {
        let response = format!("HTTP/1.1 200 OK\r\ncontent-length: {size}\r\n\r\n{}", "x".repeat(size));
        let outcome = outcome_of(response).await;
        assert_eq!((code(&outcome), outcome.response_truncated), (None, truncated), "{size}");
    }
}

#[tokio::test]
async fn non_http_response_fails() {
    let huge = format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", "a".repeat(100_000));
    let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "x: y\r\n".repeat(1_000));
    let lying = "HTTP/1.1 200 OK\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nxx".to_owned();
    for response in [huge, many, lying, "SSH-2.0-OpenSSH_9.2\r\n".into(), String::new()] {
        let outcome = outcome_of(response.clone()).await;
        let start = &response[..response.len().min(40)];
        assert_eq!(code(&outcome), Some(AttemptErrorCode::HttpFailed), "{start}: {outcome:?}");
    }
}

#[tokio::test]
async fn reset_connection_fails() {
    let authority = Authority::new();
    let endpoint = Endpoint::start(authority.server(HOST), |stream| async move {
        let (socket, _) = stream.into_inner();
        socket.set_zero_linger().unwrap();
    })
    .await;
    let outcome = deliver(&authority.dialer(endpoint.address)).await;
    assert_eq!((code(&outcome), outcome.status), (Some(AttemptErrorCode::HttpFailed), None));
}

#[tokio::test]
async fn certificate_of_another_host_fails() {
    let authority = Authority::new();
    let endpoint = Endpoint::responding(authority.server("other.example.com"), OK).await;
    let outcome = deliver(&authority.dialer(endpoint.address)).await;
    assert_eq!(code(&outcome), Some(AttemptErrorCode::TlsFailed));
    assert!(endpoint.received().is_empty());
}

#[tokio::test]
async fn certificate_of_another_authority_fails() {
    let (trusted, other) = (Authority::new(), Authority::new());
    let endpoint = Endpoint::responding(other.server(HOST), OK).await;
    let outcome = deliver(&trusted.dialer(endpoint.address)).await;
    assert_eq!(code(&outcome), Some(AttemptErrorCode::TlsFailed));
    assert!(endpoint.received().is_empty());
}

#[tokio::test]
async fn silent_endpoint_ends_at_the_total_limit() {
    // The kernel completes the connection; no process accepts it.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let dialer = Authority::new().dialer(listener.local_addr().unwrap()).with_timeout(SHORT);
    let outcome = deliver(&dialer).await;
    assert_eq!(code(&outcome), Some(AttemptErrorCode::TimedOut));
    assert!(outcome.duration_ms < 8_000, "{}", outcome.duration_ms);
}

#[tokio::test]
async fn closed_port_fails() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let outcome = deliver(&Authority::new().dialer(address)).await;
    assert_eq!(code(&outcome), Some(AttemptErrorCode::ConnectionFailed));
    assert!(!outcome.error.unwrap().message.contains("127.0.0.1"));
}

#[tokio::test]
async fn each_attempt_opens_a_new_connection() {
    let authority = Authority::new();
    let endpoint = Endpoint::start(authority.server(HOST), |mut stream| async move {
        let _ = stream.write_all(OK.as_bytes()).await;
        // Offers keep-alive.
        pending::<()>().await;
    })
    .await;
    let dialer = authority.dialer(endpoint.address);
    for attempts in 1..=3 {
        assert!(deliver(&dialer).await.ok);
        assert_eq!(endpoint.connections(), attempts);
    }
}

#[tokio::test]
async fn mapped_hosts_are_vetted_by_form() {
    let authority = Authority::new();
    let endpoint = Endpoint::responding(authority.server(HOST), OK).await;
    let settings = DialSettings {
        dial_map: DialMap::new(
            [HOST, "localhost", "127.0.0.1", "denied.example.com"]
                .map(|name| (name.to_owned(), endpoint.address)),
        )
        .unwrap(),
        deny_hosts: vec!["denied.example.com".into()],
        ..authority.settings(endpoint.address)
    };
    let dialer = Dialer::new(&settings).unwrap();
    for url in [
        format!("http://{HOST}/"),
        format!("https://{HOST}:8443/"),
        format!("https://user@{HOST}/"),
        format!("https://{HOST}./"),
        "https://localhost/".into(),
        "https://127.0.0.1/".into(),
        "https://denied.example.com/".into(),
    ] {
        let outcome = send(&dialer, attempt(&url)).await;
        assert_eq!(code(&outcome), Some(AttemptErrorCode::TargetRefused), "{url}");
    }
    assert_eq!(endpoint.connections(), 0);
    assert!(deliver(&dialer).await.ok);
}

#[tokio::test]
async fn dns_rebinding_never_leads_to_loopback() {
    let authority = Authority::new();
    let endpoint = Endpoint::responding(authority.server(HOST), OK).await;
    let (dialer, resolver, connector) = recording_dialer(
        &DialSettings::default(),
        endpoint.address,
        vec![PUBLIC],
        vec![LOOPBACK],
        Vec::new(),
    );

    // Resolves once and dials the result. (TLS fails, because the certificate isn't public.)
    let outcome = deliver(&dialer).await;
    assert_eq!(code(&outcome), Some(AttemptErrorCode::TlsFailed));
    assert_eq!(resolver.lookups.load(Ordering::SeqCst), 1);
    assert_eq!(*connector.dialled.lock().unwrap(), [SocketAddr::new(PUBLIC, 443)]);

    // The next attempt resolves again and is refused before any connection.
    let outcome = deliver(&dialer).await;
    assert_eq!(code(&outcome), Some(AttemptErrorCode::TargetRefused));
    assert_eq!(resolver.lookups.load(Ordering::SeqCst), 2);
    assert_eq!(connector.dialled.lock().unwrap().len(), 1);
    assert!(endpoint.received().is_empty());
}

#[tokio::test]
async fn vetting_is_repeated_for_each_request() {
    let endpoint = Endpoint::responding(Authority::new().server(HOST), OK).await;
    let (dialer, _, connector) = recording_dialer(
        &DialSettings::default(),
        endpoint.address,
        vec![PUBLIC],
        vec![PUBLIC, LOOPBACK],
        Vec::new(),
    );
    let target = dialer.vet(&format!("https://{HOST}/hook")).await.unwrap();
    assert_eq!(target.addresses(), [SocketAddr::new(PUBLIC, 443)]);
    assert_eq!(code(&deliver(&dialer).await), Some(AttemptErrorCode::TargetRefused));
    assert!(connector.dialled.lock().unwrap().is_empty());
}

#[tokio::test]
async fn test_authority_is_trusted_only_for_mapped_hosts() {
    let authority = Authority::new();
    let other = "other.example.com";
    let endpoint = Endpoint::responding(authority.server(other), OK).await;
    let (_, resolver, connector) =
        recording_dialer(&DialSettings::default(), endpoint.address, vec![PUBLIC], vec![PUBLIC], Vec::new());
    let dialer = authority.dialer(endpoint.address).with_resolver(resolver).with_connector(connector.clone());
    let outcome = send(&dialer, attempt(&format!("https://{other}/"))).await;
    assert_eq!(code(&outcome), Some(AttemptErrorCode::TlsFailed));
    assert_eq!(connector.dialled.lock().unwrap().len(), 1);
    assert!(endpoint.received().is_empty());
}

#[tokio::test]
async fn dead_address_leaves_time_for_the_next() {
    let endpoint = Endpoint::responding(Authority::new().server(HOST), OK).await;
    let both = vec![PUBLIC, OTHER_PUBLIC];
    let (dialer, _, connector) =
        recording_dialer(&DialSettings::default(), endpoint.address, both.clone(), both, vec![PUBLIC]);
    let outcome = deliver(&dialer.with_timeout(Duration::from_secs(2))).await;
    // Reaches TLS at the second address (whose certificate isn't public).
    assert_eq!(code(&outcome), Some(AttemptErrorCode::TlsFailed));
    let expected = [PUBLIC, OTHER_PUBLIC].map(|address| SocketAddr::new(address, 443));
    assert_eq!(*connector.dialled.lock().unwrap(), expected);
}

#[tokio::test]
async fn hanging_look_up_ends_at_the_total_limit() {
    struct Hanging;
    #[async_trait]
    impl Resolver for Hanging {
        async fn lookup(&self, _: &str) -> io::Result<Vec<IpAddr>> {
            pending().await
        }
    }
    let dialer = Dialer::new(&DialSettings::default()).unwrap().with_resolver(Arc::new(Hanging));
    let dialer = dialer.with_timeout(SHORT);
    assert_eq!(code(&deliver(&dialer).await), Some(AttemptErrorCode::TimedOut));
    assert!(dialer.vet(&format!("https://{HOST}/")).await.unwrap_err().may_pass_later());
}

#[tokio::test]
async fn outcomes_never_contain_secrets() {
    let authority = Authority::new();
    let endpoint = Endpoint::responding(authority.server(HOST), OK).await;
    let secret = Secret::new("whsec_do_not_show");
    let attempt = Attempt { secrets: secret.into(), ..attempt(&format!("https://{HOST}/")) };
    let shown = format!("{attempt:?} {:?}", send(&authority.dialer(endpoint.address), attempt.clone()).await);
    assert!(!shown.contains("do_not_show"), "{shown}");
}
