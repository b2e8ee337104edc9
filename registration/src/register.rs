//! Registration: a verified alignment of two pictures, with which a box is located.

use domain::document::BBox;

use crate::{
    Alignment, Features,
    alignment::{PointPair, align_points},
};

/// Minimum number of agreeing features of a verified alignment. Different pictures reach 13 by
/// chance (a test of perception counts them).
const MIN_INLIERS: usize = 15;
/// Minimum share of the matching features that agree.
const MIN_INLIER_SHARE: f64 = 0.5;
/// Minimum number of cells of the picture (of 16) with agreeing features. Fewer show one object.
const MIN_CELLS: usize = 4;
/// Minimum number of agreeing features near a box that is located.
const MIN_NEAR: usize = 3;
/// Number of the nearest agreeing features that correct the location of a box.
const NEAREST: usize = 6;
/// Distance from the middle of a box within which features are near it, in shares of the picture,
/// beyond half the diagonal of the box.
const NEAR_DISTANCE: f64 = 0.15;

/// A verified alignment of one picture with another.
#[derive(Debug, Clone, PartialEq)]
pub struct Registration {
    /// The alignment.
    pub alignment: Alignment,
    /// The matches that agree with it.
    pairs: Vec<PointPair>,
}

/// Registers one picture to another. Returns `None` unless enough features agree over enough of both
/// pictures.
pub fn register(a: &Features, b: &Features) -> Option<Registration> {
    let (alignment, pairs) = align_points(a, b)?;
    let verified = alignment.inliers >= MIN_INLIERS
        && alignment.inliers as f64 >= MIN_INLIER_SHARE * alignment.matches as f64
        && alignment.cells >= MIN_CELLS;
    verified.then_some(Registration { alignment, pairs })
}

impl Registration {
    /// Locates a box of the first picture (shares of the picture) in the second. It may lie outside.
    /// Returns `None` if too few features near the box agree: then nothing shows that the place is
    /// really there.
    ///
    /// The nearest features correct the location, because the alignment of the whole picture ignores
    /// that near and far things move differently.
    pub fn locate(&self, area: &BBox) -> Option<BBox> {
        let middle = (area.x + area.w / 2.0, area.y + area.h / 2.0);
        let reach = NEAR_DISTANCE + area.w.hypot(area.h) / 2.0;
        let distance = |pair: &PointPair| {
            let (x, y) = self.alignment.position(pair);
            (x - middle.0).hypot(y - middle.1)
        };
        let mut near: Vec<(f64, &PointPair)> =
            self.pairs.iter().map(|pair| (distance(pair), pair)).filter(|(d, _)| *d <= reach).collect();
        if near.len() < MIN_NEAR {
            return None;
        }
        near.sort_by(|a, b| a.0.total_cmp(&b.0));
        near.truncate(NEAREST);
        let sum = near
            .iter()
            .map(|(_, pair)| self.alignment.residual(pair))
            .fold((0.0, 0.0), |sum, r| (sum.0 + r.0, sum.1 + r.1));
        let count = near.len() as f64;
        let mapped = self.alignment.map(area);
        Some(BBox { x: mapped.x + sum.0 / count, y: mapped.y + sum.1 / count, ..mapped })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Feature;

    /// Returns features at pseudo-random positions that `place` moves; each has a descriptor of its
    /// own.
    fn picture(numbers: std::ops::Range<u64>, place: impl Fn(f64, f64) -> (f64, f64)) -> Features {
        let feature = |number: u64| {
            let mut state = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mut next = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                state ^ (state >> 29)
            };
            let bits = [next(), next(), next(), next()];
            let (x, y) = place((next() % 300) as f64, (next() % 160) as f64);
            (x >= 0.0 && y >= 0.0 && x < 320.0 && y < 180.0).then_some(Feature {
                x: x as u16,
                y: y as u16,
                bits,
            })
        };
        Features { width: 320, height: 180, list: numbers.filter_map(feature).collect() }
    }

    #[test]
    fn locates_a_box_in_a_shifted_and_scaled_picture() {
        let a = picture(0..120, |x, y| (x, y));
        let b = picture(0..120, |x, y| (x * 0.8 + 32.0, y * 0.8));
        let found = register(&a, &b).expect("the same picture");
        let located = found.locate(&BBox { x: 0.4, y: 0.4, w: 0.2, h: 0.2 }).expect("features all around");
        for (value, expected) in
            [located.x, located.y, located.w, located.h].iter().zip([0.42, 0.32, 0.16, 0.16])
        {
            assert!((value - expected).abs() < 0.02, "{located:?}");
        }
    }

    #[test]
    fn different_pictures_are_not_registered() {
        let a = picture(0..120, |x, y| (x, y));
        assert!(register(&a, &picture(1000..1120, |x, y| (x, y))).is_none());
        assert!(register(&a, &Features::default()).is_none());
    }

    #[test]
    fn a_box_without_features_around_is_not_located() {
        let left = |x: f64, y: f64| if x < 120.0 { (x, y) } else { (-1.0, -1.0) };
        let a = picture(0..250, left);
        let found = register(&a, &a).expect("the same picture");
        assert!(found.locate(&BBox { x: 0.1, y: 0.4, w: 0.1, h: 0.1 }).is_some());
        assert_eq!(found.locate(&BBox { x: 0.8, y: 0.4, w: 0.1, h: 0.1 }), None);
    }
}
