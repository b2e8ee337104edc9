//! Checks the findings of `scan doctor`, and their table in docs/operating.md.

use std::collections::BTreeSet;

use cli::{
    config::Config,
    doctor::{Problem, examine},
};
use entities::{Db, Reader, Settings};

#[test]
fn every_finding_has_a_line_in_the_documentation() {
    let page = include_str!("../../docs/operating.md");
    let (_, section) = page.split_once("\n## Doctor\n").expect("a section about the doctor");
    let section = section.split_once("\n## ").map_or(section, |(section, _)| section);
    let documented: BTreeSet<_> = section
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once("` |"))
        .map(|(name, _)| name)
        .collect();
    let names: BTreeSet<_> = Problem::ALL.into_iter().map(Problem::as_str).collect();
    assert_eq!(names.len(), Problem::ALL.len(), "names are unique");
    assert_eq!(documented, names);
}

#[tokio::test]
async fn other_checks_are_made_without_engine_and_storage() {
    let folder = tempfile::tempdir().unwrap();
    let database = Settings::at(format!("sqlite://{}", folder.path().join("scan.db").display()));
    let mut config = Config { database, ..Config::default() };
    config.engine.address = "http://127.0.0.1:1".into();
    config.storage.endpoint = "http://127.0.0.1:1".into();
    config.storage.access_key_id = "test".into();
    config.storage.secret_access_key = domain::Secret::new("test");
    let db = Db::connect(&config.database).await.unwrap();
    migration::migrate(db.conn()).await.unwrap();
    let findings = examine(&config, false).await.unwrap();
    let found: BTreeSet<_> = findings.iter().map(|finding| finding.problem.as_str()).collect();
    assert_eq!(found, ["engine_unavailable", "storage_unavailable"].into(), "{findings:?}");
}
