//! Links that show one document to somebody without an account.

use std::time::Duration;

use domain::{ScanId, ShareId, Timestamp, layout};
use entities::{Reader as _, audit_log, testing};
use reqwest::Method;
use sea_orm::ConnectionTrait as _;
use serde_json::{Value, json};

use crate::{
    app::{ApiResponse, Client, TestApp},
    media::{add_sign, create_complete_scan, create_complete_scan_with},
    scans::create_started_scan,
    uploads::JPEG,
};

const SECRET: &str = "sunny-garden-42";

/// A space with a document that has a sign and a network key, each in a photo of its own.
struct Shared {
    app: TestApp,
    client: Client,
    space: String,
    scan: String,
}

impl Shared {
    async fn start() -> Self {
        let app = TestApp::start().await;
        let client = app.client().await;
        let space = testing::space(app.db(), &client.tenant).await.id.as_str().to_owned();
        let scan = create_complete_scan_with(&app, &client, &space, add_network_key).await;
        let id: ScanId = scan.parse().unwrap();
        app.app.objects().put_bytes(&layout::frame(&id, "frm_00002"), "image/jpeg", JPEG).await.unwrap();
        Self { app, client, space, scan }
    }

    fn path(&self) -> String {
        format!("/v1/spaces/{}/shares", self.space)
    }

    async fn share(&self, new: Value) -> Value {
        self.app.post(&self.path()).key(&self.client).json(new).send().await.expect(201).body
    }

    /// Reads the document of a link, as somebody without an account.
    async fn open(&self, share: &Value) -> ApiResponse {
        self.read(&token_of(share)).await
    }

    async fn read(&self, token: &str) -> ApiResponse {
        self.app.get("/v1/shared-document").header("scan-share", token).send().await
    }

    async fn revoke(&self, share: &Value) -> ApiResponse {
        let path = format!("{}/{}", self.path(), share["id"].as_str().unwrap());
        self.app.call(Method::DELETE, &path).key(&self.client).send().await
    }

    /// Moves the end of a link.
    async fn expire_at(&self, share: &Value, at: Timestamp) {
        let (at, id) = (at.as_millis(), share["id"].as_str().unwrap());
        let sql = format!("UPDATE shares SET expires_at = {at} WHERE id = '{id}'");
        self.app.db().conn().execute_unprepared(&sql).await.unwrap();
    }
}

fn token_of(share: &Value) -> String {
    share["url"].as_str().unwrap().split_once('#').unwrap().1.to_owned()
}

/// Adds a sign to the first photo, and a network key and a person to a second one.
fn add_network_key(document: &mut Value) {
    add_sign(document, "EXIT");
    let mut frame = document["frames"][0].clone();
    let key = frame["key"].as_str().unwrap().replace("frm_00001", "frm_00002");
    (frame["id"], frame["key"]) = (json!("frm_00002"), json!(key));
    document["frames"].as_array_mut().unwrap().push(frame);
    let evidence =
        json!([{ "media_id": "med_photo_0", "frame_id": "frm_00002", "ordinal": 0, "score": 0.9 }]);
    let claim = |id: &str, value: &str| json!({ "id": id, "value": value, "confidence": 0.9, "basis": "read", "run_id": "run_text", "evidence": evidence });
    let text = json!({ "id": "txt_2", "raw": SECRET, "normalized": SECRET, "kind": "credential", "claim": claim("clm_3", SECRET) });
    document["texts"].as_array_mut().unwrap().push(text);
    document["facts"] =
        json!([{ "id": "fct_1", "kind": "credential", "value": SECRET, "claim": claim("clm_4", SECRET) }]);
    document["privacy"] =
        json!([{ "id": "prv_1", "kind": "credential", "claim": claim("clm_5", "credential in a text") }]);
}

#[tokio::test]
async fn a_link_shows_one_document_without_credentials_to_anybody() {
    let test = Shared::start().await;
    let share = test.share(json!({})).await;
    assert!(share["url"].as_str().unwrap().contains("/console/shared#"));
    assert_eq!((&share["scan_id"], &share["active"]), (&json!(test.scan), &json!(true)));
    let shown = test.open(&share).await.expect(200);
    assert_eq!((shown.header("referrer-policy"), shown.header("cache-control")), ("no-referrer", "no-store"));
    let text = String::from_utf8(shown.bytes.clone()).unwrap();
    assert!(!text.contains(SECRET), "{text}");
    let body = shown.body;
    assert_eq!(body["hidden"], json!({ "credentials": true, "persons": true, "frames": 1 }));
    assert_eq!(body["document"]["texts"].as_array().unwrap().len(), 1);
    let frames = &body["document"]["frames"];
    assert!(frames[1]["url"].is_null(), "the picture with the key is withheld");
    let url = frames[0]["url"].as_str().unwrap();
    assert_eq!(test.app.get(url).send().await.expect(200).bytes, JPEG);
    // The signed URL of the shown picture is short, and opens no other.
    let expires = url.split("expires=").nth(1).unwrap().split('&').next().unwrap().parse::<i64>().unwrap();
    assert!((1..=300).contains(&(expires - Timestamp::now().as_seconds())), "{url}");
    let other = url.replace("frm_00001", "frm_00002");
    test.app.get(&other).send().await.expect_error(403, "INVALID_SIGNATURE");
    test.app.finish().await;
}

#[tokio::test]
async fn the_owner_may_show_everything() {
    let test = Shared::start().await;
    let share = test.share(json!({ "shows_credentials": true, "shows_persons": true })).await;
    let body = test.open(&share).await.expect(200).body;
    assert_eq!(body["document"]["texts"][1]["raw"], SECRET);
    assert!(body["document"]["frames"][1]["url"].is_string());
    test.app.finish().await;
}

#[tokio::test]
async fn a_link_keeps_showing_its_document_with_the_corrections_of_its_owner() {
    let test = Shared::start().await;
    let share = test.share(json!({ "scan_id": test.scan })).await;
    create_complete_scan(&test.app, &test.client, &test.space).await;
    let correction = json!({ "scan_id": test.scan,
        "corrections": [{ "target_id": "txt_1", "field": "text", "value": "ENTRANCE" }] });
    let path = format!("/v1/spaces/{}/document", test.space);
    test.app.call(Method::PATCH, &path).key(&test.client).json(correction).send().await.expect(200);
    let body = test.open(&share).await.expect(200).body;
    assert_eq!(body["document"]["texts"][0]["raw"], "ENTRANCE");
    assert!(body["document"]["corrections"].is_null(), "what the scan had found stays with the owner");
    test.app.finish().await;
}

#[tokio::test]
async fn a_revoked_or_expired_link_shows_nothing() {
    let test = Shared::start().await;
    let (revoked, expired, kept) = (
        test.share(json!({})).await,
        test.share(json!({})).await,
        test.share(json!({ "expires_in_days": 90 })).await,
    );
    for _ in 0..2 {
        test.revoke(&revoked).await.expect(204);
    }
    test.expire_at(&expired, Timestamp::now()).await;
    test.open(&revoked).await.expect_error(410, "SHARE_ENDED");
    test.open(&expired).await.expect_error(410, "SHARE_ENDED");
    test.open(&kept).await.expect(200);
    let listed = test.app.get(&test.path()).key(&test.client).send().await.expect(200).body;
    let active: Vec<_> =
        listed["data"].as_array().unwrap().iter().map(|share| share["active"].clone()).collect();
    assert_eq!(active, [true, false, false]);
    assert!(listed["data"].as_array().unwrap().iter().all(|share| share["url"].is_null()), "shown once");
    // A link that is about to end signs no picture for longer.
    test.expire_at(&kept, Timestamp::now().plus(Duration::from_secs(30))).await;
    let body = test.open(&kept).await.expect(200).body;
    let url = body["document"]["frames"][0]["url"].as_str().unwrap().to_owned();
    let expires = url.split("expires=").nth(1).unwrap().split('&').next().unwrap().parse::<i64>().unwrap();
    assert!(expires - Timestamp::now().as_seconds() <= 30, "{url}");

    let entries = audit_log::list(test.app.db(), &test.client.tenant.account_id, None, 100).await.unwrap();
    let count = |action: &str| entries.iter().filter(|entry| entry.action == action).count();
    assert_eq!((count("document.shared"), count("document.share_revoked")), (3, 1));
    let secret = token_of(&kept);
    assert!(entries.iter().all(|entry| !format!("{entry:?}").contains(&secret)));
    test.app.finish().await;
}

#[tokio::test]
async fn a_changed_or_made_up_token_is_refused() {
    let test = Shared::start().await;
    let share = test.share(json!({})).await;
    let token = token_of(&share);
    let (secret, signature) = token.split_once('.').unwrap();
    let flipped = if secret.starts_with('a') { "b" } else { "a" };
    for bad in [
        "x".to_owned(),
        secret.to_owned(),
        format!("{secret}.{}", &signature[1..]),
        format!("{flipped}{}.{signature}", &secret[1..]),
        share["id"].as_str().unwrap().to_owned(),
        test.client.secret.clone(),
    ] {
        test.read(&bad).await.expect_error(403, "INVALID_SIGNATURE");
    }
    test.app.get("/v1/shared-document").send().await.expect_error(403, "INVALID_SIGNATURE");
    test.open(&share).await.expect(200);
    test.app.finish().await;
}

#[tokio::test]
async fn a_token_opens_nothing_else_of_the_account() {
    let test = Shared::start().await;
    let token = token_of(&test.share(json!({})).await);
    for endpoint in api::routes::endpoints() {
        if !matches!(endpoint.access, api::contract::endpoint::Access::Key(_))
            || endpoint.method != Method::GET
        {
            continue;
        }
        let path = endpoint.path.as_str().replace("{id}", &test.space).replace("{scan_id}", &test.scan);
        let call = || test.app.get(&format!("/v1{path}"));
        call().header("scan-share", &token).send().await.expect_error(401, "UNAUTHENTICATED");
        let bearer = call().header("authorization", &format!("Bearer {token}"));
        bearer.send().await.expect_error(401, "INVALID_API_KEY");
    }
    test.app.finish().await;
}

#[tokio::test]
async fn the_link_of_a_deleted_space_leads_nowhere() {
    let test = Shared::start().await;
    let share = test.share(json!({})).await;
    test.app
        .call(Method::DELETE, &format!("/v1/spaces/{}", test.space))
        .key(&test.client)
        .send()
        .await
        .expect(204);
    test.open(&share).await.expect_error(404, "NOT_FOUND");
    test.app.post(&test.path()).key(&test.client).json(json!({})).send().await.expect_error(404, "NOT_FOUND");
    test.app.finish().await;
}

#[tokio::test]
async fn a_link_is_made_by_the_scope_for_it_and_only_for_a_document() {
    let test = Shared::start().await;
    for days in [0, 91] {
        let new = json!({ "expires_in_days": days });
        let refused = test.app.post(&test.path()).key(&test.client).json(new).send().await;
        let refused = refused.expect_error(400, "VALIDATION_FAILED");
        assert_eq!(refused.body["error"]["fields"][0]["field"], "expires_in_days");
    }
    let open = create_started_scan(&test.app, &test.client, &test.space).await;
    let new = json!({ "scan_id": open });
    test.app.post(&test.path()).key(&test.client).json(new).send().await.expect_error(409, "NO_DOCUMENT");
    let unknown = format!("{}/{}", test.path(), ShareId::new());
    test.app.call(Method::DELETE, &unknown).key(&test.client).send().await.expect_error(404, "NOT_FOUND");
    // A stranger cannot end a link.
    let share = test.share(json!({})).await;
    let stranger = test.app.client().await;
    let path = format!("{}/{}", test.path(), share["id"].as_str().unwrap());
    test.app.call(Method::DELETE, &path).key(&stranger).send().await.expect_error(404, "NOT_FOUND");
    test.open(&share).await.expect(200);
    test.app.finish().await;
}

#[tokio::test]
async fn a_space_has_a_hundred_active_links() {
    let test = Shared::start().await;
    let first = test.share(json!({})).await;
    for _ in 1..100 {
        test.share(json!({})).await;
    }
    let one_more = test.app.post(&test.path()).key(&test.client).json(json!({})).send().await;
    assert_eq!(one_more.expect_error(409, "SHARE_LIMIT").body["error"]["limit"], 100);
    test.revoke(&first).await.expect(204);
    test.share(json!({})).await;
    test.app.finish().await;
}
