//! Objects and texts without a counterpart in the other scan: moved, added, removed or unverified.

use domain::document::Evidence;

use super::{
    alignment::{Alignment, ZoneIndex},
    types::{Because, Change, ChangeKind, Side, Subject, change},
    view::Proof,
};

/// Object or text without a counterpart in the other scan.
#[derive(Debug, Clone)]
pub(super) struct Unmatched<'a> {
    /// Name, which is compared to find a move.
    pub(super) name: String,
    pub(super) side: Side,
    pub(super) evidence: Vec<&'a Evidence>,
    /// Whether the other scan saw the place.
    pub(super) place_seen: bool,
    /// Score of the match of its zone, 0 to 1.
    pub(super) match_score: f64,
}

impl Unmatched<'_> {
    fn owned_evidence(&self) -> Vec<Evidence> {
        self.evidence.iter().map(|e| (*e).clone()).collect()
    }
}

/// Returns whether the later scan saw the place of this evidence, and the score of the zone match.
/// Returns `None` in a zone without a match, because the zone itself is reported.
pub(super) fn place_in_later(
    alignment: &Alignment,
    at: ZoneIndex,
    evidence: &[Evidence],
    proof: Proof,
) -> Option<(bool, f64)> {
    let (new, match_score) = alignment.new_of(at)?;
    Some((new.is_some_and(|zone| alignment.later_views.has_seen(zone, evidence, proof)), match_score))
}

/// Like [`place_in_later`], for the earlier scan.
pub(super) fn place_in_earlier(
    alignment: &Alignment,
    at: ZoneIndex,
    evidence: &[Evidence],
    proof: Proof,
) -> Option<(bool, f64)> {
    let (old, match_score) = alignment.old_of(at)?;
    Some((old.is_some_and(|zone| alignment.earlier_views.has_seen(zone, evidence, proof)), match_score))
}

/// Converts contents without a counterpart into changes. A content has moved if it is missing in
/// one place and new in another, and both scans saw both places.
pub(super) fn classify(
    alignment: &Alignment,
    subject: Subject,
    missing: Vec<Unmatched>,
    mut added: Vec<Unmatched>,
) -> Vec<Change> {
    let mut changes = Vec::new();
    for old in missing {
        let same_view = |new: &Unmatched| {
            new.name == old.name
                && alignment.later_views.same_view(&old.owned_evidence(), &new.owned_evidence())
        };
        if let Some(at) = added.iter().position(same_view) {
            // The two scans assigned the same view to different zones.
            added.remove(at);
            continue;
        }
        let moved = |new: &Unmatched| {
            new.name == old.name
                && old.place_seen
                && new.place_seen
                && new.side.count.map(|count| count.best) == old.side.count.map(|count| count.best)
        };
        if let Some(at) = added.iter().position(moved) {
            let new = added.remove(at);
            let sides = (Some(old.side), Some(new.side));
            changes.push(change(
                ChangeKind::Moved,
                subject,
                &old.name,
                sides,
                old.match_score.min(new.match_score),
            ));
        } else {
            let kind = if old.place_seen { ChangeKind::Removed } else { ChangeKind::Unverified };
            let change = change(kind, subject, &old.name, (Some(old.side), None), old.match_score);
            changes.push(if old.place_seen { change } else { change.because(Because::NotSeenAgain) });
        }
    }
    for new in added {
        let kind = if new.place_seen { ChangeKind::Added } else { ChangeKind::Unverified };
        let change = change(kind, subject, &new.name, (None, Some(new.side)), new.match_score);
        changes.push(if new.place_seen { change } else { change.because(Because::NotSeenBefore) });
    }
    changes
}
