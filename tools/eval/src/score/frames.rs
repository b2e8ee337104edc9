//! Kept frames against what could be seen.
//!
//! A kept frame shows what the truth's sample nearest to it shows (at most 150 ms away; the same photo).
//!
//! - `keyframe_coverage`: over the objects that some sharp sample shows well (at least half of its outline
//!   and 0.3 % of the picture) and the lines readable at 24 pixels, the share that some kept frame shows: a
//!   object with at least 60 % of the share and 40 % of the size of its best sample, a line readable at 20
//!   pixels or more;
//! - `duplicate_frames`: of the kept frames, those whose camera stood within 25 cm of an earlier one's and
//!   looked within 6 degrees of where that one looked.

use domain::document::{Frame, SpaceDocument};

use super::{Details, share};
use walkgen::truth::{BLURRED, LARGE, Sample, Truth, VisibleObject};

const NEAREST_MS: u64 = 150;
const SAME_PLACE_M: f32 = 0.25;
const SAME_DIRECTION_DEGREES: f32 = 6.0;
/// Capitals of a line are large enough in a kept frame, in pixels.
const KEPT_LINE: f32 = 20.0;

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
        let sharp = truth.samples.iter().filter(|s| s.blur_px < BLURRED);
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
    for line in truth.texts.iter().filter(|line| line.max_height_px >= LARGE) {
        all += 1;
        let readable = |sample: &&&Sample| {
            sample.texts.iter().any(|t| t.id == line.id && t.readable && t.height_px >= KEPT_LINE)
        };
        if shown.iter().any(|sample| readable(&sample)) {
            covered += 1;
        } else {
            details.uncovered.push(format!("the words {}", line.text));
        }
    }
    let repeats = (0..shown.len()).filter(|&i| shown[..i].iter().any(|earlier| same_view(earlier, shown[i])));
    (share(covered, all), share(repeats.count(), document.frames.len()))
}

pub(super) fn sample_of<'a>(frame: &Frame, truth: &'a Truth) -> Option<&'a Sample> {
    if truth.kind == "frames" {
        let ordinal = frame.ordinal.map(u64::from)?;
        return truth.samples.iter().find(|s| s.ordinal == Some(ordinal));
    }
    let at = frame.t_ms?;
    let nearest = truth.samples.iter().min_by_key(|s| s.t_ms.abs_diff(at))?;
    (nearest.t_ms.abs_diff(at) <= NEAREST_MS).then_some(nearest)
}

fn same_view(a: &Sample, b: &Sample) -> bool {
    let away: f32 = (0..3).map(|i| (a.place[i] - b.place[i]).powi(2)).sum::<f32>().sqrt();
    let turned = (a.yaw_degrees - b.yaw_degrees + 180.0).rem_euclid(360.0) - 180.0;
    let tilted = a.pitch_degrees - b.pitch_degrees;
    away < SAME_PLACE_M && turned.hypot(tilted) < SAME_DIRECTION_DEGREES
}
