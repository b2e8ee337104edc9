//! The controls of what [`TestApp`] checks at its end: a test that leaves the books wrong, or does not let
//! them be checked, does not pass.

use entities::Reader;
use sea_orm::ConnectionTrait;

use crate::app::TestApp;

#[tokio::test]
#[should_panic(expected = "wallet whose balance is not the sum of its entries")]
async fn a_test_that_leaves_the_books_wrong_fails() {
    let app = TestApp::start().await;
    app.client().await;
    let lost = app.db().conn().execute_unprepared("UPDATE wallets SET balance_cents = balance_cents - 1");
    assert!(lost.await.unwrap().rows_affected() > 0);
    app.finish().await;
}

#[tokio::test]
#[should_panic(expected = "its books were not checked")]
async fn a_test_that_does_not_finish_its_app_fails() {
    drop(TestApp::start().await);
}
