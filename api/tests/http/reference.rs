//! The API reference at `/docs` is complete, consistent and self-contained.

use std::collections::HashSet;

use domain::{ApiErrorCode, FailureCode};
use reqwest::Method;

use crate::app::{ApiResponse, TestApp};

/// Returns a page after checking its headers.
async fn page(app: &TestApp, path: &str) -> String {
    let response = app.get(path).send().await.expect(200);
    let policy = response.header("content-security-policy");
    assert!(policy.starts_with("default-src 'none'; style-src 'self';"), "{policy}");
    assert_eq!(response.header("x-content-type-options"), "nosniff");
    String::from_utf8(response.bytes).unwrap()
}

/// Returns the values of an attribute in order.
fn values<'a>(page: &'a str, attribute: &str) -> Vec<&'a str> {
    let opening = format!(" {attribute}=\"");
    page.split(&opening).skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

#[tokio::test]
async fn the_reference_has_every_operation_and_schema_and_no_dead_link() {
    let app = TestApp::start().await;
    let text = page(&app, "/docs").await;
    assert!(text.starts_with("<!DOCTYPE html>"));
    let anchors: HashSet<&str> = values(&text, "id").into_iter().collect();
    assert_eq!(anchors.len(), values(&text, "id").len(), "an anchor occurs twice");
    for endpoint in api::routes::endpoints() {
        assert!(anchors.contains(endpoint.operation), "{}", endpoint.operation);
    }
    let document = crate::contract_checks::document();
    for name in document["components"]["schemas"].as_object().unwrap().keys() {
        assert!(anchors.contains(format!("schema-{name}").as_str()), "{name}");
    }
    assert_eq!(
        text.matches("<pre><code>curl ").count(),
        api::routes::endpoints().len(),
        "one example call for each operation"
    );
    let own_host = format!("http://{}", app.address);
    let mut pages = HashSet::new();
    for link in values(&text, "href") {
        match link.strip_prefix('#') {
            Some(anchor) => assert!(anchors.contains(anchor), "{link} has no target"),
            None => drop(pages.insert(link)),
        }
    }
    for link in pages {
        assert!(link.starts_with("/docs") || link.starts_with(&own_host), "{link} leads to another host");
        app.get(link).send().await.expect(200);
    }
    app.finish().await;
}

#[tokio::test]
async fn pages_need_no_scripts_and_no_other_hosts() {
    let app = TestApp::start().await;
    for path in ["/docs", "/docs/errors", "/docs/errors/NOT_FOUND"] {
        let text = page(&app, path).await.to_lowercase();
        for forbidden in ["<script", "javascript:", " src=", " style=", " onclick=", "<iframe", "@import"] {
            assert!(!text.contains(forbidden), "{path}: {forbidden}");
        }
        assert_eq!(values(&text, "rel"), ["stylesheet"]);
        assert!(text.contains("name=\"viewport\""));
    }
    let style = page(&app, "/docs/style.css").await;
    assert!(!style.contains("url(") && !style.contains("@import"));
    assert!(style.contains("prefers-color-scheme: dark"));
    app.finish().await;
}

#[tokio::test]
async fn every_error_links_to_its_page() {
    let app = TestApp::start().await;
    let index = page(&app, "/docs/errors").await;
    let codes = ApiErrorCode::ALL.iter().map(|code| code.as_str());
    for code in codes.chain(FailureCode::ALL.iter().map(|code| code.as_str())) {
        let text = page(&app, &format!("/docs/errors/{code}")).await;
        assert!(text.contains(&format!("<h1>{code}</h1>")), "{code}");
        assert!(index.contains(&format!("\"/docs/errors/{code}\"")), "{code}");
    }
    let help = |response: &ApiResponse| response.header("link").to_owned();
    let refused = app.get("/v1/me").send().await.expect_error(401, "UNAUTHENTICATED");
    assert_eq!(help(&refused), "</docs/errors/UNAUTHENTICATED>; rel=\"help\"");
    let unknown = app.get("/docs/errors/NO_SUCH_CODE").send().await.expect_error(404, "NOT_FOUND");
    assert_eq!(help(&unknown), "</docs/errors/NOT_FOUND>; rel=\"help\"");
    app.finish().await;
}

#[tokio::test]
async fn pages_are_read_only() {
    let app = TestApp::start().await;
    let get = app.get("/docs").send().await.expect(200);
    let head = app.call(Method::HEAD, "/docs").send().await.expect(200);
    assert_eq!(head.header("content-length"), get.bytes.len().to_string());
    assert!(head.bytes.is_empty());
    let options = app.call(Method::OPTIONS, "/docs").send().await.expect(204);
    assert_eq!(options.header("allow"), "GET, HEAD, OPTIONS");
    let post = app.post("/docs").send().await.expect_error(405, "METHOD_NOT_ALLOWED");
    assert_eq!(post.header("allow"), "GET, HEAD, OPTIONS");
    for path in ["/docs/", "/docs/errors/", "/docs/../docs/x", "/docs/errors/not_found"] {
        app.get(path).send().await.expect_error(404, "NOT_FOUND");
    }
    app.finish().await;
}
