//! An archive of an account has every row, although its files are written page by page.

use std::io::Cursor;

use domain::ExportId;
use entities::{
    account_exports::{self, PAGE_ROWS},
    audit_log::{self, NewEntry},
    testing::{self, NOON, databases},
};
use harness::{Operation, TestBackend};
use serde_json::{Value, json};

#[tokio::test(flavor = "multi_thread")]
async fn archive_contains_every_row_of_several_pages() {
    for database in databases().await {
        let folder = tempfile::tempdir().unwrap();
        let url = database.settings().url.reveal().to_owned();
        let backend = TestBackend::create(&url, folder.path()).await.unwrap();
        let account = testing::account(&backend.db).await.account_id;
        let count = 2 * PAGE_ROWS + 1;
        let requested: entities::Result<ExportId> = backend
            .db
            .write(async |txn| {
                for n in 0..count {
                    let (subject, detail) = (n.to_string(), json!({ "quoted": "\"[,]\"" }));
                    let entry =
                        NewEntry { account_id: &account, actor: "a", action: "b", subject: &subject, detail };
                    audit_log::append(&txn, entry, NOON).await?;
                }
                Ok(account_exports::begin(&txn, &account, NOON).await?.id.0)
            })
            .await;
        let export = requested.unwrap();
        Operation::Export(export.clone()).run(&backend).await.unwrap();
        let key = domain::layout::account_export(&account, &export);
        let bytes = backend.store.get_bytes(&key, u64::MAX).await.unwrap();
        let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).unwrap();
        let mut rows = |name: &str| -> Vec<Value> {
            serde_json::from_reader(archive.by_name(&format!("{name}.json")).unwrap()).expect(name)
        };
        for name in account_exports::files() {
            let expected = match name {
                "audit_log" => count,
                "account" | "users" => 1,
                _ => 0,
            };
            assert_eq!(rows(name).len(), expected, "{name}");
        }
        let subjects: std::collections::BTreeSet<String> =
            rows("audit_log").iter().map(|row| row["subject"].as_str().unwrap().to_owned()).collect();
        assert_eq!(subjects.len(), count);
        drop(backend);
        database.drop_database().await;
    }
}
