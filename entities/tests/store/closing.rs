//! Tests of accounts that are closed while something is created in them.

use domain::{WebhookEndpointId, space::NewSpace};
use entities::{
    Error, account_exports, erasure, payment_methods,
    payment_methods::{NewMethod, SetOutcome},
    scans, spaces,
    testing::{self, NOON, frames_input, on_each_database, video_input},
    webhook_endpoints::{self, NewEndpoint},
};
use tokio::sync::oneshot;

/// Each creation begins before the closing is committed: it waits for the commit and is refused.
#[tokio::test(flavor = "multi_thread")]
async fn refuses_creation_during_the_closing_of_an_account() {
    on_each_database(async |db| {
        let tenant = &testing::account(&db).await;
        let space = testing::space(&db, tenant).await;
        let (key, _) = testing::key(&db, tenant, None).await;
        let (sender, receiver) = oneshot::channel();
        let sender = std::sync::Mutex::new(Some(sender));
        let closing = db.write(async |txn| {
            let closed = erasure::close(&txn, &tenant.account_id, NOON).await?;
            if let Some(sender) = sender.lock().unwrap().take() {
                let _ = sender.send(());
            }
            // Lets the creations begin before this transaction commits.
            for _ in 0..100 {
                tokio::task::yield_now().await;
            }
            Ok::<_, Error>(closed)
        });
        let creations = async {
            receiver.await.unwrap();
            let flat = NewSpace {
                name: "Flat".into(),
                space_type: "apartment".into(),
                external_id: None,
                description: None,
            };
            let new_key = entities::KeyRow {
                id: domain::KeyId::new().into(),
                secret_hash: "another".into(),
                ..key.clone()
            };
            let endpoint = NewEndpoint {
                id: WebhookEndpointId::new(),
                url: "https://example.com/".into(),
                description: None,
                events: vec![],
                secret_ciphertext: "sealed".into(),
                idempotency: None,
            };
            let scan = |input| testing::new_scan(tenant, &space.id, input);
            let (photos, video) = (scan(frames_input(1)), scan(video_input()));
            let card = NewMethod {
                customer: "cus_1".into(),
                method: "pm_1".into(),
                brand: "visa".into(),
                last4: "4242".into(),
            };
            tokio::join!(
                db.write(async |txn| spaces::insert(&txn, tenant, &flat, NOON).await.map(drop)),
                db.write(async |txn| scans::create(&txn, &photos, NOON).await.map(drop)),
                db.write(async |txn| scans::create(&txn, &video, NOON).await.map(drop)),
                db.write(async |txn| entities::api_keys::insert(&txn, &new_key).await),
                db.write(async |txn| webhook_endpoints::insert(&txn, tenant, &endpoint, NOON)
                    .await
                    .map(drop)),
                db.write(async |txn| account_exports::begin(&txn, &tenant.account_id, NOON).await.map(drop)),
                db.write(async |txn| payment_methods::set(&txn, tenant, &card, NOON).await),
            )
        };
        let (closed, outcomes) = tokio::join!(closing, creations);
        assert!(closed.unwrap());
        let (space, photos, video, key, endpoint, export, card) = outcomes;
        for outcome in [space, photos, video, key, endpoint, export] {
            assert!(matches!(outcome, Err(Error::AccountClosed)), "{outcome:?}");
        }
        assert_eq!(card.unwrap(), SetOutcome::AccountClosed);
        assert_eq!(payment_methods::find(&db, tenant).await.unwrap(), None);
    })
    .await;
}
