//! Every endpoint rejects callers without permission.

use api::contract::endpoint::{Access, Endpoint};
use domain::{Timestamp, Token, key::KeySecret, scope::Scope};
use entities::{api_keys, testing};
use reqwest::Method;
use serde_json::json;

use crate::{
    app::{ApiResponse, Call, Client, TestApp},
    auth::set_confirmed,
    path_fixtures::{Owner, ResourceIds, has_resource_ids, send_call, with_example},
};

fn key_endpoints() -> Vec<Endpoint> {
    let all = api::routes::endpoints();
    assert!(all.len() >= 18, "the endpoints are listed");
    all.into_iter().filter(|endpoint| matches!(endpoint.access, Access::Key(_))).collect()
}

fn session_endpoints() -> Vec<Endpoint> {
    let needs_session = |endpoint: &Endpoint| endpoint.access == Access::Session;
    let all: Vec<_> = api::routes::endpoints().into_iter().filter(needs_session).collect();
    assert!(all.len() >= 9, "the endpoints are listed");
    all
}

fn bearer(secret: &str) -> String {
    format!("Bearer {secret}")
}

/// Creates a revoked and an expired key of an account.
async fn create_ended_keys(app: &TestApp, client: &Client) -> [Client; 2] {
    let (revoked, expired) = (app.create_key(&client.tenant).await, app.create_key(&client.tenant).await);
    let (tenant, revoked_id, expired_id) =
        (client.tenant.clone(), revoked.key.id.0.clone(), expired.key.id.0.clone());
    let now = Timestamp::now();
    let ended: entities::Result<bool> = app
        .db()
        .write(async |txn| {
            let revoked = api_keys::revoke(&txn, &tenant, &revoked_id, now).await?;
            Ok(revoked && api_keys::expire_at(&txn, &tenant, &expired_id, now).await?)
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
    let [revoked, expired] = create_ended_keys(&app, client).await;
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
        (Some(bearer(&owner.user.secret)), "INVALID_API_KEY"),
    ];
    for endpoint in key_endpoints() {
        let path = owner.resource_ids.path(&endpoint);
        let refused = |response: ApiResponse, code: &str| {
            let response = response.expect_error(401, code);
            assert!(response.header("www-authenticate").starts_with("Bearer"), "{}", endpoint.operation);
        };
        for (authorization, code) in &cases {
            let mut call = with_example(&app, &endpoint, &path);
            if let Some(authorization) = authorization {
                call = call.header("authorization", authorization);
            }
            refused(call.send().await, code);
        }
        // Without `Scan-Mode`, which no other site's page can send, the session does not count.
        let session = with_example(&app, &endpoint, &path).session(&owner.user);
        refused(session.send().await, "UNAUTHENTICATED");
        // A key decides, even if the session would be accepted.
        let both = with_example(&app, &endpoint, &path).session(&owner.user).header("scan-mode", "test");
        let both = both.header("authorization", &bearer("sc_test_x"));
        refused(both.send().await, "INVALID_API_KEY");
    }
    app.finish().await;
}

#[tokio::test]
async fn a_session_with_a_mode_may_do_what_a_key_with_every_scope_may() {
    let app = TestApp::start().await;
    let owner = Owner::new(&app).await;
    for endpoint in key_endpoints() {
        let path = owner.resource_ids.path(&endpoint);
        let call = with_example(&app, &endpoint, &path).session(&owner.user).header("scan-mode", "test");
        let response = send_call(call, &endpoint).await;
        if endpoint.access == Access::Key(None) {
            response.expect_error(401, "UNAUTHENTICATED");
        } else {
            assert!(!matches!(response.status, 401 | 403), "{}: {}", endpoint.operation, response.body);
        }
    }
    app.finish().await;
}

#[tokio::test]
async fn sessions_at_resource_endpoints_keep_the_rules_of_the_console() {
    let app = TestApp::start().await;
    let owner = Owner::new(&app).await;
    let stranger = app.console_user().await;
    let ended = app.console_user().await;
    app.post("/v1/auth/log-out").session(&ended).send().await.expect(204);
    for endpoint in key_endpoints().into_iter().filter(Endpoint::accepts_session) {
        let path = owner.resource_ids.path(&endpoint);
        let call = |mode: &str| with_example(&app, &endpoint, &path).header("scan-mode", mode);
        call("test").session(&ended).send().await.expect_error(401, "UNAUTHENTICATED");
        call("other").session(&owner.user).send().await.expect_error(400, "VALIDATION_FAILED");
        let cookie = format!("scan_session={}", owner.user.secret);
        if !endpoint.method.is_safe() {
            let foreign = call("test").header("cookie", &cookie).header("origin", "https://evil.example.com");
            foreign.send().await.expect_error(403, "ORIGIN_REFUSED");
        }
        let as_stranger = |call: Call| call.session(&stranger).header("scan-mode", "test");
        assert_reveals_nothing(&owner, &app, &endpoint, as_stranger).await;
    }
    // A user who may have no live key may change nothing in live mode.
    let new = json!({ "name": "Live", "space_type": "apartment" });
    let create = || app.post("/v1/spaces").session(&stranger).header("scan-mode", "live").json(new.clone());
    set_confirmed(&app, &stranger.tenant, None).await;
    create().send().await.expect_error(403, "EMAIL_NOT_CONFIRMED");
    app.finish().await;
}

#[tokio::test]
async fn all_sessions_of_a_user_share_a_rate_limit() {
    let two = api::limits::Limit { requests: 2, window_seconds: 60 };
    let app = TestApp::with(|settings| settings.limits.per_key = two).await;
    let user = app.console_user().await;
    for status in [200, 200, 429] {
        let call = app.get("/v1/spaces").session(&user).header("scan-mode", "test");
        let response = call.send().await.expect(status);
        assert!(response.header("ratelimit").starts_with("\"session\""));
    }
    app.finish().await;
}

#[tokio::test]
async fn requests_without_a_valid_session_are_rejected() {
    let app = TestApp::start().await;
    let owner = Owner::new(&app).await;
    let ended = app.console_user().await;
    app.post("/v1/auth/log-out").session(&ended).send().await.expect(204);
    let cookies = [
        String::new(),
        "scan_session=".to_owned(),
        "scan_session=x".to_owned(),
        format!("scan_session={}", ended.secret),
        format!("scan_session={}", Token::generate().reveal()),
        format!("scan_session={}", owner.client.secret),
        format!("other={}", owner.user.secret),
    ];
    for endpoint in session_endpoints() {
        let path = owner.resource_ids.path(&endpoint);
        let call = || with_example(&app, &endpoint, &path).same_origin();
        let refused = |response: ApiResponse| {
            let response = response.expect_error(401, "UNAUTHENTICATED");
            assert_eq!(response.header("www-authenticate"), "Cookie", "{}", endpoint.operation);
        };
        refused(call().send().await);
        // No API key is accepted here, not even with all scopes, and neither is a session sent as a
        // key.
        refused(call().key(&owner.client).send().await);
        refused(call().header("authorization", &bearer(&owner.user.secret)).send().await);
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
    for endpoint in key_endpoints() {
        let Access::Key(Some(scope)) = endpoint.access else {
            assert_eq!(endpoint.operation, "getMe", "only getMe accepts any key");
            continue;
        };
        let others: Vec<Scope> = Scope::ALL.iter().copied().filter(|other| *other != scope).collect();
        let path = owner.resource_ids.path(&endpoint);
        let without = app.create_scoped_key(&owner.client, &others).await;
        let response = with_example(&app, &endpoint, &path).key(&without).send().await;
        let response = response.expect_error(403, "INSUFFICIENT_SCOPE");
        assert_eq!(response.body["error"]["required_scope"], scope.as_str());

        let only = app.create_scoped_key(&owner.client, &[scope]).await;
        let response = send_call(with_example(&app, &endpoint, &path).key(&only), &endpoint).await;
        assert!(
            response.status != 401 && response.status != 403,
            "{}: {}",
            endpoint.operation,
            response.body
        );
    }
    app.finish().await;
}

/// Requests the owner's resources as another caller. Resources in the path get the same response as
/// nonexistent ones; other responses contain nothing of the owner.
async fn assert_reveals_nothing(
    owner: &Owner,
    app: &TestApp,
    endpoint: &Endpoint,
    authenticate: impl Fn(Call) -> Call,
) {
    let send = async |ids: &ResourceIds| {
        send_call(authenticate(with_example(app, endpoint, &ids.path(endpoint))), endpoint).await
    };
    let response = send(&owner.resource_ids).await;
    if has_resource_ids(endpoint) {
        let message = response.expect_error(404, "NOT_FOUND").body["error"]["message"].clone();
        let nonexistent = send(&ResourceIds::nonexistent()).await.expect_error(404, "NOT_FOUND");
        assert_eq!(nonexistent.body["error"]["message"], message, "{}", endpoint.operation);
    } else {
        let text = String::from_utf8(response.bytes).unwrap();
        for owned in owner.resource_ids.ids().chain([owner.client.key.id.as_str(), owner.user.email.as_str()])
        {
            assert!(!text.contains(owned), "{}: {text}", endpoint.operation);
        }
    }
}

#[tokio::test]
async fn resources_of_another_account_or_mode_are_not_found() {
    let app = TestApp::start().await;
    let owner = Owner::new(&app).await;
    let live = app.create_key(&testing::other_mode(&owner.client.tenant)).await;
    for endpoint in key_endpoints() {
        let stranger = app.client().await;
        assert_reveals_nothing(&owner, &app, &endpoint, |call| call.key(&stranger)).await;
        // The same account in the other mode.
        if endpoint.operation != "getMe" {
            assert_reveals_nothing(&owner, &app, &endpoint, |call| call.key(&live)).await;
        }
    }
    for endpoint in session_endpoints() {
        let stranger = app.console_user().await;
        assert_reveals_nothing(&owner, &app, &endpoint, |call| call.session(&stranger)).await;
        let has_mode = endpoint.headers.iter().any(|header| header.name == "scan-mode");
        if has_mode && has_resource_ids(&endpoint) {
            let live = |call: Call| call.session(&owner.user).header("scan-mode", "live");
            assert_reveals_nothing(&owner, &app, &endpoint, live).await;
        }
    }
    // The owner's resources still exist.
    let reads = key_endpoints()
        .into_iter()
        .chain(session_endpoints())
        .filter(|endpoint| endpoint.method == Method::GET);
    for endpoint in reads.filter(|endpoint| has_resource_ids(endpoint) && owner.resource_ids.covers(endpoint))
    {
        send_call(owner.call(&app, &endpoint), &endpoint).await.expect(200);
    }
    app.finish().await;
}

#[tokio::test]
async fn invalid_ids_are_not_found() {
    let app = TestApp::start().await;
    let owner = Owner::new(&app).await;
    let invalid_ids =
        ["x", "%00", "%ff", "..%2f..", "spc_%C3%A9", "scn_01ARZ3NDEKTSV4RRFFQ69G5FAV", "'%20or%201=1--"];
    let all = key_endpoints().into_iter().chain(session_endpoints());
    for endpoint in all.filter(has_resource_ids) {
        for id in invalid_ids {
            let call = with_example(&app, &endpoint, &ResourceIds::all(id).path(&endpoint));
            let call = match endpoint.access {
                Access::Session => call.session(&owner.user),
                _ => call.key(&owner.client),
            };
            call.send().await.expect_error(404, "NOT_FOUND");
        }
    }
    app.finish().await;
}

#[tokio::test]
async fn me_describes_the_key() {
    let app = TestApp::start().await;
    let client = app.client().await;
    let reader = app.create_scoped_key(&client, &[Scope::SpacesRead, Scope::ScansRead]).await;
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
