//! Tests of accounts, users, keys and the audit log.

use std::time::Duration;

use domain::{KeyId, UserId, page::PageRequest, scope::Scope};
use entities::{
    accounts::{self, NewAccount},
    api_keys, audit_log,
    testing::{self, NOON, on_each_database},
    users,
};
use sea_orm::PaginatorTrait;
use tokio::task::JoinSet;

fn sign_up(email: &str) -> NewAccount {
    NewAccount { name: "A".into(), email: email.into(), password_hash: None, email_confirmed_at: None }
}

#[tokio::test(flavor = "multi_thread")]
async fn address_signs_up_once_ignoring_case_and_concurrency() {
    on_each_database(async |db| {
        let mut tries = JoinSet::new();
        for email in ["Jo@Example.com", " jo@example.com ", "JO@EXAMPLE.COM", "jo@example.com"] {
            let db = db.clone();
            tries.spawn(async move {
                db.write(async |txn| accounts::create(&txn, &sign_up(email), NOON).await).await.unwrap()
            });
        }
        let created = tries.join_all().await.into_iter().flatten().count();
        assert_eq!(created, 1);
        use entities::Reader;
        use sea_orm::EntityTrait;
        assert_eq!(
            accounts::Entity::find().count(db.conn()).await.unwrap(),
            1,
            "a refused sign-up left an account"
        );

        let user = users::find_by_email(&db, "JO@example.COM").await.unwrap().unwrap();
        assert_eq!(user.email, "jo@example.com");
        assert!(accounts::find(&db, &user.account_id).await.unwrap().is_some());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_users_by_id() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let user = users::of_account(&db, &tenant.account_id).await.unwrap().remove(0);
        db.write(async |txn| {
            assert!(users::set_pro(&txn, &user.id, true).await?);
            assert!(users::set_password(&txn, &user.id, "$argon2id$…").await?);
            assert!(users::confirm_email(&txn, &user.id, NOON).await?);
            assert!(!users::set_pro(&txn, &UserId::new(), true).await?);
            Ok::<_, entities::Error>(())
        })
        .await
        .unwrap();
        let user = users::find(&db, &user.id).await.unwrap().unwrap();
        assert!(user.is_pro && user.password_hash.is_some() && user.email_confirmed_at.is_some());
        assert!(!format!("{user:?}").contains("argon2"), "a password hash in a log");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn finds_active_key_by_its_hash() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let (key, secret) = testing::key(&db, &tenant, Some(500)).await;
        let find = async |now| {
            let found = api_keys::of_secret_hashes(&db, &[secret.hash()]).await.unwrap();
            found.into_values().next().filter(|key| key.is_active(now))
        };

        let found = find(NOON).await.unwrap();
        assert_eq!((&found, found.tenant()), (&key, tenant.clone()));
        assert!(found.allows(Scope::ScansWrite));
        let hashes = ["other".to_owned(), secret.hash(), "another".to_owned()];
        let found = api_keys::of_secret_hashes(&db, &hashes).await.unwrap();
        assert_eq!(found.into_keys().collect::<Vec<_>>(), [secret.hash()]);

        let end = NOON.plus(Duration::from_secs(60));
        db.write(async |txn| api_keys::expire_at(&txn, &tenant, &key.id, end).await).await.unwrap();
        assert!(find(NOON).await.is_some());
        assert!(find(end).await.is_none(), "an expired key was accepted");

        for late in [0, 100] {
            let at = NOON.plus(Duration::from_secs(late));
            assert!(db.write(async |txn| api_keys::revoke(&txn, &tenant, &key.id, at).await).await.unwrap());
        }
        assert!(find(NOON).await.is_none(), "a revoked key was accepted");
        let key = api_keys::find(&db, &tenant, &key.id).await.unwrap().unwrap();
        assert_eq!(key.revoked_at.unwrap().0, NOON, "the second revocation moved the first");
        let unknown = KeyId::new();
        assert!(!db.write(async |txn| api_keys::revoke(&txn, &tenant, &unknown, NOON).await).await.unwrap());
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn records_key_use_once_a_minute() {
    on_each_database(async |db| {
        let tenant = testing::account(&db).await;
        let (key, _) = testing::key(&db, &tenant, None).await;
        // All calls pass the row from before the first use.
        for (second, expected) in [(0, 0), (1, 0), (59, 0), (60, 60), (61, 60)] {
            let now = NOON.plus(Duration::from_secs(second));
            api_keys::touch_last_used(&db, &key, now).await.unwrap();
            let written = api_keys::find(&db, &tenant, &key.id).await.unwrap().unwrap().last_used_at.unwrap();
            assert_eq!(written.0, NOON.plus(Duration::from_secs(expected)), "after {second} s");
        }
        let caps = async |cap| {
            db.write(async |txn| api_keys::set_monthly_cap(&txn, &tenant, &key.id, cap).await).await.unwrap();
            api_keys::find(&db, &tenant, &key.id).await.unwrap().unwrap().monthly_cap_cents
        };
        assert_eq!((caps(Some(700)).await, caps(None).await), (Some(700), None));
        let keys = api_keys::list(&db, &tenant, &PageRequest::default()).await.unwrap();
        assert_eq!(keys.rows.len(), 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn audit_log_lists_newest_first() {
    on_each_database(async |db| {
        let (mine, other) = (testing::account(&db).await, testing::account(&db).await);
        for (account, subject) in [(&mine, "a"), (&other, "x"), (&mine, "b"), (&mine, "c")] {
            let detail = serde_json::json!({ "subject": subject });
            let account_id = &account.account_id;
            db.write(async |txn| {
                let action = "key.revoked";
                let detail = detail.clone();
                let entry = audit_log::NewEntry { account_id, actor: "operator", action, subject, detail };
                audit_log::append(&txn, entry, NOON).await
            })
            .await
            .unwrap();
        }
        let first = audit_log::list(&db, &mine.account_id, None, 2).await.unwrap();
        let then = audit_log::list(&db, &mine.account_id, Some(first[1].id), 2).await.unwrap();
        let subjects: Vec<_> = first.iter().chain(&then).map(|entry| entry.subject.as_str()).collect();
        assert_eq!(subjects, ["c", "b", "a"]);
        assert_eq!(first[0].detail["subject"], "c");
    })
    .await;
}
