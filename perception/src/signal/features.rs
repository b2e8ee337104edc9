//! Corners with descriptors, for recognising places.

use image::GrayImage;
use imageproc::corners::{Corner, corners_fast9};
use imageproc::suppress::local_maxima;
use registration::{Feature, Features};

use super::Plane;

/// Maximum number of corners per picture.
const MAX_FEATURES: usize = 320;
/// Columns and rows of the grid over which corners are distributed, so that one busy area does not
/// take all.
const GRID_CELLS: (usize, usize) = (8, 5);
/// Radius around a corner that its descriptor covers, in pixels.
const PATCH_RADIUS_PX: i32 = 15;
/// Number of bits of a descriptor.
const DESCRIPTOR_BITS: usize = 256;
/// FAST thresholds (grey levels), tried from the highest until there are enough corners.
const FAST_THRESHOLDS: [u8; 3] = [24, 12, 6];

/// Detects FAST corners (Rosten and Drummond, 2006) and describes them with BRIEF (Calonder et al.,
/// 2010).
pub fn features(plane: &Plane) -> Features {
    let (width, height) = (plane.width, plane.height);
    let (w, h) = (u16::try_from(width).unwrap_or(u16::MAX), u16::try_from(height).unwrap_or(u16::MAX));
    let border = PATCH_RADIUS_PX as u32 + 1;
    if width as u32 <= 2 * border || height as u32 <= 2 * border {
        return Features { width: w, height: h, list: Vec::new() };
    }
    let Some(gray) = GrayImage::from_raw(width as u32, height as u32, plane.data.clone()) else {
        return Features { width: w, height: h, list: Vec::new() };
    };
    let inside = |c: &Corner| {
        c.x >= border && c.y >= border && c.x + border < width as u32 && c.y + border < height as u32
    };
    let mut corners = Vec::new();
    for threshold in FAST_THRESHOLDS {
        corners = corners_fast9(&gray, threshold);
        corners.retain(inside);
        if corners.len() >= MAX_FEATURES {
            break;
        }
    }
    let corners = distribute(local_maxima(&corners, 3), width, height);
    let smooth = plane.smoothed();
    let list = corners.iter().map(|c| describe(&smooth, c)).collect();
    Features { width: w, height: h, list }
}

/// Keeps the best corners of each grid cell.
fn distribute(mut corners: Vec<Corner>, width: usize, height: usize) -> Vec<Corner> {
    corners.sort_by(|a, b| b.score.total_cmp(&a.score).then((a.y, a.x).cmp(&(b.y, b.x))));
    let share = MAX_FEATURES / (GRID_CELLS.0 * GRID_CELLS.1) * 2;
    let mut cell_counts = vec![0; GRID_CELLS.0 * GRID_CELLS.1];
    corners.retain(|c| {
        let cell = c.y as usize * GRID_CELLS.1 / height * GRID_CELLS.0 + c.x as usize * GRID_CELLS.0 / width;
        cell_counts[cell] += 1;
        cell_counts[cell] <= share
    });
    corners.truncate(MAX_FEATURES);
    corners
}

fn describe(smooth: &Plane, corner: &Corner) -> Feature {
    let base = corner.y as i32 * smooth.width as i32 + corner.x as i32;
    let at =
        |(x, y): (i8, i8)| smooth.data[(base + i32::from(y) * smooth.width as i32 + i32::from(x)) as usize];
    let mut bits = [0; 4];
    for (i, (a, b)) in BRIEF_PAIRS.iter().enumerate() {
        bits[i / 64] |= u64::from(at(*a) < at(*b)) << (i % 64);
    }
    Feature { x: corner.x as u16, y: corner.y as u16, bits }
}

/// Pairs of points that the descriptor compares. Descriptors are stored, so the pairs must never
/// change (a test checks them). They are drawn by a fixed generator, close to a Gaussian with
/// standard deviation 6.
static BRIEF_PAIRS: [((i8, i8), (i8, i8)); DESCRIPTOR_BITS] = pairs();

const fn pairs() -> [((i8, i8), (i8, i8)); DESCRIPTOR_BITS] {
    let mut out = [((0, 0), (0, 0)); DESCRIPTOR_BITS];
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut i = 0;
    while i < DESCRIPTOR_BITS {
        let (x0, s) = draw(state);
        let (y0, s) = draw(s);
        let (x1, s) = draw(s);
        let (y1, s) = draw(s);
        state = s;
        if x0 != x1 || y0 != y1 {
            out[i] = ((x0, y0), (x1, y1));
            i += 1;
        }
    }
    out
}

/// Draws one coordinate as the sum of four uniform numbers. Returns it with the next state of the
/// generator (splitmix64).
const fn draw(state: u64) -> (i8, u64) {
    let state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    let mut sum = 0;
    let mut part = 0;
    while part < 4 {
        sum += ((z >> (part * 16)) & 0xffff) as i64 % 22;
        part += 1;
    }
    // Four numbers from 0 to 21 have mean 42 and standard deviation 12.7; half of that is 6.3.
    let value = (sum - 42) / 2;
    (
        if value > 15 {
            15
        } else if value < -15 {
            -15
        } else {
            value as i8
        },
        state,
    )
}

#[cfg(test)]
mod tests {
    use registration::align;

    use super::*;
    use sha2::{Digest, Sha256};

    #[test]
    fn brief_pairs_match_stored_descriptors() {
        let bytes: Vec<u8> =
            BRIEF_PAIRS.iter().flat_map(|((a, b), (c, d))| [*a, *b, *c, *d].map(|v| v as u8)).collect();
        assert!(BRIEF_PAIRS.iter().all(|(a, b)| a != b));
        assert_eq!(hex::encode(&Sha256::digest(bytes)[..8]), "9a97a10854dac4a0");
    }

    #[test]
    fn features_survive_storage() {
        let plane =
            Plane::new(160, 90, (0..160 * 90).map(|i| ((i / 7 * 31) ^ (i / 160 / 5 * 57)) as u8).collect());
        let features = features(&plane);
        assert!(features.list.len() > 20);
        let text = serde_json::to_string(&features).unwrap();
        assert_eq!(serde_json::from_str::<Features>(&text).unwrap(), features);
        assert!(serde_json::from_str::<Features>("\"00010\"").is_err());
        assert!(serde_json::from_str::<Features>("\"000100\"").is_err());
    }

    /// Returns a window of a large drawing of random rectangles.
    fn view(seed: u64, x0: usize, y0: usize) -> Plane {
        let mut state = seed;
        let mut next = |n: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((state >> 33) % n) as usize
        };
        let (w, h) = (700, 300);
        let mut data = vec![90_u8; w * h];
        for _ in 0..260 {
            let (x, y, rw, rh, tone) = (next(680), next(290), 6 + next(50), 6 + next(40), next(256));
            for row in y..(y + rh).min(h) {
                data[row * w + x..row * w + (x + rw).min(w)].fill(tone as u8);
            }
        }
        let window = (0..180).flat_map(|y| data[(y0 + y) * w + x0..(y0 + y) * w + x0 + 320].to_vec());
        Plane::new(320, 180, window.collect())
    }

    #[test]
    fn overlap_of_a_shifted_view_is_its_shared_part() {
        let a = features(&view(7, 100, 40));
        for (shift, share) in [(0, 1.0), (64, 0.8), (160, 0.5)] {
            let found = align(&a, &features(&view(7, 100 + shift, 40))).expect("the same drawing");
            assert!((found.overlap - share).abs() < 0.08, "{shift}: {found:?}");
        }
    }

    #[test]
    fn different_drawings_do_not_align() {
        let a = features(&view(7, 100, 40));
        for seed in 8..20 {
            let found = align(&a, &features(&view(seed, 100, 40)));
            assert!(found.is_none_or(|f| f.inliers < 14), "{found:?}");
        }
    }
}
