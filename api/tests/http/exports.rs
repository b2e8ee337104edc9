//! Exports of accounts in the API. Workers build the archives.

use bytes::Bytes;
use domain::{ExportId, Timestamp, layout};
use entities::{
    account_exports,
    outbox::{self, Kind},
};
use serde_json::Value;

use crate::app::{ApiResponse, ConsoleUser, TestApp};

/// Completes an export, like the worker that builds the archive.
pub(crate) async fn complete_export(app: &TestApp, user: &ConsoleUser, export: &Value) {
    let id: ExportId = export["id"].as_str().unwrap().parse().unwrap();
    let key = layout::account_export(&user.tenant.account_id, &id);
    app.app.objects().put_bytes(&key, "application/zip", Bytes::from_static(b"PK")).await.unwrap();
    let (now, day) = (Timestamp::now(), std::time::Duration::from_secs(86_400));
    let finished: entities::Result<()> = app
        .db()
        .write(async |txn| account_exports::system::finish(&txn, &id, 2, now, now.plus(day)).await)
        .await;
    finished.unwrap();
}

#[tokio::test]
async fn one_export_runs_at_a_time_and_only_its_owner_can_download_it() {
    TestApp::on_each_database(async |app| {
        let (ann, bob) = (app.console_user().await, app.console_user().await);
        let request = async || app.post("/v1/auth/exports").session(&ann).send().await;
        let first = request().await.expect(202).body;
        assert_eq!((&first["state"], &first["url"]), (&"pending".into(), &Value::Null));
        assert_eq!(request().await.expect(202).body, first, "the export in progress is returned");
        let id = first["id"].as_str().unwrap();
        assert!(outbox::is_pending(app.db(), Kind::Export, id).await.unwrap());

        let read = async |user: &ConsoleUser, rest: &str| -> ApiResponse {
            app.get(&format!("/v1/auth/exports/{id}{rest}")).session(user).send().await
        };
        read(&ann, "/archive").await.expect_error(409, "EXPORT_NOT_READY");
        complete_export(app, &ann, &first).await;
        let ready = read(&ann, "").await.expect(200).body;
        assert_eq!((&ready["state"], &ready["bytes"]), (&"ready".into(), &2.into()));
        let url = ready["url"].as_str().unwrap();
        let archive = app.get(url).session(&ann).send().await.expect(200);
        assert_eq!((archive.header("content-type"), &archive.bytes[..]), ("application/zip", &b"PK"[..]));
        assert!(!outbox::is_pending(app.db(), Kind::Export, id).await.unwrap());
        for rest in ["", "/archive"] {
            read(&bob, rest).await.expect_error(404, "NOT_FOUND");
        }
        app.get(url).send().await.expect_error(401, "UNAUTHENTICATED");

        let export_id: ExportId = id.parse().unwrap();
        let expired: entities::Result<()> =
            app.db().write(async |txn| account_exports::system::expire(&txn, &export_id).await).await;
        expired.unwrap();
        assert_eq!(read(&ann, "").await.expect(200).body["state"], "expired");
        read(&ann, "/archive").await.expect_error(404, "NOT_FOUND");
        assert_ne!(request().await.expect(202).body["id"], first["id"], "a new export");
    })
    .await;
}
