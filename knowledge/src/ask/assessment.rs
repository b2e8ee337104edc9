//! Candidates of the reader with their features, for fitting the weights of the score.

use domain::document::SpaceDocument;

use super::{
    Aids, calculate,
    document_index::DocumentIndex,
    essential,
    evidence::Evidence,
    located, objects,
    query::{self, Part},
    question::{self, Question},
    reader::{self, Candidate},
    score::Features,
    structured,
    types::Draft,
};

/// The best candidate that the reader found for a question: its features, and the answer that it
/// would be. For fitting the weights of the score.
#[derive(Debug, Clone, PartialEq)]
pub struct Assessment {
    /// Values of the features, in the order of the fitted weights.
    pub features: Features,
    /// Probability that the candidate is right, by the current weights.
    pub probability: f64,
    /// Type of the answer, for reports.
    pub answer_type: String,
    /// The answer in words.
    pub text: String,
    /// Terms of the topic that the passage doesn't hold.
    pub unmatched: Vec<String>,
}

/// Returns the best candidate for the first part of a question, regardless of its score; `None` if
/// nothing matches, or if other evidence than signs and speech answers.
pub fn assess(document: &SpaceDocument, question: &str) -> Option<Assessment> {
    assessed(document, question, reader::best).into_iter().next()
}

/// Returns every candidate for the first part of a question, each as if it alone were the answer.
pub fn assess_all(document: &SpaceDocument, question: &str) -> Vec<Assessment> {
    assessed(document, question, reader::all)
}

/// Finds the candidates for a part, each with the answer that it would give.
type Read = for<'p> fn(&DocumentIndex, &'p Evidence<'_>, &Part, &Question) -> Vec<(Candidate<'p>, Draft)>;

/// Assesses the candidates that `read` returns for the first part of a question.
fn assessed(document: &SpaceDocument, question: &str, read: Read) -> Vec<Assessment> {
    let index = DocumentIndex::of(document);
    let evidence = Evidence::of(document, &Aids::default());
    let parts = query::parse(question, &evidence.words);
    let Some(part) = parts.first() else { return Vec::new() };
    let understood = essential::words(part.existence, question::understand(&part.text, document));
    let part = located(&index, part, &understood);
    let calculated = calculate::answer(&index, &evidence, &part, &understood).is_some();
    if calculated || structured(&index, &understood).is_ok() || objects::asks_for_contents(&understood) {
        return Vec::new();
    }
    let assessment = |(candidate, draft): (Candidate, Draft)| Assessment {
        features: candidate.features,
        probability: candidate.probability,
        answer_type: format!("{:?}", part.answer),
        text: draft.text,
        unmatched: candidate.unmatched,
    };
    read(&index, &evidence, &part, &understood).into_iter().map(assessment).collect()
}
