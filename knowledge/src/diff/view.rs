//! Whether a scan looked at a place that another scan shows.

use std::collections::{BTreeMap, BTreeSet};

use domain::document::{BBox, Evidence, SpaceDocument};

/// Bits in which the hashes of two pictures of one view differ at most.
pub(super) const NEAR: u32 = 12;
/// Share of a zone's time in usable frames, below which it was not looked at.
const COVERED: f64 = 0.3;

/// Seen so much smaller, a thing may be overlooked.
const SMALLER: f64 = 0.6;
/// What lies this near to a side of the picture may be cut off, in shares of its size.
const MARGIN: f64 = 0.01;

/// A place is beside an anchor up to so many times the anchor's size away.
const BESIDE: f64 = 3.0;
/// A box whose sides are in another relation than before, by more than this factor, is of another part of the thing.
const RESHAPED: f64 = 1.35;
/// A box this near to a side of the picture may be cut off.
const EDGE: f64 = 0.005;

/// What it takes to say that something is not there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Proof {
    /// In how many pictures it would have to be seen; fewer where it never was in so many.
    pub(super) looks: usize,
    /// How high it would have to be there, in pixels.
    pub(super) height: f64,
}

/// A line that is large enough is read nearly always.
pub(super) const OF_TEXT: Proof = Proof { looks: 1, height: 20.0 };
/// A detector misses a thing in about every second picture.
pub(super) const OF_THING: Proof = Proof { looks: 2, height: 0.0 };

/// The kept pictures of a scan, by how they look.
pub(super) struct Pictures<'a>(BTreeMap<&'a str, u64>);

impl<'a> Pictures<'a> {
    pub(super) fn of(document: &'a SpaceDocument) -> Self {
        let hash = |hash: &str| u64::from_str_radix(hash, 16).ok();
        Self(document.frames.iter().filter_map(|f| Some((f.id.as_str(), hash(&f.hash)?))).collect())
    }

    /// The hashes of these frames.
    pub(super) fn hashes<'b>(&self, frames: impl IntoIterator<Item = &'b String>) -> Vec<u64> {
        frames.into_iter().filter_map(|frame| self.0.get(frame.as_str()).copied()).collect()
    }

    fn shown(&self, evidence: &[Evidence]) -> Vec<u64> {
        self.hashes(evidence.iter().filter_map(|e| e.frame_id.as_ref()))
    }
}

/// Something that both scans show: in a frame of the one, and in these boxes of frames of the other.
#[derive(Debug, Clone)]
struct Anchor<'a> {
    bbox: Option<BBox>,
    again: Vec<(&'a str, Option<BBox>)>,
}

/// One scan (`asked`), asked for what another one (`shown`) shows.
pub(super) struct Views<'a> {
    shown: Pictures<'a>,
    asked_document: &'a SpaceDocument,
    asked: Pictures<'a>,
    /// By frame of the scan that shows.
    anchors: BTreeMap<&'a str, Vec<Anchor<'a>>>,
    /// Heights of the frames of the scan that is asked, in pixels.
    heights: BTreeMap<&'a str, f64>,
}

impl<'a> Views<'a> {
    /// `both` are the evidences of what both scans show: of the one that shows, and of the one that is asked.
    pub(super) fn new(
        shown: &'a SpaceDocument,
        asked: &'a SpaceDocument,
        both: impl IntoIterator<Item = (&'a [Evidence], &'a [Evidence])>,
    ) -> Self {
        let mut anchors: BTreeMap<&str, Vec<Anchor>> = BTreeMap::new();
        for (here, there) in both {
            let again: Vec<(&str, Option<BBox>)> =
                there.iter().filter_map(|e| Some((e.frame_id.as_deref()?, e.bbox))).collect();
            for (frame, bbox) in here.iter().filter_map(|e| Some((e.frame_id.as_deref()?, e.bbox))) {
                anchors.entry(frame).or_default().push(Anchor { bbox, again: again.clone() });
            }
        }
        let heights = asked.frames.iter().map(|frame| (frame.id.as_str(), f64::from(frame.height))).collect();
        Self {
            shown: Pictures::of(shown),
            asked_document: asked,
            asked: Pictures::of(asked),
            anchors,
            heights,
        }
    }

    /// Whether `asked` looked at what this evidence shows, in this zone of its own: it has pictures like it, or shows
    /// something else of the same picture, so that the place must be in view too, and large enough.
    pub(super) fn looked(&self, zone: usize, evidence: &[Evidence], proof: Proof) -> bool {
        let Some(zone) = self.asked_document.zones.get(zone).filter(|zone| zone.coverage >= COVERED) else {
            return false;
        };
        let mut looks: BTreeSet<&str> = BTreeSet::new();
        for one in evidence {
            looks.extend(self.alike(one, &zone.frame_ids, proof));
            looks.extend(self.anchored(one, proof));
        }
        // As many looks as it took to see it, where it took fewer.
        let took: BTreeSet<&str> = evidence.iter().filter_map(|one| one.frame_id.as_deref()).collect();
        looks.len() >= proof.looks.min(took.len()).max(1)
    }

    /// Frames of the scan that is asked which look like the one that this evidence is in.
    fn alike<'b>(
        &'b self,
        evidence: &Evidence,
        frames: &'b [String],
        proof: Proof,
    ) -> impl Iterator<Item = &'b str> {
        let shown = self.shown.shown(std::slice::from_ref(evidence));
        let share = evidence.bbox.map(|place| place.h);
        frames.iter().map(String::as_str).filter(move |frame| {
            let large = share.is_none_or(|share| share * self.height(frame) >= proof.height);
            large && self.asked.0.get(frame).is_some_and(|hash| near(&shown, &[*hash]))
        })
    }

    /// Frames of the scan that is asked in which the place must be in view, since something that was beside it is.
    fn anchored(&self, evidence: &Evidence, proof: Proof) -> impl Iterator<Item = &str> {
        let anchors = evidence.frame_id.as_deref().and_then(|frame| self.anchors.get(frame));
        let frames = anchors
            .into_iter()
            .flatten()
            .flat_map(|anchor| anchor.again.iter().map(|(frame, again)| (*frame, anchor.bbox, *again)));
        let place = evidence.bbox;
        frames.filter_map(move |(frame, then, now)| match (place, then, now) {
            (Some(place), Some(then), Some(now)) => {
                let there = moved(&place, &then, &now);
                (beside(&place, &then)
                    && whole(&then)
                    && whole(&now)
                    && one_shape(&then, &now)
                    && in_view(&there)
                    && there.h >= SMALLER * place.h
                    && there.h * self.height(frame) >= proof.height)
                    .then_some(frame)
            }
            _ => Some(frame),
        })
    }

    fn height(&self, frame: &str) -> f64 {
        self.heights.get(frame).copied().unwrap_or_default()
    }

    /// Whether pictures of the two scans show one view.
    pub(super) fn one_view(&self, shown: &[Evidence], asked: &[Evidence]) -> bool {
        near(&self.shown.shown(shown), &self.asked.shown(asked))
    }
}

/// Whether a place is near enough to an anchor that where the one is says where the other is: what stands at another
/// distance from the camera moves otherwise.
fn beside(place: &BBox, anchor: &BBox) -> bool {
    let between =
        |place: (f64, f64), anchor: (f64, f64)| (place.0 + place.1 / 2.0 - anchor.0 - anchor.1 / 2.0).abs();
    let away = between((place.x, place.w), (anchor.x, anchor.w))
        .max(between((place.y, place.h), (anchor.y, anchor.h)));
    away <= BESIDE * (anchor.w * anchor.h).sqrt()
}

/// Whether two boxes may be of the whole of one thing.
fn one_shape(then: &BBox, now: &BBox) -> bool {
    let (a, b) = (then.w * now.h, now.w * then.h);
    a.max(b) <= RESHAPED * a.min(b)
}

/// Whether no side of the picture cuts a box off.
fn whole(bbox: &BBox) -> bool {
    bbox.x > EDGE && bbox.y > EDGE && bbox.x + bbox.w < 1.0 - EDGE && bbox.y + bbox.h < 1.0 - EDGE
}

/// Where a place lies in the picture in which an anchor that was at `then` is at `now`, when both are moved and scaled
/// alike.
fn moved(place: &BBox, then: &BBox, now: &BBox) -> BBox {
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

/// Whether all of a place lies within the picture.
fn in_view(place: &BBox) -> bool {
    let within = |from: f64, size: f64| from >= -MARGIN * size && from + size <= 1.0 + MARGIN * size;
    within(place.x, place.w) && within(place.y, place.h)
}

fn near(a: &[u64], b: &[u64]) -> bool {
    a.iter().any(|x| b.iter().any(|y| (x ^ y).count_ones() <= NEAR))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stood_beside_an_anchor_leaves_a_closer_picture() {
        let at = |x: f64, size: f64| BBox { x, y: 0.4, w: size, h: size };
        let (place, anchor) = (at(0.8, 0.1), at(0.4, 0.1));
        let seen = |now: &BBox| in_view(&moved(&place, &anchor, now));
        assert!(seen(&anchor));
        assert!(seen(&at(0.1, 0.1)));
        assert!(!seen(&at(0.4, 0.3)), "nearer");
        assert!(!seen(&at(0.7, 0.1)), "turned away");
        assert!(!seen(&at(0.55, 0.1)), "cut off");
        assert!(beside(&place, &at(0.6, 0.1)) && !beside(&place, &anchor), "four sizes away");
        assert!(whole(&anchor) && !whole(&at(0.902, 0.1)));
        assert!(one_shape(&anchor, &at(0.1, 0.3)) && !one_shape(&anchor, &BBox { w: 0.2, ..anchor }));
        assert!((moved(&place, &anchor, &at(0.2, 0.05)).h - 0.05).abs() < 1e-9);
    }
}
