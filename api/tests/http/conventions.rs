//! Conventions of every path: 404, 405 with `Allow`, HEAD, OPTIONS, CORS, bodies, unusual requests.

use reqwest::Method;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::TcpStream,
};

use crate::app::TestApp;

/// Sends raw text and reads until the server closes the connection.
async fn send_raw(app: &TestApp, text: &str) -> String {
    let mut connection = TcpStream::connect(app.address).await.unwrap();
    connection.write_all(text.as_bytes()).await.unwrap();
    let mut response = Vec::new();
    let read = connection.read_to_end(&mut response);
    tokio::time::timeout(std::time::Duration::from_secs(20), read).await.expect("the server closes").unwrap();
    String::from_utf8_lossy(&response).into_owned()
}

#[tokio::test]
async fn unknown_paths_are_not_found() {
    let app = TestApp::start().await;
    let client = app.client().await;
    for path in ["/", "/v1", "/v1/", "/v2/me", "/v1/nothing", "/v1/me/", "/v1//me", "/v1/spaces/", "/me"] {
        for method in [Method::GET, Method::POST, Method::OPTIONS] {
            app.call(method, path).key(&client).send().await.expect_error(404, "NOT_FOUND");
        }
    }
    app.finish().await;
}

#[tokio::test]
async fn other_methods_are_rejected_with_allow() {
    let app = TestApp::start().await;
    for endpoint in api::routes::endpoints() {
        let path = format!("/v1{}", endpoint.path.as_str().replace(['{', '}'], "x"));
        let others = [Method::PATCH, Method::TRACE, Method::from_bytes(b"BREW").unwrap()];
        let allowed = api::contract::endpoint::allowed(&api::routes::endpoints(), &path);
        assert!(!allowed.is_empty(), "{path} exists");
        for method in others.into_iter().filter(|method| !allowed.contains(method)) {
            let response = app.call(method, &path).send().await.expect_error(405, "METHOD_NOT_ALLOWED");
            let allow: Vec<_> = response.header("allow").split(", ").collect();
            assert!(
                allow.contains(&endpoint.method.as_str()) && allow.contains(&"OPTIONS"),
                "{path}: {allow:?}"
            );
            assert_eq!(allow.contains(&"HEAD"), allow.contains(&"GET"));
        }
        let options = app.call(Method::OPTIONS, &path).send().await.expect(204);
        assert!(options.header("allow").contains(endpoint.method.as_str()), "{path}");
    }
    let response = app.delete("/v1/spaces").send().await.expect_error(405, "METHOD_NOT_ALLOWED");
    assert_eq!(response.header("allow"), "GET, POST, HEAD, OPTIONS");
    let response = app.delete("/v1/events/stream").send().await.expect_error(405, "METHOD_NOT_ALLOWED");
    assert_eq!(response.header("allow"), "GET, HEAD, OPTIONS");
    app.finish().await;
}

#[tokio::test]
async fn head_returns_get_headers_without_a_body() {
    let app = TestApp::start().await;
    let client = app.client().await;
    for path in ["/v1/me", "/v1/spaces", "/v1/wallet", "/v1/openapi.json"] {
        let get = app.get(path).key(&client).send().await.expect(200);
        let head = app.call(Method::HEAD, path).key(&client).send().await.expect(200);
        assert!(head.bytes.is_empty());
        assert_eq!(head.header("content-length"), get.bytes.len().to_string(), "{path}");
        assert_eq!(head.header("content-type"), get.header("content-type"));
    }
    app.call(Method::HEAD, "/v1/me").send().await.expect(401);
    app.finish().await;
}

#[tokio::test]
async fn request_ids_of_clients_are_ignored() {
    let app = TestApp::start().await;
    let theirs = app.get("/v1/me").header("x-request-id", "req_of_the_client").send().await.expect(401);
    assert_ne!(theirs.header("x-request-id"), "req_of_the_client");
    let again = app.get("/v1/me").send().await;
    assert_ne!(again.header("x-request-id"), theirs.header("x-request-id"));
    app.finish().await;
}

#[tokio::test]
async fn cors_allows_only_configured_origins() {
    let app =
        TestApp::with(|settings| settings.allowed_origins = vec!["https://console.example.com".into()]).await;
    let preflight = |origin: &str| {
        app.call(Method::OPTIONS, "/v1/spaces")
            .header("origin", origin)
            .header("access-control-request-method", "POST")
            .header("access-control-request-headers", "authorization,idempotency-key")
            .send()
    };
    let ours = preflight("https://console.example.com").await;
    assert_eq!(ours.header("access-control-allow-origin"), "https://console.example.com");
    assert!(ours.header("access-control-allow-headers").contains("idempotency-key"));
    assert!(ours.header("access-control-allow-methods").contains("POST"));
    for other in ["https://evil.example.com", "https://console.example.com.evil.com", "null"] {
        let response = preflight(other).await;
        assert_eq!(response.header("access-control-allow-origin"), "", "{other}");
    }
    // Errors must be readable for pages too.
    let refused = app.get("/v1/me").header("origin", "https://console.example.com").send().await.expect(401);
    assert_eq!(refused.header("access-control-allow-origin"), "https://console.example.com");
    assert!(refused.header("access-control-expose-headers").contains("x-request-id"));
    let refused = app.get("/v1/me").header("origin", "https://evil.example.com").send().await.expect(401);
    assert_eq!(refused.header("access-control-allow-origin"), "");
    app.finish().await;
}

#[tokio::test]
async fn bodies_must_be_json_of_limited_size() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let send = |media_type: &str, body: String| {
        app.post("/v1/spaces").key(&client).header("content-type", media_type).body(body).send()
    };
    let good = json!({ "name": "a", "space_type": "b" }).to_string();
    for invalid in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/jsonp",
        "json",
        "multipart/form-data",
    ] {
        send(invalid, good.clone()).await.expect_error(415, "UNSUPPORTED_MEDIA_TYPE");
    }
    app.post("/v1/spaces")
        .key(&client)
        .body(good.clone())
        .send()
        .await
        .expect_error(415, "UNSUPPORTED_MEDIA_TYPE");
    for valid in ["application/json", "Application/JSON; charset=utf-8"] {
        send(valid, good.clone()).await.expect(201);
    }
    let large = json!({ "name": "a", "space_type": "b", "description": "x".repeat(1024 * 1024) }).to_string();
    send("application/json", large.clone()).await.expect_error(413, "PAYLOAD_TOO_LARGE");
    let chunks: Vec<Result<_, std::io::Error>> =
        large.into_bytes().chunks(50_000).map(|c| Ok(c.to_vec())).collect();
    let streamed = reqwest::Body::wrap_stream(futures::stream::iter(chunks));
    let call = app.post("/v1/spaces").key(&client).header("content-type", "application/json").body(streamed);
    call.send().await.expect_error(413, "PAYLOAD_TOO_LARGE");
    for bad in ["", "{", "nul", "{\"name\":\"\\ud800\"}", "[[[[", "{}{}", "\u{feff}{}", "1e999"] {
        send("application/json", bad.into()).await.expect_error(400, "VALIDATION_FAILED");
    }
    let deep = format!("{}{}", "{\"name\":".repeat(500), "1");
    send("application/json", deep).await.expect_error(400, "VALIDATION_FAILED");
    app.finish().await;
}

#[tokio::test]
async fn unusual_requests_get_an_error_response() {
    let app = TestApp::start().await;
    let connect =
        send_raw(&app, "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\nConnection: close\r\n\r\n")
            .await;
    assert!(connect.starts_with("HTTP/1.1 405") && connect.contains("req_"), "{connect}");
    let star = send_raw(&app, "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
    assert!(star.starts_with("HTTP/1.1 404") && star.contains("req_"), "{star}");
    let absolute =
        send_raw(&app, "GET http://other/v1/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
    assert!(absolute.starts_with("HTTP/1.1 401"), "{absolute}");
    let invalid =
        send_raw(&app, "GET /v1/%zz?%zz=%zz&&& HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").await;
    assert!(invalid.starts_with("HTTP/1.1 404"), "{invalid}");
    let garbage = send_raw(&app, "\u{1}\u{2}\u{3} nonsense\r\n\r\n").await;
    assert!(garbage.is_empty() || garbage.starts_with("HTTP/1.1 400"), "{garbage}");
    app.finish().await;
}

#[tokio::test]
async fn every_response_has_security_headers() {
    let app = TestApp::with(|settings| settings.public_url = "https://scan.example.com".into()).await;
    for path in ["/v1/me", "/v1/nothing", "/v1/openapi.json", "/docs", "/console/forgot-password"] {
        let response = app.client.get(format!("http://{}{path}", app.address)).send().await.unwrap();
        let header = |name: &str| {
            let value = response.headers().get(name).unwrap_or_else(|| panic!("{path} has no {name}"));
            value.to_str().unwrap().to_owned()
        };
        assert_eq!(header("x-content-type-options"), "nosniff");
        assert_eq!(header("x-frame-options"), "DENY");
        assert!(header("content-security-policy").contains("frame-ancestors 'none'"), "{path}");
        assert!(header("strict-transport-security").starts_with("max-age="));
        assert!(!header("referrer-policy").is_empty());
    }
    app.finish().await;
}
