//! Tests the check that [`TestApp`] runs when it finishes: a test fails if it leaves the ledger
//! inconsistent or skips the check.

use entities::Reader;
use sea_orm::ConnectionTrait;

use crate::app::TestApp;

#[tokio::test]
#[should_panic(expected = "wallet whose balance is not the sum of its entries")]
async fn finishing_an_app_detects_an_inconsistent_ledger() {
    let app = TestApp::start().await;
    app.client().await;
    let lost = app.db().conn().execute_unprepared("UPDATE wallets SET balance_cents = balance_cents - 1");
    assert!(lost.await.unwrap().rows_affected() > 0);
    app.finish().await;
}

#[tokio::test]
#[should_panic(expected = "its ledger was not verified")]
async fn dropping_an_unfinished_app_fails() {
    drop(TestApp::start().await);
}
