//! Closing an account while its admitted requests are still in progress.

use std::collections::BTreeSet;

use api::contract::endpoint::{Access, Endpoint};
use domain::Timestamp;
use entities::erasure;
use futures::future::join_all;
use reqwest::Method;

use crate::{app::TestApp, erasure::dump_database, path_fixtures::Owner, stalled_requests::stall};

/// Returns the endpoints that read JSON and change an account.
fn changing_endpoints() -> impl Iterator<Item = Endpoint> {
    api::routes::endpoints().into_iter().filter(|endpoint| {
        let reads_json = endpoint.body.as_ref().is_some_and(|body| body.media_types == ["application/json"]);
        reads_json
            && endpoint.method != Method::DELETE
            && matches!(endpoint.access, Access::Key(_) | Access::Session)
    })
}

async fn dump_rows(app: &TestApp) -> BTreeSet<String> {
    dump_database(app).await.lines().map(str::to_owned).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn admitted_requests_change_nothing_after_the_account_is_closed() {
    TestApp::on_each_database(async |app| {
        let owner = Owner::new(app).await;
        let account = owner.client.tenant.account_id.clone();
        let mut waiting = Vec::new();
        for endpoint in changing_endpoints() {
            waiting.push((endpoint.operation, stall(app, owner.call(app, &endpoint)).await));
        }
        let creations = ["createSpace", "createScan", "createKey", "rollKey", "createTopUp"];
        assert!(creations.iter().all(|name| waiting.iter().any(|(operation, _)| operation == name)));

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
        let before = dump_rows(app).await;

        let finished =
            waiting.into_iter().map(async |(operation, request)| (operation, request.finish().await));
        for (operation, (status, body)) in join_all(finished).await {
            assert!((400..500).contains(&status), "{operation}: {status} {body}");
        }
        let after = dump_rows(app).await;
        let new: Vec<_> = after.difference(&before).collect();
        // The bank has attached a payment method. An outbox entry detaches it.
        let [entry] = &new[..] else { panic!("{new:#?}") };
        assert!(entry.starts_with("outbox ") && entry.contains("method_detach"), "{entry}");
        assert_eq!(before.difference(&after).collect::<Vec<_>>(), Vec::<&String>::new());
    })
    .await;
}
