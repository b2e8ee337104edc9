//! What an answer is made of.

use domain::document::{Basis, Evidence};
use serde::Serialize;

/// How far the question was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// In full.
    Answered,
    /// In part: a range, one of several subjects, or words that touch on it.
    Partial,
    /// Not at all; `reason` says why.
    Abstained,
}

/// Why a question was not answered, or only in part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// No claim speaks of it. That does not mean that it is not there.
    NotObserved,
    /// The walk looked too little at the place in question.
    LowCoverage,
    /// Claims contradict one another; they are cited.
    Conflict,
    /// The size was neither read nor said, and sizes are never guessed from pictures.
    UnsupportedMeasurement,
    /// Not a question about what a scan can know.
    OutOfScope,
}

/// A claim that an answer rests on, and where it can be checked.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Citation {
    /// The claim, or the piece of narration.
    pub claim_id: String,
    /// What it says.
    pub value: String,
    /// What it rests on.
    pub basis: Basis,
    /// 0 to 1.
    pub confidence: f64,
    /// Where it can be checked; never empty.
    pub evidence: Vec<Evidence>,
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// How far the question was answered.
    pub status: Status,
    /// In words; none when abstained.
    pub answer: Option<String>,
    /// The least confidence of what it rests on; 0 when abstained.
    pub confidence: f64,
    /// What it rests on; when abstained for a conflict, the claims that contradict one another.
    pub citations: Vec<Citation>,
    /// Why it was not answered in full.
    pub reason: Option<Reason>,
}

/// What an intent found, before it was verified.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Draft {
    /// Sentences.
    pub(super) text: String,
    /// Ids of claims and narration.
    pub(super) cites: Vec<String>,
    /// Set when it is not the whole answer.
    pub(super) partly: Option<Reason>,
}

/// What an intent comes to.
pub(super) type Outcome = Result<Draft, Refusal>;

/// Why an intent has no answer, with the claims that show it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Refusal {
    pub(super) reason: Reason,
    pub(super) cites: Vec<String>,
}

impl From<Reason> for Refusal {
    fn from(reason: Reason) -> Self {
        Self { reason, cites: Vec::new() }
    }
}
