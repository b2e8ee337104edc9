//! Questions about a space, answered from claims or not at all.
//!
//! A question becomes an intent, subjects and a place; every word with a meaning must be accounted for. An intent
//! drafts sentences from claims, and [`entails`] checks the finished text against what it cites. "Not there" is
//! never said, because not seeing is no claim.

mod book;
mod compare;
mod facts;
mod measure;
mod question;
mod things;
mod types;
mod verify;
mod wording;

use domain::document::SpaceDocument;

use book::Book;
use question::Intent;
pub use types::{Answer, Citation, Reason, Status};
use types::{Draft, Outcome, Refusal};
pub use verify::entails;
pub use wording::{TASK, material, worded};

/// Longest question, in characters.
pub const MAX_QUESTION: usize = 500;

/// Answers a question from a document.
pub fn ask(document: &SpaceDocument, question: &str) -> Answer {
    let book = Book::of(document);
    let understood = question::understand(question, document);
    let outcome: Outcome = match understood.intent {
        Intent::Exists => things::exists(&book, &understood),
        Intent::Count => things::count(&book, &understood),
        Intent::Where => things::place(&book, &understood),
        Intent::List => things::inventory(&book, &understood),
        Intent::Text => facts::text(&book, &understood),
        Intent::Light => facts::light(&book, &understood),
        Intent::Colour => facts::colour(&book, &understood),
        Intent::Kind => facts::kind_of_zone(&book, &understood),
        Intent::Condition => facts::condition(&book, &understood),
        Intent::Measure => measure::measure(&book, &understood),
        Intent::Year => facts::year(&book, &understood),
        Intent::Moment => facts::moment(&book, &understood),
        Intent::Compare => compare::compare(&book, &understood),
        Intent::Said => things::said(&book, &understood),
        Intent::Other => Err(Reason::OutOfScope.into()),
    };
    match outcome {
        Ok(draft) if entails(document, &draft.cites, &draft.text) => answered(&book, draft),
        // An intent that says more than its claims is a defect; nothing of it is passed on.
        Ok(_) => abstained(&book, Reason::NotObserved.into()),
        Err(refusal) => abstained(&book, refusal),
    }
}

fn answered(book: &Book, draft: Draft) -> Answer {
    let citations = citations(book, &draft.cites);
    Answer {
        status: if draft.partly.is_some() { Status::Partial } else { Status::Answered },
        answer: Some(draft.text),
        confidence: citations.iter().map(|citation| citation.confidence).fold(1.0, f64::min),
        citations,
        reason: draft.partly,
    }
}

fn abstained(book: &Book, refusal: Refusal) -> Answer {
    Answer {
        status: Status::Abstained,
        answer: None,
        confidence: 0.0,
        citations: citations(book, &refusal.cites),
        reason: Some(refusal.reason),
    }
}

fn citations(book: &Book, cites: &[String]) -> Vec<Citation> {
    let mut once = std::collections::BTreeSet::new();
    cites.iter().filter(|id| once.insert(id.as_str())).filter_map(|id| book.citation(id)).collect()
}
