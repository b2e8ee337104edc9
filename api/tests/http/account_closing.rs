//! Requests that were admitted just before their account was closed.

use std::collections::BTreeSet;

use api::contract::endpoint::{Access, Endpoint};
use domain::Timestamp;
use entities::erasure;
use futures::future::join_all;
use reqwest::Method;

use crate::{app::TestApp, erasure::everything, path_fixtures::Owner, stalled_requests::stall};

/// Endpoints that read JSON and change an account.
fn acting() -> impl Iterator<Item = Endpoint> {
    api::routes::endpoints().into_iter().filter(|endpoint| {
        let reads = endpoint.body.as_ref().is_some_and(|body| body.media_types == ["application/json"]);
        reads
            && endpoint.method != Method::DELETE
            && matches!(endpoint.access, Access::Key(_) | Access::Session)
    })
}

async fn rows(app: &TestApp) -> BTreeSet<String> {
    everything(app).await.lines().map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn admitted_requests_change_nothing_after_the_account_is_closed() {
    TestApp::on_each_database(async |app| {
        let owner = Owner::new(app).await;
        let account = owner.client.tenant.account_id.clone();
        let mut waiting = Vec::new();
        for endpoint in acting() {
            waiting.push((endpoint.operation, stall(app, owner.call(app, &endpoint)).await));
        }
        let made_something = ["createSpace", "createScan", "createKey", "rollKey", "createTopUp"];
        assert!(made_something.iter().all(|name| waiting.iter().any(|(operation, _)| operation == name)));

        let now = Timestamp::now();
        let ended: entities::Result<bool> = app
            .db()
            .write(async |txn| {
                assert!(erasure::close(&txn, &account, now).await?);
                assert_eq!(erasure::settle(&txn, &account, now).await?, 0);
                erasure::erase(&txn, &account, now).await
            })
            .await;
        assert!(ended.unwrap());
        let before = rows(app).await;

        let finished =
            waiting.into_iter().map(async |(operation, request)| (operation, request.finish().await));
        for (operation, (status, body)) in join_all(finished).await {
            assert!((400..500).contains(&status), "{operation}: {status} {body}");
        }
        let after = rows(app).await;
        let new: Vec<_> = after.difference(&before).collect();
        // The bank has attached a payment method that nobody will use.
        let [promise] = &new[..] else { panic!("{new:#?}") };
        assert!(promise.starts_with("outbox ") && promise.contains("method_detach"), "{promise}");
        assert_eq!(before.difference(&after).collect::<Vec<_>>(), Vec::<&String>::new());
    })
    .await;
}
