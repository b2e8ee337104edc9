//! Where there is text: the detection network and what turns its map into lines.
//!
//! The network is a Differentiable Binarization detector (Liao et al., 2020, <https://arxiv.org/abs/1911.08947>): its map
//! holds, for each pixel, the probability that it lies in the shrunken core of a line of text.

use std::sync::Arc;

use image::{GrayImage, Luma, RgbImage, imageops};
use imageproc::contours::{BorderType, find_contours};
use rten::{Model, RunOptions, ThreadPool};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, NdTensorView};

use super::MODEL;
use super::rotated_rect::RotatedRect;
use crate::models::ModelError;

/// Above this a pixel belongs to the core of a line.
const CORE_MIN_PROBABILITY: f32 = 0.3;
/// Mean probability a line needs.
const LINE_MIN_PROBABILITY: f32 = 0.5;
/// How far the core is grown to the whole line, times area over perimeter.
const UNCLIP_RATIO: f32 = 1.6;
/// Cores thinner than this, in pixels of the map, are noise.
const MIN_CORE_THICKNESS_PX: f32 = 3.0;
/// The network halves its input five times.
const INPUT_MULTIPLE_PX: u32 = 32;
/// More lines than this in one frame are not read (the largest are): a picture full of letters must not
/// stop a worker.
const MAX_LINES_PER_FRAME: usize = 100;

/// The detection network.
pub(super) struct Detector {
    model: Model,
    pool: Arc<ThreadPool>,
    longest_side: u32,
}

impl Detector {
    /// Loads it from the bytes of its ONNX file.
    pub(super) fn load(bytes: Vec<u8>, pool: Arc<ThreadPool>, longest_side: u32) -> Result<Self, ModelError> {
        let model = Model::load(bytes).map_err(|error| ModelError::malformed(MODEL, error))?;
        Ok(Detector { model, pool, longest_side: longest_side.max(INPUT_MULTIPLE_PX) })
    }

    /// The lines of text in a frame, in its pixels, from top to bottom, then from left to right.
    pub(super) fn find(&self, frame: &RgbImage) -> Result<Vec<RotatedRect>, ModelError> {
        let (width, height) = input_size(frame.dimensions(), self.longest_side);
        let small = imageops::resize(frame, width, height, imageops::FilterType::Triangle);
        let input = input_tensor(&small, width);
        let options = RunOptions::default().with_thread_pool(Some(self.pool.clone()));
        let output = self
            .model
            .run_one(input.into(), Some(options))
            .map_err(|error| ModelError::failed(MODEL, error))?;
        let map: NdTensor<f32, 4> = output.try_into().map_err(|error| ModelError::failed(MODEL, error))?;
        if map.shape() != [1, 1, height as usize, width as usize] {
            return Err(ModelError::failed(MODEL, format!("a map of shape {:?}", map.shape())));
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

/// The size at which the network looks at a picture: reduced to the longest side, in whole steps.
fn input_size((width, height): (u32, u32), longest_side: u32) -> (u32, u32) {
    let ratio = (f64::from(longest_side) / f64::from(width.max(height).max(1))).min(1.0);
    let side = |v: u32| {
        ((f64::from(v) * ratio / f64::from(INPUT_MULTIPLE_PX)).round() as u32).max(1) * INPUT_MULTIPLE_PX
    };
    (side(width), side(height))
}

/// A picture as the networks take it: blue, green and red planes, each value from −1 to 1, padded on the
/// right with 0 to `width`.
pub(super) fn input_tensor(picture: &RgbImage, width: u32) -> NdTensor<f32, 4> {
    let (w, h) = (width as usize, picture.height() as usize);
    let mut tensor = NdTensor::zeros([1, 3, h, w]);
    for (x, y, pixel) in picture.enumerate_pixels() {
        for (plane, value) in [pixel[2], pixel[1], pixel[0]].into_iter().enumerate() {
            tensor[[0, plane, y as usize, x as usize]] = f32::from(value) / 127.5 - 1.0;
        }
    }
    tensor
}

/// The lines in a probability map, grown from their cores.
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
        .filter(|line| line.width().min(line.height()) >= MIN_CORE_THICKNESS_PX + 2.0)
        .collect()
}

/// The pixels above the threshold, spread one pixel right and down so that cores with a crack stay whole.
fn core_mask(map: &NdTensorView<f32, 2>) -> GrayImage {
    let [height, width] = map.shape();
    let above = |x: usize, y: usize| map[[y, x]] > CORE_MIN_PROBABILITY;
    GrayImage::from_fn(width as u32, height as u32, |x, y| {
        let (x, y) = (x as usize, y as usize);
        let (left, up) = (x.saturating_sub(1), y.saturating_sub(1));
        Luma([u8::from(above(x, y) || above(left, y) || above(x, up) || above(left, up))])
    })
}

/// Mean probability of the pixels in a rect.
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

    /// A map with a bar of the given probability and a single speck.
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
    fn a_core_grows_to_its_line() {
        let found = lines(map(0.9).view());
        assert_eq!(found.len(), 1, "the speck is no line: {found:?}");
        // Area over half the perimeter of a 100 × 10 bar, times 1.6, on both sides, and the spread pixel.
        let (left, top, right, bottom) = found[0].bounds();
        assert!((left - 3.2).abs() < 1.0 && (right - 117.8).abs() < 1.0, "{left} to {right}");
        assert!((top - 13.2).abs() < 1.0 && (bottom - 37.8).abs() < 1.0, "{top} to {bottom}");
    }

    #[test]
    fn a_faint_core_is_no_line() {
        assert_eq!(lines(map(0.4).view()), Vec::new());
    }

    #[test]
    fn the_network_looks_at_whole_steps() {
        assert_eq!(input_size((1280, 720), 736), (736, 416));
        assert_eq!(input_size((320, 200), 736), (320, 192));
        assert_eq!(input_size((1, 1), 736), (32, 32));
        assert_eq!(input_size((20_000, 10), 736), (736, 32));
    }
}
