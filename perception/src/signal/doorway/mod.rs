//! Recognises the passing of a doorway in a sequence of pictures.
//!
//! Two upright edges on opposite sides of the picture that diverge until they leave it are the jambs
//! of a doorway that the camera passes. With a camera that moves evenly, the inverse of their
//! distance falls linearly and reaches zero in the plane of the doorway: the time to contact (Lee,
//! 1976). Windows and wardrobes that the camera comes closer to follow the same law, so the movement up
//! to the contact decides how likely it is that the camera passed (`evidence`).

mod evidence;

use serde::{Deserialize, Serialize};

use super::{ColumnProfiles, UprightEdge};
use evidence::{Jambs, Movements};

/// Minimum distance of a pair of jambs, in widths of the picture.
const MIN_GAP_WIDTHS: f64 = 0.2;
/// Minimum distance of the jambs when they were last in the picture, in widths of the picture.
const MIN_LAST_GAP_WIDTHS: f64 = 0.55;
/// Columns by which a jamb may be on the other side of the middle, in widths of the picture.
const SIDE_TOLERANCE_WIDTHS: f64 = 0.03;
/// Columns by which a jamb may move back between two pictures, in widths of the picture.
const BACK_TOLERANCE_WIDTHS: f64 = 0.01;
/// Largest growth of the distance of the jambs, per second.
const MAX_GROWTH_PER_SECOND: f64 = 2.5;
/// Largest movement of the middle between the jambs, in widths of the picture per second.
const MAX_SHIFT_PER_SECOND: f64 = 0.5;
/// Longest time between two pictures that show both jambs, in milliseconds.
const MAX_STEP_MS: u64 = 450;
/// Time before the jambs leave the picture in which their divergence is measured, in milliseconds.
const FIT_MS: u64 = 1050;
/// Maximum number of pictures in that time.
const MAX_POINTS: usize = 8;
/// Minimum number of pictures with both jambs.
const MIN_POINTS: usize = 4;
/// Minimum growth of the distance of the jambs in that time.
const MIN_GROWTH: f64 = 1.35;
/// Longest time from the last picture with both jambs to the doorway, in milliseconds.
const MAX_CONTACT_MS: f64 = 2000.0;
/// Largest deviation of the inverse distances from a line, as a share of their mean.
const MAX_DEVIATION: f64 = 0.06;
/// Largest number of pictures that improve the fit of a pair.
const MAX_FIT_POINTS: usize = 10;
/// Passages closer than this are one, in milliseconds.
const SAME_PASSAGE_MS: u64 = 700;
/// Shortest time between two doorways, in milliseconds.
const MIN_INTERVAL_MS: u64 = 3000;

/// A doorway that the camera passed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Doorway {
    /// Time of the passing in milliseconds.
    pub t_ms: u64,
    /// Log-odds that the camera passed a doorway, above 0. Stages of the last release, which may still
    /// run, call it a weight.
    #[serde(alias = "weight")]
    pub log_odds: f64,
}

/// Positions of a pair of edges at one time, in widths of the picture.
#[derive(Debug, Clone, Copy)]
struct Gap {
    t_ms: u64,
    left: f64,
    right: f64,
}

impl Gap {
    fn width(&self) -> f64 {
        self.right - self.left
    }
}

/// A pair of edges followed over pictures.
#[derive(Debug, Clone)]
struct Pair {
    left_rises: bool,
    right_rises: bool,
    /// The last pictures, in order.
    gaps: Vec<Gap>,
    /// Number of all pictures.
    length: usize,
}

/// Follows pairs of upright edges through a video.
#[derive(Debug, Default)]
pub struct DoorwayTracker {
    open: Vec<Pair>,
    /// Pairs that diverged like jambs.
    jambs: Vec<Jambs>,
    movements: Movements,
}

impl DoorwayTracker {
    /// Adds the upright edges and the profiles of the next picture.
    pub fn push(&mut self, t_ms: u64, profiles: ColumnProfiles, edges: &[UprightEdge]) {
        let width = profiles.width().max(1) as f64;
        self.movements.push(t_ms, profiles, edges.len());
        let position = |edge: &UprightEdge| f64::from(edge.x) / width;
        let lefts = edges.iter().filter(|edge| position(edge) < 0.5 + SIDE_TOLERANCE_WIDTHS);
        let mut next: Vec<Pair> = Vec::new();
        let mut continued = vec![false; self.open.len()];
        for left in lefts {
            for right in edges.iter().filter(|edge| position(edge) > 0.5 - SIDE_TOLERANCE_WIDTHS) {
                let gap = Gap { t_ms, left: position(left), right: position(right) };
                if gap.width() < MIN_GAP_WIDTHS {
                    continue;
                }
                let before = self.predecessor(left.rises, right.rises, &gap);
                if let Some(at) = before {
                    continued[at] = true;
                }
                next.push(self.extended(before, left.rises, right.rises, gap));
            }
        }
        for (pair, continued) in self.open.drain(..).zip(continued) {
            if continued {
                continue;
            }
            let last = pair.gaps.last().map_or(0, |gap| gap.t_ms);
            if t_ms.saturating_sub(last) < MAX_STEP_MS && pair.length > 1 {
                // It may show again in the next picture.
                next.push(pair);
            } else {
                self.jambs.extend(contact(&pair));
            }
        }
        self.open = next;
    }

    /// Returns the longest pair that may have moved to `gap`; of equally long ones, the one whose
    /// middle moved least.
    fn predecessor(&self, left_rises: bool, right_rises: bool, gap: &Gap) -> Option<usize> {
        let mut best: Option<(usize, f64, usize)> = None;
        for (at, pair) in self.open.iter().enumerate() {
            let Some(last) = pair.gaps.last() else { continue };
            let step_ms = gap.t_ms.saturating_sub(last.t_ms);
            if (pair.left_rises, pair.right_rises) != (left_rises, right_rises)
                || step_ms == 0
                || step_ms > MAX_STEP_MS
            {
                continue;
            }
            let seconds = step_ms as f64 / 1000.0;
            let growth = gap.width() / last.width();
            let shift = ((gap.left + gap.right) / 2.0 - (last.left + last.right) / 2.0).abs();
            let diverges = growth >= 1.0
                && growth <= 1.0 + MAX_GROWTH_PER_SECOND * seconds
                && gap.left <= last.left + BACK_TOLERANCE_WIDTHS
                && gap.right >= last.right - BACK_TOLERANCE_WIDTHS
                && shift <= MAX_SHIFT_PER_SECOND * seconds;
            let better = best.is_none_or(|(length, least, _)| (pair.length, -shift) > (length, -least));
            if diverges && better {
                best = Some((pair.length, shift, at));
            }
        }
        best.map(|(_, _, at)| at)
    }

    fn extended(&self, before: Option<usize>, left_rises: bool, right_rises: bool, gap: Gap) -> Pair {
        let Some(before) = before.and_then(|at| self.open.get(at)) else {
            return Pair { left_rises, right_rises, gaps: vec![gap], length: 1 };
        };
        let from = before.gaps.len().saturating_sub(MAX_POINTS - 1);
        let mut gaps = Vec::with_capacity(MAX_POINTS);
        gaps.extend_from_slice(&before.gaps[from..]);
        gaps.push(gap);
        Pair { left_rises, right_rises, gaps, length: before.length + 1 }
    }

    /// Ends the video and returns the doorways in order of time.
    pub fn finish(mut self) -> Vec<Doorway> {
        let open = std::mem::take(&mut self.open);
        self.jambs.extend(open.iter().filter_map(contact));
        self.jambs.sort_by(|a, b| a.contact_ms.cmp(&b.contact_ms).then(a.fit.total_cmp(&b.fit)));
        let together = self.jambs.chunk_by(|a, b| b.contact_ms - a.contact_ms < SAME_PASSAGE_MS);
        let found = together.filter_map(|jambs| {
            let log_odds = self.movements.passage(jambs)?;
            // The nearer edges of a deep frame are passed first.
            (log_odds > 0.0).then(|| Doorway { t_ms: jambs[jambs.len() / 4].contact_ms, log_odds })
        });
        likeliest(found.collect())
    }
}

/// Keeps the likeliest of doorways that are closer than a walk between two doors takes.
fn likeliest(mut found: Vec<Doorway>) -> Vec<Doorway> {
    found.sort_by(|a, b| b.log_odds.total_cmp(&a.log_odds).then(a.t_ms.cmp(&b.t_ms)));
    let mut kept: Vec<Doorway> = Vec::new();
    for doorway in found {
        if kept.iter().all(|other| other.t_ms.abs_diff(doorway.t_ms) >= MIN_INTERVAL_MS) {
            kept.push(doorway);
        }
    }
    kept.sort_by_key(|doorway| doorway.t_ms);
    kept
}

/// Returns when the camera is between a pair of jambs. Returns `None` for edges that don't diverge
/// like jambs.
fn contact(pair: &Pair) -> Option<Jambs> {
    let last = pair.gaps.last()?;
    let gaps: Vec<&Gap> = pair.gaps.iter().filter(|gap| gap.t_ms + FIT_MS >= last.t_ms).collect();
    let first = gaps.first()?;
    if pair.length < MIN_POINTS
        || gaps.len() < 3
        || last.width() < MIN_LAST_GAP_WIDTHS
        || last.width() < MIN_GROWTH * first.width()
    {
        return None;
    }
    // Least squares of 1 / width over time, from the last picture.
    let time = |gap: &Gap| gap.t_ms as f64 - last.t_ms as f64;
    let count = gaps.len() as f64;
    let mean_time = gaps.iter().map(|gap| time(gap)).sum::<f64>() / count;
    let mean = gaps.iter().map(|gap| 1.0 / gap.width()).sum::<f64>() / count;
    let spread: f64 = gaps.iter().map(|gap| (time(gap) - mean_time).powi(2)).sum();
    let slope =
        gaps.iter().map(|gap| (time(gap) - mean_time) * (1.0 / gap.width() - mean)).sum::<f64>() / spread;
    if slope >= 0.0 {
        return None;
    }
    let contact_ms = mean_time - mean / slope;
    let residual = |gap: &&Gap| (1.0 / gap.width() - mean - slope * (time(gap) - mean_time)).powi(2);
    let deviation = (gaps.iter().map(residual).sum::<f64>() / count).sqrt() / mean;
    if deviation >= MAX_DEVIATION || contact_ms >= MAX_CONTACT_MS {
        return None;
    }
    let points = pair.length.min(MAX_FIT_POINTS) - (MIN_POINTS - 1);
    Some(Jambs {
        first_ms: first.t_ms,
        last_ms: last.t_ms,
        contact_ms: (last.t_ms as f64 + contact_ms.max(0.0)) as u64,
        fit: points as f64 * (1.0 - deviation / MAX_DEVIATION),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::{Plane, upright_edges};

    /// Focal length in widths of the picture: 80° across.
    const FOCAL_WIDTHS: f64 = 0.6;

    /// Renders what a camera sees that moves toward a wall with an opening between two positions (m
    /// from its axis), and turns: for each picture its distance from the wall (m) and direction
    /// (rad). Behind the opening, 4 m further, is a wall of the same colour with a picture.
    fn film(opening: (f64, f64), path: impl Iterator<Item = (f64, f64)>) -> Vec<Doorway> {
        let (w, h) = (320, 180);
        let mut tracker = DoorwayTracker::default();
        let mut noise = 7_u32;
        for (number, (distance, direction)) in path.enumerate() {
            let mut data = Vec::with_capacity(w * h);
            for y in 0..h {
                for x in 0..w {
                    noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    let angle = ((x as f64 / w as f64 - 0.5) / FOCAL_WIDTHS).atan() + direction;
                    let across = |depth: f64| depth * angle.tan();
                    let up = (y as f64 - h as f64 / 2.0) / w as f64 / FOCAL_WIDTHS;
                    let near = across(distance);
                    let frame = 0.08;
                    let shade = if distance > 0.0 && !(opening.0..opening.1).contains(&near) {
                        let at_frame = (opening.0 - frame..opening.1 + frame).contains(&near);
                        if at_frame { 238 } else { 214 }
                    } else {
                        let far = distance + 4.0;
                        let hung = (-0.4..0.5).contains(&across(far)) && (up * far).abs() < 0.4;
                        if hung { 120 } else { 222 }
                    };
                    data.push((shade + (noise >> 24) as i32 % 5) as u8);
                }
            }
            let picture = Plane::new(w, h, data);
            tracker.push(number as u64 * 200, ColumnProfiles::of(&picture), &upright_edges(&picture));
        }
        tracker.finish()
    }

    /// Returns distances of a walk at 1.2 m/s in steps of 200 ms.
    fn approach(from: f64, pictures: usize) -> impl Iterator<Item = f64> {
        (0..pictures).map(move |i| from - 0.24 * i as f64)
    }

    #[test]
    fn a_doorway_between_rooms_of_one_colour_is_passed_at_the_contact() {
        for (opening, sway) in [((-0.45, 0.45), 0.0), ((-0.3, 0.55), 0.03)] {
            let found = film(
                opening,
                approach(3.0, 22).enumerate().map(|(i, d)| (d, if i % 2 == 0 { sway } else { -sway })),
            );
            // 3 m at 1.2 m/s.
            let [only] = found[..] else { panic!("{found:?}") };
            assert!(only.t_ms.abs_diff(2500) < 500, "{found:?}");
        }
    }

    #[test]
    fn turning_before_a_doorway_passes_none() {
        let turning = (0..30).map(|i| (2.0, -1.2 + 0.08 * f64::from(i)));
        assert_eq!(film((-0.45, 0.45), turning), []);
    }

    #[test]
    fn stopping_before_a_doorway_passes_none() {
        let path = approach(3.0, 8).chain(std::iter::repeat_n(1.32, 10)).map(|d| (d, 0.0));
        assert_eq!(film((-0.45, 0.45), path), []);
    }
}
