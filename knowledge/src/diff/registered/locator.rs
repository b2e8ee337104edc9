//! Finds the frames of a walk that show a place which a frame of another walk shows.

use std::{cell::OnceCell, collections::BTreeMap};

use domain::document::{BBox, Frame, SpaceDocument};
use registration::{Features, FrameView, Registration, WalkViews, candidates, register};

/// Number of frames with which a frame is compared: those that share most features.
const MAX_CANDIDATES: usize = 8;
/// Minimum size of a place relative to the frame in which it was seen. A model may miss smaller
/// things.
const MIN_RELATIVE_SIZE: f64 = 0.6;
/// Part of a box that may lie outside the frame, as a share of its size.
const MAX_OUTSIDE: f64 = 0.02;
/// Minimum detail of a frame relative to the frame in which the thing was seen.
const MIN_RELATIVE_DETAIL: f64 = 0.35;
/// Least mean lightness (0 to 1) by which detail is normalized.
const MIN_EXPOSURE: f64 = 0.05;

/// The views of one walk, with the frames of its document.
pub(in crate::diff) struct WalkFrames<'a> {
    pub(super) views: Vec<&'a FrameView>,
    frames: Vec<Option<&'a Frame>>,
    by_id: BTreeMap<&'a str, usize>,
}

impl<'a> WalkFrames<'a> {
    fn new(document: &'a SpaceDocument, views: &'a WalkViews) -> Self {
        let frames: BTreeMap<&str, &Frame> =
            document.frames.iter().map(|frame| (frame.id.as_str(), frame)).collect();
        let views: Vec<&FrameView> = views.views.iter().collect();
        Self {
            frames: views.iter().map(|view| frames.get(view.frame_id.as_str()).copied()).collect(),
            by_id: views.iter().enumerate().map(|(at, view)| (view.frame_id.as_str(), at)).collect(),
            views,
        }
    }

    /// Returns the position of a frame.
    pub(super) fn position(&self, frame_id: &str) -> Option<usize> {
        self.by_id.get(frame_id).copied()
    }

    /// Returns the zone of a frame.
    pub(super) fn zone_id(&self, at: usize) -> Option<&'a str> {
        self.frames[at].and_then(|frame| frame.zone_id.as_deref())
    }

    /// Returns the height of a frame in pixels.
    pub(super) fn height(&self, at: usize) -> f64 {
        self.frames[at].map_or(0.0, |frame| f64::from(frame.height))
    }

    /// Returns the detail of a frame, independent of its lightness: the variance of the Laplacian
    /// grows with the square of the contrast.
    fn detail(&self, at: usize) -> f64 {
        self.frames[at].map_or(0.0, |frame| frame.sharpness / frame.exposure.max(MIN_EXPOSURE).powi(2))
    }

    fn features(&self) -> Vec<&'a Features> {
        self.views.iter().map(|view| &view.features).collect()
    }
}

/// A frame that shows the place of a thing, with the box in which the thing would be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(in crate::diff) struct LocatedPlace {
    /// Position of the frame in the searched walk.
    pub(super) view: usize,
    pub(super) bbox: BBox,
}

/// Locates places that one walk shows in the frames of another, or of the same walk.
pub(in crate::diff) struct PlaceLocator<'p, 'a> {
    pub(super) shown: &'p WalkFrames<'a>,
    pub(super) searched: &'p WalkFrames<'a>,
    candidates: Vec<Vec<usize>>,
    registered: Vec<OnceCell<Vec<(usize, Registration)>>>,
}

impl<'p, 'a> PlaceLocator<'p, 'a> {
    fn new(shown: &'p WalkFrames<'a>, searched: &'p WalkFrames<'a>) -> Self {
        let candidates = candidates(&shown.features(), &searched.features(), MAX_CANDIDATES);
        let registered = candidates.iter().map(|_| OnceCell::new()).collect();
        Self { shown, searched, candidates, registered }
    }

    /// Returns the frames of the searched walk that register to a frame.
    fn registered(&self, at: usize) -> &[(usize, Registration)] {
        self.registered[at].get_or_init(|| {
            let (one, others) = (&self.shown.views[at].features, &self.candidates[at]);
            let found = |other: &usize| Some((*other, register(one, &self.searched.views[*other].features)?));
            others.iter().filter_map(found).collect()
        })
    }

    /// Returns the frames in which a thing would be seen whole, as large and as sharp as in the frame
    /// that shows it. The same model must have observed both.
    pub(super) fn of(&self, at: usize, bbox: &BBox) -> Vec<LocatedPlace> {
        let detail = self.shown.detail(at);
        let look = |(view, registration): &(usize, Registration)| {
            let located = registration.locate(bbox)?;
            let height = located.h * self.searched.height(*view);
            let is_large = height >= MIN_RELATIVE_SIZE * bbox.h * self.shown.height(at);
            let is_sharp = self.searched.detail(*view) >= MIN_RELATIVE_DETAIL * detail;
            let same_model = self.shown.views[at].run_id == self.searched.views[*view].run_id;
            (is_inside(&located) && is_large && is_sharp && same_model)
                .then_some(LocatedPlace { view: *view, bbox: located })
        };
        self.registered(at).iter().filter_map(look).collect()
    }

    /// Returns the share of the frames of one zone that register to a frame of another zone. `None`
    /// if no frame of the zone registers to any frame.
    pub(in crate::diff) fn zone_share(&self, frames: &[String], others: &[String]) -> Option<f64> {
        let others: Vec<usize> = others.iter().filter_map(|id| self.searched.position(id)).collect();
        let positions = frames.iter().filter_map(|id| self.shown.position(id));
        let found: Vec<&[(usize, Registration)]> =
            positions.map(|at| self.registered(at)).filter(|found| !found.is_empty()).collect();
        let shared = found.iter().filter(|found| found.iter().any(|(view, _)| others.contains(view))).count();
        (!found.is_empty()).then(|| shared as f64 / found.len() as f64)
    }
}

fn is_inside(bbox: &BBox) -> bool {
    let within =
        |from: f64, size: f64| from >= -MAX_OUTSIDE * size && from + size <= 1.0 + MAX_OUTSIDE * size;
    within(bbox.x, bbox.w) && within(bbox.y, bbox.h)
}

/// The views of two walks.
pub(in crate::diff) struct WalkPair<'a> {
    before: WalkFrames<'a>,
    after: WalkFrames<'a>,
}

impl<'a> WalkPair<'a> {
    pub(in crate::diff) fn new(
        before: (&'a SpaceDocument, &'a WalkViews),
        after: (&'a SpaceDocument, &'a WalkViews),
    ) -> Self {
        Self { before: WalkFrames::new(before.0, before.1), after: WalkFrames::new(after.0, after.1) }
    }

    /// Locates places of the earlier walk in the later one, and the reverse.
    pub(in crate::diff) fn between(&self) -> [PlaceLocator<'_, 'a>; 2] {
        [PlaceLocator::new(&self.before, &self.after), PlaceLocator::new(&self.after, &self.before)]
    }

    /// Locates places of each walk in the walk itself.
    pub(in crate::diff) fn within(&self) -> [PlaceLocator<'_, 'a>; 2] {
        [PlaceLocator::new(&self.before, &self.before), PlaceLocator::new(&self.after, &self.after)]
    }
}
