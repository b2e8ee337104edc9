//! Finds out whether a scan saw a place that another scan shows.

use std::collections::{BTreeMap, BTreeSet};

use domain::document::{BBox, Evidence, SpaceDocument};

/// Maximum Hamming distance between the hashes of two frames of one view.
pub(super) const SAME_VIEW_MAX_DISTANCE: u32 = 12;
/// Minimum coverage (share of a zone's time in usable frames) of a zone that counts as seen.
const MIN_COVERAGE: f64 = 0.3;

/// Minimum height of an object relative to the first scan. A detector may miss smaller ones.
const MIN_RELATIVE_HEIGHT: f64 = 0.6;
/// Part of a box that may lie outside the frame, as a share of its size.
const MAX_OUTSIDE: f64 = 0.01;

/// Maximum distance of a place from an anchor, in sizes of the anchor.
const MAX_ANCHOR_DISTANCE: f64 = 3.0;
/// Maximum factor between the aspect ratios of two boxes of one whole object.
const MAX_ASPECT_CHANGE: f64 = 1.35;
/// Distance from the edge of the frame below which a box may be cut off, as a share of the frame.
const EDGE_MARGIN: f64 = 0.005;

/// Evidence that is required to report a removal or addition.
#[derive(Debug, Clone, Copy)]
pub(super) struct Proof {
    /// Number of frames that must show its place; fewer if the other scan has it in fewer frames.
    pub(super) frames: usize,
    /// Minimum height that it would have in these frames, in pixels.
    pub(super) min_height_px: f64,
}

/// Proof for texts: OCR reads nearly every line that is large enough.
pub(super) const TEXT_PROOF: Proof = Proof { frames: 1, min_height_px: 20.0 };
/// Proof for objects: a detector misses an object in about every second frame.
pub(super) const OBJECT_PROOF: Proof = Proof { frames: 2, min_height_px: 0.0 };

/// Perceptual hashes of the kept frames of a scan, by frame.
pub(super) struct FrameHashes<'a>(BTreeMap<&'a str, u64>);

impl<'a> FrameHashes<'a> {
    pub(super) fn of(document: &'a SpaceDocument) -> Self {
        let hash = |hash: &str| u64::from_str_radix(hash, 16).ok();
        Self(document.frames.iter().filter_map(|f| Some((f.id.as_str(), hash(&f.hash)?))).collect())
    }

    /// Returns the hashes of these frames.
    pub(super) fn hashes<'b>(&self, frames: impl IntoIterator<Item = &'b String>) -> Vec<u64> {
        frames.into_iter().filter_map(|frame| self.0.get(frame.as_str()).copied()).collect()
    }

    fn of_evidence(&self, evidence: &[Evidence]) -> Vec<u64> {
        self.hashes(evidence.iter().filter_map(|e| e.frame_id.as_ref()))
    }
}

/// Something that both scans show: its box in a frame of one scan, and its boxes in the other.
#[derive(Debug, Clone)]
struct Anchor<'a> {
    bbox: Option<BBox>,
    counterparts: Vec<(&'a str, Option<BBox>)>,
}

/// Finds places that one scan (`shown`) shows in another scan (`searched`).
pub(super) struct Views<'a> {
    shown: FrameHashes<'a>,
    searched_document: &'a SpaceDocument,
    searched: FrameHashes<'a>,
    /// Anchors by frame of the scan `shown`.
    anchors: BTreeMap<&'a str, Vec<Anchor<'a>>>,
    /// Heights of the frames of the scan `searched`, in pixels.
    heights: BTreeMap<&'a str, f64>,
}

impl<'a> Views<'a> {
    /// `common` holds the evidence of contents that both scans show, in `shown` and in `searched`.
    pub(super) fn new(
        shown: &'a SpaceDocument,
        searched: &'a SpaceDocument,
        common: impl IntoIterator<Item = (&'a [Evidence], &'a [Evidence])>,
    ) -> Self {
        let mut anchors: BTreeMap<&str, Vec<Anchor>> = BTreeMap::new();
        for (here, there) in common {
            let counterparts: Vec<(&str, Option<BBox>)> =
                there.iter().filter_map(|e| Some((e.frame_id.as_deref()?, e.bbox))).collect();
            for (frame, bbox) in here.iter().filter_map(|e| Some((e.frame_id.as_deref()?, e.bbox))) {
                anchors.entry(frame).or_default().push(Anchor { bbox, counterparts: counterparts.clone() });
            }
        }
        let heights =
            searched.frames.iter().map(|frame| (frame.id.as_str(), f64::from(frame.height))).collect();
        Self {
            shown: FrameHashes::of(shown),
            searched_document: searched,
            searched: FrameHashes::of(searched),
            anchors,
            heights,
        }
    }

    /// Whether the scan `searched` saw the place of this evidence in one of its zones.
    ///
    /// A frame shows the place if it looks like the frame of the evidence, or if it shows an anchor
    /// beside the place. The place must be large enough in the frame.
    pub(super) fn has_seen(&self, zone: usize, evidence: &[Evidence], proof: Proof) -> bool {
        let Some(zone) = self.searched_document.zones.get(zone).filter(|zone| zone.coverage >= MIN_COVERAGE)
        else {
            return false;
        };
        let mut frames: BTreeSet<&str> = BTreeSet::new();
        for one in evidence {
            frames.extend(self.similar_frames(one, &zone.frame_ids, proof));
            frames.extend(self.anchored_frames(one, proof));
        }
        // No more frames are required than the other scan has of it.
        let shown_in: BTreeSet<&str> = evidence.iter().filter_map(|one| one.frame_id.as_deref()).collect();
        frames.len() >= proof.frames.min(shown_in.len()).max(1)
    }

    /// Returns the frames that look like the frame of this evidence.
    fn similar_frames<'b>(
        &'b self,
        evidence: &Evidence,
        frames: &'b [String],
        proof: Proof,
    ) -> impl Iterator<Item = &'b str> {
        let shown = self.shown.of_evidence(std::slice::from_ref(evidence));
        let share = evidence.bbox.map(|place| place.h);
        frames.iter().map(String::as_str).filter(move |frame| {
            let large = share.is_none_or(|share| share * self.height(frame) >= proof.min_height_px);
            large && self.searched.0.get(frame).is_some_and(|hash| has_same_view(&shown, &[*hash]))
        })
    }

    /// Returns the frames that must show the place, because they show an anchor beside it.
    fn anchored_frames(&self, evidence: &Evidence, proof: Proof) -> impl Iterator<Item = &str> {
        let anchors = evidence.frame_id.as_deref().and_then(|frame| self.anchors.get(frame));
        let frames = anchors
            .into_iter()
            .flatten()
            .flat_map(|anchor| anchor.counterparts.iter().map(|(frame, bbox)| (*frame, anchor.bbox, *bbox)));
        let place = evidence.bbox;
        frames.filter_map(move |(frame, then, now)| match (place, then, now) {
            (Some(place), Some(then), Some(now)) => {
                let projected = project(&place, &then, &now);
                (is_beside(&place, &then)
                    && is_whole(&then)
                    && is_whole(&now)
                    && has_same_shape(&then, &now)
                    && is_in_view(&projected)
                    && projected.h >= MIN_RELATIVE_HEIGHT * place.h
                    && projected.h * self.height(frame) >= proof.min_height_px)
                    .then_some(frame)
            }
            _ => Some(frame),
        })
    }

    fn height(&self, frame: &str) -> f64 {
        self.heights.get(frame).copied().unwrap_or_default()
    }

    /// Whether frames of the two scans show the same view.
    pub(super) fn same_view(&self, shown: &[Evidence], searched: &[Evidence]) -> bool {
        has_same_view(&self.shown.of_evidence(shown), &self.searched.of_evidence(searched))
    }
}

/// Whether a place is close enough to an anchor to be located by it. Farther places may be at
/// another distance from the camera, and move differently.
fn is_beside(place: &BBox, anchor: &BBox) -> bool {
    let distance_along =
        |place: (f64, f64), anchor: (f64, f64)| (place.0 + place.1 / 2.0 - anchor.0 - anchor.1 / 2.0).abs();
    let distance = distance_along((place.x, place.w), (anchor.x, anchor.w))
        .max(distance_along((place.y, place.h), (anchor.y, anchor.h)));
    distance <= MAX_ANCHOR_DISTANCE * (anchor.w * anchor.h).sqrt()
}

/// Whether the aspect ratios of two boxes allow that both show the same whole object.
fn has_same_shape(then: &BBox, now: &BBox) -> bool {
    let (a, b) = (then.w * now.h, now.w * then.h);
    a.max(b) <= MAX_ASPECT_CHANGE * a.min(b)
}

/// Whether a box is not cut off by the edge of the frame.
fn is_whole(bbox: &BBox) -> bool {
    bbox.x > EDGE_MARGIN
        && bbox.y > EDGE_MARGIN
        && bbox.x + bbox.w < 1.0 - EDGE_MARGIN
        && bbox.y + bbox.h < 1.0 - EDGE_MARGIN
}

/// Returns the box of a place in another frame, moved and scaled like an anchor from `then` to
/// `now`.
fn project(place: &BBox, then: &BBox, now: &BBox) -> BBox {
    let scale = if then.h > 0.0 { now.h / then.h } else { 1.0 };
    let middle = |at: f64, size: f64| at + size / 2.0;
    let along = |place: (f64, f64), then: (f64, f64), now: (f64, f64)| {
        middle(now.0, now.1) + (middle(place.0, place.1) - middle(then.0, then.1)) * scale
            - place.1 * scale / 2.0
    };
    BBox {
        x: along((place.x, place.w), (then.x, then.w), (now.x, now.w)),
        y: along((place.y, place.h), (then.y, then.h), (now.y, now.h)),
        w: place.w * scale,
        h: place.h * scale,
    }
}

/// Whether a place lies completely within the frame.
fn is_in_view(place: &BBox) -> bool {
    let within =
        |from: f64, size: f64| from >= -MAX_OUTSIDE * size && from + size <= 1.0 + MAX_OUTSIDE * size;
    within(place.x, place.w) && within(place.y, place.h)
}

fn has_same_view(a: &[u64], b: &[u64]) -> bool {
    a.iter().any(|x| b.iter().any(|y| (x ^ y).count_ones() <= SAME_VIEW_MAX_DISTANCE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn projected_place_leaves_closer_frame() {
        let at = |x: f64, size: f64| BBox { x, y: 0.4, w: size, h: size };
        let (place, anchor) = (at(0.8, 0.1), at(0.4, 0.1));
        let is_seen = |now: &BBox| is_in_view(&project(&place, &anchor, now));
        assert!(is_seen(&anchor));
        assert!(is_seen(&at(0.1, 0.1)));
        assert!(!is_seen(&at(0.4, 0.3)), "closer");
        assert!(!is_seen(&at(0.7, 0.1)), "turned away");
        assert!(!is_seen(&at(0.55, 0.1)), "cut off");
        assert!(is_beside(&place, &at(0.6, 0.1)) && !is_beside(&place, &anchor), "four sizes away");
        assert!(is_whole(&anchor) && !is_whole(&at(0.902, 0.1)));
        assert!(
            has_same_shape(&anchor, &at(0.1, 0.3)) && !has_same_shape(&anchor, &BBox { w: 0.2, ..anchor })
        );
        assert!((project(&place, &anchor, &at(0.2, 0.05)).h - 0.05).abs() < 1e-9);
    }
}
