//! `cargo xtask sbom`: writes the software bill of materials of the `scan` binary, in CycloneDX 1.6.
//!
//! It lists the crates that the binary is built from, with their licences and dependencies, as
//! `Cargo.lock` pins them. Run it for each release, and publish the file beside the binary.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use clap::Args;
use serde_json::{Value, json};

use crate::{setup::print_step, system};

/// The crate of the binary.
const ROOT: &str = "cli";

/// Options of `cargo xtask sbom`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// File to write.
    #[arg(long, default_value = "scan.cdx.json")]
    output: PathBuf,
}

/// Runs the command.
///
/// # Errors
/// Returns an error if `cargo metadata` fails, or the file cannot be written.
pub fn run(arguments: &Arguments) -> Result<()> {
    write(&metadata()?, &arguments.output)
}

/// Returns the output of `cargo metadata`, without crates of other systems.
pub(crate) fn metadata() -> Result<Value> {
    let mut command = system::command(env!("CARGO"));
    command.args(["metadata", "--format-version", "1", "--locked", "--filter-platform"]);
    command.arg(format!("{}-unknown-linux-gnu", std::env::consts::ARCH)).current_dir(system::workspace());
    Ok(serde_json::from_str(&system::output_of(&mut command)?)?)
}

/// Writes the bill of materials.
pub(crate) fn write(metadata: &Value, output: &Path) -> Result<()> {
    let bill = bill_of_materials(metadata).context("`cargo metadata` has no package graph")?;
    fs::write(output, serde_json::to_string_pretty(&bill)?)
        .with_context(|| format!("cannot write {}", output.display()))?;
    let count = bill["components"].as_array().map_or(0, Vec::len);
    print_step("sbom", &format!("{}: {count} components", output.display()));
    Ok(())
}

/// Returns the package URLs of the crates that the binary is built from.
pub(crate) fn package_urls(metadata: &Value) -> BTreeSet<String> {
    let bill = bill_of_materials(metadata).unwrap_or_default();
    let components = bill["components"].as_array().into_iter().flatten();
    components.filter_map(|component| Some(component["purl"].as_str()?.to_owned())).collect()
}

/// Builds the bill from the output of `cargo metadata`. Leaves out development dependencies. Returns
/// `None` if the output has no graph.
fn bill_of_materials(metadata: &Value) -> Option<Value> {
    let packages: BTreeMap<&str, &Value> =
        metadata["packages"].as_array()?.iter().filter_map(|p| Some((p["id"].as_str()?, p))).collect();
    let nodes = metadata["resolve"]["nodes"].as_array()?;
    let dependencies: BTreeMap<&str, BTreeSet<&str>> =
        nodes.iter().filter_map(|node| Some((node["id"].as_str()?, built_from(node)))).collect();
    let (&root, root_package) = packages.iter().find(|(_, package)| package["name"] == ROOT)?;

    let (mut reached, mut open) = (BTreeSet::from([root]), vec![root]);
    while let Some(id) = open.pop() {
        let next = dependencies.get(id).into_iter().flatten();
        open.extend(next.copied().filter(|dependency| reached.insert(dependency)));
    }
    let components = reached.iter().filter(|id| **id != root).filter_map(|id| packages.get(id));
    let graph = reached.iter().filter_map(|id| {
        let on = dependencies.get(id)?.iter().filter_map(|id| Some(purl(packages.get(id)?)));
        Some(json!({ "ref": purl(packages.get(id)?), "dependsOn": on.collect::<Vec<_>>() }))
    });
    Some(json!({
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": { "component": {
            "type": "application", "bom-ref": purl(root_package), "name": "scan",
            "version": root_package["version"],
        } },
        "components": components.map(|package| component(package)).collect::<Vec<_>>(),
        "dependencies": graph.collect::<Vec<_>>(),
    }))
}

/// Returns the dependencies that a package is built from or with.
fn built_from(node: &Value) -> BTreeSet<&str> {
    let is_built = |dependency: &&Value| {
        let kinds = dependency["dep_kinds"].as_array();
        kinds.is_some_and(|kinds| kinds.iter().any(|kind| kind["kind"] != "dev"))
    };
    let all = node["deps"].as_array().into_iter().flatten();
    all.filter(is_built).filter_map(|dependency| dependency["pkg"].as_str()).collect()
}

fn component(package: &Value) -> Value {
    let mut component = json!({
        "type": "library", "bom-ref": purl(package), "purl": purl(package), "name": package["name"],
        "version": package["version"],
    });
    if let Some(license) = package["license"].as_str() {
        // Old manifests separate alternatives by a slash, which is no SPDX expression.
        component["licenses"] = json!([{ "expression": license.replace('/', " OR ") }]);
    }
    component
}

/// Returns the package URL of a crate.
pub(crate) fn purl(package: &Value) -> String {
    let text = |field: &str| package[field].as_str().unwrap_or_default().replace('+', "%2B");
    format!("pkg:cargo/{}@{}", text("name"), text("version"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_what_the_binary_is_built_from() {
        let package = |name: &str, license: Value| json!({ "id": name, "name": name, "version": "1.0.0+a", "license": license });
        let depends = |on: &str, kind: Value| json!({ "pkg": on, "dep_kinds": [{ "kind": kind }] });
        let metadata = json!({
            "packages": [
                package("cli", json!("MIT")), package("used", json!("MIT/Apache-2.0")), package("tester", json!("MIT")),
                package("builder", Value::Null), package("stranger", json!("MIT")),
            ],
            "resolve": { "nodes": [
                { "id": "cli", "deps": [depends("used", Value::Null), depends("tester", json!("dev"))] },
                { "id": "used", "deps": [depends("builder", json!("build"))] },
                { "id": "builder", "deps": [] }, { "id": "tester", "deps": [] }, { "id": "stranger", "deps": [] },
            ] },
        });
        let bill = bill_of_materials(&metadata).unwrap();
        let names: Vec<&str> =
            bill["components"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
        assert_eq!(names, ["builder", "used"]);
        assert_eq!(bill["components"][1]["purl"], "pkg:cargo/used@1.0.0%2Ba");
        assert_eq!(bill["components"][1]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(bill["dependencies"][1]["dependsOn"], json!(["pkg:cargo/used@1.0.0%2Ba"]));
        assert_eq!(bill_of_materials(&json!({})), None);
    }
}
