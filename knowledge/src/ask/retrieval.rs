//! Finds the passages that a part of a question is about: matches terms with lines and ranks
//! passages by BM25 over the matched terms. The closest evidence is also found by meaning.

use std::collections::BTreeMap;

use super::{
    evidence::Evidence,
    extract::{self, clock},
    passages::{Line, Passage},
    polarity,
    query::{Part, Term},
    vocabulary::root,
};

/// Parameters of BM25.
const K1: f64 = 1.2;
const B: f64 = 0.5;
/// Constant of reciprocal rank fusion (Cormack, Clarke and Büttcher, 2009).
const RRF_K: f64 = 60.0;
/// Cosine from which a passage is near to a question.
const SIMILAR: f64 = 0.3;
/// Number of passages that are read for a part.
const DEPTH: usize = 16;
/// Quality of a match that text recognition joined with other words.
const JOINED: f64 = 0.9;
/// Quality of a match of all things of a kind.
const GENERAL: f64 = 0.8;
/// Factor for terms that were corrected.
const CORRECTED: f64 = 0.92;
/// Factor for terms that only a neighbouring sentence or the label of the zone holds.
const CONTEXT: f64 = 0.6;
/// The same factor for a sentence without a verb of its own.
const ELLIPSIS: f64 = 0.9;
/// Minimum length of a form that may be part of joined words.
const MIN_JOINED: usize = 5;

/// Match of a term in a passage.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Hit {
    /// How well the term is matched, 0 to 1.
    pub(super) quality: f64,
    /// The line; `None` if only the context holds it.
    pub(super) line: Option<usize>,
    /// Word of the line where the match begins.
    pub(super) word: usize,
    /// Whether the opposite of the term was matched.
    pub(super) opposite: bool,
}

/// A passage with its matches, one for each term.
#[derive(Debug, Clone)]
pub(super) struct Found<'a> {
    pub(super) passage: &'a Passage,
    pub(super) hits: Vec<Option<Hit>>,
    pub(super) score: f64,
}

/// Returns the passages that match any term of the part, the best first.
pub(super) fn find<'a>(passages: &'a [Passage], part: &Part) -> Vec<Found<'a>> {
    let hits: Vec<Vec<Option<Hit>>> = passages
        .iter()
        .map(|passage| part.topic.iter().map(|term| hit(passage, term, part)).collect())
        .collect();
    let number = passages.len() as f64;
    let idf: Vec<f64> = (0..part.topic.len())
        .map(|term| {
            let having = hits.iter().filter(|hits| is_own(hits[term])).count() as f64;
            (1.0 + (number - having + 0.5) / (having + 0.5)).ln()
        })
        .collect();
    let mean = passages.iter().map(Passage::length).sum::<usize>() as f64 / number.max(1.0);
    let score = |passage: &Passage, hits: &[Option<Hit>]| {
        let length = 1.0 - B + B * passage.length() as f64 / mean.max(1.0);
        let norm = (K1 + 1.0) / (1.0 + K1 * length);
        let terms = hits.iter().zip(&part.topic).zip(&idf);
        terms
            .map(|((hit, term), idf)| hit.map_or(0.0, |hit| hit.quality * term.weight * idf * norm))
            .sum::<f64>()
    };
    let mut out: Vec<Found> = passages
        .iter()
        .zip(hits)
        .filter(|(passage, _)| passage.read || !part.asks_for_sign())
        .filter(|(passage, hits)| hits.iter().any(|hit| is_own(*hit)) || holds_value(passage, part))
        .map(|(passage, hits)| Found { score: score(passage, &hits), passage, hits })
        .collect();
    out.sort_by(|a, b| b.score.total_cmp(&a.score));
    out.truncate(DEPTH);
    out
}

/// Returns the evidence nearest to a part, the nearest first, as ids of claims and narrations. With a
/// model, the ranking by words and the ranking by meaning are merged by reciprocal rank fusion.
pub(super) fn closest(evidence: &Evidence, part: &Part, found: &[Found], number: usize) -> Vec<String> {
    let passages = &evidence.passages;
    let matched = |found: &Found| {
        let lines = found.hits.iter().flatten().filter_map(|hit| hit.line);
        let at = passages.iter().position(|passage| std::ptr::eq(passage, found.passage))?;
        Some((at, lines.min()?))
    };
    let by_words: Vec<(usize, usize)> = found.iter().filter_map(matched).collect();
    let Some(similarities) = evidence.similarities(&part.asked) else {
        return by_words
            .iter()
            .take(number)
            .map(|(at, line)| passages[*at].lines[*line].id.clone())
            .collect();
    };
    let mut by_meaning: Vec<usize> = (0..passages.len())
        .filter(|at| similarities[*at].cosine >= SIMILAR && (passages[*at].read || !part.asks_for_sign()))
        .collect();
    by_meaning.sort_by(|a, b| similarities[*b].cosine.total_cmp(&similarities[*a].cosine));
    let mut fused: BTreeMap<usize, (f64, usize)> = BTreeMap::new();
    let weight = |rank: usize| 1.0 / (RRF_K + rank as f64 + 1.0);
    for (rank, (at, line)) in by_words.into_iter().enumerate() {
        fused.insert(at, (weight(rank), line));
    }
    for (rank, at) in by_meaning.into_iter().enumerate() {
        fused.entry(at).or_insert((0.0, similarities[at].line)).0 += weight(rank);
    }
    let mut out: Vec<(usize, (f64, usize))> = fused.into_iter().collect();
    out.sort_by(|a, b| b.1.0.total_cmp(&a.1.0));
    out.into_iter().take(number).map(|(at, (_, line))| passages[at].lines[line].id.clone()).collect()
}

/// Whether a passage holds a value of a type that needs no topic.
fn holds_value(passage: &Passage, part: &Part) -> bool {
    let holds = |line: &Line| !extract::values(part.answer, &line.text, passage.read).is_empty();
    part.is_self_evident() && passage.lines.iter().any(holds)
}

fn is_own(hit: Option<Hit>) -> bool {
    hit.is_some_and(|hit| hit.line.is_some())
}

/// Returns the best match of a term in a passage.
fn hit(passage: &Passage, term: &Term, part: &Part) -> Option<Hit> {
    let factor = if term.corrected { CORRECTED } else { 1.0 };
    let mut best: Option<Hit> = None;
    for (number, line) in passage.lines.iter().enumerate() {
        if let Some((quality, word, opposite)) = in_line(line, term, part, passage.read) {
            let quality = quality * factor;
            if best.is_none_or(|hit| hit.quality < quality) {
                best = Some(Hit { quality, line: Some(number), word, opposite });
            }
        }
    }
    best.or_else(|| {
        // "The bed does not." leaves its verb to the sentence before.
        let sentence = &passage.lines[0].text;
        let elliptical = !passage.read && polarity::is_elliptical(sentence);
        let decides = part.answer == super::query::AnswerType::YesNo && !passage.read;
        // What is said of another subject affirms nothing about the subject of this sentence.
        if decides && !elliptical && !polarity::refers_back(sentence) {
            return None;
        }
        let context = if decides { &passage.before } else { &passage.context };
        let mut forms = term.forms.iter().filter(|form| !form.opposite);
        let form = forms.find(|form| holds(context, &form.roots).is_some())?;
        let context = if elliptical { ELLIPSIS } else { CONTEXT };
        Some(Hit { quality: form.quality * context * factor, line: None, word: 0, opposite: false })
    })
}

/// Returns the quality and the position of the best match in a line, and whether it is opposite.
pub(super) fn in_line(line: &Line, term: &Term, part: &Part, read: bool) -> Option<(f64, usize, bool)> {
    let opposites = part.answer == super::query::AnswerType::YesNo;
    for form in term.forms.iter().filter(|form| opposites || !form.opposite) {
        if let Some(word) = holds(&line.roots, &form.roots) {
            return Some((form.quality, word, form.opposite));
        }
    }
    // "All appliances stay" speaks of the oven.
    if line.roots.iter().any(|root| polarity::is_universal(root))
        && let Some(word) = term.general.iter().find_map(|general| holds(&line.roots, general))
    {
        return Some((GENERAL, word, false));
    }
    if !read {
        return None;
    }
    // Recognition joins words; only the term itself and close forms are looked for within.
    let joined = |form: &&super::vocabulary::Form| {
        let form = form.roots.concat();
        form.chars().count() >= MIN_JOINED && line.joined.contains(&form)
    };
    let form = term.forms.iter().filter(|form| !form.opposite && form.quality > 0.85).find(joined)?;
    let within = line.roots.iter().position(|word| word.contains(&form.roots[0])).unwrap_or(0);
    Some((form.quality * JOINED, within, false))
}

/// Returns the position of a phrase in a list of roots.
fn holds(roots: &[String], phrase: &[String]) -> Option<usize> {
    roots.windows(phrase.len().max(1)).position(|window| window == phrase)
}

/// Whether a line holds a word besides the matched terms and these values that says what it is
/// about.
pub(super) fn has_other_subject(line: &Line, part: &Part, values: &[(usize, usize)], read: bool) -> bool {
    let matched: Vec<String> = part
        .topic
        .iter()
        .chain(&part.cues)
        .filter(|term| in_line(line, term, part, read).is_some())
        .flat_map(|term| term.forms.iter().flat_map(|form| form.roots.clone()))
        .collect();
    let mut rest = line.text.clone();
    for (from, to) in values.iter().rev() {
        rest.replace_range(*from..*to, &" ".repeat(to - from));
    }
    crate::words::tokens(&rest).iter().any(|word| {
        let dated = !clock::days_of_line(word).is_empty() || clock::is_month(word);
        let ordinary =
            dated || crate::words::is_stop_word(word) || super::vocabulary::VOCABULARY.is_light(word);
        let short = word.chars().count() < 3 || word.bytes().any(|b| b.is_ascii_digit());
        !ordinary && !short && !matched.contains(&root(word))
    })
}
