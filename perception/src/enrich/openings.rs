//! Finds openings between zones, where the walk went from one to the other.

use std::collections::BTreeSet;

use domain::document::{Basis, Opening, Relation, RelationKind};
use domain::media::InputKind;

use super::claims::Claims;
use super::zone_id;
use crate::fuse::Fused;

/// Confidence of an opening that continuous video shows.
const CONTINUOUS_VIDEO_CONFIDENCE: f64 = 0.8;
/// Confidence of an opening where the video was blurred or dark in between.
const INTERRUPTED_VIDEO_CONFIDENCE: f64 = 0.6;
/// Confidence of an opening between the places of two consecutive photos.
const PHOTOS_CONFIDENCE: f64 = 0.4;
/// Longest gap between two visits, in milliseconds, that counts as continuous.
const MAX_CONTINUOUS_GAP_MS: u64 = 1000;

/// Returns one opening per pair of zones with a transition, in order of the walk.
pub(super) fn find_openings(fused: &Fused, claims: &mut Claims) -> Vec<Opening> {
    let mut known = BTreeSet::new();
    let mut out = Vec::new();
    for pair in fused.visits.windows(2) {
        let (from, to) = (&pair[0], &pair[1]);
        if from.zone == to.zone || !known.insert((from.zone.min(to.zone), from.zone.max(to.zone))) {
            continue;
        }
        let confidence = match claims.kind() {
            InputKind::Frames => PHOTOS_CONFIDENCE,
            InputKind::Video
                if to.interval.start.saturating_sub(from.interval.end) > MAX_CONTINUOUS_GAP_MS =>
            {
                INTERRUPTED_VIDEO_CONFIDENCE
            }
            InputKind::Video => CONTINUOUS_VIDEO_CONFIDENCE,
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

/// Relates zones with an opening between them as adjacent.
pub(super) fn relate_adjacent(openings: &[Opening], claims: &mut Claims) -> Vec<Relation> {
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
