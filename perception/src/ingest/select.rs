//! Which pictures of a video are kept, decided as they pass.
//!
//! Pictures that show the same view as the first of a window compete, the sharpest wins; when the view
//! moves on, the winner is kept unless it shows what a kept frame shows already. So a blurred picture
//! never stands for a view that was seen sharply, a long still gives one frame, and a slow turn gives
//! frames that share no more than [`FrameSettings::same_view`].

use std::collections::VecDeque;

use media::ffmpeg::YuvFrame;

use super::metrics::PictureMetrics;
use crate::settings::FrameSettings;
use crate::signal::{align, distance};

/// How far back the usual blur of the video is measured for.
const BLUR_WINDOW_PICTURES: usize = 40;
/// A picture this much more blurred than the sharp ones about is blurred, whatever the limit.
const BLUR_MARGIN: f64 = 0.14;
/// More blur than this is never used.
const MAX_ADAPTIVE_BLUR: f64 = 0.85;
/// Bits in which the hashes of two duplicates may differ.
const DUPLICATE_MAX_HASH_BITS: u32 = 14;
/// Kept frames just before, which are compared whatever their hashes.
const RECENT_KEPT_FRAMES: usize = 4;
/// Features that must agree before a picture is called a duplicate of an earlier visit's.
const DUPLICATE_MIN_INLIERS: usize = 24;
/// A duplicate this much sharper takes the other's place.
const REPLACE_MIN_DETAIL_RATIO: f64 = 1.5;

/// Whether a picture can be used, and why not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Usable {
    Yes,
    Blurred,
    Dark,
}

/// A picture that competes for its view.
pub(super) struct Candidate {
    pub t_ms: u64,
    pub metrics: PictureMetrics,
    pub picture: YuvFrame,
}

/// What a passing window comes to.
pub(super) enum Verdict {
    /// A new view: keep it.
    Keep { candidate: Box<Candidate>, kept_because: &'static str },
    /// Keep it in the place of a kept frame, which it shows better.
    Replace { number: usize, candidate: Box<Candidate> },
    /// A kept frame shows it.
    Duplicate { number: usize },
}

struct Window {
    anchor: PictureMetrics,
    start_ms: u64,
    best: Candidate,
    moved: bool,
    kept_because: &'static str,
}

struct Kept {
    number: usize,
    hash: u64,
    metrics: PictureMetrics,
}

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

    /// Whether a picture can be used, judged beside those before it.
    pub(super) fn judge(&mut self, metrics: &PictureMetrics) -> Usable {
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
        let usual = sorted[sorted.len() / 5];
        let limit = self.settings.max_blur.max(usual + BLUR_MARGIN).min(MAX_ADAPTIVE_BLUR);
        if blur > limit { Usable::Blurred } else { Usable::Yes }
    }

    /// Takes a usable picture. When it begins a new window, the verdict on the last one comes back.
    pub(super) fn push(&mut self, candidate: Candidate) -> Option<Verdict> {
        let kept_because = match &mut self.window {
            None => "first",
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
                if overlap < self.settings.same_view { "new_view" } else { "interval" }
            }
        };
        let passed = self.finish();
        self.window = Some(Window {
            anchor: candidate.metrics.clone(),
            start_ms: candidate.t_ms,
            best: candidate,
            moved: false,
            kept_because,
        });
        passed
    }

    /// Ends the window: at the end of the video, or where the view is lost.
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

    /// Remembers a frame that was kept under a number.
    pub(super) fn kept(&mut self, number: usize, metrics: PictureMetrics) {
        self.kept.push(Kept { number, hash: metrics.hash, metrics });
    }

    /// Forgets a frame that was kept.
    pub(super) fn forget(&mut self, number: usize) {
        self.kept.retain(|kept| kept.number != number);
    }

    /// The kept frame that shows the same as this metrics: of the last ones by how much they share, of all
    /// others only where the hashes are near and many features agree.
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
