//! Commands of this release at the schema of another one, as processes.

use std::process::{Command, Output};

use entities::{Db, Reader, testing::databases};
use harness::{Service, ServiceOptions, binary};
use sea_orm::ConnectionTrait;

/// Runs `scan` with the database at this URL until it ends.
fn scan(args: &[&str], database: &str) -> Output {
    let [api, admin] = harness::ports::free();
    let settings = format!(
        "[database]\nurl = \"{database}\"\n\
         [server]\nlisten = \"127.0.0.1:{api}\"\nadmin_listen = \"127.0.0.1:{admin}\"\n\
         [secrets]\nsigning = \"{signing}\"\n\
         [storage]\naccess_key_id = \"test\"\nsecret_access_key = \"test\"\n\
         [[outbound.seal.keys]]\nid = \"k1\"\nkey = \"{key}\"\n",
        signing = "s".repeat(32),
        key = "0".repeat(64),
    );
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("scan.toml");
    std::fs::write(&file, settings).unwrap();
    Command::new(binary("scan").unwrap()).args(args).env("SCAN_CONFIG", file).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn assert_refused(args: &[&str], database: &str, reason: &str) {
    let output = scan(args, database);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && stderr.contains(reason), "{args:?}: {stderr}");
}

#[tokio::test(flavor = "multi_thread")]
async fn api_and_workers_refuse_a_schema_that_they_cannot_use() {
    for database in databases().await {
        let url = database.settings().url.reveal();
        let db = database.db();
        let forget = "DELETE FROM seaql_migrations WHERE version = 'm0026_schema_requirements';
                      DROP TABLE schema_requirements;";
        db.conn().execute_unprepared(forget).await.unwrap();
        for command in [["api"], ["worker"]] {
            assert_refused(&command, url, "run `scan migrate` (pending: m0026_schema_requirements)");
        }
        let first = scan(&["migrate"], url);
        assert_eq!(stdout(&first), "applied m0026_schema_requirements\n", "{first:?}");
        assert_eq!(stdout(&scan(&["migrate"], url)), "nothing to apply\n");

        let newer = "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m9001_next', 1)";
        db.conn().execute_unprepared(newer).await.unwrap();
        let known = stdout(&scan(&["migrate"], url));
        assert!(known.contains("newer than this program: m9001_next"), "{known}");
        let contract = "INSERT INTO schema_requirements (migration) VALUES ('m9001_next')";
        db.conn().execute_unprepared(contract).await.unwrap();
        for command in [["api"], ["worker"], ["migrate"]] {
            assert_refused(
                &command,
                url,
                "too new for this program; run a release that knows the migrations m9001_next",
            );
        }
        database.drop_database().await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_service_that_is_rolled_back_starts_on_a_newer_schema() {
    let mut service = Service::start(ServiceOptions::default(), None).await.unwrap();
    service.kill();
    let url = format!("sqlite://{}", service.folder().join("scan.db").display());
    let db = Db::connect(&entities::Settings::at(url)).await.unwrap();
    let newer = "INSERT INTO seaql_migrations (version, applied_at) VALUES ('m9001_next', 1);
                 ALTER TABLE spaces ADD COLUMN upgrade_note TEXT;";
    db.conn().execute_unprepared(newer).await.unwrap();
    db.close().await.unwrap();
    service.restart().await.unwrap();
    let caller = service.client(&service.account().unwrap());
    caller.create_space().await;
}
