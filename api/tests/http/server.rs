//! Connections, shutdown, panics, and the admin port.

use std::{convert::Infallible, time::Duration};

use api::http::middleware::RequestTracing;
use http_body_util::BodyExt;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream},
};
use tower::ServiceExt;
use warp::reply::Response;

use crate::app::TestApp;

/// Reads until the server closes the connection, for at most 10 s.
async fn read_to_end(connection: &mut TcpStream) -> String {
    let mut response = Vec::new();
    let read = connection.read_to_end(&mut response);
    let _ = tokio::time::timeout(Duration::from_secs(10), read).await.expect("the server closes");
    String::from_utf8_lossy(&response).into_owned()
}

#[tokio::test]
async fn slow_and_silent_connections_are_closed() {
    let app = TestApp::with(|settings| settings.header_timeout_seconds = 1).await;
    let send = async |beginning: &str| {
        let mut connection = TcpStream::connect(app.address).await.unwrap();
        connection.write_all(beginning.as_bytes()).await.unwrap();
        read_to_end(&mut connection).await
    };
    let (_, _, _, _, used) = tokio::join!(
        send(""),
        send("P"),
        send("PRI * HTTP/2.0\r\n"),
        send("GET /v1/me HTTP/1.1\r\nHost: x\r\n"),
        // A used connection that becomes idle.
        send("GET /v1/me HTTP/1.1\r\nHost: x\r\n\r\n"),
    );
    assert!(used.starts_with("HTTP/1.1 401"));
    app.finish().await;
}

#[tokio::test]
async fn connections_over_the_limit_wait() {
    let app = TestApp::with(|settings| {
        settings.max_connections = 1;
        settings.header_timeout_seconds = 1;
    })
    .await;
    let mut first = TcpStream::connect(app.address).await.unwrap();
    first.write_all(b"GET /v1/me HTTP/1.1\r\nHost: x\r\n").await.unwrap();
    let mut second = TcpStream::connect(app.address).await.unwrap();
    second.write_all(b"GET /v1/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await.unwrap();
    // The second connection is served once the first one has timed out.
    assert!(read_to_end(&mut second).await.starts_with("HTTP/1.1 401"));
    drop(first);
    app.finish().await;
}

#[tokio::test]
async fn shutdown_completes_requests_in_flight() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let mut connection = TcpStream::connect(app.address).await.unwrap();
    let body = r#"{"name":"a","space_type":"b"}"#;
    let head = format!(
        "POST /v1/spaces HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\nExpect: 100-continue\r\n\r\n",
        client.secret,
        body.len()
    );
    connection.write_all(head.as_bytes()).await.unwrap();
    let mut interim = [0; 25];
    connection.read_exact(&mut interim).await.unwrap();
    assert!(interim.starts_with(b"HTTP/1.1 100 Continue"), "the request is being served");
    let finish = tokio::spawn(app.finish());
    tokio::task::yield_now().await;
    connection.write_all(body.as_bytes()).await.unwrap();
    assert!(read_to_end(&mut connection).await.starts_with("HTTP/1.1 201"));
    finish.await.unwrap();
}

#[tokio::test]
async fn supports_http2() {
    let app = TestApp::start().await;
    let client = reqwest::Client::builder().http2_prior_knowledge().no_proxy().build().unwrap();
    let response = client.get(format!("http://{}/v1/openapi.json", app.address)).send().await.unwrap();
    assert_eq!(response.version(), http::Version::HTTP_2);
    assert_eq!(response.status(), 200);
    drop((response, client));
    app.finish().await;
}

#[tokio::test]
async fn panic_is_an_internal_error_without_details() {
    let app = TestApp::start().await;
    let service = tower::service_fn(|_: http::Request<()>| async {
        if true {
            panic!("the password is hunter2");
        }
        Ok::<Response, Infallible>(Response::default())
    });
    let traced = RequestTracing::new(app.app.clone(), service);
    let response = traced.oneshot(http::Request::new(())).await.unwrap();
    assert_eq!(response.status(), 500);
    let id = response.headers()["x-request-id"].to_str().unwrap().to_owned();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    let text = std::str::from_utf8(&body).unwrap();
    assert!(text.contains("INTERNAL") && text.contains(&id) && !text.contains("hunter2"), "{text}");
    app.finish().await;
}

#[tokio::test]
async fn admin_port_reports_health() {
    let app = TestApp::start().await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let admin =
        tokio::spawn(api::http::admin::serve(listener, std::sync::Arc::new(app.app.clone()), async {
            let _ = stopped.await;
        }));
    let get = |path: &str| app.client.get(format!("http://{address}{path}")).send();

    assert_eq!(get("/healthz").await.unwrap().status(), 200);
    let ready = get("/readyz").await.unwrap();
    assert_eq!(ready.status(), 200);
    app.engine.unavailable.store(true, std::sync::atomic::Ordering::SeqCst);
    let unready = get("/readyz").await.unwrap();
    assert_eq!(unready.status(), 503);
    let body: serde_json::Value = unready.json().await.unwrap();
    assert_eq!(
        body,
        serde_json::json!({ "ready": false, "database": true, "storage": true, "engine": false })
    );

    app.get("/v1/me").send().await.expect(401);
    let metrics = get("/metrics").await.unwrap().text().await.unwrap();
    assert!(metrics.contains("scan_api_requests_total{operation=\"getMe\",status=\"401\"} 1"), "{metrics}");
    assert!(metrics.contains("scan_api_request_seconds_bucket{operation=\"getMe\""), "{metrics}");
    // The public port has none of these paths.
    app.get("/metrics").send().await.expect_error(404, "NOT_FOUND");
    app.get("/readyz").send().await.expect_error(404, "NOT_FOUND");
    let _ = stop.send(());
    admin.await.unwrap();
    app.finish().await;
}

/// Returns a connection from another loopback address.
async fn connect_from(app: &TestApp, address: [u8; 4]) -> TcpStream {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind((address, 0).into()).unwrap();
    socket.connect(app.address).await.unwrap()
}

#[tokio::test]
async fn one_address_cannot_keep_others_out() {
    let app = TestApp::with(|settings| {
        settings.max_connections = 64;
        settings.max_connections_per_address = 32;
    })
    .await;
    let mut held = Vec::new();
    for _ in 0..300 {
        held.push(connect_from(&app, [127, 0, 0, 3]).await);
    }
    let request = b"GET /v1/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    let mut other = connect_from(&app, [127, 0, 0, 2]).await;
    other.write_all(request).await.unwrap();
    assert!(read_to_end(&mut other).await.starts_with("HTTP/1.1 401"));
    // The connections over the bound are closed, the others are served.
    let mut open = 0;
    for connection in &mut held {
        let _ = connection.write_all(request).await;
        open += usize::from(read_to_end(connection).await.starts_with("HTTP/1.1 401"));
    }
    assert_eq!(open, 32);
    app.finish().await;
}

#[tokio::test]
async fn connections_without_progress_are_closed_although_they_answer_pings() {
    let app = TestApp::with(|settings| {
        settings.idle_timeout_seconds = 2;
        settings.header_timeout_seconds = 1;
    })
    .await;
    // The client of HTTP/2 acknowledges the PINGs of the server.
    let stream = TcpStream::connect(app.address).await.unwrap();
    let io = hyper_util::rt::TokioIo::new(stream);
    let executor = hyper_util::rt::TokioExecutor::new();
    let (mut sender, connection) =
        hyper::client::conn::http2::handshake::<_, _, String>(executor, io).await.unwrap();
    let connection = tokio::spawn(connection);
    let request = http::Request::get(format!("http://{}/v1/me", app.address)).body(String::new()).unwrap();
    assert_eq!(sender.send_request(request).await.unwrap().status(), 401);
    let closed = tokio::time::timeout(Duration::from_secs(15), connection);
    let _ = closed.await.expect("the server closes the idle connection");

    // A client that requests a large response and reads nothing.
    let mut slow = TcpStream::connect(app.address).await.unwrap();
    for _ in 0..64 {
        let _ = slow.write_all(b"GET /v1/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n").await;
    }
    let closed = async {
        // Only the closing of the connection lets the write fail.
        while slow.write_all(&[b'x'; 65_536]).await.is_ok() {}
    };
    tokio::time::timeout(Duration::from_secs(15), closed).await.expect("the server closes the connection");
    app.finish().await;
}

#[tokio::test]
async fn errors_of_the_http_layer_carry_the_envelope() {
    let app = TestApp::start().await;
    let send = async |request: String| {
        let mut connection = TcpStream::connect(app.address).await.unwrap();
        let _ = connection.write_all(request.as_bytes()).await;
        let response = read_to_end(&mut connection).await;
        let (head, body) = response.split_once("\r\n\r\n").expect("a response").to_owned();
        let body: serde_json::Value = serde_json::from_str(body).expect(head);
        assert!(head.contains(body["error"]["request_id"].as_str().unwrap()), "{head}");
        (head.split(' ').nth(1).unwrap().to_owned(), body["error"]["code"].as_str().unwrap().to_owned())
    };
    let many: String = (0..101).map(|n| format!("x-{n}: y\r\n")).collect();
    let large = format!("GET / HTTP/1.1\r\nHost: x\r\n{many}\r\n");
    assert_eq!(send(large).await, ("431".to_owned(), "HEADERS_TOO_LARGE".to_owned()));
    let malformed = "GET / HTTP/1.1\r\nHost x\r\n\r\n".to_owned();
    assert_eq!(send(malformed).await, ("400".to_owned(), "VALIDATION_FAILED".to_owned()));
    app.finish().await;
}
