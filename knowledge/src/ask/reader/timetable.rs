//! Whether something is open on a day or at a time, by the lines of a timetable.

use super::super::{
    extract::clock,
    polarity,
    query::Part,
    retrieval::Found,
    vocabulary::{VOCABULARY, roots},
};
use super::candidates::Raw;
use crate::words::tokens;

/// Whether something is open on a day or at a time, by the lines of a timetable.
pub(super) fn open_then(found: &Found, part: &Part, lines: &[usize]) -> Option<Raw> {
    let passage = found.passage;
    let closed_asked = part.topic.iter().any(|term| term.forms[0].roots == roots("closed"));
    let last = lines.iter().map(|at| passage.lines[*at].row).max()?;
    let below = (0..passage.lines.len()).filter(|at| passage.lines[*at].row > last);
    let timetable = lines.iter().copied().chain(below);
    let candidates = timetable.filter_map(|at| {
        let text = &passage.lines[at].text;
        let days = clock::days_of_line(text);
        let day = match (part.days.is_empty(), days.is_empty()) {
            (true, _) => 1.0,
            (false, true) => return None,
            (false, false) if part.days.is_subset(&days) => 1.0,
            (false, false) => return None,
        };
        let closed = polarity::is_negative(text);
        let verdict = match (part.clock, clock::range(text)) {
            _ if closed => false,
            (Some(asked), Some((from, to))) => from <= asked && asked < to,
            (Some(_), None) => return None,
            (None, _) => true,
        };
        let mut shown = lines.to_vec();
        shown.push(at);
        shown.sort_unstable();
        shown.dedup();
        Some(Raw {
            lines: shown,
            value: None,
            verdict: Some(verdict != closed_asked),
            own: true,
            type_fit: day,
            nearness: 1.0,
            other_subject: 0.0,
        })
    });
    candidates
        .max_by(|a, b| a.type_fit.total_cmp(&b.type_fit))
        .or_else(|| other_days(found, part, lines, closed_asked))
}

/// A sign that states on which days something is open denies the others: "OPEN WED-SUN".
fn other_days(found: &Found, part: &Part, lines: &[usize], closed_asked: bool) -> Option<Raw> {
    let passage = found.passage;
    let says = |words: &str| roots(words).iter().any(|root| line_roots(found).contains(&root));
    let asked = part.topic.iter().any(|term| {
        term.is_content() && roots("open closed staffed").contains(&term.forms[0].roots.concat())
    });
    let stated: Vec<usize> = (0..passage.lines.len())
        .filter(|at| !clock::days_of_line(&passage.lines[*at].text).is_empty())
        .collect();
    let covers = |at: &usize| !part.days.is_disjoint(&clock::days_of_line(&passage.lines[*at].text));
    let hours = says("open hours opening staffed");
    if !passage.read
        || !asked
        || !hours
        || stated.is_empty()
        || part.days.is_empty()
        || stated.iter().any(covers)
    {
        return None;
    }
    let mut shown = [lines, &stated].concat();
    shown.sort_unstable();
    shown.dedup();
    Some(Raw { verdict: Some(closed_asked), ..Raw::quotation(shown, 1.0) })
}

fn line_roots<'a>(found: &Found<'a>) -> Vec<&'a String> {
    found.passage.lines.iter().flat_map(|line| &line.roots).collect()
}

/// Whether "open" or "close" belongs to the noun after it, and states no hours: "OPEN DAY", "CLOSE THE
/// GATE".
pub(super) fn qualifies(text: &str) -> bool {
    let words = tokens(text);
    let noun = |word: &String| {
        let timed = word.bytes().any(|b| b.is_ascii_digit()) || !clock::days_of_line(word).is_empty();
        !timed && !VOCABULARY.follows_open(word)
    };
    words.windows(2).any(|two| matches!(two[0].as_str(), "open" | "close") && noun(&two[1]))
}
