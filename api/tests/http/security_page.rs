//! The threat model in `SECURITY.md` names tests that exist.

use std::{collections::BTreeSet, fs, path::Path};

/// Returns the source of all tests below a folder.
fn sources(folder: &Path, text: &mut String) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && name != "target" && !name.starts_with('.') {
            sources(&path, text);
        } else if name.ends_with(".rs") {
            text.push_str(&fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn every_test_of_the_threat_model_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = fs::read_to_string(root.join("SECURITY.md")).expect("SECURITY.md");
    let rows: Vec<&str> = page.lines().filter(|line| line.starts_with("| ")).skip(1).collect();
    assert!(rows.len() > 10, "the threat model was read");
    let mut text = String::new();
    for folder in ["activities", "api", "entities", "ledger", "outbound", "media", "tests"] {
        sources(&root.join(folder), &mut text);
    }
    let mut named = BTreeSet::new();
    for row in rows {
        let tests = row.trim_end_matches('|').rsplit('|').next().unwrap_or_default();
        let quoted: Vec<&str> = tests.split('`').skip(1).step_by(2).collect();
        assert!(!quoted.is_empty(), "no test holds this boundary: {row}");
        named.extend(quoted);
    }
    for name in named {
        let exists = if name.ends_with(".rs") {
            root.join(name).is_file()
        } else {
            text.contains(&format!("fn {name}("))
        };
        assert!(exists, "SECURITY.md names {name}, which does not exist");
    }
}
