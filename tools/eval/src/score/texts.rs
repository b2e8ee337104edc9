//! Compares texts with the lines on signs.
//!
//! Only letters and digits are compared, in lower case. A text matches a line if their edit
//! distance is at most a fifth of the longer one's length. A text may also match several successive
//! lines of one sign, read as one.
//!
//! - precision: share of the document's texts that match a line of any size;
//! - recall: share of the lines with capitals that were readable at 24 pixels or more in some frame
//!   that a text matches.

use domain::document::SpaceDocument;

use super::{Details, edits, share};
use walkgen::truth::{MIN_READABLE_PX, MIN_REQUIRED_PX, Text, Truth};

/// Maximum edit distance of a match, as a share of the longer text.
const MAX_DISTANCE: f64 = 0.2;

pub(super) struct Texts {
    pub(super) precision: Option<f64>,
    pub(super) recall: Option<f64>,
    pub(super) recall_small: Option<f64>,
}

pub(super) fn compare(document: &SpaceDocument, truth: &Truth, details: &mut Details) -> Texts {
    let mut matched = vec![false; truth.texts.len()];
    let mut right = 0;
    for text in &document.texts {
        let lines = matching_lines(&text.raw, &truth.texts);
        if lines.is_empty() {
            details.wrong_texts.push(text.raw.clone());
            continue;
        }
        right += 1;
        if lines.iter().all(|&line| matched[line]) {
            details.repeated_texts.push(text.raw.clone());
        }
        lines.into_iter().for_each(|line| matched[line] = true);
    }
    let recall = |min_height_px: f32| {
        let wanted = truth.texts.iter().zip(&matched).filter(|(text, _)| text.max_height_px >= min_height_px);
        let (found, all) =
            wanted.fold((0, 0), |(found, all), (_, &matched)| (found + usize::from(matched), all + 1));
        share(found, all)
    };
    let missed = truth
        .texts
        .iter()
        .zip(&matched)
        .filter(|(text, matched)| text.max_height_px >= MIN_REQUIRED_PX && !**matched);
    details.missed_texts = missed.map(|(text, _)| text.text.clone()).collect();
    Texts {
        precision: share(right, document.texts.len()),
        recall: recall(MIN_REQUIRED_PX),
        recall_small: recall(MIN_READABLE_PX),
    }
}

/// Returns the indices of the lines that a text matches.
fn matching_lines(text: &str, lines: &[Text]) -> Vec<usize> {
    let text = normalized(text);
    let mut best: Option<(f64, Vec<usize>)> = None;
    for first in 0..lines.len() {
        let mut joined = String::new();
        for (last, line) in lines.iter().enumerate().skip(first) {
            if line.object != lines[first].object {
                break;
            }
            joined.push_str(&normalized(&line.text));
            let distance = distance(&text, &joined);
            if distance <= MAX_DISTANCE && best.as_ref().is_none_or(|(other, _)| distance < *other) {
                best = Some((distance, (first..=last).collect()));
            }
        }
    }
    best.map(|(_, lines)| lines).unwrap_or_default()
}

pub(super) fn normalized(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

pub(super) fn distance(a: &str, b: &str) -> f64 {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let longer = a.len().max(b.len());
    if longer == 0 { 1.0 } else { edits(&a, &b) as f64 / longer as f64 }
}
