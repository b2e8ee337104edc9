//! What only one of the scans has, judged by whether the other one looked there.

use domain::document::Evidence;

use super::{
    scene::{At, Scene},
    types::{Because, Change, ChangeKind, Side, Subject, change},
    view::Proof,
};

/// Something without a counterpart.
#[derive(Debug, Clone)]
pub(super) struct Left<'a> {
    /// By this it is known again elsewhere.
    pub(super) name: String,
    pub(super) side: Side,
    pub(super) evidence: Vec<&'a Evidence>,
    /// Whether the other scan looked at its place.
    pub(super) looked: bool,
    /// How well its zone was matched.
    pub(super) sure: f64,
}

impl Left<'_> {
    fn seen(&self) -> Vec<Evidence> {
        self.evidence.iter().map(|e| (*e).clone()).collect()
    }
}

/// Whether the other scan looked at where this is, and how well the zones match. `None` for what is in a zone that
/// was not matched: that is said of the zone once.
pub(super) fn later(scene: &Scene, at: At, evidence: &[Evidence], proof: Proof) -> Option<(bool, f64)> {
    let (new, sure) = scene.new_of(at)?;
    Some((new.is_some_and(|zone| scene.again.looked(zone, evidence, proof)), sure))
}

/// As [`later`], of the earlier scan.
pub(super) fn sooner(scene: &Scene, at: At, evidence: &[Evidence], proof: Proof) -> Option<(bool, f64)> {
    let (old, sure) = scene.old_of(at)?;
    Some((old.is_some_and(|zone| scene.earlier.looked(zone, evidence, proof)), sure))
}

/// Says of each what became of it: moved where it is gone from the one place and new in the other, both of which
/// both scans looked at.
pub(super) fn judged(scene: &Scene, subject: Subject, gone: Vec<Left>, mut fresh: Vec<Left>) -> Vec<Change> {
    let mut changes = Vec::new();
    for old in gone {
        let one_view = |new: &Left| new.name == old.name && scene.again.one_view(&old.seen(), &new.seen());
        if let Some(at) = fresh.iter().position(one_view) {
            // One view that the two walks gave to different zones.
            fresh.remove(at);
            continue;
        }
        let moved = |new: &Left| {
            new.name == old.name
                && old.looked
                && new.looked
                && new.side.count.map(|count| count.best) == old.side.count.map(|count| count.best)
        };
        if let Some(at) = fresh.iter().position(moved) {
            let new = fresh.remove(at);
            let sides = (Some(old.side), Some(new.side));
            changes.push(change(ChangeKind::Moved, subject, &old.name, sides, old.sure.min(new.sure)));
        } else {
            let kind = if old.looked { ChangeKind::Removed } else { ChangeKind::Unverified };
            let one = change(kind, subject, &old.name, (Some(old.side), None), old.sure);
            changes.push(if old.looked { one } else { one.because(Because::NotSeenAgain) });
        }
    }
    for new in fresh {
        let kind = if new.looked { ChangeKind::Added } else { ChangeKind::Unverified };
        let one = change(kind, subject, &new.name, (None, Some(new.side)), new.sure);
        changes.push(if new.looked { one } else { one.because(Because::NotSeenBefore) });
    }
    changes
}
