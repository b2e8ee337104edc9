//! Closing of accounts in the API. Workers erase the data.

use domain::Mode;
use entities::{
    Reader, accounts, erasure,
    outbox::{self, Kind},
    users,
};
use reqwest::Method;
use sea_orm::{ColumnTrait, EntityTrait, QueryFilter};
use serde_json::{Value, json};

use crate::{
    app::{Answer, Person, TestApp},
    auth::{PASSWORD, cookie, log_in, session_of, sign_up},
};

async fn person(app: &TestApp, email: &str) -> Person {
    sign_up(app, email).await.expect(202);
    let secret = cookie(&log_in(app, email, PASSWORD).await);
    let user = users::find_by_email(app.db(), email).await.unwrap().unwrap();
    let tenant = domain::mode::Tenant { account_id: user.account_id.0, mode: Mode::Test };
    Person { tenant, email: email.into(), secret }
}

async fn end(app: &TestApp, person: &Person, password: &str) -> Answer {
    app.delete("/v1/auth/account").person(person).json(json!({ "password": password })).send().await
}

#[tokio::test]
async fn account_closes_immediately_and_permanently() {
    TestApp::on_each_database(async |app| {
        let (ann, bob) = (person(app, "ann@example.com").await, person(app, "bob@example.com").await);
        let other = cookie(&log_in(app, &ann.email, PASSWORD).await);
        let client = app.key_of(&ann.tenant).await;
        end(app, &ann, "wrong password").await.refused(401, "INVALID_CREDENTIALS");
        app.get("/v1/me").key(&client).send().await.expect(200);

        // One of many concurrent requests succeeds.
        let answers = futures::future::join_all((0..4).map(|_| end(app, &ann, PASSWORD))).await;
        let through: Vec<_> = answers.iter().filter(|answer| answer.status == 202).collect();
        assert_eq!(through.len(), 1);
        assert!(through[0].header("set-cookie").starts_with("scan_session=; Path=/; Max-Age=0"));
        for secret in [&ann.secret, &other] {
            session_of(app, secret).await.refused(401, "UNAUTHENTICATED");
        }
        app.get("/v1/me").key(&client).send().await.refused(401, "INVALID_API_KEY");
        log_in(app, &ann.email, PASSWORD).await.refused(401, "INVALID_CREDENTIALS");
        let account = ann.tenant.account_id.as_str();
        assert!(outbox::is_pending(app.db(), Kind::Erasure, account).await.unwrap());

        // The address can sign up again as a new account; other accounts are not affected.
        let again = person(app, "ann@example.com").await;
        assert_ne!(again.tenant, ann.tenant);
        session_of(app, &bob.secret).await.expect(200);
    })
    .await;
}

/// Returns all rows of all tables as text.
pub(crate) async fn everything(app: &TestApp) -> String {
    use sea_orm::{ConnectionTrait, DbBackend, FromQueryResult, JsonValue, Statement};
    let (db, backend) = (app.db(), app.db().backend());
    let tables = match backend {
        DbBackend::Sqlite => "SELECT name FROM sqlite_master WHERE type = 'table'",
        _ => "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public'",
    };
    let mut text = String::new();
    for table in db.conn().query_all_raw(Statement::from_string(backend, tables)).await.unwrap() {
        let table: String = table.try_get("", "name").unwrap();
        let rows = Statement::from_string(backend, format!("SELECT * FROM {table}"));
        for row in JsonValue::find_by_statement(rows).all(db.conn()).await.unwrap() {
            text += &format!("{table} {row}\n");
        }
    }
    text
}

/// Deletes the outbox entries that the relay can't or needn't process.
async fn forget_mail(app: &TestApp) {
    let rows = outbox::Entity::find().filter(outbox::Column::Kind.eq(Kind::AccountMail.as_str()));
    for promise in rows.all(app.db().conn()).await.unwrap() {
        outbox::forget(app.db(), &promise).await.unwrap();
    }
}

/// The personal data of the account, in every field that can contain any.
async fn lived_in(app: &TestApp, name: &str) -> Person {
    let word = |what: &str| format!("{name}-{what}");
    let person = person(app, &format!("{name}@example.com")).await;
    let call = |method: Method, path: &str, body: Value| {
        app.call(method, &format!("/v1{path}")).person(&person).json(body).send()
    };
    let key = json!({ "name": word("key"), "scopes": ["spaces:write", "spaces:read", "scans:write"] });
    call(Method::POST, "/keys", key).await.expect(201);
    let client = app.key_of(&person.tenant).await;
    let space = json!({ "name": word("space"), "space_type": word("type"), "description": word("words"),
        "external_id": word("reference") });
    let space = app.post("/v1/spaces").key(&client).json(space).send().await.expect(201).body;
    let scans = format!("/v1/spaces/{}/scans", space["id"].as_str().unwrap());
    let mut input = crate::scans::photos(1);
    input["input"]["transcript"] = json!({ "text": word("spoken"), "segments": [] });
    let create = app.post(&scans).key(&client).header("idempotency-key", &word("idempotency"));
    create.json(input).send().await.expect(201);
    crate::media::complete(app, &client, space["id"].as_str().unwrap()).await;
    person
}

#[tokio::test]
async fn erasure_leaves_no_personal_data_in_any_table() {
    TestApp::on_each_database(async |app| {
        let (ann, bob) = (lived_in(app, "annabel").await, lived_in(app, "barnaby").await);
        let account = &ann.tenant.account_id;
        assert!(everything(app).await.matches("annabel").count() >= 8, "what she said is stored");
        forget_mail(app).await;
        let bobs = |text: &str| text.matches("barnaby").count();
        let before = bobs(&everything(app).await);

        let now = domain::Timestamp::now();
        let erase = async || {
            let erased: entities::Result<bool> =
                app.db().write(async |txn| erasure::erase(&txn, account, now).await).await;
            erased.unwrap()
        };
        assert!(!erase().await, "an account that is open is not erased");
        end(app, &ann, PASSWORD).await.expect(202);
        let settled: entities::Result<u64> =
            app.db().write(async |txn| erasure::settle(&txn, account, now).await).await;
        assert_eq!(settled.unwrap(), 0);
        assert!(erase().await);
        assert!(!erase().await, "the second time nothing is left to do");
        // Pending mail is discarded without being sent.
        forget_mail(app).await;
        let left = everything(app).await;
        let seen: Vec<_> = left.lines().filter(|row| row.contains("annabel")).collect();
        assert_eq!(seen, Vec::<&str>::new());
        assert_eq!(bobs(&left), before, "nothing of someone else is gone");

        // The ledger still contains the charges; `finish` verifies it.
        assert!(left.lines().any(|row| row.starts_with("ledger_") && row.contains(account.as_str())));
        assert!(accounts::find(app.db(), account).await.unwrap().unwrap().erased_at.is_some());
        assert!(!outbox::is_pending(app.db(), Kind::Erasure, account.as_str()).await.unwrap());
        session_of(app, &bob.secret).await.expect(200);
    })
    .await;
}
