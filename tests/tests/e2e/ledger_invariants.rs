//! The control of what [`Service`] checks when it is dropped: books that are wrong are found.

use entities::{Db, Reader, Settings};
use harness::{Service, ServiceOptions};
use sea_orm::ConnectionTrait;

#[tokio::test(flavor = "multi_thread")]
#[should_panic(expected = "wallet whose balance is not the sum of its entries")]
async fn a_test_that_leaves_the_books_wrong_fails() {
    let service = Service::start(ServiceOptions::default(), None).await.unwrap();
    service.account().unwrap();
    let url = format!("sqlite://{}", service.folder().join("scan.db").display());
    let db = Db::connect(&Settings::at(url)).await.unwrap();
    let lost = db.conn().execute_unprepared("UPDATE wallets SET balance_cents = balance_cents - 1").await;
    assert!(lost.unwrap().rows_affected() > 0);
    db.close().await.unwrap();
    drop(service);
}
