//! Finds frames that demonstrably show the same part of a place, by matching image features.

use std::collections::{BTreeMap, HashMap};

use crate::ingest::{Ingested, View};
use crate::signal::{Alignment, align};
use crate::{CancelFlag, PerceptionError};

/// Number of hash tables over the bits of a descriptor, each with its own 16 bits.
const TABLES: usize = 16;
/// Number of features in a bucket from which it says nothing: the feature repeats everywhere.
const MAX_BUCKET: usize = 96;
/// Number of other frames with which a frame is compared: those that share most buckets.
const MAX_CANDIDATES: usize = 16;
/// Minimum number of shared buckets of two frames that are compared.
const MIN_VOTES: u32 = 4;
/// Minimum share of the matching features that agree with one alignment.
const MIN_INLIER_SHARE: f64 = 0.5;
/// Minimum number of cells of the picture (of 16) with agreeing features. Fewer show one object, or
/// a view through a door.
const MIN_CELLS: usize = 3;
/// Agreeing features per unit of log-odds, beyond the number that chance yields.
const INLIERS_PER_LOG_ODD: f64 = 4.0;
/// Most log-odds that one pair of frames gives: repeated furniture fits as well.
const MAX_LOG_ODDS: f64 = 3.0;

/// Alignments of frames that share features, by the indices of both frames, the lower first.
pub(super) struct Overlaps {
    aligned: BTreeMap<(usize, usize), Alignment>,
}

impl Overlaps {
    /// Aligns each frame with the frames that share most features. The effort grows with the number
    /// of frames, not with its square.
    ///
    /// # Errors
    /// Returns [`PerceptionError::Cancelled`] if the flag is set.
    pub(super) fn of(ingested: &Ingested, cancel: &CancelFlag) -> Result<Overlaps, PerceptionError> {
        let views = views_of_frames(ingested);
        let mut aligned = BTreeMap::new();
        for (a, b) in candidates(&views) {
            cancel.check()?;
            if let (Some(one), Some(two)) = (views[a], views[b])
                && let Some(found) = align(&one.features, &two.features)
            {
                aligned.insert((a, b), found);
            }
        }
        Ok(Overlaps { aligned })
    }

    /// Returns the pairs of frames that were aligned, by their indices.
    pub(super) fn pairs(&self) -> impl Iterator<Item = ((usize, usize), &Alignment)> {
        self.aligned.iter().map(|(pair, alignment)| (*pair, alignment))
    }
}

/// Returns the features of each frame, in the order of the frames.
pub(super) fn views_of_frames(ingested: &Ingested) -> Vec<Option<&View>> {
    let views: BTreeMap<&str, &View> = ingested.views.iter().map(|v| (v.frame_id.as_str(), v)).collect();
    ingested.frames.iter().map(|frame| views.get(frame.id.as_str()).copied()).collect()
}

/// Returns the log-odds that two frames show the same place. `chance` is the number of features that
/// agree between frames of different places.
pub(super) fn same_place(alignment: &Alignment, chance: usize) -> f64 {
    let share = alignment.inliers as f64 / alignment.matches.max(1) as f64;
    if share < MIN_INLIER_SHARE || alignment.cells < MIN_CELLS {
        return 0.0;
    }
    ((alignment.inliers as f64 - chance as f64) / INLIERS_PER_LOG_ODD).clamp(0.0, MAX_LOG_ODDS)
}

/// Returns the pairs of frames that share most features, by locality-sensitive hashing of their
/// descriptors, in order.
fn candidates(views: &[Option<&View>]) -> Vec<(usize, usize)> {
    let mut buckets: HashMap<(usize, u16), Vec<u32>> = HashMap::new();
    let features =
        || views.iter().enumerate().filter_map(|(at, view)| Some((at, &view.as_ref()?.features.list)));
    let key = |bits: &[u64; 4], table: usize| (bits[table % 4] >> (table / 4 * 16)) as u16;
    for (at, list) in features() {
        for feature in list {
            for table in 0..TABLES {
                buckets.entry((table, key(&feature.bits, table))).or_default().push(at as u32);
            }
        }
    }
    let mut pairs = Vec::new();
    let mut votes = vec![0_u32; views.len()];
    for (at, list) in features() {
        votes.fill(0);
        for feature in list {
            for table in 0..TABLES {
                let bucket = &buckets[&(table, key(&feature.bits, table))];
                if bucket.len() <= MAX_BUCKET {
                    bucket.iter().for_each(|other| votes[*other as usize] += 1);
                }
            }
        }
        let mut others: Vec<usize> =
            (0..views.len()).filter(|other| *other != at && votes[*other] >= MIN_VOTES).collect();
        others.sort_by_key(|other| (std::cmp::Reverse(votes[*other]), *other));
        others.truncate(MAX_CANDIDATES);
        pairs.extend(others.into_iter().map(|other| (at.min(other), at.max(other))));
    }
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signal::{Feature, Features};

    /// Returns a view of some of many landmarks, shifted by `x` pixels.
    fn view(landmarks: std::ops::Range<u64>, x: u16) -> View {
        let feature = |number: u64| {
            let mut state = number;
            let mut next = || {
                state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                z ^ (z >> 27)
            };
            Feature {
                x: 20 + x + (next() % 200) as u16,
                y: 20 + (next() % 140) as u16,
                bits: [next(), next(), next(), next()],
            }
        };
        let features = Features { width: 320, height: 180, list: landmarks.map(feature).collect() };
        View { frame_id: String::new(), features }
    }

    #[test]
    fn frames_with_common_landmarks_are_candidates_and_one_place() {
        let views = [view(0..60, 0), view(100..160, 0), view(20..80, 30), view(200..260, 0)];
        let views: Vec<Option<&View>> = views.iter().map(Some).collect();
        assert_eq!(candidates(&views), [(0, 2)]);
        let found = align(&views[0].unwrap().features, &views[2].unwrap().features).unwrap();
        assert!(found.inliers >= 38 && same_place(&found, 11) > 2.0, "{found:?}");
        let changed = |change: fn(&mut Alignment)| {
            let mut other = found;
            change(&mut other);
            same_place(&other, 11)
        };
        assert_eq!(changed(|other| other.cells = 2), 0.0, "one corner of the picture");
        assert_eq!(changed(|other| other.matches = 100), 0.0, "most matches disagree");
        assert_eq!(changed(|other| other.inliers = 10), 0.0, "chance");
    }
}
