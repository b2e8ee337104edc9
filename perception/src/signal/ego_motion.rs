//! Estimates how a camera moved between two pictures, from the upright structure of what it sees.
//!
//! Turning shifts the columns of a picture; moving forward spreads them from the middle. The mean
//! lightness of each column is enough to tell both (Milford and Wyeth, 2008, use the same profiles for
//! the odometry of RatSLAM), so it works where walls have no corners to match.

use super::Plane;

/// Bands of rows whose columns are averaged, as shares of the height. Floor and ceiling are left out.
const BANDS: [(f64, f64); 3] = [(0.1, 0.4), (0.3, 0.6), (0.5, 0.83)];
/// Columns that are averaged, in pixels. Sharp edges between narrower columns would be missed.
const COLUMN_PX: usize = 4;
/// Part of the earlier picture that is looked for in the later one, as shares of the width.
const MIDDLE: (f64, f64) = (0.2, 0.8);
/// Largest shift that is tried, as a share of the width.
const MAX_PAN_WIDTHS: f64 = 0.25;
/// Logarithms of the least and the largest scale that are tried, in hundredths, and the step between.
const SCALES: (i32, i32, usize) = (-6, 30, 3);
/// Minimum share of the columns that must be in the later picture; fewer count proportionally less.
const MIN_SHOWN: f64 = 0.83;

/// Changes of lightness from column to column of a picture, in three bands of rows.
#[derive(Debug, Clone, PartialEq)]
pub struct ColumnProfiles {
    /// Width of the picture in pixels.
    width: usize,
    bands: [Vec<f32>; BANDS.len()],
}

/// Movement of a camera between two pictures.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct EgoMotion {
    /// Shift of the picture to the right, in widths of the picture: the camera turned left.
    pub pan_widths: f64,
    /// Natural logarithm of the scale of what is in the middle: positive if the camera came closer.
    pub approach: f64,
}

impl ColumnProfiles {
    /// Measures a small picture (about 320 × 180).
    pub fn of(plane: &Plane) -> ColumnProfiles {
        let band = |(top, bottom): (f64, f64)| {
            let rows = (top * plane.height as f64) as usize..(bottom * plane.height as f64) as usize;
            let mut sums = vec![0.0_f32; plane.width / COLUMN_PX];
            for y in rows.clone() {
                let pixels = plane.row(y).chunks_exact(COLUMN_PX);
                sums.iter_mut().zip(pixels).for_each(|(sum, pixels)| {
                    *sum += pixels.iter().map(|pixel| f32::from(*pixel)).sum::<f32>();
                });
            }
            let area = (rows.len() * COLUMN_PX).max(1) as f32;
            let slope = |x: usize| match (x.checked_sub(1), sums.get(x + 1)) {
                (Some(before), Some(after)) => (after - sums[before]) / (2.0 * area),
                _ => 0.0,
            };
            (0..sums.len()).map(slope).collect()
        };
        ColumnProfiles { width: plane.width, bands: BANDS.map(band) }
    }

    /// Returns the width of the picture in pixels.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Returns the movement after which `later` was taken: the shift and scale for which the profiles
    /// agree best. Returns no movement for pictures of different sizes or without structure.
    pub fn motion_to(&self, later: &ColumnProfiles) -> EgoMotion {
        let mut best = (0.0, EgoMotion::default());
        if self.width != later.width {
            return best.1;
        }
        let count = self.bands[0].len() as f64;
        let middle = (count - 1.0) / 2.0;
        let columns: Vec<usize> = ((MIDDLE.0 * count) as usize..(MIDDLE.1 * count) as usize).collect();
        let max_pan = (MAX_PAN_WIDTHS * count) as i32;
        for hundredths in (SCALES.0..=SCALES.1).step_by(SCALES.2) {
            let approach = f64::from(hundredths) / 100.0;
            let expected: Vec<i32> = columns
                .iter()
                .map(|x| ((*x as f64 - middle) * approach.exp() + middle).round() as i32)
                .collect();
            for pan in -max_pan..=max_pan {
                let agreement = self.agreement(later, &columns, &expected, pan);
                if agreement > best.0 {
                    best = (agreement, EgoMotion { pan_widths: f64::from(pan) / count, approach });
                }
            }
        }
        best.1
    }

    /// Returns the normalised correlation, at most 1, of columns with the columns of a later picture
    /// where they are expected.
    fn agreement(&self, later: &ColumnProfiles, columns: &[usize], expected: &[i32], pan: i32) -> f64 {
        let (mut product, mut own, mut others, mut shown) = (0.0, 0.0, 0.0, 0_usize);
        for (x, to) in columns.iter().zip(expected) {
            let to = usize::try_from(to + pan).ok().filter(|to| *to < self.bands[0].len());
            shown += usize::from(to.is_some());
            for (band, later) in self.bands.iter().zip(&later.bands) {
                let a = band[*x];
                let b = to.map_or(0.0, |to| later[to]);
                product += a * b;
                own += a * a;
                others += b * b;
            }
        }
        if own <= 0.0 || others <= 0.0 {
            return 0.0;
        }
        let share = shown as f64 / columns.len() as f64 / MIN_SHOWN;
        f64::from(product) / f64::from(own * others).sqrt() * share.min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what a camera sees of a wall with upright stripes: turned by `pan` widths, and scaled.
    fn stripes(pan: f64, scale: f64) -> ColumnProfiles {
        let (w, h) = (320_usize, 180);
        let shade = |x: usize| {
            let place = (x as f64 / w as f64 - 0.5 - pan) / scale;
            let inside = [(-0.62, -0.5), (-0.31, -0.27), (-0.08, 0.02), (0.17, 0.3), (0.41, 0.43)];
            if inside.iter().any(|(left, right)| (*left..*right).contains(&place)) { 120 } else { 210 }
        };
        let row: Vec<u8> = (0..w).map(shade).collect();
        ColumnProfiles::of(&Plane::new(w, h, row.repeat(h)))
    }

    #[test]
    fn turning_and_approaching_are_told_apart() {
        for (pan, scale) in [(0.0, 1.0), (0.1, 1.0), (-0.2, 1.0), (0.0, 1.13), (0.05, 1.2)] {
            let motion = stripes(0.0, 1.0).motion_to(&stripes(pan, scale));
            assert!((motion.pan_widths - pan).abs() < 0.02, "{pan} {scale}: {motion:?}");
            assert!((motion.approach - scale.ln()).abs() < 0.035, "{pan} {scale}: {motion:?}");
        }
    }

    #[test]
    fn bare_walls_and_other_sizes_show_no_movement() {
        let still = EgoMotion::default();
        let bare = ColumnProfiles::of(&Plane::new(320, 180, vec![200; 320 * 180]));
        assert_eq!(bare.motion_to(&bare), still);
        assert_eq!(bare.motion_to(&stripes(0.0, 1.0)), still);
        let small = ColumnProfiles::of(&Plane::new(2, 2, vec![200; 4]));
        assert_eq!(small.motion_to(&bare), still);
        assert_eq!(small.motion_to(&small), still);
    }
}
