//! What the clauses before a question add to its subject.

use super::{AnswerType, DocumentWords, Frame, LIGHT, Term, bare::Bare, correct, split, weight};

/// Adds what the clauses before the question say. If the question refers to it, the words that the document
/// holds, or else its nouns, are what the question is about. Returns whether that is so.
pub(super) fn add(topic: &mut Vec<Term>, bare: &Bare, answer: AnswerType, document: &DocumentWords) -> bool {
    if bare.context.is_empty() {
        return false;
    }
    let corrected = correct::words(&split::words(&bare.context), &document.words);
    let frame = Frame { answer: AnswerType::Text, cues: Vec::new(), existence: false, permission: false };
    let said = super::topic(&corrected, &frame, &[], &[], false, document);
    let known = |term: &Term| topic.iter().any(|other| other.forms[0].roots == term.forms[0].roots);
    let said: Vec<Term> = said.into_iter().filter(|term| term.is_content() && !known(term)).collect();
    let asked = topic.iter().any(Term::is_content);
    let held = said.iter().any(|term| document.holds(&term.forms));
    let about = |term: &Term| {
        if held { document.holds(&term.forms) && (bare.refers || !asked) } else { bare.refers }
    };
    let said = said.into_iter().filter(|term| answer == AnswerType::YesNo || !weight::is_verb(&term.words));
    topic.extend(said.map(|term| Term { weight: if about(&term) { term.weight } else { LIGHT }, ..term }));
    bare.refers || !asked
}
