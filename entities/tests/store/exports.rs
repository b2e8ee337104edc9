//! Tests of reading the rows of an account for an export.

use entities::{
    account_exports::{self, PAGE_ROWS},
    audit_log::{self, NewEntry},
    testing::{self, NOON, on_each_database},
};
use futures_util::{StreamExt, TryStreamExt};

use crate::query_plan::assert_indexed;

#[tokio::test(flavor = "multi_thread")]
async fn rows_are_read_in_bounded_pages() {
    on_each_database(async |db| {
        let (tenant, other) = (testing::account(&db).await, testing::account(&db).await);
        let count = 2 * PAGE_ROWS + 7;
        let written: entities::Result<()> = db
            .write(async |txn| {
                for (account, count) in [(&tenant.account_id, count), (&other.account_id, 3)] {
                    for n in 0..count {
                        let (subject, detail) = (n.to_string(), serde_json::json!({}));
                        let entry = NewEntry {
                            account_id: account,
                            actor: "operator",
                            action: "test",
                            subject: &subject,
                            detail,
                        };
                        audit_log::append(&txn, entry, NOON).await?;
                    }
                }
                Ok(())
            })
            .await;
        written.unwrap();

        let pages = account_exports::pages(&db, "audit_log", &tenant.account_id).await.unwrap();
        let pages: Vec<_> = pages.try_collect().await.unwrap();
        let sizes: Vec<usize> = pages.iter().map(Vec::len).collect();
        assert_eq!(sizes, [PAGE_ROWS, PAGE_ROWS, 7]);
        let subjects: std::collections::BTreeSet<_> =
            pages.iter().flatten().map(|row| row["subject"].as_str().unwrap().to_owned()).collect();
        assert_eq!(subjects.len(), count, "each row once");

        // An export that stops early leaves the database usable.
        {
            let mut pages = account_exports::pages(&db, "audit_log", &tenant.account_id).await.unwrap();
            assert_eq!(pages.next().await.unwrap().unwrap().len(), PAGE_ROWS);
        }
        testing::account(&db).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_file_is_served_by_an_index() {
    on_each_database(async |db| {
        let names: Vec<_> = account_exports::files().collect();
        assert_eq!(names.len(), 17);
        for name in names {
            let query = account_exports::query(name).unwrap().replace("$1", "'acc_a'");
            assert_indexed(&db, &query).await;
        }
    })
    .await;
}
