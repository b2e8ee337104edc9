//! Aligns two pictures by their features, to decide whether they show the same view.

use domain::document::BBox;

use crate::{Feature, Features};

/// A feature of one picture and the matching feature of another, in pixels of the reduced pictures.
pub(crate) type PointPair = ((f64, f64), (f64, f64));

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

    /// Returns how far a match lies from where the alignment predicts it, as shares of the second
    /// picture.
    pub(crate) fn residual(&self, (p, q): &PointPair) -> (f64, f64) {
        let (x, y) = self.similarity.apply(*p);
        ((q.0 - x) / self.to.0, (q.1 - y) / self.to.1)
    }

    /// Returns the position of a match in the first picture, as shares of it.
    pub(crate) fn position(&self, (p, _): &PointPair) -> (f64, f64) {
        (p.0 / self.from.0, p.1 / self.from.1)
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
    Some(align_points(a, b)?.0)
}

/// Like [`align`], with the matches that agree with the alignment.
pub(crate) fn align_points(a: &Features, b: &Features) -> Option<(Alignment, Vec<PointPair>)> {
    let pairs = matches(a, b);
    if pairs.len() < MIN_INLIERS {
        return None;
    }
    let tolerance = (INLIER_TOLERANCE_WIDTHS * f64::from(a.width.max(a.height))).powi(2);
    let agrees = |s: &Similarity, (p, q): &PointPair| {
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
    let agreeing: Vec<PointPair> = pairs.iter().filter(|pair| agrees(&similarity, pair)).copied().collect();
    let cells = occupied_cells(agreeing.iter().map(|(p, _)| *p), from)
        .min(occupied_cells(agreeing.iter().map(|(_, q)| *q), to));
    let alignment = Alignment { inliers, matches: pairs.len(), cells, overlap, similarity, from, to };
    Some((alignment, agreeing))
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
fn matches(a: &Features, b: &Features) -> Vec<PointPair> {
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
