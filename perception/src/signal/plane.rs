//! Image planes of 8 bits per pixel.

use image::RgbImage;
use media::ffmpeg::YuvFrame;

/// One channel of a picture, one byte per pixel, row by row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plane {
    /// Width in pixels.
    pub width: usize,
    /// Height in pixels.
    pub height: usize,
    /// Pixels, row by row.
    pub data: Vec<u8>,
}

impl Plane {
    /// Wraps pixels.
    ///
    /// # Panics
    /// Panics if `data` does not hold `width × height` bytes.
    pub fn new(width: usize, height: usize, data: Vec<u8>) -> Plane {
        assert_eq!(data.len(), width * height, "a plane has one byte a pixel");
        Plane { width, height, data }
    }

    /// Returns a row.
    pub fn row(&self, y: usize) -> &[u8] {
        &self.data[y * self.width..(y + 1) * self.width]
    }

    /// Returns a pixel.
    pub fn at(&self, x: usize, y: usize) -> u8 {
        self.data[y * self.width + x]
    }

    /// Returns the mean, 0 to 255.
    pub fn mean(&self) -> f64 {
        let sum: u64 = self.data.iter().map(|p| u64::from(*p)).sum();
        sum as f64 / self.data.len().max(1) as f64
    }

    /// Returns the mean of the brightest tenth of the pixels, 0 to 255. It detects the few lights
    /// in a night scene.
    pub fn brightest_tenth(&self) -> f64 {
        let mut counts = [0_usize; 256];
        self.data.iter().for_each(|p| counts[usize::from(*p)] += 1);
        let tenth = self.data.len().div_ceil(10).max(1);
        let (mut taken, mut sum) = (0, 0);
        for (value, count) in counts.iter().enumerate().rev() {
            let more = (*count).min(tenth - taken);
            (taken, sum) = (taken + more, sum + more * value);
        }
        sum as f64 / tenth as f64
    }

    /// Reduces the plane to fit `width × height` by area averaging. Keeps the aspect ratio and
    /// never enlarges.
    pub fn fitted(&self, width: usize, height: usize) -> Plane {
        reduce(&self.data, self.width, self.height, fitted_size(self.width, self.height, width, height))
    }

    /// Averages the plane into exactly `width × height` cells.
    pub fn cells(&self, width: usize, height: usize) -> Plane {
        reduce(&self.data, self.width, self.height, (width, height))
    }

    /// Returns the plane after a 5 × 5 box filter, which BRIEF compares.
    pub(super) fn smoothed(&self) -> Plane {
        let (w, h) = (self.width, self.height);
        let mut across = vec![0_u16; w * h];
        for y in 0..h {
            let row = self.row(y);
            for x in 0..w {
                let sum = (x.saturating_sub(2)..=(x + 2).min(w - 1)).map(|i| u16::from(row[i])).sum::<u16>();
                across[y * w + x] = sum;
            }
        }
        let mut data = vec![0; w * h];
        for y in 0..h {
            let rows = y.saturating_sub(2)..=(y + 2).min(h - 1);
            for x in 0..w {
                let sum: u32 = rows.clone().map(|r| u32::from(across[r * w + x])).sum();
                data[y * w + x] = (sum / 25).min(255) as u8;
            }
        }
        Plane::new(w, h, data)
    }
}

/// Lightness and chroma of a picture as YCbCr in full range (JPEG, JFIF).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Colours {
    /// Lightness (Y).
    pub y: Plane,
    /// Blue-difference chroma (Cb), at half width and height.
    pub u: Plane,
    /// Red-difference chroma (Cr), at half width and height.
    pub v: Plane,
}

impl Colours {
    /// Converts a decoded video picture, reduced to fit `width × height`.
    pub fn of_video(frame: &YuvFrame, width: usize, height: usize) -> Colours {
        let (w, h) = (frame.width as usize, frame.height as usize);
        let small = fitted_size(w, h, width, height);
        let half = (small.0.div_ceil(2), small.1.div_ceil(2));
        Colours {
            y: reduce(frame.y(), w, h, small),
            u: reduce(frame.u(), w / 2, h / 2, half),
            v: reduce(frame.v(), w / 2, h / 2, half),
        }
    }

    /// Converts a photo, reduced to fit `width × height`.
    pub fn of_photo(photo: &RgbImage, width: usize, height: usize) -> Colours {
        let (w, h) = (photo.width() as usize, photo.height() as usize);
        let (mut y, mut u, mut v) = (Vec::new(), Vec::new(), Vec::new());
        for plane in [&mut y, &mut u, &mut v] {
            plane.reserve_exact(w * h);
        }
        for pixel in photo.pixels() {
            let [l, b, r] = ycbcr(pixel.0);
            y.push(l);
            u.push(b);
            v.push(r);
        }
        let small = fitted_size(w, h, width, height);
        let half = (small.0.div_ceil(2), small.1.div_ceil(2));
        Colours { y: reduce(&y, w, h, small), u: reduce(&u, w, h, half), v: reduce(&v, w, h, half) }
    }
}

/// Converts RGB to full-range BT.601 YCbCr, as in JPEG (JFIF 1.02 §7).
pub(crate) fn ycbcr([r, g, b]: [u8; 3]) -> [u8; 3] {
    let [r, g, b] = [f32::from(r), f32::from(g), f32::from(b)];
    let y = 0.299 * r + 0.587 * g + 0.114 * b;
    [y, (b - y) / 1.772 + 128.0, (r - y) / 1.402 + 128.0].map(nearest)
}

/// Converts full-range BT.601 YCbCr to RGB (JFIF 1.02 §7).
pub(crate) fn rgb([y, u, v]: [u8; 3]) -> [u8; 3] {
    let [y, u, v] = [f32::from(y), f32::from(u) - 128.0, f32::from(v) - 128.0];
    [y + 1.402 * v, y - 0.344_136 * u - 0.714_136 * v, y + 1.772 * u].map(nearest)
}

/// Rounds to the nearest byte, halves away from zero, as `round` and `clamp` do together. Unlike `round` it
/// needs no call to a library, so loops over pixels are vectorized.
pub(crate) fn nearest(value: f32) -> u8 {
    let below = value as u8;
    below.saturating_add(u8::from(value - f32::from(below) >= 0.5))
}

/// Converts a decoded video picture to RGB.
pub(crate) fn rgb_of_video(frame: &YuvFrame) -> RgbImage {
    let (y, u, v) = (frame.y(), frame.u(), frame.v());
    let (width, height) = (frame.width as usize, frame.height as usize);
    let mut out = Vec::with_capacity(3 * width * height);
    for row in 0..height {
        let chroma = row / 2 * (width / 2);
        let (u, v) = (&u[chroma..chroma + width / 2], &v[chroma..chroma + width / 2]);
        let (pairs, _) = y[row * width..(row + 1) * width].as_chunks::<2>();
        for ((pair, u), v) in pairs.iter().zip(u).zip(v) {
            out.extend(pair.map(|y| rgb([y, *u, *v])).as_flattened());
        }
    }
    RgbImage::from_raw(frame.width, frame.height, out).unwrap_or_default()
}

fn fitted_size(w: usize, h: usize, width: usize, height: usize) -> (usize, usize) {
    let scale = (width as f64 / w.max(1) as f64).min(height as f64 / h.max(1) as f64).min(1.0);
    (((w as f64 * scale).round() as usize).max(1), ((h as f64 * scale).round() as usize).max(1))
}

/// Averages areas of a plane into `width × height` cells.
fn reduce(data: &[u8], w: usize, h: usize, (width, height): (usize, usize)) -> Plane {
    if (w, h) == (width, height) {
        return Plane::new(w, h, data.to_vec());
    }
    if w == 0 || h == 0 {
        return Plane::new(width, height, vec![128; width * height]);
    }
    let span = |cell: usize, cells: usize, size: usize| {
        let start = (cell * size / cells).min(size - 1);
        start..((cell + 1) * size).div_ceil(cells).clamp(start + 1, size)
    };
    let columns: Vec<_> = (0..width).map(|x| span(x, width, w)).collect();
    let mut out = Vec::with_capacity(width * height);
    let mut sums = vec![0_u32; w];
    for y in 0..height {
        let rows = span(y, height, h);
        sums.fill(0);
        for row in rows.clone() {
            for (sum, pixel) in sums.iter_mut().zip(&data[row * w..(row + 1) * w]) {
                *sum += u32::from(*pixel);
            }
        }
        for column in &columns {
            let area = (column.len() * rows.len()) as u32;
            let sum: u32 = sums[column.clone()].iter().sum();
            out.push(((sum + area / 2) / area) as u8);
        }
    }
    Plane::new(width, height, out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reduction_averages_and_keeps_the_aspect_ratio() {
        let plane = Plane::new(4, 2, vec![0, 100, 10, 30, 100, 200, 20, 40]);
        assert_eq!(plane.fitted(2, 2), Plane::new(2, 1, vec![100, 25]));
        assert_eq!(plane.fitted(100, 100), plane);
        assert_eq!(plane.cells(1, 1).data, [63]);
        assert_eq!(plane.cells(8, 4).data.len(), 32);
    }

    #[test]
    fn colour_conversion_round_trips() {
        for colour in [[0, 0, 0], [255, 255, 255], [200, 30, 60], [10, 90, 200], [128, 128, 127]] {
            let back = rgb(ycbcr(colour));
            assert!(colour.iter().zip(back).all(|(a, b)| a.abs_diff(b) <= 2), "{colour:?} {back:?}");
        }
    }

    #[test]
    fn the_nearest_byte_is_that_of_round_and_clamp() {
        let values = (-4000..70_000).map(|i| i as f32 / 256.0);
        for value in values.chain([0.499_999_97, 254.5, 1e9, -1e9, f32::NAN]) {
            assert_eq!(nearest(value), value.round().clamp(0.0, 255.0) as u8, "{value}");
        }
    }

    #[test]
    fn brightest_tenth_detects_a_few_lights() {
        let mut data = vec![4; 1000];
        data[..100].fill(200);
        let night = Plane::new(100, 10, data);
        assert_eq!(night.brightest_tenth(), 200.0);
        assert!(night.mean() < 26.0);
        assert_eq!(Plane::new(1, 1, vec![7]).brightest_tenth(), 7.0);
    }
}
