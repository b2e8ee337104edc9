//! Reads the answer to a part from passages: finds the passages, extracts candidates of the asked
//! type, scores each, and answers with the best if its score reaches the threshold.

mod candidates;
mod nearness;
mod place_fit;
mod statements;
mod timetable;
mod value_fit;
mod values;
mod verdict;

use super::{
    document_index::{DocumentIndex, more, quotable},
    evidence::Evidence,
    passages::Passage,
    polarity,
    query::{AnswerType, Part},
    question::Question,
    retrieval, score,
    types::{Draft, Reason, Refusal},
};
use crate::words::tokens;
pub(super) use candidates::Candidate;

/// Candidates whose log odds are this close to the best are answers as well.
const EQUAL: f64 = 0.25;
/// Maximum number of candidates in an answer.
const MAX_CANDIDATES: usize = 4;
/// Maximum number of lines of a sign that an answer quotes.
const MAX_LIST: usize = 12;
/// Maximum number of passages that are shown as closest evidence.
const MAX_CLOSEST: usize = 3;

/// What was read for a part.
pub(super) struct Reading {
    /// The answer, or the reason why there is none.
    pub(super) outcome: Result<Draft, Refusal>,
    /// Ids of the claims and narrations nearest to the topic.
    pub(super) closest: Vec<String>,
}

/// Reads the answer to a part.
pub(super) fn read(index: &DocumentIndex, evidence: &Evidence, part: &Part, question: &Question) -> Reading {
    let found = retrieval::find(&evidence.passages, part);
    let mut all = candidates::of(index, &found, part, question);
    all.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    let closest = retrieval::closest(evidence, part, &found, MAX_CLOSEST);
    let outcome = match all.first() {
        Some(best) if best.probability >= score::threshold() => draft(index, part, &all),
        _ => Err(Reason::NotObserved.into()),
    };
    Reading { outcome, closest }
}

/// Returns the best candidate of a part, if any, with the answer that it would give.
pub(super) fn best<'a>(
    index: &DocumentIndex,
    evidence: &'a Evidence<'_>,
    part: &Part,
    question: &Question,
) -> Vec<(Candidate<'a>, Draft)> {
    let found = retrieval::find(&evidence.passages, part);
    let mut all = candidates::of(index, &found, part, question);
    all.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    let draft = draft(index, part, &all).ok();
    all.into_iter().zip(draft).collect()
}

/// Returns every candidate of a part with the answer that it alone would give, for the fit of the
/// weights.
pub(super) fn all<'a>(
    index: &DocumentIndex,
    evidence: &'a Evidence<'_>,
    part: &Part,
    question: &Question,
) -> Vec<(Candidate<'a>, Draft)> {
    let found = retrieval::find(&evidence.passages, part);
    let all = candidates::of(index, &found, part, question);
    all.into_iter()
        .filter_map(|candidate| {
            let draft = draft(index, part, std::slice::from_ref(&candidate)).ok()?;
            Some((candidate, draft))
        })
        .collect()
}

/// Drafts the answer from the best candidates.
fn draft(index: &DocumentIndex, part: &Part, all: &[Candidate]) -> Result<Draft, Refusal> {
    let Some(best) = all.first() else { return Err(Reason::NotObserved.into()) };
    let equal: Vec<&Candidate> = all.iter().filter(|other| is_equal(best, other)).collect();
    let cites = |of: &[&Candidate]| of.iter().flat_map(|c| c.ids()).collect::<Vec<String>>();
    // One thing has one year, and is or is not.
    let is_year = |candidate: &&Candidate| {
        candidate.value.as_ref().is_some_and(|value| value.len() == 4 && value.parse::<u32>().is_ok())
    };
    let dated = part.answer == AnswerType::Time && equal.iter().all(is_year);
    let single = dated || matches!(part.answer, AnswerType::Year | AnswerType::YesNo | AnswerType::Age);
    let differ = equal.iter().any(|other| match part.answer {
        AnswerType::YesNo => other.verdict != best.verdict && !part.existence,
        _ => other.value != best.value,
    });
    if single && differ {
        return Err(Refusal { reason: Reason::Conflict, cites: cites(&equal) });
    }
    let shown: Vec<&Candidate> = if part.answer == AnswerType::YesNo {
        vec![best]
    } else {
        equal.into_iter().take(MAX_CANDIDATES).collect()
    };
    let quoted = quotes(index, &shown);
    let mut text = String::new();
    if let Some(verdict) = best.verdict {
        text.push_str(if verdict { "Yes. " } else { "No. " });
    }
    let written = tokens(&quoted);
    for value in shown.iter().filter_map(|candidate| candidate.value.as_ref()) {
        let value_tokens = tokens(value);
        if !written.windows(value_tokens.len().max(1)).any(|window| window == value_tokens) {
            text.push_str(&format!("{value}. "));
        }
    }
    text.push_str(&quoted);
    let dictated = shown.iter().flat_map(|c| c.lines.iter().map(|line| &c.passage.lines[*line].text));
    let partly = dictated.into_iter().any(|text| polarity::is_dictated(text)).then_some(Reason::NotObserved);
    Ok(Draft { text, cites: cites(&shown), partly })
}

/// Whether a candidate answers as well as the best one. Rows below a heading are equal, rows beside
/// the row of the topic are not.
fn is_equal(best: &Candidate, other: &Candidate) -> bool {
    let subject = |candidate: &Candidate| (candidate.own, candidate.features[6] > 0.5);
    subject(best) == subject(other) && score::odds(&other.features) >= score::odds(&best.features) - EQUAL
}

/// Quotes the lines of candidates, the lines of one passage together. Counts the lines of a long list
/// that are cited and not quoted.
fn quotes(index: &DocumentIndex, candidates: &[&Candidate]) -> String {
    let mut groups: Vec<(&Passage, Vec<usize>)> = Vec::new();
    for candidate in candidates {
        match groups.iter_mut().find(|(passage, _)| std::ptr::eq(*passage, candidate.passage)) {
            Some((_, lines)) => lines.extend(&candidate.lines),
            None => groups.push((candidate.passage, candidate.lines.clone())),
        }
    }
    let sentences = groups.into_iter().map(|(passage, mut lines)| {
        lines.sort_unstable();
        lines.dedup();
        let hidden = lines.len().saturating_sub(MAX_LIST);
        lines.truncate(MAX_LIST);
        let quoted: Vec<String> =
            lines.iter().map(|line| format!("“{}”", quotable(&passage.lines[*line].text))).collect();
        let place = index.place(passage.zone.as_ref());
        let sentence = match (passage.read, quoted.len()) {
            (false, _) => format!("It was said{place}: {}.", quoted.join(", ")),
            (true, 1) => format!("A text{place} reads {}.", quoted[0]),
            (true, _) => format!("A sign{place} reads {}.", quoted.join(", ")),
        };
        sentence + &more(hidden)
    });
    sentences.collect::<Vec<_>>().join(" ")
}
