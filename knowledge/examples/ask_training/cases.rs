//! Questions with the patterns of right answers, and their places.

use std::{collections::BTreeMap, fs, path::Path};

use domain::document::SpaceDocument;
use regex::RegexBuilder;

use super::fixture;

pub(super) struct Case {
    pub(super) place: String,
    pub(super) question: String,
    pub(super) expected: String,
    /// The voice of the question, if the folder names it.
    pub(super) voice: String,
}

impl Case {
    pub(super) fn may_abstain(&self) -> bool {
        self.expected.split("||").any(|one| one == "-" || one.split('|').any(|one| one == "-"))
    }

    pub(super) fn is_right(&self, answer: &str) -> bool {
        let one = |pattern: &str| {
            pattern != "-"
                && RegexBuilder::new(pattern).case_insensitive(true).build().is_ok_and(|p| p.is_match(answer))
        };
        self.expected.split("||").any(|pattern| pattern.split('|').any(&one) || one(pattern))
    }
}

/// Reads the questions of a folder and their places.
pub(super) fn load(
    folder: &Path,
    documents: &mut BTreeMap<String, SpaceDocument>,
    cases: &mut Vec<Case>,
) -> Result<(), Box<dyn std::error::Error>> {
    let mut files: Vec<_> =
        fs::read_dir(folder)?.map(|entry| entry.map(|e| e.path())).collect::<Result<_, _>>()?;
    files.sort();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "tsv")) {
        let beside = file.with_extension("json");
        let shared = folder.join("../training").join(beside.file_name().unwrap_or_default());
        let text = fs::read_to_string(if beside.exists() { beside } else { shared })?;
        let document = match serde_json::from_str(&text) {
            Ok(place) => fixture::document(&place),
            Err(_) => serde_json::from_str(&text)?,
        };
        let place = file.display().to_string();
        documents.insert(place.clone(), document);
        for line in fs::read_to_string(file)?.lines().filter(|line| !line.starts_with('#')) {
            let mut cells = line.split('\t');
            let (Some(question), Some(expected)) = (cells.next(), cells.next()) else {
                return Err("a line without a tab".into());
            };
            let voice = cells.next().unwrap_or_default().to_owned();
            cases.push(Case {
                place: place.clone(),
                question: question.into(),
                expected: expected.into(),
                voice,
            });
        }
    }
    Ok(())
}
