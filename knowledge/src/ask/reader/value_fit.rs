//! How well a value fits the asked type beside its grammar: its unit, and what it counts or names.

use super::super::{
    extract::{self, Value, clock, quantity},
    passages::Line,
    query::{AnswerType, Dimension, Part},
    retrieval::{self, Found},
    vocabulary::{VOCABULARY, roots},
};
use crate::words::tokens;

/// Returns 0 if the value is itself the matched topic ("the jazz night" is no name of a person).
pub(super) fn self_fit(found: &Found, part: &Part, number: usize, value: &Value) -> f64 {
    if !matches!(part.answer, AnswerType::Name | AnswerType::Place) {
        return 1.0;
    }
    let line = Line::new("", &value.shown, 1.0, 0);
    let matched = part.topic.iter().filter(|term| term.is_content());
    let within = matched.filter(|term| retrieval::in_line(&line, term, part, found.passage.read).is_some());
    let whole = found.passage.lines[number].roots.len() == line.roots.len();
    let ordinary = tokens(&value.shown).iter().all(|word| VOCABULARY.knows_root(word));
    let names = part.answer == AnswerType::Name && within.count() > 0 && (whole || ordinary);
    if names { 0.0 } else { 1.0 }
}

/// Fit of a size that is said to be of another dimension.
const OTHER_DIMENSION: f64 = 0.05;
/// Fit of a size whose dimension isn't said.
const NO_DIMENSION: f64 = 0.4;

/// Words that name a dimension.
fn words_of(dimension: Dimension) -> &'static str {
    match dimension {
        Dimension::Width => "wide width broad",
        Dimension::Height => "high height tall headroom clearance",
        Dimension::Depth => "deep depth",
        _ => "",
    }
}

/// Fit of a bound of the other side: "from 9" for "until when".
const OTHER_BOUND: f64 = 0.3;

/// Returns how well a time fits a question about a beginning or an end.
fn bound_fit(part: &Part, line: &Line, value: &Value) -> f64 {
    let asks = |words: &str| {
        let asked = roots(&part.text);
        roots(words).iter().any(|root| asked.contains(root))
    };
    let ends = asks("end finish close shut until till stop latest");
    let begins = asks("begin start open from earliest");
    let text = tokens(&line.text[..value.end]);
    let label = text.iter().rev().take(BOUND).find_map(|word| match word.as_str() {
        "from" | "since" => Some(true),
        "until" | "till" | "by" => Some(false),
        _ => None,
    });
    let range = clock::range(&value.shown).is_some();
    match label {
        Some(begin) if ends != begins && begin != begins && !range => OTHER_BOUND,
        _ => 1.0,
    }
}

/// Whether a part asks how much there is of something, rather than what it costs: "how much" stands right before a
/// term of its topic.
pub(super) fn asks_for_amount(part: &Part) -> bool {
    let words = tokens(&part.text);
    let after = words.windows(3).find(|three| three[0] == "how" && three[1] == "much").map(|three| &three[2]);
    let is_term = |word: &String| {
        let mut terms = part.topic.iter().filter(|term| term.is_content());
        terms.any(|term| term.words.split(' ').next() == Some(word))
    };
    part.answer == AnswerType::Price && after.is_some_and(is_term)
}

/// Whether "how long" may ask for the length of a thing, which opening hours don't tell: "how long is the bridge?"
fn asks_for_extent(part: &Part) -> bool {
    let words = tokens(&part.text);
    let verb = words.iter().position(|word| word == "long").and_then(|at| words.get(at + 1));
    verb.is_none_or(|word| matches!(word.as_str(), "is" | "are" | "s" | "was" | "were"))
}

/// Number of words up to a time among which its label stands.
const BOUND: usize = 4;

/// Returns how well the unit and the sentence of a value fit the asked quantity.
pub(super) fn unit_fit(part: &Part, line: &Line, value: &Value) -> f64 {
    let says = |words: &str| roots(words).iter().any(|root| line.roots.contains(root));
    let beside = || quantity::dimension_beside(&line.text, value.at, value.end);
    match part.answer {
        AnswerType::Size(asked @ (Dimension::Width | Dimension::Height | Dimension::Depth)) => {
            match beside() {
                Some(found) if found == asked => 1.0,
                Some(_) => OTHER_DIMENSION,
                None if says(words_of(asked)) => 1.0,
                None => NO_DIMENSION,
            }
        }
        AnswerType::Time => bound_fit(part, line, value),
        // "How long" asks for a time or a length.
        AnswerType::Duration if clock::range(&value.shown).is_some() && asks_for_extent(part) => 0.0,
        AnswerType::Duration => match beside() {
            Some(Dimension::Length) | None => 1.0,
            Some(_) => OTHER_DIMENSION,
        },
        AnswerType::Count => {
            let unpriced = !extract::values(AnswerType::Price, &line.text, true)
                .iter()
                .any(|price| price.fit > 0.5 && price.at <= value.at && value.end <= price.end);
            let whole = !value.shown.contains(['.', ',', ':']);
            f64::from(u8::from(unpriced && whole)) * count_fit(part, line, value)
        }
        _ => 1.0,
    }
}

/// A count stands right before what it counts, or after a label: "6 seats", "seats: 6".
fn count_fit(part: &Part, line: &Line, value: &Value) -> f64 {
    let before = crate::words::tokens(&line.text[..value.at]).len();
    let Some(subject) = part.topic.iter().find(|term| term.is_content()) else { return 0.0 };
    match retrieval::in_line(line, subject, part, false) {
        Some((_, word, _)) if word > before && word <= before + 3 => 1.0,
        Some((_, word, _)) if word < before && before - word <= 2 => 0.9,
        _ => 0.2,
    }
}
