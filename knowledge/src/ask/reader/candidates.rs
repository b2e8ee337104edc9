//! Candidates of a part in its passages, with their features.

use super::super::{
    document_index::DocumentIndex,
    extract,
    passages::Passage,
    query::{AnswerType, Part, Term},
    question::Question,
    retrieval::Found,
    score::{self, Features},
};
use super::{
    place_fit::{is_place, place_fit},
    statements::quoted,
    values::typed,
    verdict::yes_no,
};

/// Candidates whose probabilities differ by less are rivals.
const RIVAL: f64 = 0.05;
/// Weight of a term that names a known place: the fit of the place counts instead.
const PLACE_WEIGHT: f64 = 0.2;
/// Weight of a verb that signs leave out.
const OPTIONAL_WEIGHT: f64 = 0.4;

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
    /// Terms of the topic that the passage doesn't hold.
    pub(in crate::ask) unmatched: Vec<String>,
    /// Probability that it is right.
    pub(in crate::ask) probability: f64,
}

impl Candidate<'_> {
    /// Whether it is probable enough for an answer.
    pub(in crate::ask) fn is_sure(&self) -> bool {
        self.probability >= score::threshold()
    }

    /// Returns the ids of the lines.
    pub(in crate::ask) fn ids(&self) -> Vec<String> {
        self.lines.iter().map(|line| self.passage.lines[*line].id.clone()).collect()
    }
}

/// A candidate before its score.
pub(super) struct Raw {
    pub(super) lines: Vec<usize>,
    pub(super) value: Option<String>,
    pub(super) verdict: Option<bool>,
    /// Whether the value stands in a row of the topic.
    pub(super) own: bool,
    pub(super) type_fit: f64,
    pub(super) nearness: f64,
    pub(super) other_subject: f64,
}

impl Raw {
    /// A quotation that needs no value.
    pub(super) fn quotation(lines: Vec<usize>, type_fit: f64) -> Raw {
        Raw { lines, value: None, verdict: None, own: true, type_fit, nearness: 1.0, other_subject: 0.0 }
    }
}

/// Returns the candidates of all passages.
pub(in crate::ask) fn of<'a>(
    index: &DocumentIndex,
    found: &[Found<'a>],
    part: &Part,
    question: &Question,
) -> Vec<Candidate<'a>> {
    let mut out: Vec<Candidate<'a>> = Vec::new();
    for found in found.iter().filter(|found| !leaves_out_subject(index, found, part)) {
        let raw = if extract::is_typed(part.answer) { typed(found, part) } else { untyped(found, part) };
        out.extend(raw.into_iter().map(|raw| scored(index, found, part, question, raw)));
    }
    rivals(&mut out);
    out
}

/// Whether a passage says nothing about a term of a question for existence, except where the thing is.
fn leaves_out_subject(index: &DocumentIndex, found: &Found, part: &Part) -> bool {
    let zone = index.zone(found.passage.zone.as_ref());
    let is_here = |term: &Term| {
        let named = index.rooms_named(&term.words);
        zone.is_some_and(|zone| zone.types.iter().any(|kind| named.contains(&kind.value)))
    };
    let mut terms = part.topic.iter().zip(&found.hits);
    part.existence
        && part.answer == AnswerType::YesNo
        && terms.any(|(term, hit)| {
            term.is_content() && !term.alternative && !term.optional && hit.is_none() && !is_here(term)
        })
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
    let marked = part.marks_itself();
    let held = |term: &Term| {
        part.topic.iter().position(|other| std::ptr::eq(other, term)).is_some_and(|at| quality(at) > 0.0)
    };
    let weight = |term: &Term| {
        if located && term.locative && is_place(index, term) && !(marked && held(term)) {
            PLACE_WEIGHT
        } else if (terse || marked) && term.optional {
            OPTIONAL_WEIGHT
        } else {
            term.weight
        }
    };
    let (mut coverage, mut weakest) = covered(part, &weight, &quality);
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
        1.0 / part.topic.iter().filter(|term| weight(term) > MINOR).count().max(1) as f64,
        f64::from(u8::from(corrected)),
        0.0,
    ];
    Candidate {
        passage: found.passage,
        lines: raw.lines,
        value: raw.value,
        verdict: raw.verdict,
        own: raw.own,
        unmatched: part
            .topic
            .iter()
            .zip(&found.hits)
            .filter(|(_, hit)| hit.is_none())
            .map(|(term, _)| term.words.clone())
            .collect(),
        probability: score::probability(&features),
        features,
    }
}

/// Terms of at most this weight may be missing.
const MINOR: f64 = 0.5;

/// Returns the share of the topic that a passage covers, by weight, and the quality of the weakest
/// term. Of alternatives ("push or pull") the best counts.
fn covered(part: &Part, weight: &dyn Fn(&Term) -> f64, quality: &dyn Fn(usize) -> f64) -> (f64, f64) {
    let mut all: Vec<(f64, f64)> = Vec::new();
    let mut alternatives: Vec<(f64, f64)> = Vec::new();
    for (at, term) in part.topic.iter().enumerate() {
        // A word that says little counts where it is matched: questions hold many.
        let minor = !term.is_content() && !part.only_cues || term.optional && part.marks_itself();
        let filler = minor && quality(at) <= 0.0;
        if !filler {
            let list = if term.alternative { &mut alternatives } else { &mut all };
            list.push((weight(term), quality(at)));
        }
    }
    all.extend(alternatives.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)));
    let total: f64 = all.iter().map(|(weight, _)| weight).sum();
    let coverage = all.iter().map(|(weight, quality)| weight * quality).sum::<f64>() / total.max(0.1);
    let content = all.iter().filter(|(weight, _)| *weight > MINOR).map(|(_, quality)| *quality);
    (coverage, content.reduce(f64::min).unwrap_or(coverage))
}

/// Lines that hold terms of the topic, content first.
pub(super) fn topic_lines(found: &Found, part: &Part) -> Vec<usize> {
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

/// Returns candidates of questions for yes or no, lists and free text.
fn untyped(found: &Found, part: &Part) -> Vec<Raw> {
    let topic = topic_lines(found, part);
    if topic.is_empty() {
        return Vec::new();
    }
    match part.answer {
        AnswerType::YesNo => yes_no(found, part, &topic).into_iter().collect(),
        AnswerType::Appearance => Vec::new(),
        _ => quoted(found, part, &topic).into_iter().collect(),
    }
}
