//! Candidates with a value of the asked type.

use super::super::{
    extract::{self, Value, clock},
    passages::Line,
    query::{AnswerType, Part, Term},
    retrieval::{self, Found},
    vocabulary::root,
};
use super::{
    candidates::{Raw, topic_lines},
    nearness,
    statements::SHORT_BOARD,
    timetable::qualifies,
    value_fit::{asks_for_amount, self_fit, unit_fit},
};

/// Weight of a label right before a value, to choose among the values of a line.
const LABELLED: f64 = 0.1;
/// Values that fit the type no better than this are left out.
const LEAST_FIT: f64 = 0.1;
/// Fit of a sign as the place of its subject.
const HANGS_THERE: f64 = 0.6;

/// Returns candidates with values of the asked type.
pub(super) fn typed(found: &Found, part: &Part) -> Vec<Raw> {
    let passage = found.passage;
    let mut topic = topic_lines(found, part);
    if passage.read && part.is_about_opening() {
        topic.retain(|at| !qualifies(&passage.lines[*at].text));
        if topic.is_empty() {
            return Vec::new();
        }
    }
    let mut out: Vec<Raw> = Vec::new();
    for (number, line) in passage.lines.iter().enumerate() {
        let text = if passage.read { without_topic(line, part) } else { line.text.clone() };
        let mut values = extract::values(part.answer, &text, passage.read || number > 0);
        if values.is_empty() && asks_for_amount(part) {
            values = extract::quantities(&text);
        }
        let spans: Vec<(usize, usize)> = values.iter().map(|value| (value.at, value.end)).collect();
        let days = clock::days_of_line(&line.text);
        if !part.days.is_empty() && !days.is_empty() && part.days.is_disjoint(&days) {
            continue;
        }
        let day_fit = if part.days.is_empty() || !part.days.is_disjoint(&days) { 1.0 } else { 0.5 };
        // A year doesn't say when something happens on a day of the week.
        let yearly = |value: &Value| !part.days.is_empty() && value.shown.parse::<u32>().is_ok();
        let best = values.iter().filter(|value| !yearly(value)).filter_map(|value| {
            let fit =
                value.fit * day_fit * unit_fit(part, line, value) * self_fit(found, part, number, value);
            (fit > LEAST_FIT).then_some((value, fit))
        });
        let mut best: Vec<(&Value, f64)> = best.collect();
        best.sort_by(|a, b| {
            let rank = |(value, fit): &(&Value, f64)| {
                fit * nearness::by_position(found, part, &topic, number, value)
                    + LABELLED * labels(part, line, &values, value)
            };
            rank(b).total_cmp(&rank(a))
        });
        let Some((value, fit)) = best.first() else { continue };
        let own = topic.iter().any(|at| passage.lines[*at].row == line.row);
        // Cells of one row belong together.
        let beside = |other: &Line| {
            other.row == line.row
                && other.id != line.id
                && retrieval::has_other_subject(other, part, &[], true)
        };
        let other = !own
            && passage.read
            && (retrieval::has_other_subject(line, part, &spans, true) || passage.lines.iter().any(beside));
        let near = nearness::of(found, part, &topic, number, value, other);
        let header = topic.iter().all(|at| passage.lines[*at].row == 0);
        let mut lines = if passage.read { topic.clone() } else { (0..passage.lines.len()).collect() };
        lines.push(number);
        lines.sort_unstable();
        lines.dedup();
        out.push(Raw {
            lines,
            value: Some(value.shown.clone()),
            verdict: None,
            own,
            type_fit: *fit,
            nearness: near,
            other_subject: if !other {
                0.0
            } else if header {
                0.5
            } else {
                1.0
            },
        });
    }
    // "What are the prices?" asks for all rows below the heading.
    let headed = !topic.is_empty() && topic.iter().all(|at| passage.lines[*at].row == 0);
    if part.answer == AnswerType::Price
        && passage.read
        && headed
        && out.iter().filter(|raw| !raw.own).count() > 1
    {
        return vec![Raw::quotation((0..passage.lines.len()).collect(), 1.0)];
    }
    // A sign hangs at its subject: "where is the fuse box?"
    if part.answer == AnswerType::Place && out.is_empty() && passage.read && passage.zone.is_some() {
        let whole = passage.lines.len() <= SHORT_BOARD;
        let lines = if whole { (0..passage.lines.len()).collect() } else { topic };
        out.push(Raw::quotation(lines, HANGS_THERE));
    }
    out
}

/// Returns the text of a line; for names, with blanks for the words of the topic: "HARBOUR MASTER
/// LOW" names Low.
fn without_topic(line: &Line, part: &Part) -> String {
    let mut text = line.text.clone();
    if part.answer != AnswerType::Name {
        return text;
    }
    let asked = |word: &str| {
        let root = root(word);
        let forms = part.topic.iter().flat_map(|term| &term.forms).filter(|form| !form.opposite);
        forms.into_iter().any(|form| form.roots.contains(&root))
    };
    let words: Vec<(usize, usize)> = line
        .text
        .split(|c: char| !c.is_alphabetic())
        .filter(|word| !word.is_empty() && asked(&word.to_lowercase()))
        .map(|word| (word.as_ptr() as usize - line.text.as_ptr() as usize, word.len()))
        .collect();
    for (at, length) in words {
        text.replace_range(at..at + length, &" ".repeat(length));
    }
    text
}

/// Returns how much of the asked words stand between the value before and this value: "WLAN a-1
/// PASSWORD b-2".
fn labels(part: &Part, line: &Line, values: &[Value], value: &Value) -> f64 {
    let from = values.iter().map(|other| other.end).filter(|end| *end <= value.at).max().unwrap_or(0);
    let before = Line::new("", &line.text[from..value.at], 1.0, 0);
    let count = |terms: &[Term]| {
        terms.iter().filter(|term| retrieval::in_line(&before, term, part, false).is_some()).count() as f64
    };
    2.0 * count(&part.cues) + count(&part.topic)
}
