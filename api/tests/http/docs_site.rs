//! The documentation below `/docs`: pages, search, pictures, and the JSON Schema of the Space Document.

use domain::document::SpaceDocument;
use serde_json::{Value, json};

use crate::app::TestApp;

#[tokio::test]
async fn pages_pictures_and_search_need_no_scripts() {
    let app = TestApp::start().await;
    for path in ["/docs/introduction", "/docs/guides/asking", "/docs/adr/0010-a-reference-without-scripts"] {
        let page = app.get(path).send().await.expect(200);
        assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
        assert!(page.header("content-security-policy").starts_with("default-src 'none'; style-src 'self';"));
        let text = String::from_utf8(page.bytes).unwrap();
        assert!(text.contains("<h1 id=") && text.contains("action=\"/docs/search\""), "{path}");
        assert!(!text.contains("<script") && !text.contains(" style="), "{path}");
    }
    let picture = app.get("/docs/images/result.jpg").send().await.expect(200);
    assert_eq!(picture.header("content-type"), "image/jpeg");
    let found = app.get("/docs/search?q=webhooks+%3Cb%3E").send().await.expect(200);
    let found = String::from_utf8(found.bytes).unwrap();
    assert!(found.contains("No page contains") && found.contains("webhooks &lt;b&gt;"), "{found}");
    let found = app.get("/docs/search?q=webhooks").send().await.expect(200);
    assert!(String::from_utf8(found.bytes).unwrap().contains("href=\"/docs/guides/webhooks\""));
    for path in
        ["/docs/no-such-page", "/docs/SUMMARY", "/docs/../Cargo.toml", "/docs/images/no.jpg", "/docs/guides"]
    {
        app.get(path).send().await.expect_error(404, "NOT_FOUND");
    }
    app.post("/docs/introduction").send().await.expect_error(405, "METHOD_NOT_ALLOWED");
    app.finish().await;
}

/// The document that `docs/document.md` explains.
fn explained() -> Value {
    let page = include_str!("../../../docs/document.md");
    let json = page.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    serde_json::from_str(json).unwrap()
}

#[tokio::test]
async fn the_published_schema_accepts_the_explained_document_and_refuses_others() {
    let app = TestApp::start().await;
    let response = app.get("/docs/space-document.schema.json").send().await.expect(200);
    assert_eq!(response.header("content-type"), "application/schema+json");
    let schema = response.body;
    assert_eq!(schema["$id"], format!("http://{}/docs/space-document.schema.json", app.address));
    for target in schema.to_string().split("\"#/$defs/").skip(1) {
        let name = target.split('"').next().unwrap();
        assert!(schema["$defs"][name].is_object(), "{name}");
    }
    let validator = jsonschema::validator_for(&schema).unwrap();
    let document = explained();
    let errors: Vec<_> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
    let parsed: SpaceDocument = serde_json::from_value(document.clone()).unwrap();
    assert!(parsed.defects().is_empty(), "{:?}", parsed.defects());
    let wrong =
        [("/texts/0/claim", json!(null)), ("/objects/0/category", json!("bed")), ("/kind", json!("audio"))];
    for (pointer, value) in wrong {
        let mut other = document.clone();
        *other.pointer_mut(pointer).unwrap() = value;
        assert!(!validator.is_valid(&other), "{pointer}");
    }
    app.finish().await;
}
