//! How well the place of a passage fits the place of a question.

use super::super::{
    document_index::DocumentIndex,
    measure::WHOLE,
    passages::Passage,
    query::{AnswerType, Dimension, Part, Term},
    question::Question,
};
use crate::words::tokens;

/// Fit of a passage that names only other rooms than the question: beyond any other evidence.
const OTHER_ROOM: f64 = -1.0;
/// Fit of a passage whose zone is unknown.
const UNKNOWN_PLACE: f64 = 0.6;

pub(super) fn is_place(index: &DocumentIndex, term: &Term) -> bool {
    !index.rooms_named(&term.words).is_empty()
}

/// Returns how well the place of a passage fits the question, 0 to 1.
pub(super) fn place_fit(index: &DocumentIndex, passage: &Passage, part: &Part, question: &Question) -> f64 {
    let text: String = passage.lines.iter().map(|line| format!("{} . ", line.text)).collect();
    let named = index.rooms_named(&text);
    if question.zones.is_empty() {
        // The area of a room is not the area of the whole place.
        let whole = part.answer == AnswerType::Size(Dimension::Area)
            && part.only_cues
            && question.things.is_empty()
            && !named.is_empty();
        let says_whole = || tokens(&text).iter().any(|word| WHOLE.contains(&word.as_str()));
        return if whole && !says_whole() { 0.0 } else { 1.0 };
    }
    if question.rooms.iter().any(|room| named.contains(room)) {
        return 1.0;
    }
    // What names another room is about that room.
    if !named.is_empty() && !question.rooms.is_empty() {
        return OTHER_ROOM;
    }
    match &passage.zone {
        Some(zone) if question.covers(Some(zone)) => 1.0,
        None => UNKNOWN_PLACE,
        Some(_) => 0.0,
    }
}
