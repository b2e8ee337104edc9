//! Many concurrent starts and creations of one account through two instances: no limit is exceeded.

use std::{collections::BTreeMap, sync::atomic::Ordering};

use domain::{Timestamp, money::Cents};
use entities::testing;
use futures::{StreamExt, stream};
use serde_json::json;

use crate::{
    app::{Client, TestApp},
    scans::create_uploaded_scan,
};

/// Price of a scan of one photo.
const PRICE: Cents = 100;

/// Number of responses by status and error code.
type Tally = BTreeMap<(u16, String), usize>;

/// Creates an account with this balance, no free scans, and a key with this cap.
async fn create_customer(app: &TestApp, cents: Cents, cap: Option<Cents>) -> Client {
    let tenant = testing::account(app.db()).await;
    let account = tenant.account_id.clone();
    let opened = app.db().write(async |txn| ledger::open_wallets(&txn, &account, 0, Timestamp::now()).await);
    opened.await.unwrap();
    let money =
        ledger::Credit { tenant: tenant.clone(), cents, free_scans: 0, reference: account.to_string() };
    ledger::credit(app.db(), &money, Timestamp::now()).await.unwrap();
    app.create_capped_key(&tenant, cap).await
}

/// Starts `count` scans concurrently, alternately through both instances.
async fn start_concurrently(apps: &[TestApp; 2], client: &Client, count: usize) -> Tally {
    let space = testing::space(apps[0].db(), &client.tenant).await;
    let scans: Vec<String> = stream::iter(0..count)
        .map(|_| create_uploaded_scan(&apps[0], client, space.id.as_str()))
        .buffered(16)
        .collect()
        .await;
    let starts = scans.iter().zip(apps.iter().cycle()).map(async |(scan, app)| {
        app.post(&format!("/v1/scans/{scan}/start")).key(client).json(json!({})).send().await
    });
    let mut tally = Tally::new();
    for response in futures::future::join_all(starts).await {
        let code = response.body["error"]["code"].as_str().unwrap_or_default().to_owned();
        *tally.entry((response.status, code)).or_default() += 1;
    }
    eprintln!("{count} concurrent starts: {tally:?}");
    tally
}

fn raise_limit(apps: &[TestApp; 2]) {
    apps.iter().for_each(|app| app.engine.max_in_progress.store(1000, Ordering::SeqCst));
}

async fn balance(app: &TestApp, client: &Client) -> i64 {
    let wallet = app.get("/v1/wallet").key(client).send().await.expect(200).body;
    wallet["balance_cents"].as_i64().unwrap()
}

fn tally<const N: usize>(expected: [(u16, &str, usize); N]) -> Tally {
    expected.into_iter().map(|(status, code, count)| ((status, code.to_owned()), count)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn funds_for_100_scans_allow_exactly_100_of_200_starts() {
    TestApp::on_two_instances(async |apps| {
        raise_limit(apps);
        let client = create_customer(&apps[0], 100 * PRICE, None).await;
        let responses = start_concurrently(apps, &client, 200).await;
        assert_eq!(responses, tally([(202, "", 100), (402, "INSUFFICIENT_FUNDS", 100)]));
        assert_eq!(balance(&apps[1], &client).await, 0);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn exactly_three_of_40_starts_run_concurrently() {
    TestApp::on_two_instances(async |apps| {
        let client = create_customer(&apps[0], 40 * PRICE, None).await;
        let responses = start_concurrently(apps, &client, 40).await;
        assert_eq!(responses, tally([(202, "", 3), (429, "SCANS_IN_PROGRESS", 37)]));
        assert_eq!(balance(&apps[1], &client).await, 37 * PRICE);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_starts_never_exceed_the_cap_of_a_key() {
    TestApp::on_two_instances(async |apps| {
        raise_limit(apps);
        let client = create_customer(&apps[0], 40 * PRICE, Some(7 * PRICE + PRICE - 1)).await;
        let responses = start_concurrently(apps, &client, 40).await;
        assert_eq!(responses, tally([(202, "", 7), (402, "SPENDING_CAP_REACHED", 33)]));
        assert_eq!(balance(&apps[1], &client).await, 33 * PRICE);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_64_creations_with_one_idempotency_key_creates_a_scan() {
    TestApp::on_two_instances(async |apps| {
        let client = create_customer(&apps[0], PRICE, None).await;
        let space = testing::space(apps[0].db(), &client.tenant).await;
        let path = format!("/v1/spaces/{}/scans", space.id.as_str());
        let create = async |app: &TestApp, key: &str, photos: usize| {
            let call = app.post(&path).key(&client).header("idempotency-key", key);
            call.json(crate::scans::photos(photos)).send().await
        };
        let both = || (0..64).zip(apps.iter().cycle());

        let same = both().map(|(_, app)| create(app, "the-same-body", 1));
        let mut ids = BTreeMap::new();
        for response in futures::future::join_all(same).await {
            assert!(matches!(response.status, 200 | 201), "{}", response.body);
            let id = response.body["id"].as_str().unwrap().to_owned();
            *ids.entry(id).or_insert(0) += i32::from(response.status == 201);
        }
        assert_eq!(ids.values().collect::<Vec<_>>(), [&1], "one scan, created once");

        // Of two bodies with the same key, the first one wins.
        let mixed = both().map(|(i, app)| create(app, "another-body", 1 + i / 2 % 2));
        let mut responses = Tally::new();
        for response in futures::future::join_all(mixed).await {
            let code = response.body["error"]["code"].as_str().unwrap_or_default().to_owned();
            *responses.entry((response.status, code)).or_default() += 1;
        }
        assert_eq!(responses, tally([(201, "", 1), (200, "", 31), (422, "IDEMPOTENCY_KEY_REUSED", 32)]));
        let list = apps[1].get(&path).key(&client).send().await.expect(200).body;
        assert_eq!(list["data"].as_array().unwrap().len(), 2);
    })
    .await;
}
