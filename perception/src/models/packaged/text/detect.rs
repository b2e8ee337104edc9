//! Text detection: runs the detection network and turns its probability map into lines.
//!
//! The network is a Differentiable Binarization detector (Liao et al., 2020,
//! <https://arxiv.org/abs/1911.08947>). Its map holds, for each pixel, the probability of lying in
//! the shrunken core of a line.

use image::{GrayImage, Luma, RgbImage};
use imageproc::contours::{BorderType, find_contours};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, NdTensorView};

use super::MODEL;
use super::rotated_rect::RotatedRect;
use crate::models::ModelError;
use crate::models::packaged::network::{Network, Runtime};
use crate::models::packaged::resize::resize;

/// Probability above which a pixel belongs to the core of a line.
const CORE_MIN_PROBABILITY: f32 = 0.3;
/// Minimum mean probability of a line.
const LINE_MIN_PROBABILITY: f32 = 0.5;
/// Factor of the distance by which a core is expanded to its line: factor × area ÷ perimeter (as in
/// the paper).
const UNCLIP_RATIO: f32 = 1.6;
/// Minimum thickness of a core, in pixels of the map; thinner cores are noise.
const MIN_CORE_THICKNESS_PX: f32 = 3.0;
/// Minimum thickness of an expanded line, in pixels of the map.
const MIN_LINE_THICKNESS_PX: f32 = MIN_CORE_THICKNESS_PX + 2.0;
/// Input sides must be multiples of this number of pixels, because the network halves its input
/// five times.
const INPUT_MULTIPLE_PX: u32 = 32;
/// Maximum number of lines read in one frame, the largest first. It bounds the work on a picture
/// full of letters.
const MAX_LINES_PER_FRAME: usize = 100;

/// The detection network.
pub(super) struct Detector {
    network: Network,
    longest_side: u32,
}

impl Detector {
    /// Loads the network from the bytes of its ONNX file.
    pub(super) fn load(bytes: Vec<u8>, runtime: &Runtime, longest_side: u32) -> Result<Self, ModelError> {
        let network = Network::load(MODEL, bytes, runtime)?;
        Ok(Detector { network, longest_side: longest_side.max(INPUT_MULTIPLE_PX) })
    }

    /// Returns the lines of text in pixels of the frame, from top to bottom, then from left to
    /// right.
    pub(super) fn find(&self, frame: &RgbImage) -> Result<Vec<RotatedRect>, ModelError> {
        let (width, height) = input_size(frame.dimensions(), self.longest_side);
        let input = input_tensor(&resize(frame, width, height), width);
        let map = self.network.run_one::<4>(input)?;
        if map.shape() != [1, 1, height as usize, width as usize] {
            return Err(self.network.failed(format!("a map of shape {:?}", map.shape())));
        }
        let (sx, sy) = (frame.width() as f32 / width as f32, frame.height() as f32 / height as f32);
        let mut lines: Vec<RotatedRect> =
            lines(map.slice((0, 0))).into_iter().map(|rect| rect.scaled(sx, sy)).collect();
        lines.sort_by(|a, b| (b.width() * b.height()).total_cmp(&(a.width() * a.height())));
        lines.truncate(MAX_LINES_PER_FRAME);
        lines.sort_by(|a, b| {
            (a.origin.1, a.origin.0)
                .partial_cmp(&(b.origin.1, b.origin.0))
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        Ok(lines)
    }
}

/// Returns the input size for a picture: reduced to the longest side and rounded to multiples.
fn input_size((width, height): (u32, u32), longest_side: u32) -> (u32, u32) {
    let ratio = (f64::from(longest_side) / f64::from(width.max(height).max(1))).min(1.0);
    let side = |v: u32| {
        ((f64::from(v) * ratio / f64::from(INPUT_MULTIPLE_PX)).round() as u32).max(1) * INPUT_MULTIPLE_PX
    };
    (side(width), side(height))
}

/// Converts a picture to the input of both networks: blue, green and red planes with values from −1
/// to 1, padded with 0 on the right up to `width`.
pub(super) fn input_tensor(picture: &RgbImage, width: u32) -> NdTensor<f32, 4> {
    let (width, height) = (width as usize, picture.height() as usize);
    let mut values = Vec::with_capacity(3 * width * height);
    for plane in [2, 1, 0] {
        for row in picture.rows() {
            values.extend(row.map(|pixel| f32::from(pixel[plane]) / 127.5 - 1.0));
            values.resize(values.len().next_multiple_of(width), 0.0);
        }
    }
    NdTensor::from_data([1, 3, height, width], values)
}

/// Returns the lines in a probability map, expanded from their cores.
fn lines(map: NdTensorView<f32, 2>) -> Vec<RotatedRect> {
    let mask = core_mask(&map);
    find_contours::<i32>(&mask)
        .into_iter()
        .filter(|contour| contour.border_type == BorderType::Outer)
        .filter_map(|contour| RotatedRect::around(&contour.points))
        .filter(|core| {
            core.width().min(core.height()) >= MIN_CORE_THICKNESS_PX
                && mean_in(&map, core) >= LINE_MIN_PROBABILITY
        })
        .map(|core| {
            let (w, h) = (core.width(), core.height());
            core.expanded(UNCLIP_RATIO * w * h / (2.0 * (w + h)))
        })
        .filter(|line| line.width().min(line.height()) >= MIN_LINE_THICKNESS_PX)
        .collect()
}

/// Returns the pixels above the threshold, dilated by one pixel to the right and down to close
/// cracks in cores.
fn core_mask(map: &NdTensorView<f32, 2>) -> GrayImage {
    let [height, width] = map.shape();
    let above = |x: usize, y: usize| map[[y, x]] > CORE_MIN_PROBABILITY;
    GrayImage::from_fn(width as u32, height as u32, |x, y| {
        let (x, y) = (x as usize, y as usize);
        let (left, up) = (x.saturating_sub(1), y.saturating_sub(1));
        Luma([u8::from(above(x, y) || above(left, y) || above(x, up) || above(left, up))])
    })
}

/// Returns the mean probability of the pixels in a rectangle.
fn mean_in(map: &NdTensorView<f32, 2>, rect: &RotatedRect) -> f32 {
    let [height, width] = map.shape();
    let (left, top, right, bottom) = rect.bounds();
    let range = |lo: f32, hi: f32, size: usize| {
        (lo.floor().max(0.0) as usize)..(hi.ceil().max(0.0) as usize).min(size)
    };
    let (mut sum, mut count) = (0.0, 0_u32);
    for y in range(top, bottom, height) {
        for x in range(left, right, width) {
            if rect.contains(x as f32 + 0.5, y as f32 + 0.5) {
                sum += map[[y, x]];
                count += 1;
            }
        }
    }
    if count == 0 { 0.0 } else { sum / count as f32 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a map with a bar of the given probability and a single speck.
    fn map(probability: f32) -> NdTensor<f32, 2> {
        NdTensor::from_fn([96, 128], |[y, x]| {
            if (20..30).contains(&y) && (10..110).contains(&x) || (y, x) == (60, 60) {
                probability
            } else {
                0.05
            }
        })
    }

    #[test]
    fn expands_a_core_to_its_line() {
        let found = lines(map(0.9).view());
        assert_eq!(found.len(), 1, "the speck is no line: {found:?}");
        // The bar is expanded on both sides by 1.6 × area ÷ perimeter of 100 × 10 pixels; dilation
        // adds one pixel.
        let (left, top, right, bottom) = found[0].bounds();
        assert!((left - 3.2).abs() < 1.0 && (right - 117.8).abs() < 1.0, "{left} to {right}");
        assert!((top - 13.2).abs() < 1.0 && (bottom - 37.8).abs() < 1.0, "{top} to {bottom}");
    }

    #[test]
    fn ignores_a_faint_core() {
        assert_eq!(lines(map(0.4).view()), Vec::new());
    }

    #[test]
    fn input_sides_are_multiples_of_32() {
        assert_eq!(input_size((1280, 720), 736), (736, 416));
        assert_eq!(input_size((320, 200), 736), (320, 192));
        assert_eq!(input_size((1, 1), 736), (32, 32));
        assert_eq!(input_size((20_000, 10), 736), (736, 32));
    }
}
