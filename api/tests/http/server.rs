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
    let admin = tokio::spawn(api::http::admin::serve(listener, app.app.clone(), async {
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
