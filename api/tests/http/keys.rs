//! API keys: creation, changes and revocation in the console.

use domain::{KeyId, Timestamp, mode::Tenant};
use entities::{Reader, api_keys};
use reqwest::Method;
use sea_orm::{ColumnTrait, EntityTrait, PaginatorTrait, QueryFilter};
use serde_json::{Value, json};

use crate::app::{ApiResponse, ConsoleUser, TestApp};

async fn create(app: &TestApp, user: &ConsoleUser, mode: &str, body: Value) -> ApiResponse {
    app.post("/v1/keys").session(user).header("scan-mode", mode).json(body).send().await
}

async fn me(app: &TestApp, secret: &Value) -> ApiResponse {
    let bearer = format!("Bearer {}", secret.as_str().expect("a secret"));
    app.get("/v1/me").header("authorization", &bearer).send().await
}

async fn change(app: &TestApp, user: &ConsoleUser, key: &Value, body: Value) -> ApiResponse {
    let path = format!("/v1/keys/{}", key["id"].as_str().unwrap());
    app.call(Method::PATCH, &path).session(user).json(body).send().await
}

/// Reads the actions in the audit log page by page, oldest first.
async fn audited_actions(app: &TestApp, user: &ConsoleUser) -> Vec<Value> {
    let mut actions = Vec::new();
    let mut next = "/v1/auth/audit-log?limit=2".to_owned();
    loop {
        let page = app.get(&next).session(user).send().await.expect(200).body;
        actions.extend(page["data"].as_array().unwrap().iter().map(|entry| entry["action"].clone()));
        let Some(cursor) = page["next_cursor"].as_str() else { break };
        next = format!("/v1/auth/audit-log?limit=2&cursor={cursor}");
    }
    actions.reverse();
    actions
}

#[tokio::test]
async fn key_can_be_created_used_changed_rolled_and_revoked() {
    TestApp::on_each_database(async |app| {
        let user = app.console_user().await;
        let body = json!({ "name": " server ", "scopes": ["spaces:read"], "monthly_cap_cents": 500 });
        let response = create(app, &user, "test", body).await.expect(201);
        let created = response.body;
        let secret = created["secret"].as_str().unwrap().to_owned();
        assert!(secret.starts_with("sc_test_") && secret.starts_with(created["hint"].as_str().unwrap()));
        assert_eq!(
            (&created["name"], &created["mode"], &created["active"]),
            (&json!("server"), &json!("test"), &json!(true))
        );
        assert_eq!(
            (&created["monthly_cap_cents"], &created["spent_this_month_cents"]),
            (&json!(500), &json!(0))
        );
        me(app, &created["secret"]).await.expect(200);

        // The secret is returned once.
        let path = format!("/v1/keys/{}", created["id"].as_str().unwrap());
        let got = app.get(&path).session(&user).send().await.expect(200);
        assert!(!String::from_utf8_lossy(&got.bytes).contains(&secret));
        let list = app.get("/v1/keys").session(&user).send().await.expect(200);
        assert!(!String::from_utf8_lossy(&list.bytes).contains(&secret));
        assert_eq!(list.body["data"][0]["id"], created["id"]);

        let changed = change(app, &user, &created, json!({ "scopes": ["scans:read", "scans:write"] }))
            .await
            .expect(200)
            .body;
        assert_eq!((&changed["name"], &changed["monthly_cap_cents"]), (&json!("server"), &json!(500)));
        assert_eq!(
            me(app, &created["secret"]).await.body["key"]["scopes"],
            json!(["scans:read", "scans:write"])
        );
        let changed = change(app, &user, &created, json!({ "name": "b", "monthly_cap_cents": null }))
            .await
            .expect(200)
            .body;
        assert_eq!((&changed["name"], &changed["monthly_cap_cents"]), (&json!("b"), &json!(null)));

        let roll = |hours: u32| {
            app.post(&format!("{path}/roll")).session(&user).json(json!({ "overlap_hours": hours }))
        };
        let second = roll(1).send().await.expect(201).body;
        assert_eq!((&second["name"], &second["scopes"]), (&changed["name"], &changed["scopes"]));
        // The old and the new key overlap.
        me(app, &created["secret"]).await.expect(200);
        me(app, &second["secret"]).await.expect(200);
        // Rolling again with a longer overlap doesn't extend the old key.
        let expiry = app.get(&path).session(&user).send().await.expect(200).body["expires_at"].clone();
        roll(100).send().await.expect(201);
        assert_eq!(app.get(&path).session(&user).send().await.body["expires_at"], expiry);
        let third = roll(0).send().await.expect(201).body;
        me(app, &created["secret"]).await.expect_error(401, "INVALID_API_KEY");
        roll(0).send().await.expect_error(409, "KEY_NOT_ACTIVE");

        let path = format!("/v1/keys/{}", third["id"].as_str().unwrap());
        for _ in 0..2 {
            app.delete(&path).session(&user).send().await.expect(204);
            me(app, &third["secret"]).await.expect_error(401, "INVALID_API_KEY");
        }
        change(app, &user, &third, json!({ "name": "c" })).await.expect_error(409, "KEY_NOT_ACTIVE");
        let revoked = app.get(&path).session(&user).send().await.expect(200).body;
        assert_eq!((&revoked["active"], &revoked["name"]), (&json!(false), &json!("b")));
        assert!(revoked["revoked_at"].is_string());

        let rolled = "key.rolled";
        assert_eq!(
            json!(audited_actions(app, &user).await),
            json!(["key.created", "key.changed", "key.changed", rolled, rolled, rolled, "key.revoked"])
        );
    })
    .await;
}

#[tokio::test]
async fn keys_of_others_and_of_the_other_mode_are_not_found() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.console_user().await, app.console_user().await);
    let body = json!({ "name": "a", "scopes": ["spaces:read"] });
    let test = create(&app, &ann, "test", body.clone()).await.expect(201).body;
    let live = create(&app, &ann, "live", body.clone()).await.expect(201).body;
    assert!(live["secret"].as_str().unwrap().starts_with("sc_live_"));
    create(&app, &ann, "both", body).await.expect_error(400, "VALIDATION_FAILED");
    let path = |key: &Value, rest: &str| format!("/v1/keys/{}{rest}", key["id"].as_str().unwrap());
    for (user, mode, key) in
        [(&bob, "test", &test), (&bob, "live", &live), (&ann, "test", &live), (&ann, "live", &test)]
    {
        for (method, rest) in
            [(Method::GET, ""), (Method::PATCH, ""), (Method::DELETE, ""), (Method::POST, "/roll")]
        {
            let mut call = app.call(method.clone(), &path(key, rest)).session(user).header("scan-mode", mode);
            if method == Method::PATCH {
                call = call.json(json!({ "name": "x" }));
            }
            call.send().await.expect_error(404, "NOT_FOUND");
        }
        let list = app.get("/v1/keys").session(user).header("scan-mode", mode).send().await.expect(200);
        assert!(!String::from_utf8_lossy(&list.bytes).contains(key["id"].as_str().unwrap()));
    }
    me(&app, &test["secret"]).await.expect(200);
    me(&app, &live["secret"]).await.expect(200);
    app.finish().await;
}

#[tokio::test]
async fn rejects_invalid_keys() {
    let app = TestApp::start().await;
    let user = app.console_user().await;
    let past = Timestamp::from_millis(0);
    let bad = json!({ "name": " ", "scopes": [], "monthly_cap_cents": -1, "expires_at": past });
    let response = create(&app, &user, "test", bad).await.expect_error(400, "VALIDATION_FAILED");
    assert_eq!(response.invalid_fields(), ["name", "scopes", "monthly_cap_cents", "expires_at"]);
    for scopes in [json!(["spaces:read", "spaces:read"]), json!(["admin"])] {
        let response = create(&app, &user, "test", json!({ "name": "a", "scopes": scopes })).await;
        response.expect_error(400, "VALIDATION_FAILED");
    }
    let created =
        create(&app, &user, "test", json!({ "name": "a", "scopes": ["ask:write"] })).await.expect(201).body;
    for bad in [
        json!({ "name": "" }),
        json!({ "scopes": [] }),
        json!({ "monthly_cap_cents": -1 }),
        json!({ "hint": "x" }),
    ] {
        change(&app, &user, &created, bad).await.expect_error(400, "VALIDATION_FAILED");
    }
    let roll = format!("/v1/keys/{}/roll", created["id"].as_str().unwrap());
    let call = app.post(&roll).session(&user).json(json!({ "overlap_hours": 169 }));
    call.send().await.expect_error(400, "VALIDATION_FAILED");
    app.finish().await;
}

#[tokio::test]
async fn key_expires_and_shows_its_spending() {
    let app = TestApp::start().await;
    let user = app.console_user().await;
    let soon = Timestamp::now().plus(std::time::Duration::from_secs(3_600));
    let body = json!({ "name": "a", "scopes": ["spaces:read"], "expires_at": soon });
    let created = create(&app, &user, "test", body).await.expect(201).body;
    me(&app, &created["secret"]).await.expect(200);
    let id: KeyId = serde_json::from_value(created["id"].clone()).unwrap();
    let tenant = Tenant::clone(&user.tenant);
    let ended: entities::Result<bool> =
        app.db().write(async |txn| api_keys::expire_at(&txn, &tenant, &id, Timestamp::now()).await).await;
    assert!(ended.unwrap());
    me(&app, &created["secret"]).await.expect_error(401, "INVALID_API_KEY");
    let got = app.get(&format!("/v1/keys/{id}")).session(&user).send().await.expect(200).body;
    assert_eq!((&got["active"], &got["spent_this_month_cents"]), (&json!(false), &json!(0)));
    assert!(got["last_used_at"].is_string() || got["last_used_at"].is_null());
    app.finish().await;
}

#[tokio::test]
async fn account_has_at_most_a_hundred_active_keys() {
    TestApp::on_each_database(async |app| {
        let user = app.console_user().await;
        let body = json!({ "name": "server", "scopes": ["spaces:read"] });
        let account = user.tenant.account_id.as_str();
        let of_account = api_keys::Entity::find().filter(api_keys::Column::AccountId.eq(account));
        let existing = of_account.count(app.db().conn()).await.unwrap();
        let mut last = Value::Null;
        for n in existing..api_keys::MAX_ACTIVE_KEYS {
            let mode = if n % 2 == 0 { "test" } else { "live" };
            last = create(app, &user, mode, body.clone()).await.expect(201).body;
        }
        create(app, &user, "test", body.clone()).await.expect_error(409, "API_KEY_LIMIT");
        let path = format!("/v1/keys/{}", last["id"].as_str().unwrap());
        let roll = || app.post(&format!("{path}/roll")).session(&user).header("scan-mode", "live").send();
        roll().await.expect_error(409, "API_KEY_LIMIT");
        // A revoked key doesn't count.
        app.delete(&path).session(&user).header("scan-mode", "live").send().await.expect(204);
        create(app, &user, "test", body.clone()).await.expect(201);
        create(app, &user, "test", body.clone()).await.expect_error(409, "API_KEY_LIMIT");
    })
    .await;
}

#[tokio::test]
async fn uses_are_counted_by_day() {
    TestApp::on_each_database(async |app| {
        let user = app.console_user().await;
        let [key, other] = [app.create_key(&user.tenant).await, app.create_key(&user.tenant).await];
        for _ in 0..3 {
            app.get("/v1/me").key(&key).send().await.expect(200);
        }
        app.app.write_key_uses().await;
        app.get("/v1/spaces").key(&key).send().await.expect(200);
        app.app.write_key_uses().await;
        let path = |id: &KeyId| format!("/v1/keys/{id}/uses");
        let uses = app.get(&path(&key.key.id)).session(&user).send().await.expect(200).body;
        let total: i64 =
            uses["data"].as_array().unwrap().iter().map(|day| day["requests"].as_i64().unwrap()).sum();
        assert_eq!(total, 4);
        assert_eq!(uses["data"][0]["day"], Timestamp::now().day());
        let unused = app.get(&path(&other.key.id)).session(&user).send().await.expect(200).body;
        assert_eq!(unused["data"], json!([]));
        // A closed account gets no new records.
        app.get("/v1/me").key(&key).send().await.expect(200);
        let (account, now) = (user.tenant.account_id.clone(), Timestamp::now());
        let closed: entities::Result<bool> = app
            .db()
            .write(async |txn| {
                entities::erasure::close(&txn, &account, now).await?;
                entities::erasure::erase(&txn, &account, now).await
            })
            .await;
        assert!(closed.unwrap());
        app.app.write_key_uses().await;
        assert_eq!(entities::key_uses::Entity::find().count(app.db().conn()).await.unwrap(), 0);
    })
    .await;
}
