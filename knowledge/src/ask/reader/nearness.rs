//! How near a value stands to the topic: rows of a board, clauses of a sentence.

use super::super::{
    extract::{self, Value},
    passages::Line,
    polarity,
    query::Part,
    retrieval::{self, Found},
};
use crate::words::tokens;

/// Nearness of a value by the number of rows below its topic.
const BELOW: [f64; 5] = [1.0, 0.95, 0.8, 0.65, 0.5];
/// Nearness of a value above its topic.
const ABOVE: f64 = 0.4;
/// Nearness of a value in a clause that doesn't speak of the topic.
const FOREIGN_CLAUSE: f64 = 0.3;
/// Nearness of a value in another clause of the sentence.
const OTHER_CLAUSE: f64 = 0.7;
/// Nearness of a value in a clause that refers back to the topic by a pronoun: "…, it costs two euros".
const REFERRING_CLAUSE: f64 = 0.95;
/// Factor for the nearness of a value whose row lacks the label that another row has.
const OTHER_LABEL: f64 = 0.5;
/// A pronoun among this many first words of a clause refers back.
const REFERENCE: usize = 3;

/// Returns how near a value stands to the topic, 0 to 1. `other` tells whether its row has a subject of
/// its own.
pub(super) fn of(
    found: &Found,
    part: &Part,
    topic: &[usize],
    number: usize,
    value: &Value,
    other: bool,
) -> f64 {
    let near = by_position(found, part, topic, number, value);
    let near = if blocked(found, part, topic, number) { near.min(ABOVE) } else { near };
    if found.passage.read { near * label_fit(found, part, number, other) } else { near }
}

pub(super) fn by_position(found: &Found, part: &Part, topic: &[usize], number: usize, value: &Value) -> f64 {
    let passage = found.passage;
    if !passage.read {
        return spoken_nearness(&passage.lines[number], part, value);
    }
    if part.is_self_evident() {
        return 1.0;
    }
    let row = passage.lines[number].row;
    let by_row = |topic_row: usize| {
        if row >= topic_row { BELOW.get(row - topic_row).copied().unwrap_or(0.4) } else { ABOVE }
    };
    topic.iter().map(|at| by_row(passage.lines[*at].row)).fold(0.0, f64::max)
}

/// A value in the clause of the topic is nearer than one in another clause.
fn spoken_nearness(line: &Line, part: &Part, value: &Value) -> f64 {
    let start = line.text.as_ptr() as usize;
    let clauses = polarity::clauses(&line.text);
    let own = clauses.iter().find(|clause| {
        let at = clause.as_ptr() as usize - start;
        at <= value.at && value.at < at + clause.len()
    });
    let Some(own) = own else { return OTHER_CLAUSE };
    let matches = |clause: &str| {
        let line = Line::new("", clause, 1.0, 0);
        part.topic
            .iter()
            .filter(|t| t.is_content() && retrieval::in_line(&line, t, part, false).is_some())
            .count()
    };
    let here = matches(own);
    let refers = tokens(own).iter().take(REFERENCE).any(|word| polarity::is_pronoun(word));
    let most = clauses.iter().map(|clause| matches(clause)).max().unwrap_or(0);
    match here {
        0 if most > 0 && refers => REFERRING_CLAUSE,
        0 if most > 0 => FOREIGN_CLAUSE,
        _ if here == most => 1.0,
        _ => OTHER_CLAUSE,
    }
}

/// Whether a row with a subject of its own and no value stands between the topic and the value: the
/// value belongs to that row.
fn blocked(found: &Found, part: &Part, topic: &[usize], number: usize) -> bool {
    let lines = &found.passage.lines;
    let Some(last) = topic.iter().map(|at| lines[*at].row).filter(|row| *row <= lines[number].row).max()
    else {
        return false;
    };
    lines.iter().any(|line| {
        line.row > last
            && line.row < lines[number].row
            && extract::values(part.answer, &line.text, true).is_empty()
            && retrieval::has_other_subject(line, part, &[], true)
    })
}

/// Returns how well the label of a row fits the asked type. If a row of the passage is labelled with
/// a word of the type ("PASSWORD"), its value fits, and values of other rows fit less.
fn label_fit(found: &Found, part: &Part, number: usize, other: bool) -> f64 {
    let lines = &found.passage.lines;
    let labelled =
        |line: &Line| part.cues.iter().any(|cue| retrieval::in_line(line, cue, part, true).is_some());
    let row = lines[number].row;
    let here =
        lines.iter().any(|line| labelled(line) && (line.row == row || (line.row + 1 == row && !other)));
    if here || !lines.iter().any(labelled) { 1.0 } else { OTHER_LABEL }
}
