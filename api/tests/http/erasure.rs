//! Closing accounts through the API, and the erasure of their rows.

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
    app::{ApiResponse, ConsoleUser, TestApp},
    auth::{PASSWORD, cookie, log_in, session_of, sign_up},
};

async fn create_user(app: &TestApp, email: &str) -> ConsoleUser {
    sign_up(app, email).await.expect(202);
    let secret = cookie(&log_in(app, email, PASSWORD).await);
    let user = users::find_by_email(app.db(), email).await.unwrap().unwrap();
    let tenant = domain::mode::Tenant { account_id: user.account_id.0, mode: Mode::Test };
    ConsoleUser { tenant, email: email.into(), secret }
}

async fn close_account(app: &TestApp, user: &ConsoleUser, password: &str) -> ApiResponse {
    app.delete("/v1/auth/account").session(user).json(json!({ "password": password })).send().await
}

#[tokio::test]
async fn account_closes_immediately_and_permanently() {
    TestApp::on_each_database(async |app| {
        let (ann, bob) =
            (create_user(app, "ann@example.com").await, create_user(app, "bob@example.com").await);
        let other = cookie(&log_in(app, &ann.email, PASSWORD).await);
        let client = app.create_key(&ann.tenant).await;
        close_account(app, &ann, "wrong password").await.expect_error(401, "INVALID_CREDENTIALS");
        app.get("/v1/me").key(&client).send().await.expect(200);

        // One of many concurrent requests succeeds.
        let responses = futures::future::join_all((0..4).map(|_| close_account(app, &ann, PASSWORD))).await;
        let accepted: Vec<_> = responses.iter().filter(|response| response.status == 202).collect();
        assert_eq!(accepted.len(), 1);
        assert!(accepted[0].header("set-cookie").starts_with("scan_session=; Path=/; Max-Age=0"));
        for secret in [&ann.secret, &other] {
            session_of(app, secret).await.expect_error(401, "UNAUTHENTICATED");
        }
        app.get("/v1/me").key(&client).send().await.expect_error(401, "INVALID_API_KEY");
        log_in(app, &ann.email, PASSWORD).await.expect_error(401, "INVALID_CREDENTIALS");
        let account = ann.tenant.account_id.as_str();
        assert!(outbox::is_pending(app.db(), Kind::Erasure, account).await.unwrap());

        // The address can sign up again and gets a new account. Other accounts aren't affected.
        let again = create_user(app, "ann@example.com").await;
        assert_ne!(again.tenant, ann.tenant);
        session_of(app, &bob.secret).await.expect(200);
    })
    .await;
}

/// Returns all rows of all tables as text.
pub(crate) async fn dump_database(app: &TestApp) -> String {
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

/// Deletes the pending account mail from the outbox.
async fn discard_pending_mail(app: &TestApp) {
    let rows = outbox::Entity::find().filter(outbox::Column::Kind.eq(Kind::AccountMail.as_str()));
    for entry in rows.all(app.db().conn()).await.unwrap() {
        outbox::delete(app.db(), &entry).await.unwrap();
    }
}

/// Creates an account with personal data in every field that can contain any.
async fn create_account_with_data(app: &TestApp, name: &str) -> ConsoleUser {
    let word = |field: &str| format!("{name}-{field}");
    let user = create_user(app, &format!("{name}@example.com")).await;
    let call = |method: Method, path: &str, body: Value| {
        app.call(method, &format!("/v1{path}")).session(&user).json(body).send()
    };
    let key = json!({ "name": word("key"), "scopes": ["spaces:write", "spaces:read", "scans:write"] });
    call(Method::POST, "/keys", key).await.expect(201);
    let client = app.create_key(&user.tenant).await;
    let space = json!({ "name": word("space"), "space_type": word("type"), "description": word("words"),
        "external_id": word("reference") });
    let space = app.post("/v1/spaces").key(&client).json(space).send().await.expect(201).body;
    let scans = format!("/v1/spaces/{}/scans", space["id"].as_str().unwrap());
    let mut input = crate::scans::photos(1);
    input["input"]["transcript"] = json!({ "text": word("spoken"), "segments": [] });
    let create = app.post(&scans).key(&client).header("idempotency-key", &word("idempotency"));
    create.json(input).send().await.expect(201);
    crate::media::create_complete_scan(app, &client, space["id"].as_str().unwrap()).await;
    user
}

#[tokio::test]
async fn erasure_leaves_no_personal_data_in_any_table() {
    TestApp::on_each_database(async |app| {
        let (ann, bob) =
            (create_account_with_data(app, "annabel").await, create_account_with_data(app, "barnaby").await);
        let account = &ann.tenant.account_id;
        assert!(dump_database(app).await.matches("annabel").count() >= 8, "her data is stored");
        discard_pending_mail(app).await;
        let count_bobs = |text: &str| text.matches("barnaby").count();
        let before = count_bobs(&dump_database(app).await);

        let now = domain::Timestamp::now();
        let erase = async || {
            let erased: entities::Result<bool> =
                app.db().write(async |txn| erasure::erase(&txn, account, now).await).await;
            erased.unwrap()
        };
        assert!(!erase().await, "an open account is not erased");
        close_account(app, &ann, PASSWORD).await.expect(202);
        let settled: entities::Result<u64> =
            app.db().write(async |txn| erasure::settle(&txn, account, now).await).await;
        assert_eq!(settled.unwrap(), 0);
        assert!(erase().await);
        assert!(!erase().await, "a repeated erasure changes nothing");
        // Pending mail is discarded without being sent.
        discard_pending_mail(app).await;
        let left = dump_database(app).await;
        let remaining: Vec<_> = left.lines().filter(|row| row.contains("annabel")).collect();
        assert_eq!(remaining, Vec::<&str>::new());
        assert_eq!(count_bobs(&left), before, "data of other accounts remains");

        // The ledger still contains the charges; `finish` verifies it.
        assert!(left.lines().any(|row| row.starts_with("ledger_") && row.contains(account.as_str())));
        assert!(accounts::find(app.db(), account).await.unwrap().unwrap().erased_at.is_some());
        assert!(!outbox::is_pending(app.db(), Kind::Erasure, account.as_str()).await.unwrap());
        session_of(app, &bob.secret).await.expect(200);
    })
    .await;
}
