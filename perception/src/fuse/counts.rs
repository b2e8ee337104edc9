//! Counts objects of one class in one zone as an interval.
//!
//! The minimum is what two frames show at once. The maximum has two parts: the boxes that remain
//! after following them through aligned frames, because they may be different objects; and objects
//! that no frame showed, because the detector misses many. The second part follows from the hit rate
//! of these objects where it can be measured, and from the usual one where it cannot.

use std::collections::{BTreeMap, BTreeSet};

use domain::document::BBox;

/// Intersection over union from which a box, moved into another frame, is the box there.
const TRACKED_MIN_IOU: f64 = 0.2;
/// Share of a moved box that must be inside the other frame for it to be expected there.
const EXPECTED_MIN_INSIDE: f64 = 0.8;
/// Share of the objects in a frame that the detector finds: `object_recall` in docs/evaluation.md.
const USUAL_HIT_RATE: f64 = 0.35;
/// Number of imagined looks with the usual hit rate that shrink a measured one.
const PSEUDO_LOOKS: f64 = 4.0;
/// Probability that the true number is at most the maximum, if the hit rate is right.
const COVERAGE: f64 = 0.8;
/// Largest ratio of the maximum to the most objects that one frame shows. Views that cannot be
/// aligned show the same objects again more often than others, and a frame rarely misses more than
/// half.
const MAX_COUNT_RATIO: usize = 2;

/// Sightings of one class in one frame.
pub(super) struct FrameBoxes {
    /// Index of the frame.
    pub(super) index: usize,
    /// Boxes that are counted.
    pub(super) counted: Vec<BBox>,
    /// All boxes, including less certain ones, which are often a second box of the same object.
    pub(super) all: Vec<BBox>,
}

/// Number of objects as an interval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Interval {
    pub(super) min: usize,
    pub(super) max: usize,
}

/// Counts the objects of frames with sightings, in order. `aligned` holds pairs of frames and how a
/// box moves from the first to the second.
pub(super) fn count<F: Fn(&BBox) -> BBox>(
    frames: &[FrameBoxes],
    aligned: impl Iterator<Item = ((usize, usize), F)>,
) -> Interval {
    let mut numbers: Vec<usize> = frames.iter().map(|frame| frame.counted.len()).collect();
    numbers.sort_unstable();
    // A single frame may show duplicates.
    let min = numbers.len().checked_sub(2).map_or(1, |at| numbers[at]).max(1);
    let most = numbers.last().copied().unwrap_or(0).max(min);
    let Followed { distinct, looks, hits } = follow(frames, aligned);
    let hit_rate = (hits as f64 + USUAL_HIT_RATE * PSEUDO_LOOKS) / (looks as f64 + PSEUDO_LOOKS);
    let distinct = distinct.max(most);
    let max = distinct + unseen(distinct, (1.0 - hit_rate).powf(frames.len() as f64));
    Interval { min, max: max.clamp(min, MAX_COUNT_RATIO * most) }
}

/// Returns the number of objects that no frame shows, at most, with probability [`COVERAGE`]: a
/// quantile of the negative binomial distribution. Each object is missed with probability `missed`.
fn unseen(seen: usize, missed: f64) -> usize {
    let mut probability = (1.0 - missed).powf(seen as f64);
    let (mut cumulated, mut count) = (probability, 0);
    while cumulated < COVERAGE && count < seen {
        count += 1;
        probability *= missed * (seen + count - 1) as f64 / count as f64;
        cumulated += probability;
    }
    count
}

/// Boxes after following them through aligned frames.
struct Followed {
    /// Number of boxes that remain: the most that can be different objects.
    distinct: usize,
    /// Number of times that a box was expected in another frame.
    looks: usize,
    /// Number of times that it was there.
    hits: usize,
}

fn follow<F: Fn(&BBox) -> BBox>(
    frames: &[FrameBoxes],
    aligned: impl Iterator<Item = ((usize, usize), F)>,
) -> Followed {
    // The boxes of each frame are a run of numbers.
    let mut runs = BTreeMap::<usize, (usize, &FrameBoxes)>::new();
    let mut frame_of: Vec<usize> = Vec::new();
    for frame in frames {
        runs.insert(frame.index, (frame_of.len(), frame));
        frame_of.extend(frame.counted.iter().map(|_| frame.index));
    }
    let (mut looks, mut hits) = (0, 0);
    let mut links: Vec<(f64, usize, usize)> = Vec::new();
    for ((a, b), moved) in aligned {
        let (Some((first, from)), Some((second, to))) = (runs.get(&a), runs.get(&b)) else { continue };
        for (one, area) in from.counted.iter().enumerate() {
            let there = moved(area);
            let overlaps = to.counted.iter().enumerate().map(|(two, other)| (there.iou(other), two));
            links.extend(
                overlaps
                    .filter(|(iou, _)| *iou >= TRACKED_MIN_IOU)
                    .map(|(iou, two)| (iou, first + one, second + two)),
            );
            if share_inside(&there) >= EXPECTED_MIN_INSIDE {
                looks += 1;
                hits += usize::from(to.all.iter().any(|other| there.iou(other) >= TRACKED_MIN_IOU));
            }
        }
    }
    links.sort_by(|x, y| y.0.total_cmp(&x.0).then((x.1, x.2).cmp(&(y.1, y.2))));
    Followed { distinct: tracks(&frame_of, &links), looks, hits }
}

/// Joins boxes along links, the most certain first, and returns the number of tracks. Two boxes of
/// one frame are two objects. `frame_of` holds the frame of each box.
fn tracks(frame_of: &[usize], links: &[(f64, usize, usize)]) -> usize {
    let mut parent: Vec<usize> = (0..frame_of.len()).collect();
    let mut frames: Vec<BTreeSet<usize>> = frame_of.iter().map(|frame| BTreeSet::from([*frame])).collect();
    let mut count = frame_of.len();
    for (_, one, two) in links {
        let (one, two) = (root(&mut parent, *one), root(&mut parent, *two));
        if one == two || !frames[one].is_disjoint(&frames[two]) {
            continue;
        }
        let (into, from) = if frames[one].len() >= frames[two].len() { (one, two) } else { (two, one) };
        let moved = std::mem::take(&mut frames[from]);
        frames[into].extend(moved);
        parent[from] = into;
        count -= 1;
    }
    count
}

/// Returns the first box of a track, and shortens the path to it.
fn root(parent: &mut [usize], mut at: usize) -> usize {
    while parent[at] != at {
        parent[at] = parent[parent[at]];
        at = parent[at];
    }
    at
}

/// Returns the share of a box that is inside the frame.
fn share_inside(area: &BBox) -> f64 {
    let inside = |start: f64, size: f64| ((start + size).min(1.0) - start.max(0.0)).max(0.0) / size;
    inside(area.x, area.w) * inside(area.y, area.h)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boxes(at: &[f64]) -> Vec<BBox> {
        at.iter().map(|x| BBox { x: *x, y: 0.2, w: 0.2, h: 0.2 }).collect()
    }

    /// A frame with boxes at these left ends.
    fn frame(index: usize, at: &[f64]) -> FrameBoxes {
        FrameBoxes { index, counted: boxes(at), all: boxes(at) }
    }

    type Move = fn(&BBox) -> BBox;

    /// Alignments of consecutive frames, of which each is turned by 0.3 of the picture.
    fn turned(pairs: &[(usize, usize)]) -> impl Iterator<Item = ((usize, usize), Move)> {
        let shift: Move = |area| BBox { x: area.x - 0.3, ..*area };
        pairs.iter().map(move |pair| (*pair, shift))
    }

    fn interval(frames: &[FrameBoxes], pairs: &[(usize, usize)]) -> (usize, usize) {
        let Interval { min, max } = count(frames, turned(pairs));
        (min, max)
    }

    #[test]
    fn boxes_are_followed_through_aligned_frames() {
        let distinct =
            |frames: &[FrameBoxes], pairs: &[(usize, usize)]| follow(frames, turned(pairs)).distinct;
        let frames = [frame(3, &[0.35, 0.7]), frame(4, &[0.06, 0.4])];
        assert_eq!(distinct(&frames, &[(3, 4)]), 2);
        assert_eq!(distinct(&frames, &[]), 4, "not aligned");
        // A third object comes into view.
        let frames = [frame(3, &[0.35, 0.7]), frame(4, &[0.06, 0.4, 0.7])];
        assert_eq!(distinct(&frames, &[(3, 4)]), 3);
        let frames = [frame(3, &[0.35, 0.38]), frame(4, &[0.06])];
        assert_eq!(distinct(&frames, &[(3, 4)]), 2, "two boxes of one frame are two objects");
    }

    #[test]
    fn two_frames_tell_the_minimum_and_few_looks_leave_the_maximum_open() {
        // Three of four chairs in one photo, two in another from the opposite side.
        assert_eq!(interval(&[frame(0, &[0.1, 0.4, 0.7]), frame(1, &[0.1, 0.5])], &[]), (2, 6));
        assert_eq!(interval(&[frame(0, &[0.1]), frame(1, &[0.5])], &[]), (1, 2));
        assert_eq!(interval(&[frame(0, &[0.1]), frame(1, &[])], &[]), (1, 2));
    }

    #[test]
    fn an_object_that_every_frame_shows_where_it_must_be_is_counted_exactly() {
        // A camera that goes back and forth between two aligned views.
        let view =
            |at: usize| if at.is_multiple_of(2) { frame(at, &[0.35, 0.7]) } else { frame(at, &[0.05, 0.4]) };
        let frames: Vec<FrameBoxes> = (0..10).map(view).collect();
        let pairs: Vec<(usize, usize)> =
            (0..10).step_by(2).flat_map(|a| (1..10).step_by(2).map(move |b| (a, b))).collect();
        assert_eq!(interval(&frames, &pairs), (2, 2));
    }

    #[test]
    fn objects_that_are_often_missed_leave_the_maximum_open() {
        // Each aligned view shows one of the two objects that it should show.
        let frames: Vec<FrameBoxes> =
            (0..4).map(|at| frame(at, &[if at.is_multiple_of(2) { 0.35 } else { 0.4 }])).collect();
        let pairs = [(0, 1), (0, 3), (2, 1), (2, 3)];
        let (min, max) = interval(&frames, &pairs);
        assert_eq!((min, max), (1, 2));
    }

    #[test]
    fn more_looks_leave_less_unseen() {
        assert_eq!([0.5, 0.2, 0.05, 0.0].map(|missed| unseen(4, missed)), [4, 2, 0, 0]);
        assert_eq!(unseen(0, 0.9), 0);
    }
}
