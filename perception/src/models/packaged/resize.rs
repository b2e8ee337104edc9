//! Resizes pictures for the networks.
//!
//! The result is that of `image::imageops::resize` with its triangle filter, to the bit. That function
//! serves all kinds of pixels and filters; this one processes three bytes a pixel, row by row, in loops
//! that the compiler vectorizes.

use std::ops::Range;

use image::{RgbImage, imageops};

use crate::signal::nearest;

/// Bytes of a pixel.
const CHANNELS: usize = 3;

/// A part of a picture, in pixels.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Region {
    pub(super) x: u32,
    pub(super) y: u32,
    pub(super) width: u32,
    pub(super) height: u32,
}

/// Resizes a picture.
pub(super) fn resize(picture: &RgbImage, width: u32, height: u32) -> RgbImage {
    let whole = Region { x: 0, y: 0, width: picture.width(), height: picture.height() };
    resize_region(picture, whole, width, height)
}

/// Resizes a part of a picture, as if it were a picture of its own. The part lies inside.
pub(super) fn resize_region(picture: &RgbImage, part: Region, width: u32, height: u32) -> RgbImage {
    if part.width == 0 || part.height == 0 {
        return RgbImage::new(width, height);
    }
    if (part.width, part.height) == (width, height) {
        return imageops::crop_imm(picture, part.x, part.y, width, height).to_image();
    }
    let (rows, columns) = (taps(part.height, height), taps(part.width, width));
    let stride = picture.width() as usize * CHANNELS;
    let source = picture.as_raw();
    let row = |y: usize| {
        let start = (part.y as usize + y) * stride + part.x as usize * CHANNELS;
        &source[start..start + part.width as usize * CHANNELS]
    };
    let mut sums = vec![0.0_f32; part.width as usize * CHANNELS];
    let mut out = Vec::with_capacity(width as usize * height as usize * CHANNELS);
    for of_row in &rows {
        sums.fill(0.0);
        for (y, weight) in of_row.sources.clone().zip(&of_row.weights) {
            for (sum, value) in sums.iter_mut().zip(row(y)) {
                *sum += f32::from(*value) * weight;
            }
        }
        for of_column in &columns {
            let pixels = &sums[of_column.sources.start * CHANNELS..of_column.sources.end * CHANNELS];
            let mut total = [0.0_f32; CHANNELS];
            let (pixels, _) = pixels.as_chunks::<CHANNELS>();
            for (pixel, weight) in pixels.iter().zip(&of_column.weights) {
                for (total, value) in total.iter_mut().zip(pixel) {
                    *total += value * weight;
                }
            }
            out.extend(total.map(nearest));
        }
    }
    RgbImage::from_raw(width, height, out).unwrap_or_default()
}

/// The pixels of the source that make up one pixel of the result, with their weights, which add up to 1.
struct Taps {
    sources: Range<usize>,
    weights: Vec<f32>,
}

/// Returns the taps of each of `to` pixels in a row of `from` pixels: a triangle around its centre, as
/// wide as two pixels of the larger kind.
fn taps(from: u32, to: u32) -> Vec<Taps> {
    let ratio = from as f32 / to as f32;
    let reach = ratio.max(1.0);
    let of_pixel = |at: u32| {
        let centre = (at as f32 + 0.5) * ratio;
        let start = ((centre - reach).floor() as i64).clamp(0, i64::from(from) - 1);
        let end = ((centre + reach).ceil() as i64).clamp(start + 1, i64::from(from));
        let sources = start as usize..end as usize;
        let weight = |source: usize| {
            let distance = ((source as f32 - (centre - 0.5)) / reach).abs();
            if distance < 1.0 { 1.0 - distance } else { 0.0 }
        };
        let weights: Vec<f32> = sources.clone().map(weight).collect();
        let sum = weights.iter().fold(0.0, |sum, weight| sum + weight);
        Taps { sources, weights: weights.iter().map(|weight| weight / sum).collect() }
    };
    (0..to).map(of_pixel).collect()
}

#[cfg(test)]
mod tests {
    use image::imageops::FilterType;

    use super::*;

    fn noise(width: u32, height: u32) -> RgbImage {
        let mut state = 7_u32;
        RgbImage::from_fn(width, height, |_, _| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let [a, b, c, _] = (state >> 5).to_le_bytes();
            image::Rgb([a, b, c])
        })
    }

    #[test]
    fn pictures_are_resized_as_by_the_image_crate() {
        let picture = noise(97, 61);
        for (width, height) in [(97, 61), (40, 31), (200, 20), (13, 150), (1, 1), (98, 62)] {
            let expected = imageops::resize(&picture, width, height, FilterType::Triangle);
            assert_eq!(resize(&picture, width, height), expected, "{width} × {height}");
        }
    }

    #[test]
    fn regions_are_resized_like_pictures_of_their_own() {
        let picture = noise(90, 70);
        let part = Region { x: 31, y: 5, width: 59, height: 65 };
        let own = imageops::crop_imm(&picture, part.x, part.y, part.width, part.height).to_image();
        for (width, height) in [(22, 22), (59, 65)] {
            assert_eq!(resize_region(&picture, part, width, height), resize(&own, width, height));
        }
        assert_eq!(resize(&RgbImage::new(0, 4), 3, 3), RgbImage::new(3, 3));
    }
}
