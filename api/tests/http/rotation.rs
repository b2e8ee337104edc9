//! Rotation of secrets without downtime: what the earlier secret signed stays valid while it is
//! configured, and everything new is made with the current secret.

use domain::{RotatingSecret, Secret, WebhookEndpointId, event::EventType};
use entities::{
    testing,
    webhook_endpoints::{self, AddOutcome, NewEndpoint},
};
use http::StatusCode;
use outbound::seal::{MasterKey, SealSettings, Sealer};

use crate::{app::TestApp, media::create_complete_scan, uploads::JPEG};

fn secret(text: &str) -> Secret {
    Secret::new(text.repeat(32))
}

#[tokio::test]
async fn evidence_urls_and_cursors_outlive_the_rotation_of_the_signing_secret() {
    // Each instance is a process after one step of the rotation.
    let rotating = RotatingSecret::new(secret("b"), vec![secret("a")]);
    let instances = TestApp::with_secrets(vec![secret("a").into(), rotating, secret("b").into()]).await;
    let [first, during, after] = &instances[..] else { panic!("three instances") };
    let client = first.client().await;
    let space = testing::space(first.db(), &client.tenant).await;
    testing::space(first.db(), &client.tenant).await;
    create_complete_scan(first, &client, space.id.as_str()).await;
    let frame_of = async |app: &TestApp| {
        let read = app.get(&format!("/v1/spaces/{}", space.id.as_str())).key(&client).send().await;
        let url = read.expect(200).body["document"]["frames"][0]["url"].as_str().unwrap().to_owned();
        url.split_once("/v1/").map(|(_, rest)| format!("/v1/{rest}")).unwrap()
    };
    let cursor_of = async |app: &TestApp| {
        let page = app.get("/v1/spaces?limit=1").key(&client).send().await.expect(200).body;
        page["next_cursor"].as_str().unwrap().to_owned()
    };
    let (old_url, old_cursor) = (frame_of(first).await, cursor_of(first).await);

    // Step 1: the new secret signs, and the old one still verifies.
    let key = first_key(&old_url);
    during.app.objects().put_bytes(&key, "image/jpeg", JPEG).await.unwrap();
    let document = domain::layout::document(&scan_of(&key));
    let bytes = first.app.objects().get_bytes(&document, 1 << 20).await.unwrap();
    during.app.objects().put_bytes(&document, "application/json", bytes).await.unwrap();
    assert_eq!(during.get(&old_url).send().await.expect(200).bytes, JPEG);
    let next = async |app: &TestApp, cursor: &str| {
        app.get(&format!("/v1/spaces?limit=1&cursor={cursor}")).key(&client).send().await
    };
    next(during, &old_cursor).await.expect(200);
    let (new_url, new_cursor) = (frame_of(during).await, cursor_of(during).await);
    first.get(&new_url).send().await.expect_error(403, "INVALID_SIGNATURE");
    next(first, &new_cursor).await.expect_error(400, "VALIDATION_FAILED");

    // Step 2: the old secret is removed.
    after.app.objects().put_bytes(&key, "image/jpeg", JPEG).await.unwrap();
    after.get(&new_url).send().await.expect(200);
    next(after, &new_cursor).await.expect(200);
    after.get(&old_url).send().await.expect_error(403, "INVALID_SIGNATURE");
    next(after, &old_cursor).await.expect_error(400, "VALIDATION_FAILED");
    for app in instances.into_iter().rev() {
        app.finish().await;
    }
}

/// Returns the object key in the path of a signed URL.
fn first_key(url: &str) -> String {
    let segment = url.strip_prefix("/v1/media/").unwrap().split('?').next().unwrap();
    percent_encoding::percent_decode_str(segment).decode_utf8().unwrap().into_owned()
}

fn scan_of(key: &str) -> domain::ScanId {
    key.split('/').nth(1).unwrap().parse().unwrap()
}

#[tokio::test]
async fn sessions_and_api_keys_depend_on_no_secret_of_the_installation() {
    let instances = TestApp::with_secrets(vec![secret("a").into(), secret("b").into()]).await;
    let [before, after] = &instances[..] else { panic!("two instances") };
    let (user, client) = (before.console_user().await, before.client().await);
    for app in [before, after] {
        let me = app.get("/v1/auth/session").session(&user).send().await;
        assert_eq!(me.status, StatusCode::OK.as_u16(), "{}", me.body);
        app.get("/v1/me").key(&client).send().await.expect(200);
    }
    for app in instances.into_iter().rev() {
        app.finish().await;
    }
}

#[tokio::test]
async fn resealed_webhook_secrets_open_without_the_old_master_key() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let (old, new) = (MasterKey::generate("k1"), MasterKey::generate("k2"));
    let sealer = |keys: &[&MasterKey]| {
        Sealer::new(&SealSettings { keys: keys.iter().map(|key| (*key).clone()).collect() }).unwrap()
    };
    let only_old = sealer(&[&old]);
    let mut endpoints = Vec::new();
    for n in 0..3 {
        let id = WebhookEndpointId::new();
        let signing = Secret::new(format!("whsec_{n}"));
        let endpoint = NewEndpoint {
            id: id.clone(),
            url: format!("https://hooks.example.com/{n}"),
            description: None,
            events: vec![EventType::ScanCompleted],
            secret_ciphertext: only_old.seal(&signing, id.as_str()),
            idempotency: None,
        };
        let now = domain::Timestamp::now();
        let added: entities::Result<AddOutcome> = app
            .db()
            .write(async |txn| webhook_endpoints::insert(&txn, &client.tenant, &endpoint, now).await)
            .await;
        assert!(matches!(added.unwrap(), AddOutcome::Added(_)));
        endpoints.push((id, signing));
    }

    let both = sealer(&[&new, &old]);
    let report = webhooks::reseal(app.db(), &both).await.unwrap();
    assert_eq!((report.resealed, report.current), (3, 0));
    let again = webhooks::reseal(app.db(), &both).await.unwrap();
    assert_eq!((again.resealed, again.current), (0, 3), "idempotent");
    let only_new = sealer(&[&new]);
    for (id, signing) in &endpoints {
        let row = webhook_endpoints::system::find(app.db(), id).await.unwrap().unwrap();
        assert_eq!(only_new.open(&row.secret_ciphertext, id.as_str()).unwrap(), *signing);
    }
    app.finish().await;
}
