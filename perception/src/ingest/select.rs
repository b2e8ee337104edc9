//! Which pictures of a video are kept, decided as they pass.
//!
//! Pictures that show the same view as the first of a window compete, the sharpest wins; when the view
//! moves on, the winner is kept unless it shows what a kept frame shows already. So a blurred picture
//! never stands for a view that was seen sharply, a long still gives one frame, and a slow turn gives
//! frames that share no more than [`FrameSettings::same_view`].

use std::collections::VecDeque;

use domain::document::KeptBecause;
use media::ffmpeg::YuvFrame;

use super::look::Look;
use crate::settings::FrameSettings;
use crate::signal::{align, distance};

/// How far back the usual blur of the video is looked for.
const BLUR_MEMORY: usize = 40;
/// A picture this much more blurred than the sharp ones about is blurred, whatever the limit.
const BLUR_MARGIN: f64 = 0.14;
/// More blur than this is never used.
const HOPELESS_BLUR: f64 = 0.85;
/// Bits in which the hashes of two duplicates may differ.
const HASH_DISTANCE: u32 = 14;
/// Kept frames just before, which are compared whatever their hashes.
const RECENT: usize = 4;
/// Features that must agree before a picture is called a duplicate of an earlier visit's.
const DUPLICATE_INLIERS: usize = 24;
/// A duplicate this much sharper takes the other's place.
const MUCH_SHARPER: f64 = 1.5;

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
    pub look: Look,
    pub picture: YuvFrame,
}

/// What a passing window comes to.
pub(super) enum Verdict {
    /// A new view: keep it.
    Keep { candidate: Box<Candidate>, because: KeptBecause },
    /// Keep it in the place of a kept frame, which it shows better.
    Replace { number: usize, candidate: Box<Candidate> },
    /// A kept frame shows it.
    Duplicate { number: usize },
}

struct Window {
    anchor: Look,
    start_ms: u64,
    best: Candidate,
    moved: bool,
    because: KeptBecause,
}

struct Kept {
    number: usize,
    hash: u64,
    look: Look,
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
    pub(super) fn judge(&mut self, look: &Look) -> Usable {
        if !look.is_lit(self.settings) {
            return Usable::Dark;
        }
        let blur = look.sharpness.blur;
        if self.blurs.len() == BLUR_MEMORY {
            self.blurs.pop_front();
        }
        self.blurs.push_back(blur);
        let mut sorted: Vec<f64> = self.blurs.iter().copied().collect();
        sorted.sort_by(f64::total_cmp);
        let usual = sorted[sorted.len() / 5];
        let limit = self.settings.max_blur.max(usual + BLUR_MARGIN).min(HOPELESS_BLUR);
        if blur > limit { Usable::Blurred } else { Usable::Yes }
    }

    /// Takes a usable picture. When it begins a new window, the verdict on the last one comes back.
    pub(super) fn push(&mut self, candidate: Candidate) -> Option<Verdict> {
        let because = match &mut self.window {
            None => KeptBecause::First,
            Some(window) => {
                let overlap = window.anchor.overlap(&candidate.look);
                let long = candidate.t_ms.saturating_sub(window.start_ms) as f64
                    > self.settings.interval_seconds * 1000.0;
                window.moved |= overlap < self.settings.duplicate;
                if overlap >= self.settings.same_view && !(long && window.moved) {
                    if candidate.look.sharpness.detail > window.best.look.sharpness.detail {
                        window.best = candidate;
                    }
                    return None;
                }
                if overlap < self.settings.same_view { KeptBecause::NewView } else { KeptBecause::Interval }
            }
        };
        let passed = self.finish();
        self.window = Some(Window {
            anchor: candidate.look.clone(),
            start_ms: candidate.t_ms,
            best: candidate,
            moved: false,
            because,
        });
        passed
    }

    /// Ends the window: at the end of the video, or where the view is lost.
    pub(super) fn finish(&mut self) -> Option<Verdict> {
        let window = self.window.take()?;
        let candidate = Box::new(window.best);
        Some(match self.shown_by(&candidate.look) {
            Some(at) => {
                let number = self.kept[at].number;
                let better =
                    candidate.look.sharpness.detail > MUCH_SHARPER * self.kept[at].look.sharpness.detail;
                if better { Verdict::Replace { number, candidate } } else { Verdict::Duplicate { number } }
            }
            None => Verdict::Keep { candidate, because: window.because },
        })
    }

    /// Remembers a frame that was kept under a number.
    pub(super) fn kept(&mut self, number: usize, look: Look) {
        self.kept.push(Kept { number, hash: look.hash, look });
    }

    /// Forgets a frame that was kept.
    pub(super) fn forget(&mut self, number: usize) {
        self.kept.retain(|kept| kept.number != number);
    }

    /// The kept frame that shows the same as this look: of the last ones by how much they share, of all
    /// others only where the hashes are near and many features agree.
    fn shown_by(&self, look: &Look) -> Option<usize> {
        let recent = self.kept.len().saturating_sub(RECENT);
        let near =
            |(at, kept): &(usize, &Kept)| *at >= recent || distance(kept.hash, look.hash) <= HASH_DISTANCE;
        self.kept.iter().enumerate().rev().filter(near).map(|(at, _)| at).find(|at| {
            let kept = &self.kept[*at];
            if *at >= recent {
                return kept.look.overlap(look) >= self.settings.duplicate;
            }
            align(&kept.look.features, &look.features).is_some_and(|found| {
                found.inliers >= DUPLICATE_INLIERS && found.overlap >= self.settings.duplicate
            })
        })
    }
}
