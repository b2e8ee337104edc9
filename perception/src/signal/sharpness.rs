//! Measures the sharpness of pictures.

use serde::{Deserialize, Serialize};

use super::Plane;

/// Two measures of sharpness.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sharpness {
    /// Variance of the Laplacian. It grows with detail, so it compares pictures of the same view.
    pub detail: f64,
    /// Perceived blur, 0 (sharp) to 1. It hardly depends on the content, so it compares different
    /// views.
    pub blur: f64,
}

/// Measures a picture, best at about 640 pixels across.
///
/// `blur` is the metric of Crete, Dolmiere, Ladret and Nicolas, "The blur effect: perception and
/// estimation with a new no-reference perceptual blur metric" (2007). It blurs the picture again
/// and measures how much of the local variation is lost; a sharp picture loses most. The larger
/// value of the two directions counts, because motion blurs in one. A direction without variation
/// is ignored.
pub fn sharpness(plane: &Plane) -> Sharpness {
    if plane.width < MIN_SIDE_PX || plane.height < MIN_SIDE_PX {
        return Sharpness { detail: 0.0, blur: 0.0 };
    }
    let across = blur_across(plane);
    let down = blur_down(plane);
    Sharpness { detail: laplacian_variance(plane), blur: across.max(down) }
}

fn laplacian_variance(plane: &Plane) -> f64 {
    let (w, h) = (plane.width, plane.height);
    let (mut sum, mut squares) = (0_i64, 0_i64);
    for y in 1..h - 1 {
        let (above, row, below) = (plane.row(y - 1), plane.row(y), plane.row(y + 1));
        let (mut line, mut line_squares) = (0_i32, 0_i64);
        for x in 1..w - 1 {
            let l = 4 * i32::from(row[x])
                - i32::from(row[x - 1])
                - i32::from(row[x + 1])
                - i32::from(above[x])
                - i32::from(below[x]);
            line += l;
            line_squares += i64::from(l * l);
        }
        sum += i64::from(line);
        squares += line_squares;
    }
    let count = ((w - 2) * (h - 2)) as f64;
    let mean = sum as f64 / count;
    squares as f64 / count - mean * mean
}

/// Smallest side that can be measured, in pixels.
const MIN_SIDE_PX: usize = 16;
/// Radius of the box filter in pixels (9 pixels across, as in the paper).
const BLUR_RADIUS_PX: usize = 4;
/// Mean variation between pixels (of 255) below which a picture contains only noise.
const MIN_MEAN_VARIATION: f64 = 0.10;

fn blur_across(plane: &Plane) -> f64 {
    let w = plane.width;
    let (mut variation, mut lost) = (0_u64, 0_u64);
    let mut line = vec![0_i32; w];
    for y in (0..plane.height).step_by(2) {
        let row = plane.row(y);
        box_filter(row.iter().map(|p| i32::from(*p)), &mut line);
        let (v, l) = variation_and_loss(row.iter().map(|p| i32::from(*p)), &line);
        variation += v;
        lost += l;
    }
    perceived_blur(variation, lost, w * plane.height.div_ceil(2))
}

fn blur_down(plane: &Plane) -> f64 {
    let (w, h) = (plane.width, plane.height);
    let (mut variation, mut lost) = (0_u64, 0_u64);
    let mut line = vec![0_i32; h];
    let mut column = vec![0_i32; h];
    for x in (0..w).step_by(2) {
        for (y, value) in column.iter_mut().enumerate() {
            *value = i32::from(plane.data[y * w + x]);
        }
        box_filter(column.iter().copied(), &mut line);
        let (v, l) = variation_and_loss(column.iter().copied(), &line);
        variation += v;
        lost += l;
    }
    perceived_blur(variation, lost, h * w.div_ceil(2))
}

/// Sums over 9 pixels, with the border replicated.
fn box_filter(values: impl Iterator<Item = i32> + Clone, out: &mut [i32]) {
    let values: Vec<i32> = values.collect();
    let last = values.len() - 1;
    let at = |i: isize| values[i.clamp(0, last as isize) as usize];
    let reach = BLUR_RADIUS_PX as isize;
    let mut sum: i32 = (-reach..=reach).map(at).sum();
    for (i, value) in out.iter_mut().enumerate() {
        *value = sum;
        let i = i as isize;
        sum += at(i + reach + 1) - at(i - reach);
    }
}

/// Returns the variation between pixels, and how much of it the blurred line (of sums) lost.
fn variation_and_loss(values: impl Iterator<Item = i32>, blurred: &[i32]) -> (u64, u64) {
    let size = 2 * BLUR_RADIUS_PX as i32 + 1;
    let (mut variation, mut lost) = (0_u64, 0_u64);
    let mut before: Option<(i32, i32)> = None;
    for (value, blurred) in values.zip(blurred) {
        if let Some((value_before, blurred_before)) = before {
            let change = (value - value_before).abs() * size;
            variation += change as u64;
            lost += (change - (blurred - blurred_before).abs()).max(0) as u64;
        }
        before = Some((value, *blurred));
    }
    (variation, lost)
}

fn perceived_blur(variation: u64, lost: u64, pixels: usize) -> f64 {
    let mean = variation as f64 / (2 * BLUR_RADIUS_PX + 1) as f64 / pixels.max(1) as f64;
    if mean < MIN_MEAN_VARIATION { 0.0 } else { 1.0 - lost as f64 / variation as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texture(seed: u32) -> Plane {
        let mut state = seed;
        let blocks: Vec<u8> = (0..80 * 45)
            .map(|_| {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                (state >> 24) as u8
            })
            .collect();
        Plane::new(640, 360, (0..640 * 360).map(|i| blocks[i / 640 / 8 * 80 + i % 640 / 8]).collect())
    }

    fn smeared(plane: &Plane, reach: usize) -> Plane {
        let data = (0..plane.data.len()).map(|i| {
            let row = plane.row(i / plane.width);
            let x = i % plane.width;
            let span = x.saturating_sub(reach)..=(x + reach).min(plane.width - 1);
            let count = span.clone().count() as u32;
            (span.map(|x| u32::from(row[x])).sum::<u32>() / count) as u8
        });
        Plane::new(plane.width, plane.height, data.collect())
    }

    #[test]
    fn motion_blur_raises_blur_and_lowers_detail() {
        let sharp = sharpness(&texture(1));
        let little = sharpness(&smeared(&texture(1), 2));
        let much = sharpness(&smeared(&texture(1), 8));
        assert!(sharp.blur < little.blur && little.blur < much.blur, "{sharp:?} {little:?} {much:?}");
        assert!(sharp.detail > little.detail && little.detail > much.detail);
    }

    #[test]
    fn a_plain_wall_with_a_sharp_edge_is_sharp() {
        let wall =
            Plane::new(640, 360, (0..640 * 360).map(|i| if i % 640 < 300 { 90 } else { 200 }).collect());
        let (sharp, blurred) = (sharpness(&wall), sharpness(&smeared(&wall, 12)));
        // Less detail than any texture, yet less blur than a smeared one.
        assert!(sharp.detail < sharpness(&smeared(&texture(1), 2)).detail);
        assert!(sharp.blur < 0.3 && blurred.blur > 0.6, "{sharp:?} {blurred:?}");
    }
}
