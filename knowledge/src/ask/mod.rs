//! Answers questions about a space from the claims of its document, or abstains.
//!
//! A question is parsed into an intent, subjects and a place; every meaningful word must be
//! understood. The intent drafts sentences from claims, and [`entails`] checks the text against the
//! cited claims. An answer never states that something is absent, because a scan cannot prove it.

mod compare;
mod document_index;
mod facts;
mod measure;
mod objects;
mod question;
mod types;
mod verify;
mod wording;

use domain::document::SpaceDocument;

use document_index::DocumentIndex;
use question::Intent;
pub use types::{Answer, Citation, Reason, Status};
use types::{Draft, Outcome, Refusal};
pub use verify::entails;
pub use wording::{TASK, material, worded};

/// Maximum length of a question, in characters.
pub const MAX_QUESTION: usize = 500;

/// Answers a question from a document.
pub fn ask(document: &SpaceDocument, question: &str) -> Answer {
    let index = DocumentIndex::of(document);
    let understood = question::understand(question, document);
    let outcome: Outcome = match understood.intent {
        Intent::Exists => objects::exists(&index, &understood),
        Intent::Count => objects::count(&index, &understood),
        Intent::Where => objects::place(&index, &understood),
        Intent::List => objects::inventory(&index, &understood),
        Intent::Text => facts::text(&index, &understood),
        Intent::Light => facts::light(&index, &understood),
        Intent::Colour => facts::colour(&index, &understood),
        Intent::Kind => facts::kind_of_zone(&index, &understood),
        Intent::Condition => facts::condition(&index, &understood),
        Intent::Measure => measure::measure(&index, &understood),
        Intent::Year => facts::year(&index, &understood),
        Intent::Moment => facts::moment(&index, &understood),
        Intent::Compare => compare::compare(&index, &understood),
        Intent::Said => objects::said(&index, &understood),
        Intent::Other => Err(Reason::OutOfScope.into()),
    };
    match outcome {
        Ok(draft) if entails(document, &draft.cites, &draft.text) => answered(&index, draft),
        // A draft that goes beyond its claims is a defect, and is not returned.
        Ok(_) => abstained(&index, Reason::NotObserved.into()),
        Err(refusal) => abstained(&index, refusal),
    }
}

fn answered(index: &DocumentIndex, draft: Draft) -> Answer {
    let citations = citations(index, &draft.cites);
    Answer {
        status: if draft.partly.is_some() { Status::Partial } else { Status::Answered },
        answer: Some(draft.text),
        confidence: citations.iter().map(|citation| citation.confidence).fold(1.0, f64::min),
        citations,
        reason: draft.partly,
    }
}

fn abstained(index: &DocumentIndex, refusal: Refusal) -> Answer {
    Answer {
        status: Status::Abstained,
        answer: None,
        confidence: 0.0,
        citations: citations(index, &refusal.cites),
        reason: Some(refusal.reason),
    }
}

fn citations(index: &DocumentIndex, cites: &[String]) -> Vec<Citation> {
    let mut once = std::collections::BTreeSet::new();
    cites.iter().filter(|id| once.insert(id.as_str())).filter_map(|id| index.citation(id)).collect()
}
