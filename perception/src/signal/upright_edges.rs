//! Long upright edges of a picture: the frames of doors, corners of rooms, sides of furniture.

use super::Plane;

/// Minimum difference between the pixels beside an edge, in grey levels.
const MIN_STEP: i32 = 10;
/// Ratio of the gradients across and along an upright edge.
const MIN_GRADIENT_RATIO: i32 = 3;
/// Largest lean of an upright edge, in hundredths of a pixel per row: a camera that looks down a
/// little sees upright edges converge.
const MAX_LEAN: i32 = 10;
/// Step between the leans that are tried, in hundredths of a pixel per row.
const LEAN_STEP: usize = 2;
/// Minimum support of an edge, as a share of the rows. A sharp edge lies between two columns and has
/// twice the support of its rows, so a quarter of the height suffices for it.
const MIN_SUPPORT_SHARE: f64 = 0.5;
/// Edges of one direction that are closer than this are one edge, in pixels.
const MIN_DISTANCE_PX: usize = 3;
/// Maximum number of edges per picture; the longest stay.
const MAX_EDGES: usize = 40;

/// A long upright edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UprightEdge {
    /// Column at half height, in pixels.
    pub x: u16,
    /// True if the right side is brighter.
    pub rises: bool,
}

/// Finds the long upright edges of a small picture (about 320 × 180), from left to right, by a
/// Hough transform over column and lean.
pub fn upright_edges(plane: &Plane) -> Vec<UprightEdge> {
    let (w, h) = (plane.width, plane.height);
    if w < 3 || h < 3 {
        return Vec::new();
    }
    let mut found = Vec::new();
    let points = edge_points(plane);
    for rises in [false, true] {
        let support = support(points.iter().filter(|p| p.rises == rises), w, h);
        let least = (MIN_SUPPORT_SHARE * h as f64) as u32;
        let mut last: Option<usize> = None;
        for x in 0..w {
            let around = x.saturating_sub(MIN_DISTANCE_PX)..(x + MIN_DISTANCE_PX + 1).min(w);
            let is_peak = support[x] >= least && support[around].iter().all(|other| *other <= support[x]);
            if is_peak && last.is_none_or(|last| x - last > MIN_DISTANCE_PX) {
                found.push((support[x], UprightEdge { x: x as u16, rises }));
                last = Some(x);
            }
        }
    }
    found.sort_by_key(|(support, edge)| (std::cmp::Reverse(*support), edge.x, edge.rises));
    found.truncate(MAX_EDGES);
    let mut edges: Vec<UprightEdge> = found.into_iter().map(|(_, edge)| edge).collect();
    edges.sort_by_key(|edge| (edge.x, edge.rises));
    edges
}

/// A pixel on an upright edge.
struct EdgePoint {
    x: usize,
    y: usize,
    rises: bool,
}

fn edge_points(plane: &Plane) -> Vec<EdgePoint> {
    let (w, h) = (plane.width, plane.height);
    let mut points = Vec::new();
    for y in 1..h - 1 {
        let (above, row, below) = (plane.row(y - 1), plane.row(y), plane.row(y + 1));
        for x in 1..w - 1 {
            let across = i32::from(row[x + 1]) - i32::from(row[x - 1]);
            if across.abs() < MIN_STEP {
                continue;
            }
            let along = i32::from(below[x]) - i32::from(above[x]);
            if across.abs() > MIN_GRADIENT_RATIO * along.abs() {
                points.push(EdgePoint { x, y, rises: across > 0 });
            }
        }
    }
    points
}

/// Returns for each column the number of points on an edge through its middle, at most one a row on
/// average, for the best lean.
fn support<'a>(points: impl Iterator<Item = &'a EdgePoint> + Clone, w: usize, h: usize) -> Vec<u32> {
    let mut best = vec![0; w];
    let mut rows = vec![0_u32; w];
    for lean in (-MAX_LEAN..=MAX_LEAN).step_by(LEAN_STEP) {
        rows.fill(0);
        for point in points.clone() {
            let shift = (lean * (point.y as i32 - h as i32 / 2)).div_euclid(100);
            if let Some(count) =
                usize::try_from(point.x as i32 - shift).ok().and_then(|column| rows.get_mut(column))
            {
                *count += 1;
            }
        }
        for x in 0..w {
            // An edge between two columns counts in both.
            let beside = if x > 0 { rows[x - 1] } else { 0 };
            best[x] = best[x].max((rows[x] + beside).min(h as u32));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws a wall with darker upright bars, each given as its left and right end and its lean.
    fn wall(bars: &[(f64, f64, f64)]) -> Plane {
        let (w, h) = (320, 180);
        let pixel = |i: usize| {
            let (x, y) = ((i % w) as f64, (i / w) as f64 - h as f64 / 2.0);
            let inside = bars.iter().any(|(l, r, lean)| (l + lean * y..r + lean * y).contains(&x));
            if inside { 190 } else { 225 }
        };
        Plane::new(w, h, (0..w * h).map(pixel).collect())
    }

    #[test]
    fn finds_both_sides_of_bars_that_lean_a_little() {
        let edges = upright_edges(&wall(&[(60.0, 75.0, 0.04), (200.0, 220.0, -0.05)]));
        let found: Vec<(u16, bool)> = edges.iter().map(|edge| (edge.x, edge.rises)).collect();
        assert_eq!(found.len(), 4, "{found:?}");
        for ((x, rises), (wanted, right)) in
            found.iter().zip([(60, false), (75, true), (200, false), (220, true)])
        {
            assert!(x.abs_diff(wanted) <= 3 && *rises == right, "{found:?}");
        }
    }

    #[test]
    fn ignores_slanted_and_short_edges() {
        assert_eq!(upright_edges(&wall(&[(100.0, 140.0, 0.5)])), []);
        let mut short = wall(&[(100.0, 140.0, 0.0)]);
        short.data[40 * 320..].fill(225);
        assert_eq!(upright_edges(&short), []);
        assert_eq!(upright_edges(&Plane::new(2, 2, vec![0; 4])), []);
    }
}
