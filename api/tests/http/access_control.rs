//! Access control: each endpoint is called by everyone who may not call it.

use api::contract::endpoint::{Access, Endpoint};
use domain::{Timestamp, Token, key::KeySecret, scope::Scope};
use entities::{api_keys, testing};
use reqwest::Method;
use serde_json::json;

use crate::{
    app::{Answer, Call, Client, TestApp},
    path_fixtures::{Owner, ResourceIds, answered, has_resource_ids, with_example},
};

fn keyed() -> Vec<Endpoint> {
    let all = api::routes::endpoints();
    assert!(all.len() >= 18, "the list is there");
    all.into_iter().filter(|endpoint| matches!(endpoint.access, Access::Key(_))).collect()
}

fn console() -> Vec<Endpoint> {
    let of = |endpoint: &Endpoint| endpoint.access == Access::Session;
    let all: Vec<_> = api::routes::endpoints().into_iter().filter(of).collect();
    assert!(all.len() >= 9, "the list is there");
    all
}

fn bearer(secret: &str) -> String {
    format!("Bearer {secret}")
}

/// A revoked and an expired key of an account.
async fn ended_keys(app: &TestApp, client: &Client) -> [Client; 2] {
    let (revoked, expired) = (app.key_of(&client.tenant).await, app.key_of(&client.tenant).await);
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
    [revoked, expired]
}

#[tokio::test]
async fn requests_without_a_valid_key_are_rejected() {
    let app = TestApp::start().await;
    let owner = Owner::new(&app).await;
    let client = &owner.client;
    let mut flipped = client.secret.clone();
    flipped.replace_range(20..21, if &client.secret[20..21] == "a" { "b" } else { "a" });
    let unknown = KeySecret::generate(client.tenant.mode).reveal().to_owned();
    let [revoked, expired] = ended_keys(&app, client).await;
    let other_mode = client.secret.replace("sc_test_", "sc_live_");
    let cases = [
        (None, "UNAUTHENTICATED"),
        (Some(String::new()), "UNAUTHENTICATED"),
        (Some("Basic dXNlcjpwYXNz".to_owned()), "UNAUTHENTICATED"),
        (Some(client.secret.clone()), "UNAUTHENTICATED"),
        (Some(bearer("")), "UNAUTHENTICATED"),
        (Some(bearer("sc_test_x")), "INVALID_API_KEY"),
        (Some(bearer(&flipped)), "INVALID_API_KEY"),
        (Some(bearer(&unknown)), "INVALID_API_KEY"),
        (Some(bearer(&other_mode)), "INVALID_API_KEY"),
        (Some(bearer(&revoked.secret)), "INVALID_API_KEY"),
        (Some(bearer(&expired.secret)), "INVALID_API_KEY"),
        (Some(bearer(&owner.person.secret)), "INVALID_API_KEY"),
    ];
    for endpoint in keyed() {
        let path = owner.resource_ids.path(&endpoint);
        let refused = |answer: Answer, code: &str| {
            let answer = answer.refused(401, code);
            assert!(answer.header("www-authenticate").starts_with("Bearer"), "{}", endpoint.operation);
        };
        for (authorization, code) in &cases {
            let mut call = with_example(&app, &endpoint, &path);
            if let Some(authorization) = authorization {
                call = call.header("authorization", authorization);
            }
            refused(call.send().await, code);
        }
        // A session of the console is not an API key.
        let session = with_example(&app, &endpoint, &path).person(&owner.person);
        refused(session.send().await, "UNAUTHENTICATED");
    }
    app.finish().await;
}

#[tokio::test]
async fn requests_without_a_valid_session_are_rejected() {
    let app = TestApp::start().await;
    let owner = Owner::new(&app).await;
    let ended = app.person().await;
    app.post("/v1/auth/log-out").person(&ended).send().await.expect(204);
    let cookies = [
        String::new(),
        "scan_session=".to_owned(),
        "scan_session=x".to_owned(),
        format!("scan_session={}", ended.secret),
        format!("scan_session={}", Token::generate().reveal()),
        format!("scan_session={}", owner.client.secret),
        format!("other={}", owner.person.secret),
    ];
    for endpoint in console() {
        let path = owner.resource_ids.path(&endpoint);
        let call = || with_example(&app, &endpoint, &path).own_page();
        let refused = |answer: Answer| {
            let answer = answer.refused(401, "UNAUTHENTICATED");
            assert_eq!(answer.header("www-authenticate"), "Cookie", "{}", endpoint.operation);
        };
        refused(call().send().await);
        // No API key is accepted here, not even with all scopes, and neither is a session sent as a
        // key.
        refused(call().key(&owner.client).send().await);
        refused(call().header("authorization", &bearer(&owner.person.secret)).send().await);
        for cookie in &cookies {
            refused(call().header("cookie", cookie).send().await);
        }
    }
    app.finish().await;
}

#[tokio::test]
async fn every_endpoint_requires_exactly_its_scope() {
    let app = TestApp::start().await;
    let owner = Owner::new(&app).await;
    for endpoint in keyed() {
        let Access::Key(Some(scope)) = endpoint.access else {
            assert_eq!(endpoint.operation, "getMe", "only this one takes any key");
            continue;
        };
        let others: Vec<Scope> = Scope::ALL.iter().copied().filter(|other| *other != scope).collect();
        let path = owner.resource_ids.path(&endpoint);
        let without = app.scoped(&owner.client, &others).await;
        let answer = with_example(&app, &endpoint, &path).key(&without).send().await;
        let answer = answer.refused(403, "INSUFFICIENT_SCOPE");
        assert_eq!(answer.body["error"]["required_scope"], scope.as_str());

        let only = app.scoped(&owner.client, &[scope]).await;
        let answer = answered(with_example(&app, &endpoint, &path).key(&only), &endpoint).await;
        assert!(answer.status != 401 && answer.status != 403, "{}: {}", endpoint.operation, answer.body);
    }
    app.finish().await;
}

/// Sends another caller's request for the owner's resources. Resources named in the path look as if
/// they never existed; other requests return nothing of the owner's.
async fn assert_reveals_nothing(
    owner: &Owner,
    app: &TestApp,
    endpoint: &Endpoint,
    theirs: impl Fn(Call) -> Call,
) {
    let send = async |ids: &ResourceIds| {
        answered(theirs(with_example(app, endpoint, &ids.path(endpoint))), endpoint).await
    };
    let answer = send(&owner.resource_ids).await;
    if has_resource_ids(endpoint) {
        let message = answer.refused(404, "NOT_FOUND").body["error"]["message"].clone();
        let never = send(&ResourceIds::nonexistent()).await.refused(404, "NOT_FOUND");
        assert_eq!(never.body["error"]["message"], message, "{}", endpoint.operation);
    } else {
        let text = String::from_utf8(answer.bytes).unwrap();
        for mine in
            owner.resource_ids.ids().chain([owner.client.key.id.as_str(), owner.person.email.as_str()])
        {
            assert!(!text.contains(mine), "{}: {text}", endpoint.operation);
        }
    }
}

#[tokio::test]
async fn resources_of_another_account_or_mode_are_not_found() {
    let app = TestApp::start().await;
    let owner = Owner::new(&app).await;
    let live = app.key_of(&testing::other_mode(&owner.client.tenant)).await;
    for endpoint in keyed() {
        let stranger = app.client().await;
        assert_reveals_nothing(&owner, &app, &endpoint, |call| call.key(&stranger)).await;
        // The same account in the other mode.
        if endpoint.operation != "getMe" {
            assert_reveals_nothing(&owner, &app, &endpoint, |call| call.key(&live)).await;
        }
    }
    for endpoint in console() {
        let stranger = app.person().await;
        assert_reveals_nothing(&owner, &app, &endpoint, |call| call.person(&stranger)).await;
        let by_mode = endpoint.headers.iter().any(|header| header.name == "scan-mode");
        if by_mode && has_resource_ids(&endpoint) {
            let live = |call: Call| call.person(&owner.person).header("scan-mode", "live");
            assert_reveals_nothing(&owner, &app, &endpoint, live).await;
        }
    }
    // The owner's resources still exist.
    let reads = keyed().into_iter().chain(console()).filter(|endpoint| endpoint.method == Method::GET);
    for endpoint in reads.filter(|endpoint| has_resource_ids(endpoint) && owner.resource_ids.have(endpoint)) {
        answered(owner.call(&app, &endpoint), &endpoint).await.expect(200);
    }
    app.finish().await;
}

#[tokio::test]
async fn invalid_ids_are_not_found() {
    let app = TestApp::start().await;
    let owner = Owner::new(&app).await;
    let odd =
        ["x", "%00", "%ff", "..%2f..", "spc_%C3%A9", "scn_01ARZ3NDEKTSV4RRFFQ69G5FAV", "'%20or%201=1--"];
    let all = keyed().into_iter().chain(console());
    for endpoint in all.filter(has_resource_ids) {
        for id in odd {
            let call = with_example(&app, &endpoint, &ResourceIds::all(id).path(&endpoint));
            let call = match endpoint.access {
                Access::Session => call.person(&owner.person),
                _ => call.key(&owner.client),
            };
            call.send().await.refused(404, "NOT_FOUND");
        }
    }
    app.finish().await;
}

#[tokio::test]
async fn me_describes_the_key() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let reader = app.scoped(&client, &[Scope::SpacesRead, Scope::ScansRead]).await;
    let me = app.get("/v1/me").key(&reader).send().await.expect(200).body;
    assert_eq!(me["key"]["id"], reader.key.id.as_str());
    assert_eq!(me["key"]["mode"], "test");
    assert_eq!(me["key"]["scopes"], json!(["spaces:read", "scans:read"]));
    assert_eq!(me["user"]["is_pro"], false);
    assert!(me["user"]["email"].as_str().unwrap().contains('@'));
    // The last use of the key is recorded asynchronously.
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
