//! Rotated rectangles: the location of a line of text, and cutting it out of a picture.

use domain::document::BBox;
use image::RgbImage;
use imageproc::geometric_transformations::{Border, Interpolation, warp_into_with};
use imageproc::geometry::convex_hull;
use imageproc::point::Point;

use crate::models::packaged::resize::resize;

/// A rotated rectangle (a parallelogram after non-uniform scaling), given by a corner and two
/// sides.
///
/// `along` is the side within 45° of the horizontal and `down` the other, so that `origin` is the
/// visible top left corner.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct RotatedRect {
    /// Top left corner.
    pub(super) origin: (f32, f32),
    /// From the top left to the top right corner.
    pub(super) along: (f32, f32),
    /// From the top left to the bottom left corner.
    pub(super) down: (f32, f32),
}

impl RotatedRect {
    /// Returns the rectangle of minimum area around the pixels of a contour, or `None` for no
    /// pixels.
    ///
    /// One of its sides lies on a side of the convex hull (Freeman and Shapira, 1975), so all of
    /// them are tried.
    pub(super) fn around(contour: &[Point<i32>]) -> Option<RotatedRect> {
        let hull = convex_hull(contour);
        let points: Vec<(f32, f32)> = hull.iter().map(|p| (p.x as f32 + 0.5, p.y as f32 + 0.5)).collect();
        let sides = (0..points.len()).filter_map(|i| {
            let (a, b) = (points[i], points[(i + 1) % points.len()]);
            let (dx, dy) = (b.0 - a.0, b.1 - a.1);
            let length = dx.hypot(dy);
            (length > 0.0).then(|| (dx / length, dy / length))
        });
        // A single pixel has no side; any direction will do.
        let directions = sides.chain((points.len() == 1).then_some((1.0, 0.0)));
        let (mut best, mut min_area) = (None, f32::INFINITY);
        for direction in directions {
            let rect = enclosing(&points, nearest_horizontal(direction));
            let area = rect.width() * rect.height();
            if area < min_area {
                (best, min_area) = (Some(rect), area);
            }
        }
        best
    }

    /// Returns the length of the side `along`.
    pub(super) fn width(&self) -> f32 {
        self.along.0.hypot(self.along.1)
    }

    /// Returns the length of the side `down`.
    pub(super) fn height(&self) -> f32 {
        self.down.0.hypot(self.down.1)
    }

    /// Returns the rectangle with every side moved outwards by `distance`.
    pub(super) fn expanded(&self, distance: f32) -> RotatedRect {
        let unit = |v: (f32, f32), length: f32, other: (f32, f32)| {
            if length > 0.0 { (v.0 / length, v.1 / length) } else { other }
        };
        let u = unit(self.along, self.width(), (1.0, 0.0));
        let v = unit(self.down, self.height(), (-u.1, u.0));
        let d = distance;
        RotatedRect {
            origin: (self.origin.0 - d * (u.0 + v.0), self.origin.1 - d * (u.1 + v.1)),
            along: (self.along.0 + 2.0 * d * u.0, self.along.1 + 2.0 * d * u.1),
            down: (self.down.0 + 2.0 * d * v.0, self.down.1 + 2.0 * d * v.1),
        }
    }

    /// Returns the rectangle in a picture that is `sx` times as wide and `sy` times as high.
    pub(super) fn scaled(&self, sx: f32, sy: f32) -> RotatedRect {
        let scale = |(x, y): (f32, f32)| (x * sx, y * sy);
        RotatedRect { origin: scale(self.origin), along: scale(self.along), down: scale(self.down) }
    }

    /// Returns the corners, clockwise from the top left.
    pub(super) fn corners(&self) -> [(f32, f32); 4] {
        let add = |a: (f32, f32), b: (f32, f32)| (a.0 + b.0, a.1 + b.1);
        let right = add(self.origin, self.along);
        [self.origin, right, add(right, self.down), add(self.origin, self.down)]
    }

    /// Returns left, top, right and bottom of the corners.
    pub(super) fn bounds(&self) -> (f32, f32, f32, f32) {
        self.corners().iter().fold(
            (f32::INFINITY, f32::INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY),
            |(l, t, r, b), &(x, y)| (l.min(x), t.min(y), r.max(x), b.max(y)),
        )
    }

    /// Returns true if a point lies inside. Valid for rectangles, not for parallelograms.
    pub(super) fn contains(&self, x: f32, y: f32) -> bool {
        let (dx, dy) = (x - self.origin.0, y - self.origin.1);
        let on = |side: (f32, f32)| {
            let along = dx * side.0 + dy * side.1;
            (0.0..=side.0 * side.0 + side.1 * side.1).contains(&along)
        };
        on(self.along) && on(self.down)
    }

    /// Returns the upright bounding box as fractions of a picture of this size, clipped and rounded
    /// to four decimals.
    pub(super) fn bbox(&self, width: u32, height: u32) -> BBox {
        let (left, top, right, bottom) = self.bounds();
        let part = |v: f32, of: u32| ((f64::from(v) / f64::from(of)).clamp(0.0, 1.0) * 1e4).round() / 1e4;
        let (x, y) = (part(left, width), part(top, height));
        let rest = |v: f64| (v * 1e4).round() / 1e4;
        BBox { x, y, w: rest(part(right, width) - x), h: rest(part(bottom, height) - y) }
    }

    /// Cuts the rectangle out of a picture, upright and scaled to `height` pixels.
    pub(super) fn cut(&self, picture: &RgbImage, height: u32, longest: u32) -> RgbImage {
        let (w, h) = (self.width().round().max(1.0) as u32, self.height().round().max(1.0) as u32);
        let mut native = RgbImage::new(w, h);
        let (origin, along, down) = (self.origin, self.along, self.down);
        // Pixel centres lie at halves.
        let source_point = |x: f32, y: f32| {
            let (s, t) = ((x + 0.5) / w as f32, (y + 0.5) / h as f32);
            (origin.0 + s * along.0 + t * down.0 - 0.5, origin.1 + s * along.1 + t * down.1 - 0.5)
        };
        warp_into_with(picture, source_point, Interpolation::Bilinear, Border::Replicate, &mut native);
        scaled_to_height(&native, height, longest)
    }
}

/// Scales a picture to a height. Keeps the aspect ratio unless the width would exceed `longest`.
pub(super) fn scaled_to_height(picture: &RgbImage, height: u32, longest: u32) -> RgbImage {
    let width = (f64::from(height) * f64::from(picture.width()) / f64::from(picture.height())).ceil();
    let width = (width as u32).clamp(1, longest);
    resize(picture, width, height)
}

/// Rotates a direction by multiples of 90° until it is within 45° of the horizontal, pointing
/// right.
fn nearest_horizontal((x, y): (f32, f32)) -> (f32, f32) {
    let (x, y) = if x.abs() >= y.abs() { (x, y) } else { (-y, x) };
    if x < 0.0 { (-x, -y) } else { (x, y) }
}

/// Returns the rectangle around points with one side in direction `u` (a unit vector near the
/// horizontal).
fn enclosing(points: &[(f32, f32)], u: (f32, f32)) -> RotatedRect {
    let v = (-u.1, u.0);
    let span = |axis: (f32, f32)| {
        points
            .iter()
            .map(|p| p.0 * axis.0 + p.1 * axis.1)
            .fold((f32::INFINITY, f32::NEG_INFINITY), |(lo, hi), value| (lo.min(value), hi.max(value)))
    };
    let ((left, right), (top, bottom)) = (span(u), span(v));
    let (w, h) = (right - left, bottom - top);
    RotatedRect {
        origin: (left * u.0 + top * v.0, left * u.1 + top * v.1),
        along: (w * u.0, w * u.1),
        down: (h * v.0, h * v.1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rect(w: f32, h: f32, degrees: f32) -> RotatedRect {
        let (sin, cos) = degrees.to_radians().sin_cos();
        RotatedRect { origin: (200.0, 200.0), along: (w * cos, w * sin), down: (-h * sin, h * cos) }
    }

    proptest! {
        /// The rectangle around the pixels of a tilted rectangle is that rectangle, apart from
        /// rounding.
        #[test]
        fn finds_a_tilted_rectangle(w in 60.0_f32..150.0, h in 10.0_f32..40.0, degrees in -40.0_f32..40.0) {
            let truth = rect(w, h, degrees);
            let pixels: Vec<Point<i32>> = (0..512)
                .flat_map(|y| (0..512).map(move |x| Point::new(x, y)))
                .filter(|p| truth.contains(p.x as f32 + 0.5, p.y as f32 + 0.5))
                .collect();
            let found = RotatedRect::around(&pixels).expect("there are pixels");
            prop_assert!((found.width() - w).abs() < 3.0, "{found:?} is not {truth:?}");
            prop_assert!((found.height() - h).abs() < 3.0, "{found:?} is not {truth:?}");
            let off = (found.origin.0 - truth.origin.0).hypot(found.origin.1 - truth.origin.1);
            prop_assert!(off < 4.0, "{found:?} is not {truth:?}");
        }

        #[test]
        fn expansion_moves_each_side(w in 1.0_f32..99.0, h in 1.0_f32..99.0, d in 0.0_f32..20.0, a in -44.0_f32..44.0) {
            let grown = rect(w, h, a).expanded(d);
            prop_assert!((grown.width() - w - 2.0 * d).abs() < 1e-2);
            prop_assert!((grown.height() - h - 2.0 * d).abs() < 1e-2);
        }
    }

    #[test]
    fn encloses_a_single_pixel() {
        let one = RotatedRect::around(&[Point::new(3, 4)]).expect("a rectangle");
        assert_eq!((one.origin, one.width(), one.height()), ((3.5, 4.5), 0.0, 0.0));
        assert_eq!(RotatedRect::around(&[]), None);
        assert_eq!(one.expanded(2.0).bounds(), (1.5, 2.5, 5.5, 6.5));
    }

    #[test]
    fn cuts_out_upright() {
        // White above the middle of the rectangle, black below.
        let tilted = rect(80.0, 40.0, 30.0);
        let picture = RgbImage::from_fn(512, 512, |x, y| {
            let (dx, dy) = (x as f32 + 0.5 - tilted.origin.0, y as f32 + 0.5 - tilted.origin.1);
            let t = (dx * tilted.down.0 + dy * tilted.down.1) / 1600.0;
            image::Rgb([if t < 0.5 { 255 } else { 0 }; 3])
        });
        let cut = tilted.cut(&picture, 48, 320);
        assert_eq!(cut.dimensions(), (96, 48));
        for x in 0..96 {
            assert!(cut.get_pixel(x, 20)[0] > 200, "the upper half is white at {x}");
            assert!(cut.get_pixel(x, 28)[0] < 55, "the lower half is black at {x}");
        }
    }
}
