//! What a comparison is made of.

use domain::document::{Claim, Count, Evidence};
use serde::Serialize;

/// What became of something between two scans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChangeKind {
    /// There now; the earlier scan looked at the place and does not show it.
    Added,
    /// Not there any more; the later scan looked at the place again and does not show it.
    Removed,
    /// There before and now, in different zones.
    Moved,
    /// The same thing says, or looks, otherwise.
    Changed,
    /// So many before, so many now, and the two ranges do not overlap.
    CountChanged,
    /// One of the scans did not look at the place, so nothing is said of it.
    Unverified,
    /// The two scans looked with different models, or one of them did not look.
    Incomparable,
}

/// What a change is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Subject {
    /// A part of the space.
    Zone,
    /// What kind of place a zone is.
    ZoneType,
    /// Light or colours of a zone.
    Attribute,
    /// Things of one category in one zone.
    Object,
    /// The condition of a thing.
    Condition,
    /// Words in the picture.
    Text,
    /// A size.
    Measurement,
}

/// Why something could not be verified or compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    /// The earlier scan did not look there.
    NotSeenBefore,
    /// The later scan did not look there again.
    NotSeenAgain,
    /// The scans used different models, or models that know different things.
    DifferentModels,
    /// One of the scans did not look for it at all.
    NotLookedFor,
}

/// Something as one of the scans has it.
#[derive(Debug, Clone, PartialEq)]
pub struct Side {
    /// The zone, text, object, measurement or run, by its id in that scan's document.
    pub id: String,
    /// What it says.
    pub value: String,
    /// Where it is.
    pub zone_id: Option<String>,
    /// What that zone is called.
    pub zone: Option<String>,
    /// How many, of things.
    pub count: Option<Count>,
    /// 0 to 1.
    pub confidence: f64,
    /// Where it can be checked.
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
            confidence: claim.confidence,
            evidence: claim.evidence.clone(),
        }
    }

    pub(super) fn within(self, zone: Option<&domain::document::Zone>) -> Self {
        Self { zone_id: zone.map(|zone| zone.id.clone()), zone: zone.map(|zone| zone.label.clone()), ..self }
    }
}

/// One difference.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// What became of it.
    pub kind: ChangeKind,
    /// What it is about.
    pub subject: Subject,
    /// What it is called: a category, a text, a zone, an attribute's name.
    pub name: String,
    /// As the earlier scan has it.
    pub before: Option<Side>,
    /// As the later scan has it.
    pub after: Option<Side>,
    /// 0 to 1: of the weaker of the two claims, and of the match of their zones.
    pub confidence: f64,
    /// Why it could not be verified or compared.
    pub reason: Option<Because>,
}

/// A change while it is being made: `sure` is how well the zones match.
pub(super) fn change(
    kind: ChangeKind,
    subject: Subject,
    name: &str,
    (before, after): (Option<Side>, Option<Side>),
    sure: f64,
) -> Change {
    let weaker = before.iter().chain(&after).map(|side| side.confidence).fold(1.0, f64::min);
    let confidence = (weaker * sure * 1000.0).round() / 1000.0;
    Change { kind, subject, name: name.to_owned(), before, after, confidence, reason: None }
}

impl Change {
    pub(super) fn because(self, reason: Because) -> Self {
        Self { reason: Some(reason), ..self }
    }
}

/// Two zones that are one place.
#[derive(Debug, Clone, PartialEq, Serialize, utoipa::ToSchema)]
pub struct ZoneMatch {
    /// Of the earlier scan.
    pub from_zone_id: String,
    /// Of the later scan.
    pub to_zone_id: String,
    /// How well they match, 0 to 1.
    pub score: f64,
}

/// What differs between two scans of a space.
#[derive(Debug, Clone, PartialEq)]
pub struct Diff {
    /// Zones that were matched, in the order of the earlier scan.
    pub zones: Vec<ZoneMatch>,
    /// The differences, by subject.
    pub changes: Vec<Change>,
}
