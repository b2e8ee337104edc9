//! Decodes the output grids of the network into boxes.
//!
//! Each cell of a grid holds a score per class and, for each side of its box, a distribution over
//! distances of 0 to 10 cells (generalized focal loss, Li et al., 2020,
//! <https://arxiv.org/abs/2006.04388>).

/// Number of distances in the distribution of a side.
const DISTANCE_BINS: usize = 11;
/// Intersection over union above which two boxes show the same object.
const SAME_OBJECT_MIN_IOU: f32 = 0.5;

/// A box in pixels of the network's input.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ScoredBox {
    pub(super) class: usize,
    pub(super) score: f32,
    pub(super) left: f32,
    pub(super) top: f32,
    pub(super) right: f32,
    pub(super) bottom: f32,
}

impl ScoredBox {
    /// Returns the box in the mirror image of a picture of this width.
    pub(super) fn mirrored(self, width: f32) -> ScoredBox {
        ScoredBox { left: width - self.right, right: width - self.left, ..self }
    }
}

/// Decodes one grid of `side` × `side` cells, each `stride` pixels wide. `min_scores` holds the
/// minimum score of each class.
pub(super) fn decode(
    scores: &[f32],
    distances: &[f32],
    side: usize,
    stride: f32,
    min_scores: &[f32],
) -> Vec<ScoredBox> {
    let cells = scores.chunks_exact(min_scores.len()).zip(distances.chunks_exact(4 * DISTANCE_BINS));
    cells
        .enumerate()
        .filter_map(|(cell, (scores, distances))| {
            let (class, score) = scores
                .iter()
                .copied()
                .enumerate()
                .filter(|&(class, score)| score >= min_scores[class])
                .fold(
                    None,
                    |best: Option<(usize, f32)>, next| {
                        if best.is_none_or(|best| next.1 > best.1) { Some(next) } else { best }
                    },
                )?;
            let side_of =
                |i: usize| expected_distance(&distances[i * DISTANCE_BINS..(i + 1) * DISTANCE_BINS]) * stride;
            let (x, y) = (((cell % side) as f32 + 0.5) * stride, ((cell / side) as f32 + 0.5) * stride);
            Some(ScoredBox {
                class,
                score,
                left: x - side_of(0),
                top: y - side_of(1),
                right: x + side_of(2),
                bottom: y + side_of(3),
            })
        })
        .collect()
}

/// Applies non-maximum suppression over all classes. Returns the boxes by descending score.
pub(super) fn suppress_overlaps(mut found: Vec<ScoredBox>) -> Vec<ScoredBox> {
    found.sort_by(|a, b| {
        b.score.total_cmp(&a.score).then(a.left.total_cmp(&b.left)).then(a.top.total_cmp(&b.top))
    });
    let mut kept: Vec<ScoredBox> = Vec::new();
    for next in found {
        if kept.iter().all(|better| iou(better, &next) <= SAME_OBJECT_MIN_IOU) {
            kept.push(next);
        }
    }
    kept
}

/// Returns the expected distance of a distribution given as logits.
fn expected_distance(logits: &[f32]) -> f32 {
    let max = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let weights = logits.iter().map(|v| (v - max).exp());
    let (sum, total) = weights.enumerate().fold((0.0, 0.0), |(s, t), (i, w)| (s + i as f32 * w, t + w));
    sum / total
}

/// Returns the intersection over union.
fn iou(a: &ScoredBox, b: &ScoredBox) -> f32 {
    let w = a.right.min(b.right) - a.left.max(b.left);
    let h = a.bottom.min(b.bottom) - a.top.max(b.top);
    if w <= 0.0 || h <= 0.0 {
        return 0.0;
    }
    let area = |f: &ScoredBox| (f.right - f.left) * (f.bottom - f.top);
    w * h / (area(a) + area(b) - w * h)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_becomes_a_box() {
        // Cell (1, 0) of a 2 × 2 grid has class 1 and sides at 1, 2, 3 and 4 cells.
        let mut scores = vec![0.0; 8];
        scores[3] = 0.9;
        let mut distances = vec![0.0; 4 * 44];
        for (side, distance) in [1, 2, 3, 4].into_iter().enumerate() {
            distances[44 + side * 11 + distance] = 50.0;
        }
        let found = decode(&scores, &distances, 2, 8.0, &[0.5, 0.5]);
        let expected = ScoredBox { class: 1, score: 0.9, left: 4.0, top: -12.0, right: 36.0, bottom: 36.0 };
        assert_eq!(found, [expected]);
        assert_eq!(decode(&scores, &distances, 2, 8.0, &[0.5, 0.95]), [], "its class needs more");
    }

    #[test]
    fn mirroring_swaps_left_and_right() {
        let found = ScoredBox { class: 3, score: 0.5, left: 2.0, top: 1.0, right: 5.0, bottom: 4.0 };
        let mirrored = found.mirrored(20.0);
        assert_eq!((mirrored.left, mirrored.right, mirrored.top), (15.0, 18.0, 1.0));
        assert_eq!(mirrored.mirrored(20.0), found);
    }

    #[test]
    fn keeps_the_best_of_overlapping_boxes() {
        let at = |left: f32, score: f32| ScoredBox {
            class: 0,
            score,
            left,
            top: 0.0,
            right: left + 10.0,
            bottom: 10.0,
        };
        assert_eq!(
            suppress_overlaps(vec![at(1.0, 0.5), at(0.0, 0.8), at(8.0, 0.6)]),
            [at(0.0, 0.8), at(8.0, 0.6)]
        );
    }
}
