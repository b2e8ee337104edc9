//! Types of the result of a comparison.

use domain::document::{Basis, Claim, Count, Evidence};
use serde::Serialize;

/// Kind of a change between two scans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// Only the later scan shows it, although the earlier scan saw the place.
    Added,
    /// Only the earlier scan shows it, although the later scan saw the place.
    Removed,
    /// The two scans show it in different zones.
    Moved,
    /// Its text, value or appearance changed.
    Changed,
    /// The number changed: the ranges of the two counts do not overlap.
    CountChanged,
    /// One of the scans did not see the place, so it is unknown whether anything changed.
    Unverified,
    /// The scans used different models, or one of them did not run the models.
    Incomparable,
}

/// Subject of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// A part of the space.
    Zone,
    /// The type of a zone.
    ZoneType,
    /// Light or colours of a zone.
    Attribute,
    /// Objects of one category in one zone.
    Object,
    /// The condition of an object.
    Condition,
    /// Visible text.
    Text,
    /// A measurement.
    Measurement,
}

/// Reason why a change is unverified or incomparable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    /// The earlier scan did not see the place.
    NotSeenBefore,
    /// The later scan did not see the place.
    NotSeenAgain,
    /// The scans used different models, or models with different categories.
    DifferentModels,
    /// One of the scans did not run a model for it.
    NotLookedFor,
    /// Different cameras took the scans, so their colours and light differ.
    DifferentCameras,
}

/// What tells whether both scans saw a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ComparedBy {
    /// Image features of the frames, which show exactly what both scans saw.
    RegisteredViews,
    /// Hashes of whole frames and signs that both scans show: less is verified. Documents of older
    /// versions have no features.
    FrameHashes,
}

/// State of the subject in one of the scans.
#[derive(Debug, Clone, PartialEq)]
pub struct Side {
    /// Id of the zone, text, object, measurement or run in that scan's document.
    pub id: String,
    /// Value of the claim.
    pub value: String,
    /// Id of its zone.
    pub zone_id: Option<String>,
    /// Label of its zone.
    pub zone: Option<String>,
    /// Number of objects.
    pub count: Option<Count>,
    /// Basis of the claim: `user` after a correction. Absent for runs of models and bare zones.
    pub basis: Option<Basis>,
    /// Confidence, 0 to 1.
    pub confidence: f64,
    /// Evidence of the claim.
    pub evidence: Vec<Evidence>,
}

impl Side {
    pub(super) fn of(id: &str, claim: &Claim) -> Self {
        Self {
            id: id.to_owned(),
            value: claim.value.clone(),
            zone_id: None,
            zone: None,
            count: None,
            basis: Some(claim.basis),
            confidence: claim.confidence,
            evidence: claim.evidence.clone(),
        }
    }

    pub(super) fn within(self, zone: Option<&domain::document::Zone>) -> Self {
        Self { zone_id: zone.map(|zone| zone.id.clone()), zone: zone.map(|zone| zone.label.clone()), ..self }
    }
}

/// One change.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Kind of the change.
    pub kind: ChangeKind,
    /// Subject of the change.
    pub subject: Subject,
    /// Name of the subject: a category, a text, a zone label or the name of an attribute.
    pub name: String,
    /// State in the earlier scan.
    pub before: Option<Side>,
    /// State in the later scan.
    pub after: Option<Side>,
    /// Confidence, 0 to 1: the lower one of the two claims, times the score of the zone match.
    pub confidence: f64,
    /// Reason, for an unverified or incomparable change.
    pub reason: Option<Because>,
}

/// Builds a change. `match_score` is the score of the zone match.
pub(super) fn change(
    kind: ChangeKind,
    subject: Subject,
    name: &str,
    (before, after): (Option<Side>, Option<Side>),
    match_score: f64,
) -> Change {
    let weaker = before.iter().chain(&after).map(|side| side.confidence).fold(1.0, f64::min);
    let confidence = (weaker * match_score * 1000.0).round() / 1000.0;
    Change { kind, subject, name: name.to_owned(), before, after, confidence, reason: None }
}

/// Builds an unverified change of something that one scan shows and the other did not see.
pub(super) fn unverified(subject: Subject, side: Side, reason: Because) -> Change {
    let name = side.value.clone();
    let sides = if reason == Because::NotSeenAgain { (Some(side), None) } else { (None, Some(side)) };
    change(ChangeKind::Unverified, subject, &name, sides, 1.0).because(reason)
}

impl Change {
    pub(super) fn because(self, reason: Because) -> Self {
        Self { reason: Some(reason), ..self }
    }
}

/// Zones of the two scans that are one place.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct ZoneMatch {
    /// Zone of the earlier scan.
    pub from_zone_id: String,
    /// Zone of the later scan.
    pub to_zone_id: String,
    /// Score of the match, 0 to 1.
    pub score: f64,
}

/// Differences between two scans of a space.
#[derive(Debug, Clone, PartialEq)]
pub struct Diff {
    /// What tells whether both scans saw a place.
    pub compared_by: ComparedBy,
    /// Matching zones, in the order of the earlier scan.
    pub zones: Vec<ZoneMatch>,
    /// The changes, ordered by subject.
    pub changes: Vec<Change>,
}
