//! Selects the frames of a video in a single pass.
//!
//! A window holds consecutive pictures that show the same view as its first picture. The sharpest
//! of them wins. When the view changes, the winner is kept unless a kept frame already shows the
//! same. A blurred picture therefore never stands for a view that was also seen sharply, a long
//! motionless shot yields one frame, and a slow turn yields frames that overlap by at most
//! [`FrameSettings::same_view`].

use std::collections::VecDeque;

use domain::document::KeptBecause;
use media::ffmpeg::YuvFrame;

use super::metrics::PictureMetrics;
use crate::settings::FrameSettings;
use crate::signal::{align, distance};

/// Number of previous pictures from which the typical blur of the video is derived.
const BLUR_WINDOW_PICTURES: usize = 40;
/// Blur above that of the sharpest fifth of recent pictures from which a picture is blurred.
const BLUR_MARGIN: f64 = 0.14;
/// Blur above which a picture is never used.
const MAX_ADAPTIVE_BLUR: f64 = 0.85;
/// Maximum number of bits in which the hashes of two duplicates differ.
const DUPLICATE_MAX_HASH_BITS: u32 = 14;
/// Number of most recent frames that are compared regardless of their hashes.
const RECENT_KEPT_FRAMES: usize = 4;
/// Minimum number of matching features of a duplicate from an earlier visit.
const DUPLICATE_MIN_INLIERS: usize = 24;
/// Ratio of detail from which a duplicate replaces the kept frame.
const REPLACE_MIN_DETAIL_RATIO: f64 = 1.5;

/// Usability of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Usable {
    Yes,
    Blurred,
    Dark,
}

/// A usable picture that may be kept.
pub(super) struct Candidate {
    pub t_ms: u64,
    pub metrics: PictureMetrics,
    pub picture: YuvFrame,
}

/// Outcome of a finished window.
pub(super) enum Verdict {
    /// The view is new: keep the candidate.
    Keep { candidate: Box<Candidate>, kept_because: KeptBecause },
    /// The candidate shows the view of a kept frame better: replace that frame.
    Replace { number: usize, candidate: Box<Candidate> },
    /// A kept frame shows the view already.
    Duplicate { number: usize },
}

/// Consecutive pictures of one view.
struct Window {
    /// The first picture.
    anchor: PictureMetrics,
    start_ms: u64,
    /// The sharpest picture.
    best: Candidate,
    /// Whether the view has changed noticeably since the first picture.
    moved: bool,
    kept_because: KeptBecause,
}

struct Kept {
    number: usize,
    hash: u64,
    metrics: PictureMetrics,
}

/// Selects frames from the pictures of a video.
pub(super) struct Selector<'a> {
    settings: &'a FrameSettings,
    window: Option<Window>,
    kept: Vec<Kept>,
    blurs: VecDeque<f64>,
}

impl<'a> Selector<'a> {
    pub(super) fn new(settings: &'a FrameSettings) -> Selector<'a> {
        Selector { settings, window: None, kept: Vec::new(), blurs: VecDeque::new() }
    }

    /// Classifies a picture, relative to the pictures before it.
    pub(super) fn classify(&mut self, metrics: &PictureMetrics) -> Usable {
        if !metrics.is_lit(self.settings) {
            return Usable::Dark;
        }
        let blur = metrics.sharpness.blur;
        if self.blurs.len() == BLUR_WINDOW_PICTURES {
            self.blurs.pop_front();
        }
        self.blurs.push_back(blur);
        let mut sorted: Vec<f64> = self.blurs.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        let typical_blur = sorted[sorted.len() / 5];
        let limit = self.settings.max_blur.max(typical_blur + BLUR_MARGIN).min(MAX_ADAPTIVE_BLUR);
        if blur > limit { Usable::Blurred } else { Usable::Yes }
    }

    /// Adds a usable picture. Returns the verdict on the previous window if the picture starts a
    /// new one.
    pub(super) fn push(&mut self, candidate: Candidate) -> Option<Verdict> {
        let kept_because = match &mut self.window {
            None => KeptBecause::First,
            Some(window) => {
                let overlap = window.anchor.overlap(&candidate.metrics);
                let long = candidate.t_ms.saturating_sub(window.start_ms) as f64
                    > self.settings.interval_seconds * 1000.0;
                window.moved |= overlap < self.settings.duplicate;
                if overlap >= self.settings.same_view && !(long && window.moved) {
                    if candidate.metrics.sharpness.detail > window.best.metrics.sharpness.detail {
                        window.best = candidate;
                    }
                    return None;
                }
                if overlap < self.settings.same_view { KeptBecause::NewView } else { KeptBecause::Interval }
            }
        };
        let verdict = self.finish();
        self.window = Some(Window {
            anchor: candidate.metrics.clone(),
            start_ms: candidate.t_ms,
            best: candidate,
            moved: false,
            kept_because,
        });
        verdict
    }

    /// Ends the window, at the end of the video or of the view.
    pub(super) fn finish(&mut self) -> Option<Verdict> {
        let window = self.window.take()?;
        let candidate = Box::new(window.best);
        Some(match self.shown_by(&candidate.metrics) {
            Some(at) => {
                let number = self.kept[at].number;
                let better = candidate.metrics.sharpness.detail
                    > REPLACE_MIN_DETAIL_RATIO * self.kept[at].metrics.sharpness.detail;
                if better { Verdict::Replace { number, candidate } } else { Verdict::Duplicate { number } }
            }
            None => Verdict::Keep { candidate, kept_because: window.kept_because },
        })
    }

    /// Registers a frame that was kept under a number.
    pub(super) fn add_kept(&mut self, number: usize, metrics: PictureMetrics) {
        self.kept.push(Kept { number, hash: metrics.hash, metrics });
    }

    /// Unregisters a frame that was dropped.
    pub(super) fn remove_kept(&mut self, number: usize) {
        self.kept.retain(|kept| kept.number != number);
    }

    /// Finds the kept frame that shows the same view. Recent frames are compared by overlap,
    /// earlier ones only if their hashes are close, and then by features.
    fn shown_by(&self, metrics: &PictureMetrics) -> Option<usize> {
        let recent = self.kept.len().saturating_sub(RECENT_KEPT_FRAMES);
        let near = |(at, kept): &(usize, &Kept)| {
            *at >= recent || distance(kept.hash, metrics.hash) <= DUPLICATE_MAX_HASH_BITS
        };
        self.kept.iter().enumerate().rev().filter(near).map(|(at, _)| at).find(|at| {
            let kept = &self.kept[*at];
            if *at >= recent {
                return kept.metrics.overlap(metrics) >= self.settings.duplicate;
            }
            align(&kept.metrics.features, &metrics.features).is_some_and(|found| {
                found.inliers >= DUPLICATE_MIN_INLIERS && found.overlap >= self.settings.duplicate
            })
        })
    }
}
