//! Checks the dependencies between crates against `tests/layers.toml`, and the table in
//! ARCHITECTURE.md that is generated from it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    path::Path,
};

use cargo_metadata::DependencyKind;
use serde::Deserialize;

const BEGIN: &str = "<!-- begin generated: layers -->\n";
const END: &str = "<!-- end generated: layers -->\n";

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Layers {
    #[serde(rename = "crate")]
    crates: Vec<Layer>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Layer {
    name: String,
    folder: String,
    purpose: String,
    uses: Vec<String>,
}

fn layers() -> Vec<Layer> {
    toml::from_str::<Layers>(include_str!("../layers.toml")).unwrap().crates
}

/// Returns the crates of the workspace, each with its folder and its dependencies on other crates
/// of the workspace. Ignores development dependencies.
fn crates_of_workspace() -> BTreeMap<String, (String, BTreeSet<String>)> {
    let metadata = cargo_metadata::MetadataCommand::new().no_deps().exec().unwrap();
    let names: BTreeSet<&str> = metadata.packages.iter().map(|package| package.name.as_str()).collect();
    let crates = metadata.packages.iter().map(|package| {
        let folder = package.manifest_path.parent().unwrap().strip_prefix(&metadata.workspace_root).unwrap();
        let dependencies = package.dependencies.iter().filter(|d| d.kind != DependencyKind::Development);
        let uses = dependencies.map(|d| d.name.clone()).filter(|name| names.contains(name.as_str()));
        (package.name.to_string(), (folder.to_string(), uses.collect()))
    });
    crates.collect()
}

#[test]
fn dependencies_match_the_listed_layers() {
    let layers = layers();
    let mut found = crates_of_workspace();
    let mut lower_layers = BTreeSet::new();
    let mut defects = Vec::new();
    for Layer { name, folder, uses, .. } in &layers {
        let uses: BTreeSet<String> = uses.iter().cloned().collect();
        defects.extend(
            uses.difference(&lower_layers)
                .map(|other| format!("{name} lists {other}, which is not listed above it")),
        );
        lower_layers.insert(name.clone());
        let Some((actual_folder, actual)) = found.remove(name) else {
            defects.push(format!("{name} is listed and does not exist"));
            continue;
        };
        if actual_folder != *folder {
            defects.push(format!("{name} is in {actual_folder}, not in {folder}"));
        }
        let forbidden = actual.difference(&uses).map(|other| format!("{name} must not depend on {other}"));
        let unused = uses.difference(&actual).map(|other| format!("{name} does not depend on {other}"));
        defects.extend(forbidden.chain(unused));
    }
    defects.extend(found.into_keys().map(|name| format!("{name} is not listed")));
    assert!(defects.is_empty(), "tests/layers.toml:\n  {}", defects.join("\n  "));
}

#[test]
fn architecture_table_is_current() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../ARCHITECTURE.md");
    let text = std::fs::read_to_string(&file).unwrap();
    let (before, rest) = text.split_once(BEGIN).expect("ARCHITECTURE.md has no begin marker");
    let (shown, after) = rest.split_once(END).expect("ARCHITECTURE.md has no end marker");
    let table = table(&layers());
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&file, [before, BEGIN, &table, END, after].concat()).unwrap();
        return;
    }
    assert!(
        shown == table,
        "the table in ARCHITECTURE.md differs from tests/layers.toml: \
         run `UPDATE_DOCS=1 cargo test -p tests --test layering`\n{table}"
    );
}

fn table(layers: &[Layer]) -> String {
    let mut table = "| folder | purpose | depends on |\n|---|---|---|\n".to_owned();
    for Layer { folder, purpose, uses, .. } in layers {
        let uses = if uses.is_empty() { "–".to_owned() } else { uses.join(", ") };
        writeln!(table, "| `{folder}` | {purpose} | {uses} |").unwrap();
    }
    table
}
