//! Compares the kept frames with everything that was visible.
//!
//! The content of a kept frame is that of the nearest sample of the ground truth (at most 150 ms
//! away; the same photo).
//!
//! - `keyframe_coverage`: share of the clearly visible objects and lines that a kept frame shows.
//!   An object is clearly visible if a sharp sample shows at least half of its outline, on 0.3 % of
//!   the picture; a kept frame shows it with at least 60 % of the share and 40 % of the size in its
//!   best sample. A line is clearly visible if it is readable at 24 pixels; a kept frame shows it
//!   readable at 20 pixels;
//! - `duplicate_frames`: share of the kept frames with an earlier one taken within 25 cm of it, in
//!   a direction within 6 degrees.

use domain::document::{Frame, SpaceDocument};

use super::{Details, share};
use walkgen::truth::{BLURRED_PX, MIN_REQUIRED_PX, Sample, Truth, VisibleObject};

/// Maximum time between a kept frame and its sample.
const MAX_SAMPLE_DISTANCE_MS: u64 = 150;
const SAME_PLACE_M: f32 = 0.25;
const SAME_DIRECTION_DEGREES: f32 = 6.0;
/// Minimum height of a line's capitals in a kept frame, in pixels.
const MIN_CAPITALS_PX: f32 = 20.0;

/// Returns `keyframe_coverage` and `duplicate_frames`.
pub(super) fn compare(
    document: &SpaceDocument,
    truth: &Truth,
    details: &mut Details,
) -> (Option<f64>, Option<f64>) {
    let shown: Vec<&Sample> = document.frames.iter().filter_map(|frame| sample_of(frame, truth)).collect();
    let area = (truth.width * truth.height) as f32;
    let (mut covered, mut all) = (0, 0);
    for object in &truth.objects {
        let seen = |sample: &&Sample| sample.objects.iter().find(|t| t.id == object.id).copied();
        let sharp = truth.samples.iter().filter(|s| s.blur_px < BLURRED_PX);
        let well = |t: &VisibleObject| t.share >= 0.5 && t.pixels as f32 >= 0.003 * area;
        let best: Vec<VisibleObject> = sharp.filter_map(|s| seen(&s)).filter(well).collect();
        let Some(most) = best.iter().max_by_key(|t| t.pixels) else { continue };
        let fullest = best.iter().map(|t| t.share).fold(0.0, f32::max);
        let enough = |t: &VisibleObject| {
            t.share >= 0.6 * fullest && t.pixels as f32 >= 0.4 * most.pixels.min(80_000) as f32
        };
        all += 1;
        if shown.iter().filter_map(seen).any(|t| enough(&t)) {
            covered += 1;
        } else {
            details.uncovered.push(format!("{} in {}", object.category, truth.rooms[object.room].kind));
        }
    }
    for line in truth.texts.iter().filter(|line| line.max_height_px >= MIN_REQUIRED_PX) {
        all += 1;
        let readable = |sample: &&&Sample| {
            sample.texts.iter().any(|t| t.id == line.id && t.readable && t.height_px >= MIN_CAPITALS_PX)
        };
        if shown.iter().any(|sample| readable(&sample)) {
            covered += 1;
        } else {
            details.uncovered.push(format!("the line {}", line.text));
        }
    }
    let repeats = (0..shown.len()).filter(|&i| shown[..i].iter().any(|earlier| same_view(earlier, shown[i])));
    (share(covered, all), share(repeats.count(), document.frames.len()))
}

/// Returns the sample of the ground truth that a frame shows.
pub(super) fn sample_of<'a>(frame: &Frame, truth: &'a Truth) -> Option<&'a Sample> {
    if truth.kind == "frames" {
        let ordinal = frame.ordinal.map(u64::from)?;
        return truth.samples.iter().find(|s| s.ordinal == Some(ordinal));
    }
    let at = frame.t_ms?;
    let nearest = truth.samples.iter().min_by_key(|s| s.t_ms.abs_diff(at))?;
    (nearest.t_ms.abs_diff(at) <= MAX_SAMPLE_DISTANCE_MS).then_some(nearest)
}

fn same_view(a: &Sample, b: &Sample) -> bool {
    let away: f32 = (0..3).map(|i| (a.place[i] - b.place[i]).powi(2)).sum::<f32>().sqrt();
    let turned = (a.yaw_degrees - b.yaw_degrees + 180.0).rem_euclid(360.0) - 180.0;
    let tilted = a.pitch_degrees - b.pitch_degrees;
    away < SAME_PLACE_M && turned.hypot(tilted) < SAME_DIRECTION_DEGREES
}
