//! Test harness that several crates share: a new, migrated database of each kind, and functions
//! that insert rows.
//!
//! SQLite is always tested, in a temporary file. PostgreSQL is tested if `SCAN_TEST_POSTGRES_URL`
//! names a server on which databases may be created. If it is unset, a note is printed; with `CI`
//! or `SCAN_REQUIRE_POSTGRES` set, the test fails instead. With `SCAN_TEST_DATABASE=postgres`, every
//! test runs on PostgreSQL only.

use std::panic::AssertUnwindSafe;

use domain::{
    AccountId, KeyId, Mode, SpaceId, Timestamp,
    key::KeySecret,
    layout,
    media::{FrameInput, InputKind, ScanInput, VideoInput},
    mode::Tenant,
    money::Cents,
    scan::START_WINDOW,
    scope::Scope,
    space::NewSpace,
};
use futures_util::FutureExt;
use sea_orm::ConnectionTrait;

use crate::{
    Db, Json, KeyRow, Reader, ScanRow, Settings, SpaceRow, Text, accounts, api_keys,
    scans::{self, CreateOutcome, NewScan},
    spaces, uploads, users,
};

/// Fixed time for tests: 2026-11-21, 12:00 UTC.
pub const NOON: Timestamp = Timestamp::from_millis(1_795_262_400_000);

/// A database that exists for one test.
#[derive(Debug)]
pub struct TestDatabase {
    db: Db,
    settings: Settings,
    cleanup: Cleanup,
}

#[derive(Debug)]
enum Cleanup {
    /// Deletes the folder when dropped.
    Sqlite { _folder: tempfile::TempDir },
    /// Dropped through the server's default database.
    Postgres { admin: Settings, name: String },
}

/// Returns whether all tests run on PostgreSQL only.
#[expect(clippy::disallowed_methods, reason = "`cargo xtask test` chooses the database")]
fn is_postgres_chosen() -> bool {
    std::env::var("SCAN_TEST_DATABASE").is_ok_and(|name| name == "postgres")
}

impl TestDatabase {
    /// Creates a new database for a test that needs only one: SQLite, unless the environment chooses
    /// PostgreSQL.
    ///
    /// # Panics
    /// Panics if PostgreSQL is chosen and no server is named.
    pub async fn one() -> Self {
        if is_postgres_chosen() {
            return Self::postgres().await.expect("SCAN_TEST_POSTGRES_URL names a server");
        }
        Self::sqlite().await
    }

    /// Creates a new SQLite file.
    pub async fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let settings = Settings::at(format!("sqlite://{}", folder.path().join("scan.db").display()));
        Self::open(settings, Cleanup::Sqlite { _folder: folder }).await
    }

    /// Creates a new PostgreSQL database, if the environment names a server.
    ///
    /// # Panics
    /// Panics if a server is required and none is named, or if the server refuses.
    #[expect(clippy::disallowed_methods, reason = "`cargo xtask test` names the server")]
    pub async fn postgres() -> Option<Self> {
        let Ok(url) = std::env::var("SCAN_TEST_POSTGRES_URL") else {
            let required =
                ["CI", "SCAN_REQUIRE_POSTGRES"].iter().any(|name| std::env::var_os(name).is_some());
            assert!(!required, "SCAN_TEST_POSTGRES_URL must name a PostgreSQL server");
            eprintln!("SCAN_TEST_POSTGRES_URL is unset: not tested on PostgreSQL");
            return None;
        };
        Some(Self::on_server(url).await)
    }

    /// Creates a new database on a PostgreSQL server, through the URL of a user who may create
    /// databases.
    ///
    /// # Panics
    /// Panics if the server refuses.
    pub async fn on_server(url: String) -> Self {
        let name = format!("scan_test_{}", ulid::Ulid::new().to_string().to_lowercase());
        let settings = Settings::at(with_database(&url, &name));
        let admin = Settings::at(url);
        run_as_admin(&admin, &format!("CREATE DATABASE {name}")).await;
        Self::open(settings, Cleanup::Postgres { admin, name }).await
    }

    async fn open(settings: Settings, cleanup: Cleanup) -> Self {
        let db = Db::connect(&settings).await.expect("the test database opens");
        migration::migrate(db.conn()).await.expect("the test database migrates");
        Self { db, settings, cleanup }
    }

    /// Returns the open database.
    pub fn db(&self) -> &Db {
        &self.db
    }

    /// Returns the settings with which another process would connect.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Closes and deletes the database.
    pub async fn drop_database(self) {
        let _ = self.db.close().await;
        if let Cleanup::Postgres { admin, name } = &self.cleanup {
            run_as_admin(admin, &format!("DROP DATABASE {name} WITH (FORCE)")).await;
        }
    }
}

async fn run_as_admin(admin: &Settings, statement: &str) {
    let admin = Db::connect(admin).await.expect("SCAN_TEST_POSTGRES_URL can be reached");
    admin.conn().execute_unprepared(statement).await.expect(statement);
    let _ = admin.close().await;
}

/// Returns the URL with its database name replaced.
fn with_database(url: &str, name: &str) -> String {
    let (address, query) = url.split_once('?').map_or((url, None), |(address, query)| (address, Some(query)));
    let authority_at = address.find("://").map_or(0, |at| at + 3);
    let server = match address[authority_at..].find('/') {
        Some(slash) => &address[..authority_at + slash],
        None => address,
    };
    match query {
        Some(query) => format!("{server}/{name}?{query}"),
        None => format!("{server}/{name}"),
    }
}

/// Creates a new database of each kind that can be tested on this machine. Call
/// [`TestDatabase::drop_database`] at the end.
pub async fn databases() -> Vec<TestDatabase> {
    let mut all = Vec::new();
    if !is_postgres_chosen() {
        all.push(TestDatabase::sqlite().await);
    }
    all.extend(TestDatabase::postgres().await);
    all
}

/// Runs a test on a new database of each kind and deletes the databases afterwards, also if the
/// test panics.
pub async fn on_each_database(test: impl AsyncFn(Db)) {
    for database in databases().await {
        let backend = database.db().backend();
        let outcome = AssertUnwindSafe(test(database.db().clone())).catch_unwind().await;
        database.drop_database().await;
        if let Err(panic) = outcome {
            eprintln!("failed on {backend:?}");
            std::panic::resume_unwind(panic);
        }
    }
}

/// Creates an account with one user and returns its tenant in test mode. The ledger creates
/// wallets.
pub async fn account(db: &Db) -> Tenant {
    let new = accounts::NewAccount {
        name: "Test".into(),
        email: format!("{}@example.com", AccountId::new()),
        password_hash: None,
        email_confirmed_at: Some(NOON),
    };
    let created = db.write(async |txn| accounts::create(&txn, &new, NOON).await).await.expect("an account");
    let (account, _) = created.expect("the address is new");
    Tenant { account_id: account.id.0, mode: Mode::Test }
}

/// Returns the same account in the other mode.
pub fn other_mode(tenant: &Tenant) -> Tenant {
    let mode = if tenant.mode.livemode() { Mode::Test } else { Mode::Live };
    Tenant { account_id: tenant.account_id.clone(), mode }
}

/// Creates a key with every scope and returns it with its secret.
pub async fn key(db: &Db, tenant: &Tenant, monthly_cap_cents: Option<Cents>) -> (KeyRow, KeySecret) {
    let secret = KeySecret::generate(tenant.mode);
    let user = users::of_account(db, &tenant.account_id).await.expect("users").remove(0);
    let key = KeyRow {
        id: KeyId::new().into(),
        account_id: Text::from(&tenant.account_id),
        user_id: user.id,
        livemode: tenant.mode.livemode(),
        name: "test".into(),
        hint: secret.hint().into(),
        secret_hash: secret.hash(),
        scopes: Json(Scope::ALL.to_vec()),
        monthly_cap_cents,
        last_used_at: None,
        expires_at: None,
        revoked_at: None,
        created_at: NOON.into(),
    };
    db.write(async |txn| api_keys::insert(&txn, &key).await).await.expect("a key");
    (key, secret)
}

/// Creates a space.
pub async fn space(db: &Db, tenant: &Tenant) -> SpaceRow {
    let new = NewSpace {
        name: "Flat".into(),
        space_type: "apartment".into(),
        external_id: None,
        description: None,
    };
    db.write(async |txn| spaces::insert(&txn, tenant, &new, NOON).await).await.expect("a space")
}

/// Returns the input of a video scan.
pub fn video_input() -> ScanInput {
    ScanInput {
        kind: InputKind::Video,
        language: "en".into(),
        video: Some(VideoInput { content_type: "video/mp4".into(), content_length: 1000 }),
        frames: None,
        transcript: None,
    }
}

/// Returns the input of a scan of `count` photos.
pub fn frames_input(count: usize) -> ScanInput {
    ScanInput {
        kind: InputKind::Frames,
        language: "en".into(),
        video: None,
        frames: Some(vec![FrameInput::default(); count]),
        transcript: None,
    }
}

/// Returns the values that create a scan of this input.
pub fn new_scan(tenant: &Tenant, space: &SpaceId, input: ScanInput) -> NewScan {
    NewScan {
        tenant: tenant.clone(),
        space_id: space.clone(),
        key_id: None,
        input,
        transcript: None,
        start_window: START_WINDOW,
        upload_quota: u64::MAX.into(),
        max_unstarted: u64::MAX,
        idempotency: None,
    }
}

/// Creates a scan that awaits its upload, at [`NOON`].
pub async fn scan(db: &Db, tenant: &Tenant, space: &SpaceId, input: ScanInput) -> ScanRow {
    let new = new_scan(tenant, space, input);
    match db.write(async |txn| scans::create(&txn, &new, NOON).await).await.expect("a scan") {
        CreateOutcome::Created(scan) => scan,
        other => panic!("not created: {other:?}"),
    }
}

/// Records an upload for every slot of a scan.
pub async fn upload_all(db: &Db, scan: &ScanRow) {
    for slot in scan.input.slots() {
        let upload = uploads::NewUpload {
            slot,
            object_key: layout::upload(&scan.id, slot),
            content_type: "application/octet-stream".into(),
            bytes: 1000,
            etag: "etag".into(),
            sha256: None,
        };
        let outcome =
            db.write(async |txn| uploads::put(&txn, &scan.tenant(), &scan.id, &upload, NOON).await).await;
        assert_eq!(outcome.expect("an upload"), uploads::PutOutcome::Stored { replaced: None });
    }
}

#[cfg(test)]
mod tests {
    use super::with_database;

    #[test]
    fn replaces_the_database_of_a_url() {
        for (url, expected) in [
            ("postgres://u:p@h:5432/postgres?sslmode=disable", "postgres://u:p@h:5432/x?sslmode=disable"),
            ("postgres://u@h", "postgres://u@h/x"),
            ("postgres://h/a", "postgres://h/x"),
        ] {
            assert_eq!(with_database(url, "x"), expected);
        }
    }
}
