//! Measures lightness and names colours.

use image::RgbImage;
use serde::{Deserialize, Serialize};

/// Size to which a picture is reduced to name its colours, in pixels.
const COLOUR_SIZE_PX: (u32, u32) = (96, 54);
/// Minimum share of the picture that a named colour covers.
const MIN_COLOUR_SHARE: f64 = 0.125;
/// Maximum number of named colours of a picture.
const MAX_COLOURS: usize = 3;

/// Lightness of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Light {
    /// Mean lightness, 0 to 1.
    pub mean: f64,
    /// Tenth percentile of lightness, 0 to 1.
    pub low: f64,
    /// Ninetieth percentile of lightness, 0 to 1.
    pub high: f64,
}

/// Measures the lightness of a picture.
pub fn light(picture: &RgbImage) -> Light {
    let mut counts = [0_u64; 256];
    for pixel in picture.pixels() {
        counts[usize::from(super::plane::ycbcr(pixel.0)[0])] += 1;
    }
    let total: u64 = counts.iter().sum();
    let weighted: u64 = counts.iter().zip(0_u64..).map(|(count, value)| count * value).sum();
    let below = |share: f64| {
        let mut remaining = (total as f64 * share) as u64;
        let level = counts.iter().position(|count| {
            let reached = *count > remaining;
            remaining = remaining.saturating_sub(*count);
            reached
        });
        thousandths(level.unwrap_or(255) as f64 / 255.0)
    };
    let mean = weighted as f64 / total.max(1) as f64 / 255.0;
    Light { mean: thousandths(mean), low: below(0.1), high: below(0.9) }
}

/// Returns up to three main colours by name with their share of the picture, largest first. A
/// colour must cover at least an eighth of the picture.
pub fn dominant_colours(picture: &RgbImage) -> Vec<(String, f64)> {
    let mut counts = std::collections::BTreeMap::<&'static str, u64>::new();
    let small = image::imageops::thumbnail(picture, COLOUR_SIZE_PX.0, COLOUR_SIZE_PX.1);
    for pixel in small.pixels() {
        *counts.entry(colour_name(pixel.0)).or_default() += 1;
    }
    let total = f64::from(small.width() * small.height()).max(1.0);
    let mut shares: Vec<_> = counts
        .into_iter()
        .map(|(name, count)| (name.to_owned(), thousandths(count as f64 / total)))
        .collect();
    shares.retain(|(_, share)| *share >= MIN_COLOUR_SHARE);
    shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    shares.truncate(MAX_COLOURS);
    shares
}

/// Names a colour by hue, saturation and value.
fn colour_name([r, g, b]: [u8; 3]) -> &'static str {
    let [r, g, b] = [f64::from(r) / 255.0, f64::from(g) / 255.0, f64::from(b) / 255.0];
    let (max, min) = (r.max(g).max(b), r.min(g).min(b));
    let chroma = max - min;
    let saturation = if max > 0.0 { chroma / max } else { 0.0 };
    if max < 0.16 {
        return "black";
    }
    if saturation < 0.14 || chroma < 0.06 {
        return if max > 0.84 {
            "white"
        } else if max < 0.35 {
            "dark grey"
        } else {
            "grey"
        };
    }
    let hue = 60.0
        * if max == r {
            ((g - b) / chroma).rem_euclid(6.0)
        } else if max == g {
            (b - r) / chroma + 2.0
        } else {
            (r - g) / chroma + 4.0
        };
    match hue {
        h if !(16.0..330.0).contains(&h) => {
            if max > 0.75 && saturation < 0.5 {
                "pink"
            } else {
                "red"
            }
        }
        h if h < 48.0 => {
            if saturation < 0.34 && max > 0.55 {
                "beige"
            } else if max < 0.68 {
                "brown"
            } else {
                "orange"
            }
        }
        h if h < 70.0 => {
            if saturation < 0.34 && max > 0.55 {
                "beige"
            } else {
                "yellow"
            }
        }
        h if h < 165.0 => "green",
        h if h < 200.0 => "turquoise",
        h if h < 262.0 => "blue",
        _ => "purple",
    }
}

/// Rounds to three decimals, so that the order of summation does not change the bytes of a
/// document.
pub(crate) fn thousandths(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_plain_colours() {
        let named = [
            ([255, 255, 255], "white"),
            ([10, 10, 12], "black"),
            ([130, 130, 130], "grey"),
            ([200, 30, 30], "red"),
            ([30, 60, 200], "blue"),
            ([40, 150, 60], "green"),
            ([230, 215, 185], "beige"),
            ([110, 70, 35], "brown"),
            ([240, 220, 40], "yellow"),
            ([250, 140, 20], "orange"),
            ([120, 40, 160], "purple"),
        ];
        for (colour, expected) in named {
            assert_eq!(colour_name(colour), expected, "{colour:?}");
        }
    }

    #[test]
    fn measures_light_and_colours_of_a_picture_in_two_halves() {
        let picture =
            RgbImage::from_fn(96, 54, |x, _| image::Rgb(if x < 60 { [255; 3] } else { [200, 0, 0] }));
        let found = light(&picture);
        assert!(found.high > 0.99 && found.low < 0.3 && found.mean > 0.6, "{found:?}");
        assert_eq!(dominant_colours(&picture), [("white".to_owned(), 0.625), ("red".to_owned(), 0.375)]);
    }
}
