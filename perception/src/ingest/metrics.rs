//! Measurements of one picture.

use image::RgbImage;
use media::ffmpeg::YuvFrame;

use crate::settings::FrameSettings;
use crate::signal::{
    Appearance, Colours, ColumnProfiles, Features, Plane, Sharpness, UprightEdge, align, features,
    perceptual_hash, sharpness, upright_edges,
};

/// Size to which a picture is reduced to compute features and appearance, in pixels.
const FEATURE_SIZE_PX: (usize, usize) = (320, 180);
/// Size to which a picture is reduced to measure sharpness, in pixels. It is larger because motion
/// blur disappears in small pictures.
const SHARPNESS_SIZE_PX: (usize, usize) = (640, 360);

/// Mean difference between cells (0 to 1) below which two pictures show the same view.
pub(super) const SAME_PICTURE_MAX_LAYOUT_DIFFERENCE: f64 = 0.008;
/// Minimum number of features in both pictures for an alignment to be meaningful.
const MIN_ALIGNABLE_FEATURES: usize = 30;
/// Overlap lost per unit of layout difference; measured on rendered walks.
const OVERLAP_LOSS_PER_LAYOUT_DIFFERENCE: f64 = 12.0;

/// Measurements of one picture.
#[derive(Debug, Clone)]
pub(super) struct PictureMetrics {
    pub sharpness: Sharpness,
    /// Mean lightness, 0 to 1.
    pub exposure: f64,
    /// Mean lightness of the brightest tenth, 0 to 1.
    pub brightest: f64,
    pub hash: u64,
    pub appearance: Appearance,
    pub features: Features,
    /// Long upright edges.
    pub upright_edges: Vec<UprightEdge>,
    /// Changes of lightness along the columns.
    pub profiles: ColumnProfiles,
}

impl PictureMetrics {
    pub(super) fn of_video(frame: &YuvFrame) -> PictureMetrics {
        let luma = Plane::new(frame.width as usize, frame.height as usize, frame.y().to_vec());
        let (small, medium) = oriented_sizes(frame.width < frame.height);
        PictureMetrics::of(&luma.fitted(medium.0, medium.1), &Colours::of_video(frame, small.0, small.1))
    }

    pub(super) fn of_photo(photo: &RgbImage) -> PictureMetrics {
        let (small, medium) = oriented_sizes(photo.width() < photo.height());
        let medium_colours = Colours::of_photo(photo, medium.0, medium.1);
        let colours = Colours::of_photo(photo, small.0, small.1);
        PictureMetrics::of(&medium_colours.y, &colours)
    }

    fn of(medium: &Plane, colours: &Colours) -> PictureMetrics {
        PictureMetrics {
            sharpness: sharpness(medium),
            exposure: colours.y.mean() / 255.0,
            brightest: colours.y.brightest_tenth() / 255.0,
            hash: perceptual_hash(&colours.y),
            appearance: Appearance::of(colours),
            features: features(&colours.y),
            upright_edges: upright_edges(&colours.y),
            profiles: ColumnProfiles::of(&colours.y),
        }
    }

    /// Returns true if the picture is neither too dark nor too bright to use.
    pub(super) fn is_lit(&self, settings: &FrameSettings) -> bool {
        self.brightest >= settings.min_brightest && self.exposure <= settings.max_exposure
    }

    /// Returns the share of the view that two pictures have in common, 0 to 1.
    pub(super) fn overlap(&self, other: &PictureMetrics) -> f64 {
        let layout = self.appearance.layout_difference(&other.appearance);
        if layout < SAME_PICTURE_MAX_LAYOUT_DIFFERENCE {
            return 1.0;
        }
        if self.features.list.len().min(other.features.list.len()) >= MIN_ALIGNABLE_FEATURES {
            return align(&self.features, &other.features).map_or(0.0, |found| found.overlap);
        }
        // Bare walls have too few features to align, so only the layout can be compared.
        (1.0 - layout * OVERLAP_LOSS_PER_LAYOUT_DIFFERENCE).max(0.0)
    }
}

type Size = (usize, usize);

fn oriented_sizes(upright: bool) -> (Size, Size) {
    if upright {
        ((FEATURE_SIZE_PX.1, FEATURE_SIZE_PX.0), (SHARPNESS_SIZE_PX.1, SHARPNESS_SIZE_PX.0))
    } else {
        (FEATURE_SIZE_PX, SHARPNESS_SIZE_PX)
    }
}
