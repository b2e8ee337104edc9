//! Every endpoint against everyone who may not call it.

use api::endpoints::{Access, Endpoint};
use domain::{ScanId, Timestamp, key::KeySecret, scope::Scope};
use entities::{api_keys, testing};
use serde_json::json;

use crate::{
    app::{Answer, Client, TestApp},
    media::complete,
};

/// Things that belong to one client, for paths.
struct Things {
    space: String,
    scan: String,
    event: String,
}

impl Things {
    async fn of(app: &TestApp, client: &Client) -> Self {
        let space = testing::space(app.db(), &client.tenant).await.id.to_string();
        let scan = complete(app, client, &space).await;
        let event = format!("evt_{scan}_completed");
        Self { space, scan, event }
    }

    fn path(&self, endpoint: &Endpoint) -> String {
        let template = endpoint.path.as_str();
        let id = match template.split('/').nth(1) {
            Some("spaces") => &self.space,
            Some("events") => &self.event,
            _ => &self.scan,
        };
        let path = template.replace("{id}", id).replace("{scan_id}", &self.scan).replace("{index}", "0");
        format!("/v1{}", path.replace("{key}", "k"))
    }
}

/// The endpoint called with what it takes, by whoever `authorization` names.
async fn call(app: &TestApp, endpoint: &Endpoint, path: &str, authorization: Option<&str>) -> Answer {
    let mut call = app.call(endpoint.method.clone(), path);
    if let Some(authorization) = authorization {
        call = call.header("authorization", authorization);
    }
    match &endpoint.body {
        Some(body) if body.media_types == ["application/json"] => {
            let body = match endpoint.operation {
                "createSpace" => json!({ "name": "a", "space_type": "b" }),
                "createScan" => crate::scans::photos(1),
                "askSpace" => json!({ "question": "Is there a bed?" }),
                _ => json!({}),
            };
            call = call.json(body);
        }
        Some(body) => call = call.header("content-type", body.media_types[0]).body("x"),
        None => {}
    }
    call.send().await
}

fn keyed() -> Vec<Endpoint> {
    let all = api::routes::endpoints();
    assert!(all.len() >= 18, "the list is there");
    all.into_iter().filter(|endpoint| matches!(endpoint.access, Access::Key(_))).collect()
}

#[tokio::test]
async fn nobody_without_a_good_key_is_served() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let things = Things::of(&app, &client).await;

    let mut flipped = client.secret.clone();
    flipped.replace_range(20..21, if &client.secret[20..21] == "a" { "b" } else { "a" });
    let unknown = KeySecret::generate(client.tenant.mode).reveal().to_owned();
    let revoked = app.key_of(&client.tenant).await;
    let expired = app.key_of(&client.tenant).await;
    let (tenant, gone, over) = (client.tenant.clone(), revoked.key.id.0.clone(), expired.key.id.0.clone());
    let now = Timestamp::now();
    let ended: entities::Result<bool> = app
        .db()
        .write(async |txn| {
            let revoked = api_keys::revoke(&txn, &tenant, &gone, now).await?;
            Ok(revoked && api_keys::expire_at(&txn, &tenant, &over, now).await?)
        })
        .await;
    assert!(ended.unwrap());

    let bearer = |secret: &str| format!("Bearer {secret}");
    let cases = [
        (None, "UNAUTHENTICATED"),
        (Some(String::new()), "UNAUTHENTICATED"),
        (Some("Basic dXNlcjpwYXNz".to_owned()), "UNAUTHENTICATED"),
        (Some(client.secret.clone()), "UNAUTHENTICATED"),
        (Some(bearer("")), "UNAUTHENTICATED"),
        (Some(bearer("sc_test_x")), "INVALID_API_KEY"),
        (Some(bearer(&flipped)), "INVALID_API_KEY"),
        (Some(bearer(&unknown)), "INVALID_API_KEY"),
        (Some(bearer(&client.secret.replace("sc_test_", "sc_live_"))), "INVALID_API_KEY"),
        (Some(bearer(&revoked.secret)), "INVALID_API_KEY"),
        (Some(bearer(&expired.secret)), "INVALID_API_KEY"),
    ];
    for endpoint in keyed() {
        let path = things.path(&endpoint);
        for (authorization, code) in &cases {
            let answer = call(&app, &endpoint, &path, authorization.as_deref()).await.refused(401, code);
            assert!(answer.header("www-authenticate").starts_with("Bearer"), "{}", endpoint.operation);
        }
    }
    app.finish().await;
}

#[tokio::test]
async fn every_endpoint_wants_its_scope_and_no_other() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let things = Things::of(&app, &client).await;
    for endpoint in keyed() {
        let Access::Key(Some(scope)) = endpoint.access else {
            assert_eq!(endpoint.operation, "getMe", "only this one takes any key");
            continue;
        };
        let others: Vec<Scope> = Scope::ALL.iter().copied().filter(|other| *other != scope).collect();
        let path = things.path(&endpoint);
        let without = app.scoped(&client, &others).await;
        let bearer = format!("Bearer {}", without.secret);
        let answer = call(&app, &endpoint, &path, Some(&bearer)).await.refused(403, "INSUFFICIENT_SCOPE");
        assert_eq!(answer.body["error"]["required_scope"], scope.as_str());

        if endpoint.operation == "streamEvents" {
            continue; // It goes on for ever; its own tests open it.
        }
        let only = app.scoped(&client, &[scope]).await;
        let bearer = format!("Bearer {}", only.secret);
        let answer = call(&app, &endpoint, &path, Some(&bearer)).await;
        assert!(answer.status != 401 && answer.status != 403, "{}: {}", endpoint.operation, answer.body);
    }
    app.finish().await;
}

#[tokio::test]
async fn nothing_of_another_account_or_mode_is_seen() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let things = Things::of(&app, &client).await;
    let stranger = app.client().await;
    let live = app.key_of(&testing::other_mode(&client.tenant)).await;
    let fresh = Things {
        space: domain::SpaceId::new().to_string(),
        scan: ScanId::new().to_string(),
        event: "evt_x".into(),
    };
    for endpoint in keyed().into_iter().filter(|endpoint| endpoint.operation != "streamEvents") {
        for other in [&stranger, &live] {
            let bearer = format!("Bearer {}", other.secret);
            let answer = call(&app, &endpoint, &things.path(&endpoint), Some(&bearer)).await;
            if endpoint.path.params().next().is_some() {
                let theirs = answer.refused(404, "NOT_FOUND").body["error"]["message"].clone();
                // And it is not told apart from what never was.
                let never = call(&app, &endpoint, &fresh.path(&endpoint), Some(&bearer)).await;
                assert_eq!(never.refused(404, "NOT_FOUND").body["error"]["message"], theirs);
            } else {
                let text = String::from_utf8(answer.bytes).unwrap();
                for mine in [&things.space, &things.scan, &client.key.id.to_string()] {
                    assert!(!text.contains(mine.as_str()), "{}: {text}", endpoint.operation);
                }
            }
        }
    }
    app.finish().await;
}

#[tokio::test]
async fn ids_that_cannot_be_are_not_found() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let bearer = format!("Bearer {}", client.secret);
    let odd =
        ["x", "%00", "%ff", "..%2f..", "spc_%C3%A9", "scn_01ARZ3NDEKTSV4RRFFQ69G5FAV", "'%20or%201=1--"];
    for endpoint in keyed().into_iter().filter(|endpoint| endpoint.path.params().next().is_some()) {
        for id in odd {
            let things = Things { space: id.into(), scan: id.into(), event: id.into() };
            let answer = call(&app, &endpoint, &things.path(&endpoint), Some(&bearer)).await;
            answer.refused(404, "NOT_FOUND");
        }
    }
    app.finish().await;
}

#[tokio::test]
async fn me_says_whose_key_it_is() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let reader = app.scoped(&client, &[Scope::SpacesRead, Scope::ScansRead]).await;
    let me = app.get("/v1/me").key(&reader).send().await.expect(200).body;
    assert_eq!(me["key"]["id"], reader.key.id.as_str());
    assert_eq!(me["key"]["mode"], "test");
    assert_eq!(me["key"]["scopes"], json!(["spaces:read", "scans:read"]));
    assert_eq!(me["user"]["is_pro"], false);
    assert!(me["user"]["email"].as_str().unwrap().contains('@'));
    // The use of the key is recorded, beside the answer.
    let used = async {
        loop {
            let key = api_keys::find(app.db(), &client.tenant, &reader.key.id).await.unwrap().unwrap();
            if key.last_used_at.is_some() {
                break;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(std::time::Duration::from_secs(10), used).await.expect("last_used_at is written");
    app.finish().await;
}
