//! Candidates of a part in its passages, with their features.

use super::super::{
    document_index::DocumentIndex,
    extract::{self, Value, clock},
    measure::WHOLE,
    passages::{Line, Passage},
    polarity,
    query::{AnswerType, Dimension, Part, Term},
    question::Question,
    retrieval::{self, Found},
    score::{self, Features},
};
use crate::{ask::vocabulary::roots, words::tokens};

/// Nearness of a value by the number of rows below its topic.
const BELOW: [f64; 5] = [1.0, 0.95, 0.8, 0.65, 0.5];
/// Nearness of a value above its topic.
const ABOVE: f64 = 0.4;
/// Candidates whose probabilities differ by less are rivals.
const RIVAL: f64 = 0.05;
/// Weight of a label right before a value, to choose among the values of a line.
const LABELLED: f64 = 0.1;
/// Weight of a term that names a known place: the fit of the place counts instead.
const PLACE_WEIGHT: f64 = 0.2;
/// Weight of a verb that signs leave out.
const OPTIONAL_WEIGHT: f64 = 0.4;
/// Nearness of a value in a clause that doesn't speak of the topic.
const FOREIGN_CLAUSE: f64 = 0.3;
/// Fit of a sign as the place of its subject.
const HANGS_THERE: f64 = 0.7;
/// Factor for the nearness of a value whose row lacks the label that another row has.
const OTHER_LABEL: f64 = 0.5;
/// Minimum quality of a match that makes a line speak of a term.
const SPEAKS: f64 = 0.85;
/// Nearness of a value in another clause of the sentence.
const OTHER_CLAUSE: f64 = 0.7;
/// Boards up to this number of lines are quoted whole.
const SHORT_BOARD: usize = 4;
/// Maximum number of lines of a list.
const MAX_LIST: usize = 12;
/// Fit of a passage whose zone is unknown, and of one in another place than asked.
const UNKNOWN_PLACE: f64 = 0.6;

/// A possible answer to a part.
#[derive(Debug, Clone)]
pub(in crate::ask) struct Candidate<'a> {
    pub(in crate::ask) passage: &'a Passage,
    /// Lines that support it.
    pub(in crate::ask) lines: Vec<usize>,
    /// The value, for typed answers.
    pub(in crate::ask) value: Option<String>,
    /// Yes or no.
    pub(in crate::ask) verdict: Option<bool>,
    /// Whether the value stands in a row of the topic.
    pub(in crate::ask) own: bool,
    pub(in crate::ask) features: Features,
    /// Probability that it is right.
    pub(in crate::ask) probability: f64,
}

impl Candidate<'_> {
    /// Returns the ids of the lines.
    pub(in crate::ask) fn ids(&self) -> Vec<String> {
        self.lines.iter().map(|line| self.passage.lines[*line].id.clone()).collect()
    }
}

/// A candidate before its score.
struct Raw {
    lines: Vec<usize>,
    value: Option<String>,
    verdict: Option<bool>,
    /// Whether the value stands in a row of the topic.
    own: bool,
    type_fit: f64,
    nearness: f64,
    other_subject: f64,
}

/// Returns the candidates of all passages.
pub(in crate::ask) fn of<'a>(
    index: &DocumentIndex,
    found: &[Found<'a>],
    part: &Part,
    question: &Question,
) -> Vec<Candidate<'a>> {
    let mut out: Vec<Candidate<'a>> = Vec::new();
    for found in found {
        let raw = if extract::is_typed(part.answer) { typed(found, part) } else { untyped(found, part) };
        out.extend(raw.into_iter().map(|raw| scored(index, found, part, question, raw)));
    }
    rivals(&mut out);
    out
}

/// Marks candidates that have a rival of another value in another passage.
fn rivals(all: &mut [Candidate]) {
    let rival = |one: &Candidate| {
        all.iter().any(|other| {
            !std::ptr::eq(one.passage, other.passage)
                && one.value.is_some()
                && one.value != other.value
                && (one.probability - other.probability).abs() < RIVAL
        })
    };
    let marks: Vec<bool> = all.iter().map(rival).collect();
    for (candidate, mark) in all.iter_mut().zip(marks) {
        candidate.features[9] = f64::from(u8::from(mark));
        candidate.probability = score::probability(&candidate.features);
    }
}

fn scored<'a>(
    index: &DocumentIndex,
    found: &Found<'a>,
    part: &Part,
    question: &Question,
    raw: Raw,
) -> Candidate<'a> {
    let quality = |at: usize| found.hits[at].map_or(0.0, |hit| hit.quality);
    let located = !question.zones.is_empty();
    let terse = found.passage.read && part.answer != AnswerType::YesNo;
    let weight = |term: &Term| {
        if located && is_place(index, term) {
            PLACE_WEIGHT
        } else if terse && term.optional {
            OPTIONAL_WEIGHT
        } else {
            term.weight
        }
    };
    let terms: Vec<(usize, f64)> = part.topic.iter().map(weight).enumerate().collect();
    let total: f64 = terms.iter().map(|(_, weight)| weight).sum();
    let mut coverage = terms.iter().map(|(at, weight)| weight * quality(*at)).sum::<f64>() / total.max(0.1);
    let content: Vec<f64> =
        terms.iter().filter(|(_, weight)| *weight > 0.5).map(|(at, _)| quality(*at)).collect();
    let mut weakest = content.iter().copied().fold(1.0, f64::min);
    if content.is_empty() {
        weakest = coverage;
    }
    if part.alternatives && content.len() > 1 {
        weakest = content.iter().copied().fold(0.0, f64::max);
        coverage = weakest;
    }
    if part.is_self_evident() {
        (coverage, weakest) = (1.0, 1.0);
    }
    let confidence = raw.lines.iter().map(|line| found.passage.lines[*line].confidence).fold(1.0, f64::min);
    let corrected = part.topic.iter().any(|term| term.corrected && term.is_content());
    let features: Features = [
        coverage,
        weakest,
        raw.type_fit,
        raw.nearness,
        place_fit(index, found.passage, part, question),
        confidence,
        raw.other_subject,
        1.0 / content.len().max(1) as f64,
        f64::from(u8::from(corrected)),
        0.0,
    ];
    Candidate {
        passage: found.passage,
        lines: raw.lines,
        value: raw.value,
        verdict: raw.verdict,
        own: raw.own,
        probability: score::probability(&features),
        features,
    }
}

fn is_place(index: &DocumentIndex, term: &Term) -> bool {
    !index.rooms_named(&term.words).is_empty()
}

/// Returns how well the place of a passage fits the question, 0 to 1.
fn place_fit(index: &DocumentIndex, passage: &Passage, part: &Part, question: &Question) -> f64 {
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
    match &passage.zone {
        Some(zone) if question.covers(Some(zone)) => 1.0,
        None => UNKNOWN_PLACE,
        Some(_) => 0.0,
    }
}

/// Lines that hold terms of the topic, content first.
fn topic_lines(found: &Found, part: &Part) -> Vec<usize> {
    let lines = |content: bool| {
        let hits = found.hits.iter().zip(&part.topic);
        let mut out: Vec<usize> = hits
            .filter(|(_, term)| !content || term.is_content() || part.only_cues)
            .filter_map(|(hit, _)| hit.and_then(|hit| hit.line))
            .collect();
        out.sort_unstable();
        out.dedup();
        out
    };
    let content = lines(true);
    if content.is_empty() { lines(false) } else { content }
}

/// Returns candidates with values of the asked type.
fn typed(found: &Found, part: &Part) -> Vec<Raw> {
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
        let values = extract::values(part.answer, &line.text, passage.read || number > 0);
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
            (fit > 0.0).then_some((value, fit))
        });
        let mut best: Vec<(&Value, f64)> = best.collect();
        best.sort_by(|a, b| {
            let rank = |(value, fit): &(&Value, f64)| {
                fit * nearness(found, part, &topic, number, value)
                    + LABELLED * labels(part, line, &values, value)
            };
            rank(b).total_cmp(&rank(a))
        });
        let Some((value, fit)) = best.first() else { continue };
        let own = topic.iter().any(|at| passage.lines[*at].row == line.row);
        let other = !own && passage.read && retrieval::has_other_subject(line, part, &spans, true);
        let near = nearness(found, part, &topic, number, value);
        let near = if blocked(found, part, &topic, number) { near.min(ABOVE) } else { near };
        let near = if passage.read { near * label_fit(found, part, number, other) } else { near };
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
    // A sign hangs at its subject: "where is the fuse box?"
    if part.answer == AnswerType::Place && out.is_empty() && passage.read && passage.zone.is_some() {
        out.push(Raw {
            lines: topic,
            value: None,
            verdict: None,
            own: true,
            type_fit: HANGS_THERE,
            nearness: 1.0,
            other_subject: 0.0,
        });
    }
    out
}

/// Whether "open" or "close" belongs to the noun after it, and states no hours: "OPEN DAY", "CLOSE THE
/// GATE".
fn qualifies(text: &str) -> bool {
    let words = tokens(text);
    let noun = |word: &String| {
        const HOURS: [&str; 12] = [
            "hours", "times", "daily", "until", "till", "every", "weekdays", "weekends", "all", "only",
            "noon", "am",
        ];
        let timed = word.bytes().any(|b| b.is_ascii_digit()) || !clock::days_of_line(word).is_empty();
        !timed && !HOURS.contains(&word.as_str()) && !matches!(word.as_str(), "from" | "at" | "on" | "to")
    };
    words.windows(2).any(|two| matches!(two[0].as_str(), "open" | "close") && noun(&two[1]))
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

/// Returns 0 if the value is itself the matched topic ("the jazz night" is no name of a person).
fn self_fit(found: &Found, part: &Part, number: usize, value: &Value) -> f64 {
    if !matches!(part.answer, AnswerType::Name | AnswerType::Place) {
        return 1.0;
    }
    let line = Line::new("", &value.shown, 1.0, 0);
    let matched = part.topic.iter().filter(|term| term.is_content());
    let within = matched.filter(|term| retrieval::in_line(&line, term, part, found.passage.read).is_some());
    let whole = within.count() > 0 && found.passage.lines[number].roots.len() == line.roots.len();
    if whole && part.answer == AnswerType::Name { 0.0 } else { 1.0 }
}

/// Returns how well the unit and the sentence of a value fit the asked quantity.
fn unit_fit(part: &Part, line: &Line, value: &Value) -> f64 {
    let says = |words: &str| roots(words).iter().any(|root| line.roots.contains(root));
    match part.answer {
        AnswerType::Size(Dimension::Width) if !says("wide width broad") => 0.5,
        AnswerType::Size(Dimension::Height) if !says("high height tall headroom clearance") => 0.5,
        AnswerType::Size(Dimension::Depth) if !says("deep depth") => 0.5,
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

fn nearness(found: &Found, part: &Part, topic: &[usize], number: usize, value: &Value) -> f64 {
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
    let most = clauses.iter().map(|clause| matches(clause)).max().unwrap_or(0);
    match here {
        0 if most > 0 => FOREIGN_CLAUSE,
        _ if here == most => 1.0,
        _ => OTHER_CLAUSE,
    }
}

/// Returns candidates of questions for yes or no, lists and free text.
fn untyped(found: &Found, part: &Part) -> Vec<Raw> {
    let topic = topic_lines(found, part);
    if topic.is_empty() {
        return Vec::new();
    }
    match part.answer {
        AnswerType::YesNo => yes_no(found, part, &topic).into_iter().collect(),
        AnswerType::Appearance => Vec::new(),
        _ => vec![quoted(found, part, &topic)],
    }
}

fn quoted(found: &Found, part: &Part, topic: &[usize]) -> Raw {
    let lines = &found.passage.lines;
    let header = topic.iter().all(|at| lines[*at].row == 0);
    let whole = lines.len() <= SHORT_BOARD || (part.answer == AnswerType::List && header);
    let shown: Vec<usize> = if whole {
        (0..lines.len().min(MAX_LIST)).collect()
    } else {
        let rows: Vec<usize> = topic.iter().map(|at| lines[*at].row).collect();
        (0..lines.len()).filter(|at| rows.contains(&lines[*at].row)).collect()
    };
    // A line that only repeats the topic says nothing about it.
    let says_more =
        shown.iter().any(|at| retrieval::has_other_subject(&lines[*at], part, &[], found.passage.read))
            || shown.iter().any(|at| lines[*at].text.bytes().any(|b| b.is_ascii_digit()));
    Raw {
        lines: shown,
        value: None,
        verdict: None,
        own: true,
        type_fit: if says_more { 0.9 } else { 0.7 },
        nearness: 1.0,
        other_subject: 0.0,
    }
}

fn yes_no(found: &Found, part: &Part, topic: &[usize]) -> Option<Raw> {
    let passage = found.passage;
    let rows: Vec<usize> = topic.iter().map(|at| passage.lines[*at].row).collect();
    let mut lines: Vec<usize> =
        (0..passage.lines.len()).filter(|at| rows.contains(&passage.lines[*at].row)).collect();
    if part.clock.is_some() || !part.days.is_empty() {
        return open_then(found, part, &lines);
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
        _ if part.alternatives || part.is_judgement() || polarity::is_dictated(&text) => None,
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
        type_fit: if rule { 1.0 } else { 0.4 },
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

/// Whether something is open on a day or at a time, by the lines of a timetable.
fn open_then(found: &Found, part: &Part, lines: &[usize]) -> Option<Raw> {
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
    candidates.max_by(|a, b| a.type_fit.total_cmp(&b.type_fit))
}
