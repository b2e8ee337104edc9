//! Tests the check that [`Service`] runs when it is dropped: an inconsistent ledger is detected.

use entities::{Db, Reader, Settings};
use harness::{Service, ServiceOptions};
use sea_orm::ConnectionTrait;

#[tokio::test(flavor = "multi_thread")]
#[should_panic(expected = "wallet whose balance is not the sum of its entries")]
async fn dropping_a_service_detects_an_inconsistent_ledger() {
    let service = Service::start(ServiceOptions::default(), None).await.unwrap();
    service.account().unwrap();
    let url = format!("sqlite://{}", service.folder().join("scan.db").display());
    let db = Db::connect(&Settings::at(url)).await.unwrap();
    let lost = db.conn().execute_unprepared("UPDATE wallets SET balance_cents = balance_cents - 1").await;
    assert!(lost.unwrap().rows_affected() > 0);
    db.close().await.unwrap();
    drop(service);
}
