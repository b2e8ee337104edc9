//! Types of answers and drafts.

use domain::document::{Basis, Evidence};
use serde::Serialize;

/// Whether the question was answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// The answer is complete.
    Answered,
    /// The answer is partial: a range, one of several subjects, or a related quotation.
    Partial,
    /// There is no answer; `reason` says why.
    Abstained,
}

/// Reason for a partial answer or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// No claim is about the subject. The subject may exist all the same.
    NotObserved,
    /// The scan shows too little of the place.
    LowCoverage,
    /// The cited claims contradict each other.
    Conflict,
    /// The size was neither read nor spoken. Sizes are never estimated from images.
    UnsupportedMeasurement,
    /// A scan cannot answer this kind of question.
    OutOfScope,
    /// The question isn't in English.
    UnsupportedLanguage,
}

/// Claim that supports an answer, with its evidence.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct Citation {
    /// Id of the claim or the narration segment.
    pub claim_id: String,
    /// Value of the claim.
    pub value: String,
    /// Basis of the claim.
    pub basis: Basis,
    /// Confidence, 0 to 1.
    pub confidence: f64,
    /// Evidence of the claim; never empty.
    pub evidence: Vec<Evidence>,
}

/// Answer to a question.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Whether the question was answered.
    pub status: Status,
    /// Text of the answer; `None` if abstained.
    pub answer: Option<String>,
    /// Lowest confidence of the cited claims; 0 if abstained.
    pub confidence: f64,
    /// Supporting claims, or the contradicting claims of a conflict.
    pub citations: Vec<Citation>,
    /// Reason for a partial answer or none.
    pub reason: Option<Reason>,
    /// The parts of the question that have no answer, in its words. Empty for a question of one
    /// part.
    pub missing: Vec<String>,
    /// The evidence nearest to the parts without an answer, the nearest first. It is no answer.
    pub closest: Vec<Citation>,
}

/// Answer of an intent before its verification.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Draft {
    /// Text of the answer.
    pub(super) text: String,
    /// Ids of cited claims and narration segments.
    pub(super) cites: Vec<String>,
    /// Reason why the answer is partial.
    pub(super) partly: Option<Reason>,
}

/// Result of an intent.
pub(super) type Outcome = Result<Draft, Refusal>;

/// Reason why an intent has no answer, with the claims that show it.
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
