//! Compact description of a picture's appearance: sufficient to distinguish places, small enough to
//! store for hours of video.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::Colours;

/// Number of histogram steps of each chroma channel.
const CHROMA_STEPS: usize = 8;
/// Number of histogram steps of lightness.
const LUMA_STEPS: usize = 4;
/// Number of colour bins.
const COLOUR_BINS: usize = CHROMA_STEPS * CHROMA_STEPS * LUMA_STEPS;
/// Columns and rows of the layout grid.
const LAYOUT_CELLS: (usize, usize) = (6, 4);
/// Number of layout values: lightness and two chroma channels per cell.
const LAYOUT_VALUES: usize = LAYOUT_CELLS.0 * LAYOUT_CELLS.1 * 3;
/// Number of edge directions.
const EDGE_DIRECTIONS: usize = 8;
/// Lower end of the histogram's range of both chroma channels (of 255).
const MIN_CHROMA: f32 = 84.0;
/// Upper end of the histogram's range of both chroma channels (of 255).
const MAX_CHROMA: f32 = 172.0;
/// Minimum gradient of an edge, in grey levels over two pixels.
const MIN_EDGE_STRENGTH: f32 = 12.0;
/// Gradient above which the weight of an edge stays the same, in grey levels over two pixels.
const MAX_EDGE_STRENGTH: f32 = 120.0;
/// Factor that maps the usual densities of edges to the range from 0 to 1.
const EDGE_DENSITY_SCALE: f32 = 3.0;
/// Weight of the colour difference in the difference of two pictures.
const COLOUR_WEIGHT: f64 = 0.75;
/// Weight of the difference in edge directions in the difference of two pictures.
const EDGE_WEIGHT: f64 = 0.25;

/// Colour histogram, colour layout and edge directions of a picture. The histogram hardly changes
/// while the camera turns.
#[derive(Debug, Clone, PartialEq)]
pub struct Appearance {
    /// Share of the picture in each colour bin; the sum is 1.
    pub colours: Vec<f32>,
    /// Mean lightness and chroma of each grid cell, 0 to 1, channel by channel.
    pub layout: Vec<f32>,
    /// Share of edges by direction, then the density of edges; 0 to 1.
    pub edges: Vec<f32>,
}

impl Appearance {
    /// Describes a small picture.
    pub fn of(colours: &Colours) -> Appearance {
        let exact =
            Appearance { colours: histogram(colours), layout: layout(colours), edges: edges(colours) };
        // Rounded as in storage, so that fresh and stored values compare equal.
        Appearance::from_bytes(&exact.to_bytes()).unwrap_or(exact)
    }

    /// Returns the difference of two pictures, 0 (same) to 1. Colours weigh most because they
    /// hardly change while the camera turns.
    pub fn difference(&self, other: &Appearance) -> f64 {
        COLOUR_WEIGHT * self.colour_difference(other)
            + EDGE_WEIGHT * absolute_difference(&self.edges, &other.edges, EDGE_DIRECTIONS as f64)
    }

    /// Returns the difference of the colour histograms, 0 to 1 (half the chi-squared distance).
    pub fn colour_difference(&self, other: &Appearance) -> f64 {
        let terms = self.colours.iter().zip(&other.colours).map(|(a, b)| {
            let sum = f64::from(a + b);
            if sum > 0.0 { f64::from(a - b).powi(2) / sum } else { 0.0 }
        });
        0.5 * terms.sum::<f64>()
    }

    /// Returns the mean difference of the layout cells, 0 to 1.
    pub fn layout_difference(&self, other: &Appearance) -> f64 {
        absolute_difference(&self.layout, &other.layout, 1.0) / LAYOUT_VALUES as f64
    }

    /// Returns the mean of several appearances.
    pub fn mean<'a>(all: impl IntoIterator<Item = &'a Appearance>) -> Option<Appearance> {
        let mut all = all.into_iter();
        let mut sum = all.next()?.clone();
        let mut count = 1.0;
        for one in all {
            count += 1.0;
            for (into, from) in [
                (&mut sum.colours, &one.colours),
                (&mut sum.layout, &one.layout),
                (&mut sum.edges, &one.edges),
            ] {
                into.iter_mut().zip(from).for_each(|(a, b)| *a += b);
            }
        }
        for values in [&mut sum.colours, &mut sum.layout, &mut sum.edges] {
            values.iter_mut().for_each(|v| *v /= count);
        }
        Some(sum)
    }

    /// Encodes the values for storage. Colours are encoded as square roots to keep the precision of
    /// small shares.
    fn to_bytes(&self) -> Vec<u8> {
        let byte = |v: f32| (v * 255.0).round().clamp(0.0, 255.0) as u8;
        let roots = self.colours.iter().map(|v| byte(v.sqrt()));
        roots.chain(self.layout.iter().chain(&self.edges).map(|v| byte(*v))).collect()
    }

    fn from_bytes(bytes: &[u8]) -> Option<Appearance> {
        if bytes.len() != COLOUR_BINS + LAYOUT_VALUES + EDGE_DIRECTIONS + 1 {
            return None;
        }
        let values = |b: &[u8]| b.iter().map(|v| f32::from(*v) / 255.0).collect::<Vec<f32>>();
        Some(Appearance {
            colours: values(&bytes[..COLOUR_BINS]).into_iter().map(|v| v * v).collect(),
            layout: values(&bytes[COLOUR_BINS..COLOUR_BINS + LAYOUT_VALUES]),
            edges: values(&bytes[COLOUR_BINS + LAYOUT_VALUES..]),
        })
    }
}

fn absolute_difference(a: &[f32], b: &[f32], scale: f64) -> f64 {
    a.iter().zip(b).map(|(a, b)| f64::from((a - b).abs())).sum::<f64>() / scale
}

/// Builds the colour histogram. Each pixel is distributed over adjacent bins by trilinear
/// interpolation, so that noise changes little.
fn histogram(colours: &Colours) -> Vec<f32> {
    let luma = colours.y.cells(colours.u.width, colours.u.height);
    let mut bins = vec![0.0_f32; COLOUR_BINS];
    // Indoor colours are mostly greyish, so chroma values from 84 to 172 are spread over the steps.
    let steps = |value: u8, low: f32, high: f32, count: usize| {
        let at =
            ((f32::from(value) - low) / (high - low) * count as f32 - 0.5).clamp(0.0, count as f32 - 1.0);
        let first = (at as usize).min(count - 2);
        (first, at - first as f32)
    };
    for i in 0..luma.data.len() {
        let (y, fy) = steps(luma.data[i], 0.0, 255.0, LUMA_STEPS);
        let (u, fu) = steps(colours.u.data[i], MIN_CHROMA, MAX_CHROMA, CHROMA_STEPS);
        let (v, fv) = steps(colours.v.data[i], MIN_CHROMA, MAX_CHROMA, CHROMA_STEPS);
        for corner in 0..8 {
            let (dy, du, dv) = (corner & 1, corner >> 1 & 1, corner >> 2);
            let weight = |far: usize, share: f32| if far == 1 { share } else { 1.0 - share };
            bins[((y + dy) * CHROMA_STEPS + u + du) * CHROMA_STEPS + v + dv] +=
                weight(dy, fy) * weight(du, fu) * weight(dv, fv);
        }
    }
    let total = luma.data.len().max(1) as f32;
    bins.iter_mut().for_each(|v| *v /= total);
    bins
}

fn layout(colours: &Colours) -> Vec<f32> {
    let planes = [&colours.y, &colours.u, &colours.v].map(|p| p.cells(LAYOUT_CELLS.0, LAYOUT_CELLS.1));
    planes.iter().flat_map(|p| p.data.iter().map(|v| f32::from(*v) / 255.0)).collect()
}

fn edges(colours: &Colours) -> Vec<f32> {
    let plane = &colours.y;
    let mut bins = [0.0_f32; EDGE_DIRECTIONS];
    let mut strong = 0;
    for y in 1..plane.height.saturating_sub(1) {
        let (above, row, below) = (plane.row(y - 1), plane.row(y), plane.row(y + 1));
        for x in 1..plane.width - 1 {
            let dx = f32::from(row[x + 1]) - f32::from(row[x - 1]);
            let dy = f32::from(below[x]) - f32::from(above[x]);
            let strength = dx.hypot(dy);
            if strength < MIN_EDGE_STRENGTH {
                continue;
            }
            strong += 1;
            let angle = dy.atan2(dx).rem_euclid(std::f32::consts::PI) / std::f32::consts::PI;
            bins[(angle * EDGE_DIRECTIONS as f32) as usize % EDGE_DIRECTIONS] +=
                strength.min(MAX_EDGE_STRENGTH);
        }
    }
    let sum: f32 = bins.iter().sum();
    let pixels = (plane.width * plane.height).max(1) as f32;
    let shares = bins.iter().map(|b| if sum > 0.0 { b / sum } else { 0.0 });
    shares.chain(std::iter::once((strong as f32 / pixels * EDGE_DENSITY_SCALE).min(1.0))).collect()
}

impl Serialize for Appearance {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&hex::encode(self.to_bytes()))
    }
}

impl<'de> Deserialize<'de> for Appearance {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let bytes = hex::decode(String::deserialize(deserializer)?).map_err(serde::de::Error::custom)?;
        Appearance::from_bytes(&bytes).ok_or_else(|| serde::de::Error::custom("not an appearance"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use image::{Rgb, RgbImage};

    fn appearance(f: impl Fn(u32, u32) -> [u8; 3]) -> Appearance {
        Appearance::of(&Colours::of_photo(&RgbImage::from_fn(320, 180, |x, y| Rgb(f(x, y))), 320, 180))
    }

    #[test]
    fn colours_survive_a_turn_of_the_camera_and_layout_does_not() {
        let stripes = |shift: u32| {
            appearance(
                move |x, _| if ((x + shift) / 80).is_multiple_of(2) { [200, 60, 60] } else { [220; 3] },
            )
        };
        let other = appearance(|x, _| if x / 80 % 2 == 0 { [60, 80, 200] } else { [220; 3] });
        assert!(stripes(0).colour_difference(&stripes(80)) < 0.02);
        assert!(stripes(0).layout_difference(&stripes(80)) > 0.1);
        assert!(stripes(0).colour_difference(&other) > 0.3);
    }

    #[test]
    fn survives_storage() {
        let one = appearance(|x, y| [(x / 2) as u8, y as u8, 90]);
        let text = serde_json::to_string(&one).unwrap();
        let back: Appearance = serde_json::from_str(&text).unwrap();
        assert!(one.difference(&back) < 1e-3, "{}", one.difference(&back));
        assert_eq!(serde_json::to_string(&back).unwrap(), text);
    }
}
