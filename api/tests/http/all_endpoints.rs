//! Conventions of every endpoint. New endpoints are covered automatically.

use api::{
    contract::endpoint::{Access, Endpoint, TimeoutClass},
    http::body::MAX_JSON_BYTES,
};
use reqwest::Method;

use crate::{
    app::TestApp,
    path_fixtures::{Owner, send_call, with_idempotency_key},
};

const CONSOLE: &str = "https://console.example.com";
const OTHER_ORIGIN: &str = "https://evil.example.com";

fn all() -> Vec<Endpoint> {
    api::routes::endpoints()
}

#[tokio::test]
async fn head_returns_get_headers_without_a_body() {
    let app = TestApp::start().await;
    let owner = Owner::new(&app).await;
    for endpoint in all().into_iter().filter(|endpoint| endpoint.method == Method::GET) {
        if endpoint.access == Access::Signed {
            continue; // Needs a signature; has its own tests.
        }
        let get = send_call(owner.call(&app, &endpoint), &endpoint).await;
        let mut as_head = endpoint.clone();
        as_head.method = Method::HEAD;
        let head = owner.call(&app, &as_head).send().await.expect(get.status);
        assert!(head.bytes.is_empty(), "{}", endpoint.operation);
        assert_eq!(head.header("content-type"), get.header("content-type"), "{}", endpoint.operation);
        if endpoint.timeout_class != TimeoutClass::Stream && get.status < 300 {
            let length = get.bytes.len().to_string();
            assert_eq!(head.header("content-length"), length, "{}", endpoint.operation);
        }
    }
    app.finish().await;
}

#[tokio::test]
async fn every_response_has_cache_and_security_headers() {
    let app = TestApp::start().await;
    let owner = Owner::new(&app).await;
    for endpoint in all() {
        let response = send_call(owner.call(&app, &endpoint), &endpoint).await;
        assert!(!response.header("cache-control").is_empty(), "{}", endpoint.operation);
        assert_eq!(response.header("x-content-type-options"), "nosniff", "{}", endpoint.operation);
        assert_eq!(response.header("access-control-allow-origin"), "", "the request has no origin");
        assert_eq!(response.header("server"), "", "the server software is not revealed");
    }
    app.finish().await;
}

#[tokio::test]
async fn cors_allows_only_configured_origins() {
    let app = TestApp::with(|settings| settings.allowed_origins = vec![CONSOLE.to_owned()]).await;
    let owner = Owner::new(&app).await;
    for endpoint in all() {
        let path = owner.resource_ids.path(&endpoint);
        let preflight = async |origin: &str| {
            let call = app.call(Method::OPTIONS, &path).header("origin", origin);
            let call = call.header("access-control-request-method", endpoint.method.as_str());
            call.header("access-control-request-headers", "authorization,content-type").send().await
        };
        let ours = preflight(CONSOLE).await;
        assert_eq!(ours.header("access-control-allow-origin"), CONSOLE, "{path}");
        assert!(ours.header("access-control-allow-methods").contains(endpoint.method.as_str()), "{path}");
        // Cookies are never allowed in cross-origin requests.
        assert_eq!(ours.header("access-control-allow-credentials"), "", "{path}");
        for origin in [OTHER_ORIGIN, "null", "https://console.example.com:444", "http://console.example.com"]
        {
            assert_eq!(preflight(origin).await.header("access-control-allow-origin"), "", "{path}: {origin}");
        }
        // Caches must not return one origin's response to another. (An error response is fine.)
        let read = app.call(endpoint.method.clone(), &path).header("origin", CONSOLE);
        let read = send_call(read, &endpoint).await;
        assert!(read.header("vary").to_lowercase().contains("origin"), "{path}: {}", read.header("vary"));
        assert_eq!(read.header("access-control-allow-origin"), CONSOLE, "{path}");
    }
    app.finish().await;
}

#[tokio::test]
async fn every_json_body_has_a_size_limit() {
    let app = TestApp::start().await;
    let accepts_json = |endpoint: &Endpoint| {
        endpoint.body.as_ref().is_some_and(|body| body.media_types == ["application/json"])
    };
    let owner = Owner::new(&app).await;
    for endpoint in all().into_iter().filter(accepts_json) {
        // With and without an announced length.
        for declared in [true, false] {
            let large = vec![b' '; MAX_JSON_BYTES + 1];
            let body = if declared {
                reqwest::Body::from(large)
            } else {
                let chunks: Vec<Result<_, std::io::Error>> =
                    large.chunks(100_000).map(|chunk| Ok(chunk.to_vec())).collect();
                reqwest::Body::wrap_stream(futures::stream::iter(chunks))
            };
            let call = app.call(endpoint.method.clone(), &owner.resource_ids.path(&endpoint));
            let call = with_idempotency_key(call, &endpoint);
            let call = match endpoint.access {
                Access::Key(_) => call.key(&owner.client),
                Access::Session => call.session(&owner.user),
                _ => call.same_origin(),
            };
            let response = call.header("content-type", "application/json").body(body).send().await;
            assert_eq!(response.status, 413, "{}: {}", endpoint.operation, response.body);
        }
    }
    app.finish().await;
}
