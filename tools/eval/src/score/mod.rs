//! `cargo xtask score`: how well a Space Document agrees with what is true of a sample.
//!
//! Every figure is defined where it is computed: [`texts`], [`zones`], [`words`], [`frames`],
//! [`objects`]. A figure that
//! has nothing to count (no narration, no revisit) is `null`, not 1.

mod frames;
mod objects;
mod texts;
mod words;
mod zones;

use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use clap::Args;
use domain::document::SpaceDocument;
use serde::Serialize;

pub use objects::{Objects, classes_of, same_object};
use walkgen::truth::Truth;

/// Options of `cargo xtask score`.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The Space Document, as JSON.
    #[arg(long)]
    document: PathBuf,
    /// The truth of the sample it was made from.
    #[arg(long)]
    truth: PathBuf,
    /// One line of JSON instead of a table.
    #[arg(long)]
    json: bool,
}

/// How well a document agrees with the truth; shares are 0 to 1.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Score {
    /// Share of the document's texts that are on some sign.
    pub text_precision: Option<f64>,
    /// Share of the lines that could be read at 24 pixels or more that the document has.
    pub text_recall: Option<f64>,
    /// The same at 16 pixels or more.
    pub text_recall_16: Option<f64>,
    /// Agreement of zones with rooms, over pairs of moments.
    pub zone_f1: Option<f64>,
    /// Agreement of changes of zone with doorways passed.
    pub boundary_f1: Option<f64>,
    /// Share of returns to a room that the document puts into the zone of the first visit.
    pub revisit_recall: Option<f64>,
    /// Share of claimed room types that are right.
    pub room_type_precision: Option<f64>,
    /// Share of the rooms whose type a sign or words name that have it.
    pub room_type_recall: Option<f64>,
    /// Word error rate of the narration.
    pub wer: Option<f64>,
    /// Share of the objects and lines that could be seen well that a kept frame shows well.
    pub keyframe_coverage: Option<f64>,
    /// Share of kept frames that show what an earlier one shows.
    pub duplicate_frames: Option<f64>,
    /// Objects that were claimed and that could be.
    pub objects: Objects,
    /// What lies behind the figures, for people.
    pub details: Details,
}

/// What lies behind the figures.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Details {
    /// Lines readable at 24 pixels that the document does not have.
    pub missed_texts: Vec<String>,
    /// Texts of the document that are on no sign.
    pub wrong_texts: Vec<String>,
    /// Texts of the document that repeat a line it already has.
    pub repeated_texts: Vec<String>,
    /// Doorways passed that are no change of zone, in milliseconds (or photos).
    pub missed_boundaries: Vec<u64>,
    /// Changes of zone where no doorway was passed.
    pub wrong_boundaries: Vec<u64>,
    /// Room types claimed wrongly, `claimed, not true`.
    pub wrong_types: Vec<String>,
    /// Objects and lines that no kept frame shows well.
    pub uncovered: Vec<String>,
    /// Objects claimed that are in no frame they name.
    pub wrong_objects: Vec<String>,
    /// Objects that a kept frame shows well and the document does not have.
    pub missed_objects: Vec<String>,
    /// Kept frames.
    pub frames: usize,
    /// Zones.
    pub zones: usize,
    /// Rooms visited.
    pub rooms: usize,
}

/// The command.
///
/// # Errors
/// When a file cannot be read or is not what it should be.
pub fn run(arguments: &Arguments) -> Result<()> {
    let score = files(&arguments.document, &arguments.truth)?;
    let mut out = std::io::stdout().lock();
    if arguments.json {
        writeln!(out, "{}", serde_json::to_string(&score)?)?;
    } else {
        write!(out, "{}", table(&score)?)?;
    }
    Ok(())
}

/// Compares the document in one file with the truth in another.
///
/// # Errors
/// When a file cannot be read or is not what it should be.
pub fn files(document: &Path, truth: &Path) -> Result<Score> {
    let read = |path: &Path| fs::read(path).with_context(|| format!("cannot read {}", path.display()));
    let document: SpaceDocument = serde_json::from_slice(&read(document)?).context("not a Space Document")?;
    let truth: Truth = serde_json::from_slice(&read(truth)?).context("not the truth of a sample")?;
    Ok(score(&document, &truth))
}

/// Compares.
pub fn score(document: &SpaceDocument, truth: &Truth) -> Score {
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

/// The score for people to read: figures, then what was wrong.
///
/// # Errors
/// Never in practice: the score is plain data.
pub fn table(score: &Score) -> Result<String> {
    let mut text = String::new();
    let value = serde_json::to_value(score)?;
    for (name, figure) in value.as_object().into_iter().flatten() {
        match figure {
            serde_json::Value::Object(details) => {
                for (name, detail) in details {
                    if detail.as_array().is_none_or(|list| !list.is_empty()) {
                        text.push_str(&format!("  {name:<20} {detail}\n"));
                    }
                }
            }
            _ => match figure.as_f64() {
                Some(share) => text.push_str(&format!("{name:<22} {share:.3}\n")),
                None => text.push_str(&format!("{name:<22} -\n")),
            },
        }
    }
    Ok(text)
}

/// `part / whole`, or nothing when there is no whole.
fn share(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

/// How much of the longer of two texts differs, 0 to 1: edits of lower-case letters and digits, nothing else.
pub fn distance(a: &str, b: &str) -> f64 {
    texts::distance(&texts::normalized(a), &texts::normalized(b))
}

/// One word for one kind of room.
pub fn room_kind(text: &str) -> String {
    zones::kind(text)
}

/// The harmonic mean of precision and recall, from counts; nothing when there was nothing to find and
/// nothing was found.
fn f1(right: usize, found: usize, wanted: usize) -> Option<f64> {
    share(2 * right, found + wanted)
}

/// Edit distance (Levenshtein) of two sequences.
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
