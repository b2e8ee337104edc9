//! Rate limits.

use api::limits::Limit;
use domain::scope::Scope;

use crate::app::TestApp;

#[tokio::test]
async fn requests_are_limited_per_key() {
    let limit = Limit { requests: 3, window_seconds: 60 };
    let app = TestApp::with(|settings| settings.limits.per_key = limit).await;
    let client = app.client().await;
    for remaining in [2, 1, 0] {
        let response = app.get("/v1/me").key(&client).send().await.expect(200);
        assert_eq!(response.header("ratelimit-policy"), "\"key\";q=3;w=60");
        assert!(response.header("ratelimit").starts_with(&format!("\"key\";r={remaining};t=")));
    }
    let refused = app.get("/v1/me").key(&client).send().await.expect_error(429, "RATE_LIMIT_EXCEEDED");
    let wait: u64 = refused.header("retry-after").parse().unwrap();
    assert!((1..=60).contains(&wait));
    assert!(refused.header("ratelimit").starts_with("\"key\";r=0;t="));
    // Another key of the same account has its own limit.
    app.get("/v1/me").key(&app.create_key(&client.tenant).await).send().await.expect(200);
    app.finish().await;
}

#[tokio::test]
async fn concurrent_requests_never_exceed_the_limit() {
    let limit = Limit { requests: 10, window_seconds: 60 };
    let app = TestApp::with(|settings| settings.limits.per_key = limit).await;
    let client = app.client().await;
    let responses = futures::future::join_all((0..40).map(|_| app.get("/v1/me").key(&client).send())).await;
    assert_eq!(responses.iter().filter(|response| response.status == 200).count(), 10);
    assert_eq!(responses.iter().filter(|response| response.status == 429).count(), 30);
    app.finish().await;
}

#[tokio::test]
async fn all_requests_are_limited_per_address() {
    let limit = Limit { requests: 4, window_seconds: 60 };
    let app = TestApp::with(|settings| settings.limits.per_address = limit).await;
    app.get("/v1/me").send().await.expect(401);
    app.get("/v1/nothing").send().await.expect(404);
    app.get("/v1/openapi.json").send().await.expect(200);
    app.delete("/v1/me").send().await.expect(405);
    let refused = app.get("/v1/openapi.json").send().await.expect_error(429, "RATE_LIMIT_EXCEEDED");
    assert_eq!(refused.header("ratelimit-policy"), "\"address\";q=4;w=60");
    assert!(refused.header("retry-after").parse::<u64>().unwrap() >= 1);
    let text = String::from_utf8(app.app.metrics().text().unwrap()).unwrap();
    assert!(text.contains("scan_api_rate_limited_total{limit=\"address\"} 1"), "{text}");
    app.finish().await;
}

#[tokio::test]
async fn client_addresses_from_a_trusted_proxy_are_counted() {
    let limit = Limit { requests: 1, window_seconds: 60 };
    let app = TestApp::with(|settings| {
        settings.limits.per_address = limit;
        settings.trusted_proxies = vec!["127.0.0.0/8".parse().unwrap()];
    })
    .await;
    let from = |address: &str| app.get("/v1/openapi.json").header("x-forwarded-for", address).send();
    from("203.0.113.1").await.expect(200);
    from("203.0.113.2").await.expect(200);
    // Addresses before the last one are set by the client and not trusted.
    from("198.51.100.7, 203.0.113.2").await.expect_error(429, "RATE_LIMIT_EXCEEDED");
    app.finish().await;
}

#[tokio::test]
async fn a_key_without_the_scope_uses_up_no_limit_of_the_account() {
    let app = TestApp::with(|settings| {
        settings.limits.search = Limit::per_minute(2);
        settings.limits.ask = Limit::per_minute(2);
    })
    .await;
    let client = app.client().await;
    let space = entities::testing::space(app.db(), &client.tenant).await;
    let ask = format!("/v1/spaces/{}/ask", space.id.as_str());
    let weak = app.create_scoped_key(&client, &[Scope::ScansRead]).await;
    let question = || serde_json::json!({ "question": "What is it?" });
    for _ in 0..3 {
        let refused = app.get("/v1/search?q=a").key(&weak).send().await;
        let refused = refused.expect_error(403, "INSUFFICIENT_SCOPE");
        assert!(refused.header("ratelimit").starts_with("\"key\";"), "requests of the key still count");
        app.post(&ask).key(&weak).json(question()).send().await.expect_error(403, "INSUFFICIENT_SCOPE");
    }
    app.get("/v1/search?q=a").key(&client).send().await.expect(200);
    app.post(&ask).key(&client).json(question()).send().await.expect_error(409, "NO_DOCUMENT");
    app.finish().await;
}
