//! Tests of links to documents.

use std::time::Duration;

use domain::{Token, document::Hidden, page::PageRequest};
use entities::{
    Db, DocumentRow, Tenant, Text, erasure, shares, spaces,
    testing::{self, NOON, on_each_database, video_input},
};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Returns the row of a document as far as links use it.
async fn document(db: &Db, tenant: &Tenant) -> DocumentRow {
    let space = testing::space(db, tenant).await;
    let scan = testing::scan(db, tenant, &space.id, video_input()).await;
    DocumentRow {
        scan_id: scan.id,
        account_id: Text::from(&tenant.account_id),
        livemode: tenant.mode.livemode(),
        space_id: space.id,
        revision: 1,
        object_key: String::new(),
        sha256: String::new(),
        bytes: 0,
        created_at: NOON.into(),
    }
}

async fn create(db: &Db, document: &DocumentRow) -> (shares::Model, Token) {
    let secret = Token::generate();
    let hidden = Hidden { credentials: true, persons: false };
    let made = db.write(async |txn| shares::create(&txn, document, hidden, &secret, DAY, NOON).await);
    (made.await.unwrap(), secret)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_link_works_until_it_expires_or_is_revoked() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let row = document(&db, &tenant).await;
        let (made, secret) = create(&db, &row).await;
        assert_eq!(made.hidden(), Hidden { credentials: true, persons: false });
        assert!(!format!("{made:?}").contains(&made.secret_hash), "the hash is not printed");
        let found = shares::find_by_secret_hash(&db, &secret.hash()).await.unwrap().unwrap();
        assert_eq!(found, made);
        assert!(found.is_active(NOON) && !found.is_active(NOON.plus(DAY)));
        assert!(shares::find_by_secret_hash(&db, secret.reveal()).await.unwrap().is_none());
        assert_eq!(shares::count_active(&db, &tenant, &row.space_id, NOON).await.unwrap(), 1);
        assert_eq!(shares::count_active(&db, &tenant, &row.space_id, NOON.plus(DAY)).await.unwrap(), 0);

        for at in [NOON, NOON.plus(DAY)] {
            let ended =
                db.write(async |txn| shares::revoke(&txn, &tenant, &row.space_id, &made.id, at).await);
            assert!(ended.await.unwrap().is_some());
        }
        let found = shares::find_by_secret_hash(&db, &secret.hash()).await.unwrap().unwrap();
        assert!(!found.is_active(NOON));
        assert_eq!(found.revoked_at, Some(NOON.into()), "the first time counts");
        assert_eq!(shares::count_active(&db, &tenant, &row.space_id, NOON).await.unwrap(), 0);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn links_belong_to_their_tenant_and_end_with_the_space_or_the_account() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let (row, kept) = (document(&db, &tenant).await, document(&db, &tenant).await);
        let ((made, secret), (_, other)) = (create(&db, &row).await, create(&db, &kept).await);
        for stranger in [testing::account(&db).await, testing::other_mode(&tenant)] {
            let page = PageRequest::default();
            assert!(shares::list(&db, &stranger, &row.space_id, &page).await.unwrap().rows.is_empty());
            let revoked =
                db.write(async |txn| shares::revoke(&txn, &stranger, &row.space_id, &made.id, NOON).await);
            assert!(revoked.await.unwrap().is_none());
        }
        let elsewhere =
            db.write(async |txn| shares::revoke(&txn, &tenant, &kept.space_id, &made.id, NOON).await);
        assert!(elsewhere.await.unwrap().is_none());
        let find = async |secret: &Token| shares::find_by_secret_hash(&db, &secret.hash()).await.unwrap();
        assert!(find(&secret).await.unwrap().is_active(NOON));

        db.write(async |txn| spaces::delete(&txn, &tenant, &row.space_id, NOON).await).await.unwrap();
        assert!(find(&secret).await.is_none() && find(&other).await.is_some());
        let account = &tenant.account_id;
        db.write(async |txn| erasure::close(&txn, account, NOON).await).await.unwrap();
        assert!(find(&other).await.is_none(), "closing the account ends its links");
    })
    .await;
}
