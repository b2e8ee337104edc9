//! Changes of a space while one of its scans completes.

use harness::{Service, ServiceOptions, api_client::id, clips::Clip};
use reqwest::Method;
use serde_json::{Value, json};

use crate::{SCAN_TIMEOUT, on_each_database};

#[tokio::test(flavor = "multi_thread")]
async fn a_space_renamed_while_its_scan_completes_is_found_by_its_new_name() {
    // Without models, a space is found by its words alone.
    on_each_database(|| ServiceOptions::default().without_models(), test).await;
}

async fn test(service: Service) {
    let caller = service.client(&service.account().unwrap());
    let new = json!({ "name": "Aubergine", "space_type": "office" });
    let space = caller.post("/spaces", new).await.expect(201).text("id");
    let clip = Clip::moving(1);
    let scan = caller.post(&format!("/spaces/{space}/scans"), clip.declaration()).await.expect(201).body;
    caller.upload(&scan, &clip).await.expect(204);
    service.failpoints().hold("save_indexed", id(&scan));
    caller.start(&scan).await.expect(202);

    // The index with the old name is built, and not stored yet.
    service.failpoints().await_held("save_indexed", id(&scan)).await;
    let renamed = json!({ "name": "Zucchini" });
    caller.call(Method::PATCH, &format!("/spaces/{space}"), Some(renamed)).await.expect(200);
    service.failpoints().release("save_indexed", id(&scan));
    caller.await_status(&scan, "complete", SCAN_TIMEOUT).await;

    let found = async |query: &str| -> Vec<Value> {
        let found = caller.get(&format!("/search?q={query}")).await.expect(200).body;
        found["data"].as_array().unwrap().iter().map(|hit| hit["space"]["id"].clone()).collect()
    };
    assert_eq!(found("zucchini").await, [json!(space)]);
    assert_eq!(found("aubergine").await, Vec::<Value>::new());
}
