//! Ways between zones: where the walk went from one to another there is a way.

use std::collections::BTreeSet;

use domain::document::{Basis, Opening, Relation, RelationKind};
use domain::media::InputKind;

use super::claims::Claims;
use super::zone_id;
use crate::fuse::Fused;

/// How sure a way is when the walk was seen all along…
const SEEN: f64 = 0.8;
/// …and when something between was blurred or dark.
const UNSEEN: f64 = 0.6;
/// Photos jump: that one follows another is a weak sign of a way.
const PHOTOS: f64 = 0.4;
/// A pause longer than this between two visits is not seen.
const PAUSE_MS: u64 = 1000;

/// One opening for each pair of zones that the walk went between, in the order of the walk.
pub(super) fn openings(fused: &Fused, claims: &mut Claims) -> Vec<Opening> {
    let mut known = BTreeSet::new();
    let mut out = Vec::new();
    for pair in fused.visits.windows(2) {
        let (from, to) = (&pair[0], &pair[1]);
        if from.zone == to.zone || !known.insert((from.zone.min(to.zone), from.zone.max(to.zone))) {
            continue;
        }
        let confidence = match claims.kind() {
            InputKind::Frames => PHOTOS,
            InputKind::Video if to.interval.start.saturating_sub(from.interval.end) > PAUSE_MS => UNSEEN,
            InputKind::Video => SEEN,
        };
        let frames = from.frame_ids.last().into_iter().chain(to.frame_ids.first());
        let evidence = frames.filter_map(|id| claims.frame(id, confidence)).collect();
        let value = format!("{} leads to {}", zone_id(from.zone), zone_id(to.zone));
        if let Some(claim) = claims.make(&value, confidence, Basis::Inferred, evidence, "run_openings") {
            out.push(Opening {
                id: format!("opn_{}", out.len() + 1),
                from_zone_id: zone_id(from.zone),
                to_zone_id: zone_id(to.zone),
                claim,
            });
        }
    }
    out
}

/// Zones with a way between them are adjacent.
pub(super) fn adjacent(openings: &[Opening], claims: &mut Claims) -> Vec<Relation> {
    let mut out = Vec::new();
    for opening in openings {
        let (from, to) = (&opening.from_zone_id, &opening.to_zone_id);
        let (value, evidence) = (format!("{from} is next to {to}"), opening.claim.evidence.clone());
        if let Some(claim) =
            claims.make(&value, opening.claim.confidence, Basis::Inferred, evidence, "run_openings")
        {
            out.push(Relation {
                id: format!("rel_{}", out.len() + 1),
                kind: RelationKind::Adjacent,
                from_id: from.clone(),
                to_id: to.clone(),
                claim,
            });
        }
    }
    out
}
