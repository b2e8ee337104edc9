//! Tests of corrections of documents.

use domain::{
    document::{CorrectedField, NewCorrection},
    page::PageRequest,
};
use entities::{
    Db, DocumentRow, Tenant, Text, corrections, erasure, spaces,
    testing::{self, NOON, on_each_database, video_input},
};

/// Returns the row of a document as far as corrections use it.
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

fn wording(value: &str) -> NewCorrection {
    NewCorrection { target_id: "txt_1".into(), field: CorrectedField::Text, value: Some(value.into()) }
}

async fn put(db: &Db, row: &DocumentRow, change: &NewCorrection) -> (corrections::Model, bool) {
    db.write(async |txn| corrections::put(&txn, row, change, None, NOON).await).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_has_one_correction_of_each_field() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let row = document(&db, &tenant).await;
        let (first, is_new) = put(&db, &row, &wording("EXIT")).await;
        assert!(is_new);
        assert_eq!(put(&db, &row, &wording("EXIT")).await, (first.clone(), false));
        let (second, _) = put(&db, &row, &wording("ENTRANCE")).await;
        let denied = NewCorrection { field: CorrectedField::Presence, value: None, ..wording("") };
        put(&db, &row, &denied).await;
        let all = corrections::of_scan(&db, &tenant, &row.scan_id).await.unwrap();
        assert_eq!(all.len(), 2);
        assert!(all.contains(&second) && !all.contains(&first));
        assert_eq!(second.correction().change, wording("ENTRANCE"));
        assert_eq!(corrections::count(&db, &tenant, &row.scan_id).await.unwrap(), 2);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn corrections_belong_to_their_tenant_and_end_with_the_space_or_the_account() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let (row, kept) = (document(&db, &tenant).await, document(&db, &tenant).await);
        let (made, _) = put(&db, &row, &wording("EXIT")).await;
        put(&db, &kept, &wording("EXIT")).await;
        for stranger in [testing::account(&db).await, testing::other_mode(&tenant)] {
            let page = PageRequest::default();
            assert!(corrections::of_scan(&db, &stranger, &row.scan_id).await.unwrap().is_empty());
            assert!(corrections::list(&db, &stranger, &row.space_id, &page).await.unwrap().rows.is_empty());
            assert!(corrections::find(&db, &stranger, &row.space_id, &made.id).await.unwrap().is_none());
            db.write(async |txn| corrections::delete(&txn, &stranger, &made.id).await).await.unwrap();
        }
        assert!(corrections::find(&db, &tenant, &row.space_id, &made.id).await.unwrap().is_some());
        assert!(corrections::find(&db, &tenant, &kept.space_id, &made.id).await.unwrap().is_none());

        db.write(async |txn| spaces::delete(&txn, &tenant, &row.space_id, NOON).await).await.unwrap();
        assert_eq!(corrections::count(&db, &tenant, &row.scan_id).await.unwrap(), 0);
        assert_eq!(corrections::count(&db, &tenant, &kept.scan_id).await.unwrap(), 1);
        let account = &tenant.account_id;
        db.write(async |txn| erasure::close(&txn, account, NOON).await).await.unwrap();
        db.write(async |txn| erasure::erase(&txn, account, NOON).await).await.unwrap();
        assert_eq!(corrections::count(&db, &tenant, &kept.scan_id).await.unwrap(), 0);
    })
    .await;
}
