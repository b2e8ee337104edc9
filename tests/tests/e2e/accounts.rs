//! Accounts: confirmation and password reset by mail, export and erasure, with crashes in between.

use domain::layout;
use entities::{Db, Settings, accounts, scans};
use harness::{Account, ConsoleClient, Mailbox, Service, ServiceOptions, api_client::id, clips::Clip};
use reqwest::Method;
use serde_json::json;

use crate::SCAN_TIMEOUT;

const OLD: &str = "four unrelated plain words";
const NEW: &str = "other unrelated plain words";
const EMAIL: &str = "ann@example.com";

#[tokio::test(flavor = "multi_thread")]
async fn confirms_address_and_resets_password_by_mail() {
    let mailbox = Mailbox::start().await.unwrap();
    let mut service = Service::start(mailbox.configure(ServiceOptions::default()), None).await.unwrap();
    let mut ann = ConsoleClient::new(&service);
    ann.sign_up(EMAIL, OLD).await.expect(202);
    let mail = mailbox.await_message(SCAN_TIMEOUT, EMAIL, "Confirm your e-mail address").await;
    // The link leads to a page whose form confirms the address.
    let page = ann.open(mail.link()).await;
    assert!(page.contains(&format!("name=\"token\" value=\"{}\"", mail.token())), "{page}");
    assert!(ann.submit(mail.link(), &format!("token={}", mail.token())).await.contains("is confirmed"));
    ann.log_in(EMAIL, OLD).await.expect(200);
    assert_eq!(ann.get("/auth/session").await.expect(200).body["user"]["email_confirmed"], true);

    // A mail is sent even if the service crashes right after the response.
    ann.post("/auth/forgot-password", json!({ "email": EMAIL })).await.expect(202);
    service.kill();
    service.restart().await.unwrap();
    let mail = mailbox.await_message(SCAN_TIMEOUT, EMAIL, "Choose another password").await;
    let reset = json!({ "token": mail.token(), "password": NEW });
    ann.post("/auth/reset-password", reset.clone()).await.expect(204);
    assert_eq!(ann.post("/auth/reset-password", reset).await.expect(400).code(), "INVALID_TOKEN");
    ann.get("/auth/session").await.expect(401);
    mailbox.await_message(SCAN_TIMEOUT, EMAIL, "Your password was changed").await;
    ann.log_in(EMAIL, OLD).await.expect(401);
    ann.log_in(EMAIL, NEW).await.expect(200);

    ann.sign_up(EMAIL, "a stranger's password").await.expect(202);
    mailbox.await_message(SCAN_TIMEOUT, EMAIL, "You have an account already").await;
    ann.log_in(EMAIL, NEW).await.expect(200);
}

/// Each activity of the export and the erasure loses its result, so each runs twice.
#[tokio::test(flavor = "multi_thread")]
async fn account_is_erased_after_its_running_scans_end() {
    let lost = ["export_account", "settle_account", "erase_objects", "erase_records"]
        .map(|step| format!("{step}=1*return"));
    let options = ServiceOptions { failpoints: Some(lost.join(";")), ..ServiceOptions::default() };
    let service = Service::start(options, None).await.unwrap();
    let mut ann = ConsoleClient::new(&service);
    ann.sign_up(EMAIL, OLD).await.expect(202);
    ann.log_in(EMAIL, OLD).await.expect(200);
    let scopes = json!(["spaces:write", "spaces:read", "scans:write", "scans:read"]);
    let key = ann.post("/keys", json!({ "name": "Server", "scopes": scopes })).await.expect(201);
    let session = ann.get("/auth/session").await.expect(200).body;
    let account = Account {
        id: session["account"]["id"].as_str().unwrap().to_owned(),
        key_id: key.text("id"),
        key: key.text("secret"),
    };
    let caller = service.client(&account);
    let clip = Clip::moving(3);
    let done = caller.create_uploaded_scan(&clip).await;
    caller.start(&done).await.expect(202);
    caller.await_status(&done, "complete", SCAN_TIMEOUT).await;
    check_export(&ann, &done).await;
    let (running, waiting) =
        (caller.create_uploaded_scan(&clip).await, caller.create_uploaded_scan(&clip).await);
    caller.start(&running).await.expect(202);
    let objects =
        |scan: &serde_json::Value| service.objects_below(&layout::scan_prefix(&id(scan).parse().unwrap()));
    assert!(!objects(&done).is_empty(), "the objects exist before the erasure");

    ann.call(Method::DELETE, "/auth/account", Some(json!({ "password": OLD }))).await.expect(202);
    ann.get("/auth/session").await.expect(401);
    caller.get("/me").await.expect(401);
    let url = format!("sqlite://{}", service.folder().join("scan.db").display());
    let db = Db::connect(&Settings::at(url)).await.unwrap();
    let account = account.id.parse().unwrap();
    harness::until("the erasure", SCAN_TIMEOUT, async || {
        accounts::find(&db, &account).await.unwrap().unwrap().erased_at
    })
    .await;
    // The scan that was in the pipeline ended before.
    for (scan, status) in [(&done, "complete"), (&running, "complete"), (&waiting, "cancelled")] {
        let row = scans::system::find(&db, &id(scan).parse().unwrap()).await.unwrap().unwrap();
        assert_eq!(row.status.as_str(), status);
        assert!(objects(scan).is_empty(), "objects of a {status} scan remain");
    }
    db.close().await.unwrap();
}

/// Exports the account and checks that the archive has its data and none of its secrets.
async fn check_export(ann: &ConsoleClient, scan: &serde_json::Value) {
    let export = ann.post("/auth/exports", json!({})).await.expect(202).text("id");
    let path = format!("/auth/exports/{export}");
    harness::until("the archive", SCAN_TIMEOUT, async || {
        (ann.get(&path).await.expect(200).body["state"] == "ready").then_some(())
    })
    .await;
    let archive = ann.download(&format!("{path}/archive")).await;
    let mut zip = zip::ZipArchive::new(std::io::Cursor::new(archive)).unwrap();
    let mut read = |name: &str| {
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut zip.by_name(name).unwrap(), &mut bytes).unwrap();
        bytes
    };
    let document: serde_json::Value =
        serde_json::from_slice(&read(&layout::document(&id(scan).parse().unwrap()))).unwrap();
    assert!(document["frames"].as_array().is_some_and(|frames| !frames.is_empty()));
    let users = String::from_utf8(read("users.json")).unwrap();
    assert!(users.contains(EMAIL) && !users.contains("argon2"));
    let scans: serde_json::Value = serde_json::from_slice(&read("scans.json")).unwrap();
    assert_eq!(scans[0]["id"], id(scan));
    let keys = String::from_utf8(read("keys.json")).unwrap();
    assert!(keys.contains("Server") && !keys.contains("secret"));
}
