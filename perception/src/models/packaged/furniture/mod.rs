//! Recognizes furniture in regions of a frame with EfficientNet-Lite0.
//!
//! The network was trained on ImageNet: it names what a picture shows and doesn't locate it. It
//! therefore looks at six regions. What it says is evidence for the type of a room and no object of a
//! document (ADR 37).

mod checkpoint;
mod classes;
mod network;

use std::collections::BTreeMap;
use std::path::Path;

use domain::document::{BBox, Provider, Run, Task};
use image::RgbImage;
use rten_tensor::NdTensor;

use self::classes::CLASSES;
use super::network::{Network, Runtime};
use super::resize::{Region, resize_region};
use super::weights::{EFFICIENTNET, EFFICIENTNET_MODEL};
use crate::models::{FurnitureClassifier, ModelError};
use crate::observation::Detection;

/// Width and height of the network's input, in pixels.
const SIDE_PX: usize = 224;
/// Number of classes of ImageNet.
const CLASS_COUNT: usize = 1000;
/// Number of regions of a frame.
const REGION_COUNT: usize = 6;
/// Side of a small region, relative to the shorter side of the frame.
const SMALL_REGION_SIDE: f32 = 0.6;
/// Minimum probability of a class.
const MIN_PROBABILITY: f32 = 0.3;
/// Mean of a channel in training.
const MEAN: f32 = 127.0;
/// Divisor of a channel in training.
const DEVIATION: f32 = 128.0;

fn malformed(reason: impl std::fmt::Display) -> ModelError {
    ModelError::malformed(EFFICIENTNET_MODEL, reason)
}

/// Recognizes furniture with EfficientNet-Lite0.
pub(super) struct Classifier {
    network: Network,
}

impl Classifier {
    /// Loads the network after converting it to ONNX.
    pub(super) fn load(models_dir: &Path, runtime: &Runtime) -> Result<Classifier, ModelError> {
        let checkpoint = EFFICIENTNET.read(models_dir, "efficientnet-lite0.pth")?;
        let onnx = network::onnx(&checkpoint::read(&checkpoint)?)?;
        let network = Network::load(EFFICIENTNET_MODEL, onnx, runtime)?;
        Ok(Classifier { network })
    }
}

impl FurnitureClassifier for Classifier {
    fn run(&self) -> Run {
        let version = format!("{} {}", EFFICIENTNET.package, EFFICIENTNET.version);
        Run {
            weights_sha256: Some(EFFICIENTNET.digest()),
            parameters: self.network.with_runtime([
                ("regions".to_owned(), REGION_COUNT.to_string()),
                ("side".to_owned(), SIDE_PX.to_string()),
            ]),
            ..Run::new(Task::Furniture, Provider::Packaged, EFFICIENTNET_MODEL, version)
        }
    }

    fn classify(&self, frame: &RgbImage) -> Result<Vec<Detection>, ModelError> {
        if frame.width() == 0 || frame.height() == 0 {
            return Ok(Vec::new());
        }
        let regions = regions(frame.width(), frame.height());
        let logits = self.network.run_one::<2>(input(frame, &regions))?.into_data();
        let mut found = Vec::new();
        for (region, logits) in regions.iter().zip(logits.chunks_exact(CLASS_COUNT)) {
            let part = |v: u32, of: u32| f64::from(v) / f64::from(of);
            let bbox = BBox {
                x: part(region.x, frame.width()),
                y: part(region.y, frame.height()),
                w: part(region.width, frame.width()),
                h: part(region.height, frame.height()),
            };
            let sure =
                probabilities(logits).into_iter().filter(|(_, probability)| *probability >= MIN_PROBABILITY);
            found.extend(sure.map(|(label, probability)| Detection {
                label: label.to_owned(),
                score: f64::from(probability.min(1.0)),
                bbox,
            }));
        }
        Ok(found)
    }
}

/// Returns the probability of each of our classes: the sum over the classes of the network.
fn probabilities(logits: &[f32]) -> BTreeMap<&'static str, f32> {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let total: f32 = logits.iter().map(|logit| (logit - most).exp()).sum();
    let mut out = BTreeMap::new();
    for (label, class) in CLASSES {
        *out.entry(label).or_default() += (logits[class] - most).exp() / total;
    }
    out
}

fn square(x: u32, y: u32, side: u32) -> Region {
    Region { x, y, width: side, height: side }
}

/// Returns the regions of a frame: two large ones at both ends of its longer side, and four small
/// ones in its lower part, where furniture stands.
fn regions(width: u32, height: u32) -> [Region; REGION_COUNT] {
    let large = width.min(height);
    let small = ((large as f32 * SMALL_REGION_SIDE) as u32).max(1);
    let (right, bottom) = (width - small, height - small);
    let at = |x: u32, y: u32| square(x, y, small);
    let lower = if width >= height {
        [at(0, bottom), at(right / 3, bottom), at(right - right / 3, bottom), at(right, bottom)]
    } else {
        let above = bottom.saturating_sub(small);
        [at(0, above), at(right, above), at(0, bottom), at(right, bottom)]
    };
    let [a, b, c, d] = lower;
    [square(0, 0, large), square(width - large, height - large, large), a, b, c, d]
}

/// Converts the regions of a frame to the network's input.
fn input(frame: &RgbImage, regions: &[Region; REGION_COUNT]) -> NdTensor<f32, 4> {
    let side = SIDE_PX as u32;
    let mut values = Vec::with_capacity(REGION_COUNT * 3 * SIDE_PX * SIDE_PX);
    for region in regions {
        let small = resize_region(frame, *region, side, side);
        for channel in 0..3 {
            values.extend(small.pixels().map(|pixel| (f32::from(pixel[channel]) - MEAN) / DEVIATION));
        }
    }
    NdTensor::from_data([REGION_COUNT, 3, SIDE_PX, SIDE_PX], values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_lie_inside_frames_of_any_shape_and_cover_their_lower_part() {
        for (width, height) in [(1280, 720), (720, 1280), (640, 640), (1, 1), (3, 2000), (4000, 2)] {
            let regions = regions(width, height);
            for region in regions {
                assert!(region.width >= 1, "{width} × {height}");
                assert!(region.x + region.width <= width && region.y + region.height <= height, "{region:?}");
            }
            assert_eq!(regions[1].y + regions[1].height, height);
            assert!(regions[2..].iter().any(|region| region.x + region.width == width));
        }
    }

    #[test]
    fn classes_of_one_name_add_up() {
        let mut logits = vec![0.0_f32; CLASS_COUNT];
        // Bathtub and tub.
        (logits[435], logits[876]) = (10.0, 10.0);
        let probabilities = probabilities(&logits);
        assert!(probabilities["bathtub"] > 0.9);
        assert!(probabilities["toilet"] < 0.01);
    }
}
