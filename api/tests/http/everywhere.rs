//! Conventions that hold for every endpoint there is, and for ones to come.

use api::{
    contract::endpoint::{Access, Endpoint, TimeoutClass},
    http::body::MAX_JSON_BYTES,
};
use reqwest::Method;

use crate::{
    app::TestApp,
    things::{Owner, answered, keyed_once},
};

const CONSOLE: &str = "https://console.example.com";
const EVIL: &str = "https://evil.example.com";

fn all() -> Vec<Endpoint> {
    api::routes::endpoints()
}

#[tokio::test]
async fn head_is_get_without_its_body() {
    let app = TestApp::start().await;
    let owner = Owner::new(&app).await;
    for endpoint in all().into_iter().filter(|endpoint| endpoint.method == Method::GET) {
        if endpoint.access == Access::Signed {
            continue; // Its own tests have a signature.
        }
        let get = answered(owner.call(&app, &endpoint), &endpoint).await;
        let mut same = endpoint.clone();
        same.method = Method::HEAD;
        let head = owner.call(&app, &same).send().await.expect(get.status);
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
async fn every_answer_says_how_it_may_be_kept_and_read() {
    let app = TestApp::start().await;
    let owner = Owner::new(&app).await;
    for endpoint in all() {
        let answer = answered(owner.call(&app, &endpoint), &endpoint).await;
        assert!(!answer.header("cache-control").is_empty(), "{}", endpoint.operation);
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{}", endpoint.operation);
        assert_eq!(answer.header("access-control-allow-origin"), "", "no page asked");
        assert_eq!(answer.header("server"), "", "what serves it is nobody's business");
    }
    app.finish().await;
}

#[tokio::test]
async fn only_pages_of_configured_origins_may_read() {
    let app = TestApp::with(|settings| settings.allowed_origins = vec![CONSOLE.to_owned()]).await;
    let owner = Owner::new(&app).await;
    for endpoint in all() {
        let path = owner.things.path(&endpoint);
        let preflight = async |origin: &str| {
            let call = app.call(Method::OPTIONS, &path).header("origin", origin);
            let call = call.header("access-control-request-method", endpoint.method.as_str());
            call.header("access-control-request-headers", "authorization,content-type").send().await
        };
        let ours = preflight(CONSOLE).await;
        assert_eq!(ours.header("access-control-allow-origin"), CONSOLE, "{path}");
        assert!(ours.header("access-control-allow-methods").contains(endpoint.method.as_str()), "{path}");
        // Cookies of one site never go with a request of another.
        assert_eq!(ours.header("access-control-allow-credentials"), "", "{path}");
        for origin in [EVIL, "null", "https://console.example.com:444", "http://console.example.com"] {
            assert_eq!(preflight(origin).await.header("access-control-allow-origin"), "", "{path}: {origin}");
        }
        // Caches must not give one page what another was answered. (A refusal is as good as an answer.)
        let read = app.call(endpoint.method.clone(), &path).header("origin", CONSOLE);
        let read = answered(read, &endpoint).await;
        assert!(read.header("vary").to_lowercase().contains("origin"), "{path}: {}", read.header("vary"));
        assert_eq!(read.header("access-control-allow-origin"), CONSOLE, "{path}");
    }
    app.finish().await;
}

#[tokio::test]
async fn every_json_body_has_a_cap() {
    let app = TestApp::start().await;
    let takes_json = |endpoint: &Endpoint| {
        endpoint.body.as_ref().is_some_and(|body| body.media_types == ["application/json"])
    };
    let owner = Owner::new(&app).await;
    for endpoint in all().into_iter().filter(takes_json) {
        // With a length that says so, and without one.
        for declared in [true, false] {
            let large = vec![b' '; MAX_JSON_BYTES + 1];
            let body = if declared {
                reqwest::Body::from(large)
            } else {
                let chunks: Vec<Result<_, std::io::Error>> =
                    large.chunks(100_000).map(|chunk| Ok(chunk.to_vec())).collect();
                reqwest::Body::wrap_stream(futures::stream::iter(chunks))
            };
            let call = app.call(endpoint.method.clone(), &owner.things.path(&endpoint));
            let call = keyed_once(call, &endpoint);
            let call = match endpoint.access {
                Access::Key(_) => call.key(&owner.client),
                Access::Session => call.person(&owner.person),
                _ => call.own_page(),
            };
            let answer = call.header("content-type", "application/json").body(body).send().await;
            assert_eq!(answer.status, 413, "{}: {}", endpoint.operation, answer.body);
        }
    }
    app.finish().await;
}
