//! Yes or no: what a passage affirms or denies about the topic.

use super::super::{
    passages::Line,
    polarity,
    query::Part,
    retrieval::{self, Found},
};
use super::{candidates::Raw, statements::SHORT_BOARD, timetable};

/// Minimum quality of a match that makes a line speak of a term.
const SPEAKS: f64 = 0.85;

pub(super) fn yes_no(found: &Found, part: &Part, topic: &[usize]) -> Option<Raw> {
    let passage = found.passage;
    let rows: Vec<usize> = topic.iter().map(|at| passage.lines[*at].row).collect();
    let mut lines: Vec<usize> =
        (0..passage.lines.len()).filter(|at| rows.contains(&passage.lines[*at].row)).collect();
    if part.clock.is_some() || !part.days.is_empty() {
        return timetable::open_then(found, part, &lines);
    }
    if passage.lines.len() <= SHORT_BOARD {
        lines = (0..passage.lines.len()).collect();
    }
    let text = lines.iter().map(|at| passage.lines[*at].text.as_str()).collect::<Vec<_>>().join(" ");
    let denied = if part.existence {
        let clause = clause(&text, part);
        let subject =
            part.topic.iter().flat_map(|term| term.forms.iter().flat_map(|form| form.roots.clone()));
        polarity::denies_existence(clause, &subject.collect::<Vec<_>>())
    } else if passage.read {
        lines.iter().any(|at| line_denies(&passage.lines[*at], part))
            || (part.permission && polarity::refrains(&text))
    } else {
        let clause = clause(&text, part);
        let line = Line::new("", clause, 1.0, 0);
        let opposite = part.topic.iter().any(|term| {
            retrieval::in_line(&line, term, part, false).is_some_and(|(_, _, opposite)| opposite)
        });
        polarity::is_negated(clause) || opposite
    };
    let negative = polarity::is_negative(&text);
    let divided = !passage.read && divides_topic(&passage.lines[0].text, part);
    let verdict = match denied {
        _ if part.topic.iter().any(|term| term.alternative)
            || part.is_judgement()
            || polarity::is_dictated(&text) =>
        {
            None
        }
        false => Some(true),
        true if negative => Some(false),
        // The opposite without a negation is quoted alone.
        true => None,
    };
    let rule = !part.permission || polarity::states_rule(&text);
    Some(Raw {
        lines,
        value: None,
        verdict,
        own: true,
        type_fit: if rule { 1.0 } else { 0.2 },
        nearness: 1.0,
        other_subject: f64::from(u8::from(divided)),
    })
}

/// Whether no clause speaks of the whole topic, and none is elliptical: "the oven stays, the table is
/// ours" doesn't say that the table stays.
fn divides_topic(text: &str, part: &Part) -> bool {
    let content = |clause: &str| {
        let line = Line::new("", clause, 1.0, 0);
        part.topic
            .iter()
            .filter(|t| t.is_content() && retrieval::in_line(&line, t, part, false).is_some())
            .count()
    };
    let clauses = polarity::clauses(text);
    let most = clauses.iter().map(|clause| content(clause)).max().unwrap_or(0);
    most < content(text) && !clauses.iter().any(|clause| polarity::is_elliptical(clause))
}

/// Whether a line of a sign denies the topic: it speaks of a term, or of its opposite, and of nothing
/// that was not asked for.
fn line_denies(line: &Line, part: &Part) -> bool {
    let hits: Vec<(f64, usize, bool)> =
        part.topic.iter().filter_map(|term| retrieval::in_line(line, term, part, true)).collect();
    let speaks = hits.iter().any(|(quality, _, opposite)| *quality > SPEAKS && !opposite);
    let opposite = hits.iter().any(|(.., opposite)| *opposite);
    let other = retrieval::has_other_subject(line, part, &[], true);
    (speaks && polarity::is_negated(&line.text)) || (opposite && (speaks || !other))
}

/// Returns the clause that says most about the topic. An elliptical clause that alone speaks of a term
/// wins: "the shelves are ours, the chairs are not".
fn clause<'t>(text: &'t str, part: &Part) -> &'t str {
    let clauses = polarity::clauses(text);
    let terms = |clause: &str| -> Vec<usize> {
        let line = Line::new("", clause, 1.0, 0);
        let terms = part.topic.iter().enumerate().filter(|(_, term)| term.is_content());
        terms
            .filter(|(_, term)| retrieval::in_line(&line, term, part, false).is_some())
            .map(|(at, _)| at)
            .collect()
    };
    let alone = |clause: &&&str| {
        let others: Vec<usize> =
            clauses.iter().filter(|other| *other != *clause).flat_map(|other| terms(other)).collect();
        polarity::is_elliptical(clause) && terms(clause).iter().any(|term| !others.contains(term))
    };
    let most = || clauses.iter().max_by_key(|clause| terms(clause).len());
    clauses.iter().find(alone).or_else(most).copied().unwrap_or(text)
}
