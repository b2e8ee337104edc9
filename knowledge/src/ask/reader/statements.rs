//! Candidates that quote a passage: free text and lists.

use super::super::{
    extract::clock,
    query::{AnswerType, Part},
    retrieval::{self, Found},
};
use super::candidates::Raw;

/// Boards up to this number of lines are quoted whole.
pub(super) const SHORT_BOARD: usize = 4;

pub(super) fn quoted(found: &Found, part: &Part, topic: &[usize]) -> Option<Raw> {
    let lines = &found.passage.lines;
    let header = topic.iter().all(|at| lines[*at].row == 0);
    let whole = lines.len() <= SHORT_BOARD || (part.answer == AnswerType::List && header);
    let shown: Vec<usize> = if whole {
        (0..lines.len()).collect()
    } else {
        let rows: Vec<usize> = topic.iter().map(|at| lines[*at].row).collect();
        (0..lines.len()).filter(|at| rows.contains(&lines[*at].row)).collect()
    };
    // A line that only repeats the topic says nothing about it, but those below may.
    let shown = if says_more(found, part, &shown) { shown } else { with_section(found, part, shown) };
    let type_fit = if says_more(found, part, &shown) { 0.9 } else { 0.7 };
    // What is said of some days, or of none, doesn't answer for others.
    let days = |at: &usize| clock::days_of_line(&lines[*at].text);
    let fits = part.days.is_empty() || shown.iter().any(|at| !part.days.is_disjoint(&days(at)));
    fits.then(|| Raw::quotation(shown, type_fit))
}

/// Whether lines say more than the topic: another subject, or a number.
fn says_more(found: &Found, part: &Part, lines: &[usize]) -> bool {
    let passage = found.passage;
    lines.iter().any(|at| {
        retrieval::has_other_subject(&passage.lines[*at], part, &[], passage.read)
            || passage.lines[*at].text.bytes().any(|b| b.is_ascii_digit())
    })
}

/// Adds what stands below a heading: the row with its value, or all rows if these have subjects of
/// their own.
fn with_section(found: &Found, part: &Part, heading: Vec<usize>) -> Vec<usize> {
    let lines = &found.passage.lines;
    let Some(last) = heading.iter().map(|at| lines[*at].row).max() else { return heading };
    let row = |row: usize| (0..lines.len()).filter(move |at| lines[*at].row == row);
    let is_list = row(last + 1).any(|at| retrieval::has_other_subject(&lines[at], part, &[], true));
    let end = if is_list { usize::MAX } else { last + 1 };
    let below = (0..lines.len()).filter(|at| lines[*at].row > last && lines[*at].row <= end);
    let mut out = heading.clone();
    out.extend(below);
    out
}
