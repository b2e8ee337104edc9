//! Evidence of a document as passages: boards with their rows, single texts, and sentences of the
//! narration with their neighbours.

use std::collections::BTreeSet;

use domain::document::SpaceDocument;

use super::{boards, document_index::is_instruction, vocabulary::roots};
use crate::words::tokens;

/// A line of a passage: one text, or one sentence or its continuation.
#[derive(Debug, Clone)]
pub(super) struct Line {
    /// Id of the claim or the narration.
    pub(super) id: String,
    pub(super) text: String,
    pub(super) roots: Vec<String>,
    /// Its letters and digits in lower case, without spaces: text recognition drops spaces.
    pub(super) joined: String,
    pub(super) confidence: f64,
    /// Row of the board, from the top. Texts beside each other share a row.
    pub(super) row: usize,
}

impl Line {
    pub(super) fn new(id: &str, text: &str, confidence: f64, row: usize) -> Line {
        let joined = tokens(text).concat();
        Line { id: id.to_owned(), text: text.to_owned(), roots: roots(text), joined, confidence, row }
    }
}

/// A passage.
#[derive(Debug, Clone)]
pub(super) struct Passage {
    /// Lines from top to bottom. A spoken passage has one, or more if its sentence was cut.
    pub(super) lines: Vec<Line>,
    /// Whether it was read; otherwise it was said.
    pub(super) read: bool,
    pub(super) zone: Option<String>,
    /// Roots of the sentences before and after in the same zone, or of the label of the zone.
    pub(super) context: Vec<String>,
    /// Roots of the sentence before in the same zone, to which a pronoun may refer.
    pub(super) before: Vec<String>,
}

impl Passage {
    /// Number of words.
    pub(super) fn length(&self) -> usize {
        self.lines.iter().map(|line| line.roots.len()).sum()
    }
}

/// Returns the passages of a document. Leaves out texts that address a model with instructions.
pub(super) fn of(document: &SpaceDocument) -> Vec<Passage> {
    let label = |zone: Option<&String>| {
        let zone = document.zones.iter().find(|other| Some(&other.id) == zone);
        zone.map(|zone| roots(&zone.label)).unwrap_or_default()
    };
    let mut out: Vec<Passage> = Vec::new();
    for board in boards::of(document) {
        let lines: Vec<Line> = board
            .iter()
            .filter(|(text, _)| !is_instruction(&text.raw))
            .map(|(text, row)| Line::new(&text.claim.id, &text.raw, text.claim.confidence, *row))
            .collect();
        let zone = board.iter().find_map(|(text, _)| text.zone_id.clone());
        if !lines.is_empty() {
            out.push(Passage { lines, read: true, context: label(zone.as_ref()), before: Vec::new(), zone });
        }
    }
    let said: Vec<(usize, Line)> = document
        .narration
        .iter()
        .enumerate()
        .filter(|(_, segment)| !is_instruction(&segment.text))
        .flat_map(|(at, segment)| {
            sentences(&segment.text)
                .into_iter()
                .map(move |text| (at, Line::new(&segment.id, text, segment.confidence, 0)))
        })
        .collect();
    let cut = |number: usize| {
        let before = said.get(number).map_or("", |(_, line)| line.text.trim_end());
        before.strip_suffix('.').is_some_and(is_abbreviation)
    };
    for (number, (at, line)) in said.iter().enumerate() {
        if number > 0 && cut(number - 1) {
            // Speech recognition cut the sentence after an abbreviation.
            if let Some(last) = out.last_mut() {
                last.lines.push(line.clone());
            }
            continue;
        }
        let zone = document.narration[*at].zone_id.clone();
        let roots_of = |neighbour: Option<usize>| -> Vec<String> {
            let neighbour = neighbour.and_then(|number| said.get(number));
            let same = neighbour.filter(|(at, _)| document.narration[*at].zone_id == zone);
            same.map(|(_, line)| line.roots.clone()).unwrap_or_default()
        };
        let before = roots_of(number.checked_sub(1));
        let context = [before.clone(), roots_of(Some(number + 1))].concat();
        out.push(Passage { lines: vec![line.clone()], read: false, context, before, zone });
    }
    out
}

/// Returns all words of the passages, for the correction of slips.
pub(super) fn words(passages: &[Passage]) -> BTreeSet<String> {
    passages.iter().flat_map(|p| &p.lines).flat_map(|line| tokens(&line.text)).collect()
}

/// Splits speech into sentences. A point within a number does not split.
pub(super) fn sentences(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut from = 0;
    for (at, c) in text.char_indices() {
        let after = &text[at + c.len_utf8()..];
        if matches!(c, '.' | '!' | '?')
            && after.starts_with(char::is_whitespace)
            && !is_abbreviation(&text[from..at])
        {
            out.push(text[from..=at].trim());
            from = at + 1;
        }
    }
    out.push(text[from..].trim());
    out.retain(|sentence| sentence.chars().any(char::is_alphanumeric));
    out
}

/// Whether a text ends with an abbreviation whose point ends no sentence.
pub(super) fn is_abbreviation(before: &str) -> bool {
    let last = before.rsplit(char::is_whitespace).next().unwrap_or_default().to_lowercase();
    ["mr", "mrs", "ms", "dr", "st", "no", "prof", "approx", "ca"].contains(&last.as_str())
}
