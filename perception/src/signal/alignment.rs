//! Aligns two pictures by their features, to decide whether they show the same view.

use domain::document::BBox;

use super::{Feature, Features};

/// Alignment of one picture with another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Alignment {
    /// Number of matching features that agree with the alignment.
    pub inliers: usize,
    /// Number of matching features, whether they agree or not.
    pub matches: usize,
    /// Number of cells, of a grid of 4 × 4 over each picture, that hold an inlier; the smaller of
    /// both. Few cells: the pictures share one object, or a view through a door.
    pub cells: usize,
    /// Share of the picture that both show, 0 to 1.
    pub overlap: f64,
    similarity: Similarity,
    from: (f64, f64),
    to: (f64, f64),
}

impl Alignment {
    /// Maps a box of the first picture (shares of the picture, as in [`BBox`]) into the second. It
    /// may lie outside.
    pub fn map(&self, area: &BBox) -> BBox {
        let place = |x: f64, y: f64| {
            let (x, y) = self.similarity.apply((x * self.from.0, y * self.from.1));
            (x / self.to.0, y / self.to.1)
        };
        let (x, y) = place(area.x + area.w / 2.0, area.y + area.h / 2.0);
        let scale = self.similarity.scale();
        let (w, h) = (area.w * scale * self.from.0 / self.to.0, area.h * scale * self.from.1 / self.to.1);
        BBox { x: x - w / 2.0, y: y - h / 2.0, w, h }
    }
}

/// Maximum Hamming distance of matching descriptors (of 256 bits).
const MAX_DESCRIPTOR_DISTANCE_BITS: u32 = 60;
/// Maximum ratio between the distances of the best and the second-best match, in per cent (Lowe's
/// ratio test).
const MAX_DISTANCE_RATIO_PERCENT: u32 = 85;
/// Number of RANSAC samples.
const RANSAC_TRIALS: usize = 160;
/// Maximum distance of an inlier from its predicted position, as a share of the longer side.
const INLIER_TOLERANCE_WIDTHS: f64 = 0.02;
/// Minimum number of inliers; fewer agree by chance.
const MIN_INLIERS: usize = 9;
/// Cells on each side of the grid that tells how inliers spread.
const GRID_SIDE: f64 = 4.0;
/// Minimum distance between the two corners that define a transform, in pixels.
const MIN_PAIR_DISTANCE_PX: f64 = 20.0;
/// Smallest plausible scale between two pictures of one view.
const MIN_SCALE: f64 = 0.4;
/// Largest plausible scale between two pictures of one view.
const MAX_SCALE: f64 = 2.5;
/// Tangent of the largest plausible rotation between two pictures of one view (35°).
const MAX_ROTATION_TANGENT: f64 = 0.7;

/// A similarity transform (rotation, scale, translation): (x, y) → (a·x − b·y + c, b·x + a·y + d).
#[derive(Debug, Clone, Copy, PartialEq)]
struct Similarity {
    a: f64,
    b: f64,
    c: f64,
    d: f64,
}

impl Similarity {
    fn of(p: [(f64, f64); 2], q: [(f64, f64); 2]) -> Option<Similarity> {
        let (px, py) = (p[1].0 - p[0].0, p[1].1 - p[0].1);
        let (qx, qy) = (q[1].0 - q[0].0, q[1].1 - q[0].1);
        let length = px * px + py * py;
        if length < MIN_PAIR_DISTANCE_PX * MIN_PAIR_DISTANCE_PX {
            return None;
        }
        let (a, b) = ((px * qx + py * qy) / length, (px * qy - py * qx) / length);
        let found =
            Similarity { a, b, c: q[0].0 - a * p[0].0 + b * p[0].1, d: q[0].1 - b * p[0].0 - a * p[0].1 };
        let plausible = found.scale() > MIN_SCALE
            && found.scale() < MAX_SCALE
            && a > 0.0
            && b.abs() < MAX_ROTATION_TANGENT * a;
        plausible.then_some(found)
    }

    fn scale(&self) -> f64 {
        self.a.hypot(self.b)
    }

    fn apply(&self, (x, y): (f64, f64)) -> (f64, f64) {
        (self.a * x - self.b * y + self.c, self.b * x + self.a * y + self.d)
    }

    fn inverse(&self) -> Similarity {
        let length = self.a * self.a + self.b * self.b;
        let (a, b) = (self.a / length, -self.b / length);
        Similarity { a, b, c: -(a * self.c - b * self.d), d: -(b * self.c + a * self.d) }
    }

    /// Returns the share of a picture that lands inside the other.
    fn share_inside(&self, from: (f64, f64), to: (f64, f64)) -> f64 {
        let (columns, rows) = (16, 9);
        let hits = (0..columns * rows).filter(|i| {
            let x = (f64::from(i % columns) + 0.5) / f64::from(columns) * from.0;
            let y = (f64::from(i / columns) + 0.5) / f64::from(rows) * from.1;
            let (x, y) = self.apply((x, y));
            x >= 0.0 && y >= 0.0 && x < to.0 && y < to.1
        });
        hits.count() as f64 / f64::from(columns * rows)
    }
}

/// Aligns two pictures by their features. Returns `None` if too few agree.
///
/// Uses RANSAC (Fischler and Bolles, 1981) over pairs of matches with a fixed random generator, so
/// the result is deterministic.
pub fn align(a: &Features, b: &Features) -> Option<Alignment> {
    let pairs = matches(a, b);
    if pairs.len() < MIN_INLIERS {
        return None;
    }
    let tolerance = (INLIER_TOLERANCE_WIDTHS * f64::from(a.width.max(a.height))).powi(2);
    let agrees = |s: &Similarity, (p, q): &((f64, f64), (f64, f64))| {
        let (x, y) = s.apply(*p);
        (x - q.0).powi(2) + (y - q.1).powi(2) <= tolerance
    };
    let mut state = 0x5eed_u64;
    let mut pick = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        pairs[(state >> 33) as usize % pairs.len()]
    };
    let mut best: Option<(usize, Similarity)> = None;
    for _ in 0..RANSAC_TRIALS {
        let (one, two) = (pick(), pick());
        let Some(candidate) = Similarity::of([one.0, two.0], [one.1, two.1]) else { continue };
        let count = pairs.iter().filter(|pair| agrees(&candidate, pair)).count();
        if best.is_none_or(|(best_count, _)| count > best_count) {
            best = Some((count, candidate));
        }
    }
    let (inliers, similarity) = best.filter(|(count, _)| *count >= MIN_INLIERS)?;
    let (from, to) = (size(a), size(b));
    let overlap = similarity.share_inside(from, to).min(similarity.inverse().share_inside(to, from));
    let agreeing = || pairs.iter().filter(|pair| agrees(&similarity, pair));
    let cells = occupied_cells(agreeing().map(|(p, _)| *p), from)
        .min(occupied_cells(agreeing().map(|(_, q)| *q), to));
    Some(Alignment { inliers, matches: pairs.len(), cells, overlap, similarity, from, to })
}

/// Returns the number of cells of a grid over a picture of this size that hold a point.
fn occupied_cells(points: impl Iterator<Item = (f64, f64)>, (width, height): (f64, f64)) -> usize {
    let cell = |value: f64, size: f64| ((value / size * GRID_SIDE) as u32).min(GRID_SIDE as u32 - 1);
    let mask =
        points.fold(0_u32, |mask, (x, y)| mask | 1 << (cell(y, height) * GRID_SIDE as u32 + cell(x, width)));
    mask.count_ones() as usize
}

fn size(features: &Features) -> (f64, f64) {
    (f64::from(features.width), f64::from(features.height))
}

/// Returns mutual best matches that pass the ratio test.
fn matches(a: &Features, b: &Features) -> Vec<((f64, f64), (f64, f64))> {
    let best = |one: &Feature, among: &[Feature]| {
        let (mut first, mut second, mut index) = (u32::MAX, u32::MAX, 0);
        for (i, other) in among.iter().enumerate() {
            let distance = one.distance(other);
            if distance < first {
                (second, first, index) = (first, distance, i);
            } else if distance < second {
                second = distance;
            }
        }
        (first, second, index)
    };
    let mut back: Vec<Option<usize>> = vec![None; b.list.len()];
    let mut out = Vec::new();
    for (i, feature) in a.list.iter().enumerate() {
        let (first, second, j) = best(feature, &b.list);
        if first > MAX_DESCRIPTOR_DISTANCE_BITS
            || u64::from(first) * 100 > u64::from(second) * u64::from(MAX_DISTANCE_RATIO_PERCENT)
        {
            continue;
        }
        let mutual = *back[j].get_or_insert_with(|| best(&b.list[j], &a.list).2);
        if mutual == i {
            let point = |f: &Feature| (f64::from(f.x), f64::from(f.y));
            out.push((point(feature), point(&b.list[j])));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::Plane;

    /// Returns a window of a large drawing of random rectangles.
    fn view(seed: u64, x0: usize, y0: usize) -> Plane {
        let mut state = seed;
        let mut next = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((state >> 33) % n) as usize
        };
        let (w, h) = (700, 300);
        let mut data = vec![90_u8; w * h];
        for _ in 0..260 {
            let (x, y, rw, rh, tone) = (next(680), next(290), 6 + next(50), 6 + next(40), next(256));
            for row in y..(y + rh).min(h) {
                data[row * w + x..row * w + (x + rw).min(w)].fill(tone as u8);
            }
        }
        let window = (0..180).flat_map(|y| data[(y0 + y) * w + x0..(y0 + y) * w + x0 + 320].to_vec());
        Plane::new(320, 180, window.collect())
    }

    #[test]
    fn overlap_of_a_shifted_view_is_its_shared_part() {
        let a = Features::of(&view(7, 100, 40));
        for (shift, share) in [(0, 1.0), (64, 0.8), (160, 0.5)] {
            let found = align(&a, &Features::of(&view(7, 100 + shift, 40))).expect("the same drawing");
            assert!((found.overlap - share).abs() < 0.08, "{shift}: {found:?}");
        }
    }

    #[test]
    fn different_drawings_do_not_align() {
        let a = Features::of(&view(7, 100, 40));
        for seed in 8..20 {
            let found = align(&a, &Features::of(&view(seed, 100, 40)));
            assert!(found.is_none_or(|f| f.inliers < 14), "{found:?}");
        }
    }
}
