//! Whether a scan looked at a place that another scan shows.

use std::collections::BTreeMap;

use domain::document::{BBox, Evidence, SpaceDocument};

/// Bits in which the hashes of two pictures of one view differ at most.
pub(super) const NEAR: u32 = 12;
/// Share of a zone's time in usable frames, below which it was not looked at.
const COVERED: f64 = 0.3;

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
struct Anchor {
    bbox: Option<BBox>,
    again: Vec<Option<BBox>>,
}

/// One scan (`asked`), asked for what another one (`shown`) shows.
pub(super) struct Views<'a> {
    shown: Pictures<'a>,
    asked_document: &'a SpaceDocument,
    asked: Pictures<'a>,
    /// By frame of the scan that shows.
    anchors: BTreeMap<&'a str, Vec<Anchor>>,
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
            let again: Vec<Option<BBox>> =
                there.iter().filter(|e| e.frame_id.is_some()).map(|e| e.bbox).collect();
            for (frame, bbox) in here.iter().filter_map(|e| Some((e.frame_id.as_deref()?, e.bbox))) {
                anchors.entry(frame).or_default().push(Anchor { bbox, again: again.clone() });
            }
        }
        Self { shown: Pictures::of(shown), asked_document: asked, asked: Pictures::of(asked), anchors }
    }

    /// Whether `asked` looked at what this evidence shows, in this zone of its own: it has a picture like it, or
    /// shows something else of the same picture so that the place must be in view too.
    pub(super) fn looked(&self, zone: usize, evidence: &[Evidence]) -> bool {
        let Some(zone) = self.asked_document.zones.get(zone).filter(|zone| zone.coverage >= COVERED) else {
            return false;
        };
        near(&self.shown.shown(evidence), &self.asked.hashes(&zone.frame_ids))
            || evidence.iter().any(|e| self.anchored(e))
    }

    fn anchored(&self, evidence: &Evidence) -> bool {
        let anchors = evidence.frame_id.as_deref().and_then(|frame| self.anchors.get(frame));
        anchors.into_iter().flatten().any(|anchor| {
            anchor.again.iter().any(|again| match (evidence.bbox, anchor.bbox, again) {
                (Some(place), Some(then), Some(now)) => in_view(&place, &then, now),
                _ => true,
            })
        })
    }

    /// Whether pictures of the two scans show one view.
    pub(super) fn one_view(&self, shown: &[Evidence], asked: &[Evidence]) -> bool {
        near(&self.shown.shown(shown), &self.asked.shown(asked))
    }
}

/// Whether a place lies within the picture in which an anchor that was at `then` is at `now`, when both are moved
/// and scaled alike.
fn in_view(place: &BBox, then: &BBox, now: &BBox) -> bool {
    let scale = if then.h > 0.0 { now.h / then.h } else { 1.0 };
    let along = |place: f64, then: f64, now: f64| now + (place - then) * scale;
    let middle = |at: f64, size: f64| at + size / 2.0;
    let x = along(middle(place.x, place.w), middle(then.x, then.w), middle(now.x, now.w));
    let y = along(middle(place.y, place.h), middle(then.y, then.h), middle(now.y, now.h));
    (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y)
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
        assert!(in_view(&place, &anchor, &anchor));
        assert!(in_view(&place, &anchor, &at(0.1, 0.1)));
        assert!(!in_view(&place, &anchor, &at(0.4, 0.3)), "nearer");
        assert!(!in_view(&place, &anchor, &at(0.7, 0.1)), "turned away");
    }
}
