//! Everything that is measured of one picture.

use image::RgbImage;
use media::ffmpeg::YuvFrame;

use crate::settings::FrameSettings;
use crate::signal::{Appearance, Colours, Features, Plane, Sharpness, align, perceptual_hash, sharpness};

/// Size of the picture that features and looks are measured on.
const SMALL: (usize, usize) = (320, 180);
/// Size of the picture that sharpness is measured on: more is seen of motion blur.
const MEDIUM: (usize, usize) = (640, 360);

/// The measures of one picture.
#[derive(Debug, Clone)]
pub(super) struct Look {
    pub sharpness: Sharpness,
    /// Mean lightness, 0 to 1.
    pub exposure: f64,
    /// Lightness of the brightest tenth, 0 to 1.
    pub brightest: f64,
    pub hash: u64,
    pub appearance: Appearance,
    pub features: Features,
}

impl Look {
    pub(super) fn of_video(frame: &YuvFrame) -> Look {
        let luma = Plane::new(frame.width as usize, frame.height as usize, frame.y().to_vec());
        let (small, medium) = turned(frame.width < frame.height);
        Look::of(&luma.fitted(medium.0, medium.1), &Colours::of_video(frame, small.0, small.1))
    }

    pub(super) fn of_photo(photo: &RgbImage) -> Look {
        let (small, medium) = turned(photo.width() < photo.height());
        let middle = Colours::of_photo(photo, medium.0, medium.1);
        let colours = Colours::of_photo(photo, small.0, small.1);
        Look::of(&middle.y, &colours)
    }

    fn of(medium: &Plane, colours: &Colours) -> Look {
        Look {
            sharpness: sharpness(medium),
            exposure: colours.y.mean() / 255.0,
            brightest: colours.y.brightest_tenth() / 255.0,
            hash: perceptual_hash(&colours.y),
            appearance: Appearance::of(colours),
            features: Features::of(&colours.y),
        }
    }

    /// Whether there is enough light, and not too much, to tell anything from.
    pub(super) fn is_lit(&self, settings: &FrameSettings) -> bool {
        self.brightest >= settings.min_brightest && self.exposure <= settings.max_exposure
    }

    /// Share of the picture that two looks have in common, 0 to 1.
    pub(super) fn overlap(&self, other: &Look) -> f64 {
        let layout = self.appearance.layout_difference(&other.appearance);
        if layout < SAME_LAYOUT {
            return 1.0;
        }
        if self.features.list.len().min(other.features.list.len()) >= FEW_FEATURES {
            return align(&self.features, &other.features).map_or(0.0, |found| found.overlap);
        }
        // Bare walls: only the layout says anything.
        (1.0 - layout * LAYOUT_STEEPNESS).max(0.0)
    }
}

/// Pictures that differ by less, cell by cell, are one.
const SAME_LAYOUT: f64 = 0.008;
/// With fewer features their agreement says nothing.
const FEW_FEATURES: usize = 30;
/// How fast a difference of layout becomes a difference of view, found on rendered walks.
const LAYOUT_STEEPNESS: f64 = 12.0;

type Size = (usize, usize);

fn turned(upright: bool) -> (Size, Size) {
    if upright { ((SMALL.1, SMALL.0), (MEDIUM.1, MEDIUM.0)) } else { (SMALL, MEDIUM) }
}
