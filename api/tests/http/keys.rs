//! API keys: creation, changes and revocation in the console.

use domain::{KeyId, Timestamp, mode::Tenant};
use entities::api_keys;
use reqwest::Method;
use serde_json::{Value, json};

use crate::app::{Answer, Person, TestApp};

async fn create(app: &TestApp, person: &Person, mode: &str, body: Value) -> Answer {
    app.post("/v1/keys").person(person).header("scan-mode", mode).json(body).send().await
}

async fn me(app: &TestApp, secret: &Value) -> Answer {
    let bearer = format!("Bearer {}", secret.as_str().expect("a secret"));
    app.get("/v1/me").header("authorization", &bearer).send().await
}

async fn change(app: &TestApp, person: &Person, key: &Value, body: Value) -> Answer {
    let path = format!("/v1/keys/{}", key["id"].as_str().unwrap());
    app.call(Method::PATCH, &path).person(person).json(body).send().await
}

#[tokio::test]
async fn key_can_be_created_used_changed_rolled_and_revoked() {
    TestApp::on_each_database(async |app| {
        let person = app.person().await;
        let body = json!({ "name": " server ", "scopes": ["spaces:read"], "monthly_cap_cents": 500 });
        let answer = create(app, &person, "test", body).await.expect(201);
        let made = answer.body;
        let secret = made["secret"].as_str().unwrap().to_owned();
        assert!(secret.starts_with("sc_test_") && secret.starts_with(made["hint"].as_str().unwrap()));
        assert_eq!(
            (&made["name"], &made["mode"], &made["active"]),
            (&json!("server"), &json!("test"), &json!(true))
        );
        assert_eq!((&made["monthly_cap_cents"], &made["spent_this_month_cents"]), (&json!(500), &json!(0)));
        me(app, &made["secret"]).await.expect(200);

        // The secret is returned once.
        let path = format!("/v1/keys/{}", made["id"].as_str().unwrap());
        let got = app.get(&path).person(&person).send().await.expect(200);
        assert!(!String::from_utf8_lossy(&got.bytes).contains(&secret));
        let list = app.get("/v1/keys").person(&person).send().await.expect(200);
        assert!(!String::from_utf8_lossy(&list.bytes).contains(&secret));
        assert_eq!(list.body["data"][0]["id"], made["id"]);

        let changed = change(app, &person, &made, json!({ "scopes": ["scans:read", "scans:write"] }))
            .await
            .expect(200)
            .body;
        assert_eq!((&changed["name"], &changed["monthly_cap_cents"]), (&json!("server"), &json!(500)));
        assert_eq!(
            me(app, &made["secret"]).await.body["key"]["scopes"],
            json!(["scans:read", "scans:write"])
        );
        let changed = change(app, &person, &made, json!({ "name": "b", "monthly_cap_cents": null }))
            .await
            .expect(200)
            .body;
        assert_eq!((&changed["name"], &changed["monthly_cap_cents"]), (&json!("b"), &json!(null)));

        let roll = |hours: u32| {
            app.post(&format!("{path}/roll")).person(&person).json(json!({ "overlap_hours": hours }))
        };
        let second = roll(1).send().await.expect(201).body;
        assert_eq!((&second["name"], &second["scopes"]), (&changed["name"], &changed["scopes"]));
        me(app, &made["secret"]).await.expect(200); // They overlap.
        me(app, &second["secret"]).await.expect(200);
        // Rolling again with a longer overlap doesn't extend the old key.
        let ends = app.get(&path).person(&person).send().await.expect(200).body["expires_at"].clone();
        roll(100).send().await.expect(201);
        assert_eq!(app.get(&path).person(&person).send().await.body["expires_at"], ends);
        let third = roll(0).send().await.expect(201).body;
        me(app, &made["secret"]).await.refused(401, "INVALID_API_KEY");
        roll(0).send().await.refused(409, "KEY_NOT_ACTIVE");

        let path = format!("/v1/keys/{}", third["id"].as_str().unwrap());
        for _ in 0..2 {
            app.delete(&path).person(&person).send().await.expect(204);
            me(app, &third["secret"]).await.refused(401, "INVALID_API_KEY");
        }
        change(app, &person, &third, json!({ "name": "c" })).await.refused(409, "KEY_NOT_ACTIVE");
        let revoked = app.get(&path).person(&person).send().await.expect(200).body;
        assert_eq!((&revoked["active"], &revoked["name"]), (&json!(false), &json!("b")));
        assert!(revoked["revoked_at"].is_string());

        let mut told = Vec::new();
        let mut next = "/v1/auth/audit-log?limit=2".to_owned();
        loop {
            let page = app.get(&next).person(&person).send().await.expect(200).body;
            told.extend(page["data"].as_array().unwrap().iter().map(|entry| entry["action"].clone()));
            let Some(cursor) = page["next_cursor"].as_str() else { break };
            next = format!("/v1/auth/audit-log?limit=2&cursor={cursor}");
        }
        told.reverse();
        let rolled = "key.rolled";
        assert_eq!(
            json!(told),
            json!(["key.created", "key.changed", "key.changed", rolled, rolled, rolled, "key.revoked"])
        );
    })
    .await;
}

#[tokio::test]
async fn keys_of_others_and_of_the_other_mode_are_not_found() {
    let app = TestApp::start().await;
    let (ann, bob) = (app.person().await, app.person().await);
    let body = json!({ "name": "a", "scopes": ["spaces:read"] });
    let test = create(&app, &ann, "test", body.clone()).await.expect(201).body;
    let live = create(&app, &ann, "live", body.clone()).await.expect(201).body;
    assert!(live["secret"].as_str().unwrap().starts_with("sc_live_"));
    create(&app, &ann, "both", body).await.refused(400, "VALIDATION_FAILED");
    let path = |key: &Value, rest: &str| format!("/v1/keys/{}{rest}", key["id"].as_str().unwrap());
    for (person, mode, key) in
        [(&bob, "test", &test), (&bob, "live", &live), (&ann, "test", &live), (&ann, "live", &test)]
    {
        for (method, rest) in
            [(Method::GET, ""), (Method::PATCH, ""), (Method::DELETE, ""), (Method::POST, "/roll")]
        {
            let mut call =
                app.call(method.clone(), &path(key, rest)).person(person).header("scan-mode", mode);
            if method == Method::PATCH {
                call = call.json(json!({ "name": "x" }));
            }
            call.send().await.refused(404, "NOT_FOUND");
        }
        let list = app.get("/v1/keys").person(person).header("scan-mode", mode).send().await.expect(200);
        assert!(!String::from_utf8_lossy(&list.bytes).contains(key["id"].as_str().unwrap()));
    }
    me(&app, &test["secret"]).await.expect(200);
    me(&app, &live["secret"]).await.expect(200);
    app.finish().await;
}

#[tokio::test]
async fn rejects_invalid_keys() {
    let app = TestApp::start().await;
    let person = app.person().await;
    let past = Timestamp::from_millis(0);
    let bad = json!({ "name": " ", "scopes": [], "monthly_cap_cents": -1, "expires_at": past });
    let answer = create(&app, &person, "test", bad).await.refused(400, "VALIDATION_FAILED");
    assert_eq!(answer.wrong_fields(), ["name", "scopes", "monthly_cap_cents", "expires_at"]);
    for scopes in [json!(["spaces:read", "spaces:read"]), json!(["admin"])] {
        let answer = create(&app, &person, "test", json!({ "name": "a", "scopes": scopes })).await;
        answer.refused(400, "VALIDATION_FAILED");
    }
    let made =
        create(&app, &person, "test", json!({ "name": "a", "scopes": ["ask:write"] })).await.expect(201).body;
    for bad in [
        json!({ "name": "" }),
        json!({ "scopes": [] }),
        json!({ "monthly_cap_cents": -1 }),
        json!({ "hint": "x" }),
    ] {
        change(&app, &person, &made, bad).await.refused(400, "VALIDATION_FAILED");
    }
    let roll = format!("/v1/keys/{}/roll", made["id"].as_str().unwrap());
    let call = app.post(&roll).person(&person).json(json!({ "overlap_hours": 169 }));
    call.send().await.refused(400, "VALIDATION_FAILED");
    app.finish().await;
}

#[tokio::test]
async fn key_expires_and_shows_its_spending() {
    let app = TestApp::start().await;
    let person = app.person().await;
    let soon = Timestamp::now().plus(std::time::Duration::from_secs(3_600));
    let body = json!({ "name": "a", "scopes": ["spaces:read"], "expires_at": soon });
    let made = create(&app, &person, "test", body).await.expect(201).body;
    me(&app, &made["secret"]).await.expect(200);
    let id: KeyId = serde_json::from_value(made["id"].clone()).unwrap();
    let tenant = Tenant::clone(&person.tenant);
    let ended: entities::Result<bool> =
        app.db().write(async |txn| api_keys::expire_at(&txn, &tenant, &id, Timestamp::now()).await).await;
    assert!(ended.unwrap());
    me(&app, &made["secret"]).await.refused(401, "INVALID_API_KEY");
    let got = app.get(&format!("/v1/keys/{id}")).person(&person).send().await.expect(200).body;
    assert_eq!((&got["active"], &got["spent_this_month_cents"]), (&json!(false), &json!(0)));
    assert!(got["last_used_at"].is_string() || got["last_used_at"].is_null());
    app.finish().await;
}
