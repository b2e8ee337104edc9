//! Compares a Space Document with the ground truth of a sample.
//!
//! Every metric is defined where it is computed: `texts`, `zones`, `words`, `frames`,
//! `objects`. A metric that has nothing to count (no narration, no revisit) is `null`, not 1.

mod frames;
mod objects;
mod texts;
mod words;
mod zones;

use std::{fs, path::Path};

use anyhow::{Context, Result};
use domain::document::SpaceDocument;
use serde::Serialize;

pub use objects::{Objects, classes_of, same_object};
use walkgen::truth::Truth;

/// Agreement of a document with the ground truth. Shares are 0 to 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Score {
    /// Share of the document's texts that are on some sign.
    pub text_precision: Option<f64>,
    /// Share of the lines that were readable at 24 pixels or more that the document has.
    pub text_recall: Option<f64>,
    /// The same at 16 pixels or more.
    pub text_recall_16: Option<f64>,
    /// F1 of zones against rooms, over pairs of moments.
    pub zone_f1: Option<f64>,
    /// F1 of changes of zone against passed doorways.
    pub boundary_f1: Option<f64>,
    /// Share of the returns to a room that are in the zone of the first visit.
    pub revisit_recall: Option<f64>,
    /// Share of the claimed room types that are right.
    pub room_type_precision: Option<f64>,
    /// Share of the rooms with a named type whose zone has the type.
    pub room_type_recall: Option<f64>,
    /// Word error rate of the narration.
    pub wer: Option<f64>,
    /// Share of the clearly visible objects and lines that a kept frame shows well.
    pub keyframe_coverage: Option<f64>,
    /// Share of the kept frames that show the same view as an earlier one.
    pub duplicate_frames: Option<f64>,
    /// Counts of claimed and expected objects.
    #[serde(rename = "things")]
    pub objects: Objects,
    /// Details behind the metrics.
    pub details: Details,
}

/// Details behind the metrics.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Details {
    /// Lines that were readable at 24 pixels and are not in the document.
    pub missed_texts: Vec<String>,
    /// Texts of the document that are on no sign.
    pub wrong_texts: Vec<String>,
    /// Texts of the document that repeat a line.
    pub repeated_texts: Vec<String>,
    /// Passed doorways without a change of zone, in milliseconds (or photo ordinals).
    pub missed_boundaries: Vec<u64>,
    /// Changes of zone without a passed doorway.
    pub wrong_boundaries: Vec<u64>,
    /// Wrong room types, as `claimed, not actual`.
    pub wrong_types: Vec<String>,
    /// Clearly visible objects and lines that no kept frame shows well.
    pub uncovered: Vec<String>,
    /// Claimed objects that are not visible in any frame that they name.
    #[serde(rename = "wrong_things")]
    pub wrong_objects: Vec<String>,
    /// Classes that a kept frame shows well and the document does not have.
    #[serde(rename = "missed_things")]
    pub missed_objects: Vec<String>,
    /// Number of kept frames.
    pub frames: usize,
    /// Number of zones.
    pub zones: usize,
    /// Number of visited rooms.
    pub rooms: usize,
}

/// Compares the document in one file with the ground truth in another.
///
/// # Errors
/// Returns an error if a file cannot be read or has another format.
pub fn compare_files(document: &Path, truth: &Path) -> Result<Score> {
    let read = |path: &Path| fs::read(path).with_context(|| format!("cannot read {}", path.display()));
    let document: SpaceDocument =
        serde_json::from_slice(&read(document)?).context("the document is not a Space Document")?;
    let truth: Truth =
        serde_json::from_slice(&read(truth)?).context("the file is not the ground truth of a sample")?;
    Ok(compare(&document, &truth))
}

/// Compares a document with the ground truth.
pub fn compare(document: &SpaceDocument, truth: &Truth) -> Score {
    let mut details = Details {
        frames: document.frames.len(),
        zones: document.zones.len(),
        rooms: truth.visits.iter().map(|v| v.room).collect::<std::collections::BTreeSet<_>>().len(),
        ..Details::default()
    };
    let texts = texts::compare(document, truth, &mut details);
    let zones = zones::compare(document, truth, &mut details);
    let (keyframe_coverage, duplicate_frames) = frames::compare(document, truth, &mut details);
    let objects = objects::compare(document, truth, &mut details);
    Score {
        text_precision: texts.precision,
        text_recall: texts.recall,
        text_recall_16: texts.recall_small,
        zone_f1: zones.pairs,
        boundary_f1: zones.boundaries,
        revisit_recall: zones.revisits,
        room_type_precision: zones.type_precision,
        room_type_recall: zones.type_recall,
        wer: words::error_rate(document, truth),
        keyframe_coverage,
        duplicate_frames,
        objects,
        details,
    }
}

/// Formats the score as text: the metrics, then the mistakes.
///
/// # Errors
/// Returns an error if the score cannot be serialized.
pub fn table(score: &Score) -> Result<String> {
    let mut text = String::new();
    let json = serde_json::to_value(score)?;
    for (name, value) in json.as_object().into_iter().flatten() {
        match value {
            serde_json::Value::Object(details) => {
                for (name, detail) in details {
                    if detail.as_array().is_none_or(|list| !list.is_empty()) {
                        text.push_str(&format!("  {name:<20} {detail}\n"));
                    }
                }
            }
            _ => match value.as_f64() {
                Some(share) => text.push_str(&format!("{name:<22} {share:.3}\n")),
                None => text.push_str(&format!("{name:<22} -\n")),
            },
        }
    }
    Ok(text)
}

/// Returns `part / whole`, or `None` if the whole is 0.
fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// Returns the edit distance of two texts as a share of the longer one, 0 to 1. Only letters and
/// digits count, and their case does not.
pub fn distance(a: &str, b: &str) -> f64 {
    texts::distance(&texts::normalized(a), &texts::normalized(b))
}

/// Returns the digits of a text, and the letters that are written together with them: codes, numbers
/// and times, in order.
pub fn numbers(text: &str) -> String {
    let words = text.split_whitespace().filter(|word| word.bytes().any(|b| b.is_ascii_digit()));
    words.flat_map(str::chars).filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns the word error rate of a transcript, or `None` if nothing was spoken.
pub fn word_error_rate(transcript: &str, spoken: &str) -> Option<f64> {
    let (transcript, spoken) = (words::words(transcript), words::words(spoken));
    share(edits(&transcript, &spoken), spoken.len())
}

/// Returns the canonical name of a room type.
pub fn room_kind(text: &str) -> String {
    zones::canonical_kind(text)
}

/// Returns the harmonic mean of precision and recall, or `None` if nothing was wanted and nothing
/// found.
fn f1(right: usize, found: usize, wanted: usize) -> Option<f64> {
    share(2 * right, found + wanted)
}

/// Returns the edit distance (Levenshtein) of two sequences.
fn edits<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let swap = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = swap.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests;
