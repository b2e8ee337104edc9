//! The arrows of ARCHITECTURE.md: which room may use which.

use std::collections::{BTreeMap, BTreeSet};

/// What each room may use. `testing` fixtures (dev-dependencies) are not arrows.
const MAY_USE: [(&str, &[&str]); 17] = [
    ("domain", &[]),
    ("migration", &[]),
    // The fixture that other crates' tests share migrates a fresh database.
    ("entities", &["domain", "migration"]),
    ("knowledge", &["domain", "entities"]),
    ("ledger", &["domain", "entities"]),
    ("media", &["domain"]),
    ("outbound", &["domain"]),
    ("perception", &["domain", "media"]),
    ("search", &["domain", "entities", "knowledge"]),
    ("webhooks", &["domain", "entities", "outbound"]),
    ("workflows", &["domain"]),
    (
        "activities",
        &[
            "domain",
            "entities",
            "ledger",
            "media",
            "outbound",
            "perception",
            "search",
            "webhooks",
            "workflows",
        ],
    ),
    (
        "api",
        &[
            "domain",
            "entities",
            "knowledge",
            "ledger",
            "media",
            "outbound",
            "search",
            "webhooks",
            "workflows",
        ],
    ),
    ("worker", &["activities", "workflows"]),
    (
        "cli",
        &[
            "activities",
            "api",
            "domain",
            "entities",
            "knowledge",
            "ledger",
            "media",
            "migration",
            "outbound",
            "perception",
            "webhooks",
            "worker",
            "workflows",
        ],
    ),
    ("walkgen", &[]),
    ("xtask", &["walkgen"]),
];

#[test]
fn every_room_uses_only_what_it_may() {
    let metadata = cargo_metadata::MetadataCommand::new().no_deps().exec().unwrap();
    let rooms: BTreeSet<String> = metadata.packages.iter().map(|p| p.name.to_string()).collect();
    let allowed: BTreeMap<_, _> = MAY_USE.into_iter().collect();
    for package in &metadata.packages {
        let Some(allowed) = allowed.get(package.name.as_str()) else {
            assert!(
                ["tests", "bench", "eval"].contains(&package.name.as_str()),
                "{} has no arrows",
                package.name
            );
            continue;
        };
        for dependency in &package.dependencies {
            let is_room = rooms.contains(&dependency.name);
            let is_normal = dependency.kind == cargo_metadata::DependencyKind::Normal;
            assert!(
                !is_room || !is_normal || allowed.contains(&dependency.name.as_str()),
                "{} must not use {}",
                package.name,
                dependency.name
            );
        }
    }
}
