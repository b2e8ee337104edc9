//! Answers questions about a space from the claims of its document, or abstains.
//!
//! A question is parsed into typed parts. Objects, zones, measurements and attributes answer a part
//! whose every word they explain; signs and speech answer the others: the reader finds passages,
//! extracts values of the asked type, and answers if the score of the best candidate reaches a
//! fixed threshold. [`entails`] checks the text against the cited claims. An answer never states
//! that something unseen is absent, because a scan cannot prove it: "no" quotes a denial.

mod assessment;
mod boards;
mod calculate;
mod compare;
mod document_index;
mod english;
mod equation;
mod essential;
mod evidence;
mod extract;
mod facts;
mod meaning;
mod measure;
mod objects;
mod passages;
mod polarity;
mod query;
mod question;
mod reader;
mod retrieval;
mod routes;
mod score;
mod translation;
mod types;
mod units;
mod verify;
mod vocabulary;
mod wording;

use std::collections::BTreeSet;

use domain::document::SpaceDocument;

pub use assessment::{Assessment, assess, assess_all};
use document_index::DocumentIndex;
use evidence::Evidence;
pub use meaning::{Aids, Meaning};
use query::{Part, Term};
use question::{Intent, Question};
pub use score::{FEATURES, Features, NAMES};
pub use translation::{
    TRANSLATION_TASK, TypedQuery, ask_translated, better, is_improvable, translation_schema,
};
pub use types::{Answer, Citation, Reason, Status};
use types::{Draft, Outcome, Refusal};
pub use verify::entails;
pub use wording::{TASK, material, worded};

/// Maximum length of a question, in characters.
pub const MAX_QUESTION: usize = 500;
/// Maximum number of citations of the closest evidence.
const MAX_CLOSEST: usize = 3;

/// Answers a question from a document, by its words alone.
pub fn ask(document: &SpaceDocument, question: &str) -> Answer {
    ask_with(document, question, &Aids::default())
}

/// Answers a question from a document with the help of models.
pub fn ask_with(document: &SpaceDocument, question: &str, aids: &Aids) -> Answer {
    let combined = answer_parts(document, aids, |words| query::parse(question, words));
    if combined.status == Status::Abstained && query::other_language(question).is_some() {
        return abstained(&DocumentIndex::of(document), Reason::UnsupportedLanguage.into());
    }
    combined
}

/// Answers the parts that `parse` returns for the words of the document.
fn answer_parts(
    document: &SpaceDocument,
    aids: &Aids,
    parse: impl FnOnce(&query::DocumentWords) -> Vec<Part>,
) -> Answer {
    let index = DocumentIndex::of(document);
    let evidence = Evidence::of(document, aids);
    let parts = parse(&evidence.words);
    let answers: Vec<PartAnswer> = parts.iter().map(|part| answer(&index, &evidence, part)).collect();
    combine(&index, &parts, answers)
}

/// The answer to one part, and the evidence closest to it.
struct PartAnswer {
    outcome: Outcome,
    closest: Vec<String>,
}

fn answer(index: &DocumentIndex, evidence: &Evidence, part: &Part) -> PartAnswer {
    let understood = essential::words(part.existence, question::understand(&part.text, index.0));
    let part = &located(index, part, &understood);
    let verified = |draft: Draft| -> Outcome {
        // A draft that goes beyond its claims is a defect, and is not returned.
        let sound = entails(index.0, &draft.cites, &draft.text);
        if sound { Ok(draft) } else { Err(Reason::NotObserved.into()) }
    };
    let calculated =
        calculate::answer(index, evidence, part, &understood).map(Ok).map(|draft| draft.and_then(verified));
    if let Some(Ok(draft)) = calculated {
        return PartAnswer { outcome: Ok(converted(index, part, draft)), closest: Vec::new() };
    }
    let refusal = match structured(index, &understood).and_then(verified) {
        Err(refusal) if refusal.reason != Reason::Conflict => refusal,
        outcome => {
            let outcome = outcome.map(|draft| converted(index, part, draft));
            return PartAnswer { outcome, closest: Vec::new() };
        }
    };
    let reading = reader::read(index, evidence, part, &understood);
    let outcome = match reading.outcome.and_then(verified) {
        _ if objects::asks_for_contents(&understood) => Err(refusal),
        Err(read) if read.reason != Reason::Conflict => Err(refusal),
        outcome => outcome.map(|draft| converted(index, part, draft)),
    };
    PartAnswer { outcome, closest: reading.closest }
}

/// Adds the conversion of a size to the unit that the part asks for. Leaves an answer with several
/// sizes of its kind as it is.
fn converted(index: &DocumentIndex, part: &Part, draft: Draft) -> Draft {
    let Some(unit) = units::asked(&part.text) else { return draft };
    let cited: Vec<Citation> = citations(index, &draft.cites);
    let found: Vec<units::Quantity> =
        cited.iter().flat_map(|cited| units::quantities(&cited.value)).collect();
    // "27 °C, depth 1.35 m" has one size that can be given in feet.
    let fitting: Vec<&units::Quantity> = found.iter().filter(|found| found.to(unit).is_some()).collect();
    let [quantity] = fitting.as_slice() else { return draft };
    if quantity.unit == unit {
        return draft;
    }
    let Some(conversion) = equation::conversion(quantity, unit) else { return draft };
    let text = format!("{conversion}. {}", draft.text);
    if entails(index.0, &draft.cites, &text) { Draft { text, ..draft } } else { draft }
}

/// Returns the part with the words of its answer type as topic, if its topic only names known zones:
/// "the room number of the office" looks for a room number in the office.
fn located(index: &DocumentIndex, part: &Part, question: &Question) -> Part {
    let mut part = part.clone();
    let mut content = part.topic.iter().filter(|term| term.is_content());
    let places = content.all(|term| !index.rooms_named(&term.words).is_empty());
    if !question.zones.is_empty() && places && !part.cues.is_empty() {
        // A unit tells the type of a value, so that its label may be missing.
        let optional = part.marks_itself();
        part.topic.extend(part.cues.drain(..).map(|cue| Term { optional: optional || cue.optional, ..cue }));
        part.only_cues = true;
    }
    part
}

/// Answers from objects, zones, measurements, attributes and lists of signs.
fn structured(index: &DocumentIndex, question: &Question) -> Outcome {
    match question.intent {
        Intent::Exists => objects::exists(index, question),
        Intent::Count => objects::count(index, question),
        Intent::Where => objects::place(index, question),
        Intent::List => objects::inventory(index, question),
        Intent::Text => facts::text(index, question),
        Intent::Light => facts::light(index, question),
        Intent::Colour => facts::colour(index, question),
        Intent::Kind => facts::kind_of_zone(index, question),
        Intent::Condition => facts::condition(index, question),
        Intent::Measure => measure::measure(index, question),
        Intent::Moment => facts::moment(index, question),
        Intent::Compare => compare::compare(index, question),
        Intent::Way => routes::way(index, question),
        Intent::Coverage => routes::coverage(index),
        Intent::Year => Err(index.missing(question).into()),
        Intent::Said | Intent::Other => Err(Reason::OutOfScope.into()),
    }
}

/// Combines the answers to the parts. A part without an answer makes the whole partial and is named.
fn combine(index: &DocumentIndex, parts: &[Part], answers: Vec<PartAnswer>) -> Answer {
    let mut draft = Draft::default();
    let (mut missing, mut closest, mut refusals) = (Vec::new(), Vec::new(), Vec::new());
    for (part, answer) in parts.iter().zip(answers) {
        match answer.outcome {
            Ok(found) if draft.text.contains(&found.text) => draft.partly = draft.partly.or(found.partly),
            Ok(found) => {
                draft.text = [draft.text, found.text].join(" ").trim().to_owned();
                draft.cites.extend(found.cites);
                draft.partly = draft.partly.or(found.partly);
            }
            Err(refusal) => {
                missing.push(part.asked.clone());
                closest.extend(answer.closest);
                refusals.push(refusal);
            }
        }
    }
    let mut closest = citations(index, &closest);
    closest.truncate(MAX_CLOSEST);
    if draft.text.is_empty() || !entails(index.0, &draft.cites, &draft.text) {
        let refusal = refusals.into_iter().next().unwrap_or_else(|| Reason::NotObserved.into());
        let missing = if parts.len() > 1 { missing } else { Vec::new() };
        return Answer { missing, closest, ..abstained(index, refusal) };
    }
    let partly = refusals.first().map(|refusal| refusal.reason).or(draft.partly);
    let citations = citations(index, &draft.cites);
    Answer {
        status: if partly.is_some() { Status::Partial } else { Status::Answered },
        answer: Some(draft.text),
        confidence: citations.iter().map(|citation| citation.confidence).fold(1.0, f64::min),
        citations,
        reason: partly,
        missing,
        closest,
    }
}

fn abstained(index: &DocumentIndex, refusal: Refusal) -> Answer {
    Answer {
        status: Status::Abstained,
        answer: None,
        confidence: 0.0,
        citations: citations(index, &refusal.cites),
        reason: Some(refusal.reason),
        missing: Vec::new(),
        closest: Vec::new(),
    }
}

fn citations(index: &DocumentIndex, cites: &[String]) -> Vec<Citation> {
    let mut once = BTreeSet::new();
    cites.iter().filter(|id| once.insert(id.as_str())).filter_map(|id| index.citation(id)).collect()
}
