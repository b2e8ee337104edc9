//! Compares the appearance of photos with each other, as the space itself calibrates it.
//!
//! White rooms look alike and colourful ones differ, so no fixed difference tells one room from two.
//! The order of the photos does: people photograph a room before they go on. Where consecutive photos
//! are more alike than others, alikeness is evidence of one room. Where they are not, as in a set with
//! one photo of each room or of rooms without contrast, it says nothing.

use super::places::Stretch;

/// Number of imagined pairs without information that shrink the estimate of few photos.
const PSEUDO_PAIRS: f64 = 4.0;
/// Share of pairs of photos that are of one room, before any evidence, unless they are consecutive.
const BASE_RATE: f64 = 0.25;
/// Difference between consecutive and other pairs in the share that is of one room. Evidence of being
/// consecutive is therefore evidence of being one room, divided by this share.
const CONSECUTIVE_EXCESS: f64 = 0.5;
/// Number of the most alike photos with which a photo is compared.
const MAX_NEAREST: usize = 16;
/// Maximum number of photos of each of two groups that are compared in pairs.
const MAX_COMPARED: usize = 12;

/// Log-odds that photos are of one room, from their appearance and their order.
pub(super) struct PhotoLook {
    /// Distances of all pairs, each divided by the median distances of both photos.
    distances: Vec<Vec<f64>>,
    /// Distances of the pairs that are not consecutive, in order.
    others: Vec<f64>,
    /// Exponent of the distribution of the ranks of consecutive pairs among the others: 1 if they rank
    /// like others, less the more alike they are.
    exponent: f64,
}

impl PhotoLook {
    /// Compares all pairs of stretches, each of one photo. Photos without a kept frame (such as
    /// duplicates) don't count as consecutive.
    pub(super) fn of(stretches: &[Stretch]) -> PhotoLook {
        let raw: Vec<Vec<f64>> = stretches
            .iter()
            .map(|a| stretches.iter().map(|b| a.signature.distance(&b.signature)).collect())
            .collect();
        let kept: Vec<usize> = (0..stretches.len()).filter(|at| !stretches[*at].frames.is_empty()).collect();
        PhotoLook::of_distances(&raw, &kept)
    }

    fn of_distances(raw: &[Vec<f64>], kept: &[usize]) -> PhotoLook {
        let scales: Vec<f64> = (0..raw.len()).map(|at| median_distance(raw, kept, at)).collect();
        let distances: Vec<Vec<f64>> = raw
            .iter()
            .zip(&scales)
            .map(|(row, own)| {
                row.iter().zip(&scales).map(|(distance, other)| distance / (own * other).sqrt()).collect()
            })
            .collect();
        let mut others = Vec::new();
        for (at, a) in kept.iter().enumerate() {
            others.extend(kept[..at.saturating_sub(1)].iter().map(|b| distances[*a][*b]));
        }
        others.sort_by(f64::total_cmp);
        let mut look = PhotoLook { distances, others, exponent: 1.0 };
        let consecutive = kept.windows(2).map(|pair| -look.rank(pair[0], pair[1]).ln());
        let count = kept.len().saturating_sub(1) as f64;
        // Maximum likelihood of the exponent of a Beta(exponent, 1) distribution.
        look.exponent = ((count + PSEUDO_PAIRS) / (consecutive.sum::<f64>() + PSEUDO_PAIRS)).min(1.0);
        look
    }

    /// Returns the share of the pairs of photos that are not consecutive and closer than this one;
    /// above 0.
    fn rank(&self, a: usize, b: usize) -> f64 {
        let closer = self.others.partition_point(|other| *other < self.distances[a][b]);
        (closer + 1) as f64 / (self.others.len() + 1) as f64
    }

    /// Returns the log-odds that two groups of photos are of one room: the mean over their pairs.
    pub(super) fn log_odds(&self, a: &[usize], b: &[usize]) -> f64 {
        let pair = |a: usize, b: usize| {
            let consecutive = self.exponent.ln() + (self.exponent - 1.0) * self.rank(a, b).ln();
            consecutive / CONSECUTIVE_EXCESS
        };
        let (a, b) = (spread(a), spread(b));
        let sum: f64 = a.iter().flat_map(|one| b.iter().map(|two| pair(*one, *two))).sum();
        sum / (a.len() * b.len()).max(1) as f64
    }

    /// Returns the photos that look most like this one.
    pub(super) fn nearest(&self, at: usize) -> Vec<usize> {
        let mut others: Vec<usize> = (0..self.distances.len()).filter(|other| *other != at).collect();
        others.sort_by(|a, b| self.distances[at][*a].total_cmp(&self.distances[at][*b]).then(a.cmp(b)));
        others.truncate(MAX_NEAREST);
        others
    }

    /// Returns the log-odds of two photos being of one room before they are compared. Consecutive
    /// photos are it more often by the share of them that ranks before others (the total variation
    /// distance of both distributions).
    pub(super) fn prior(&self, consecutive: bool) -> f64 {
        let excess = if consecutive && self.exponent < 1.0 {
            let rank = self.exponent.powf(1.0 / (1.0 - self.exponent));
            rank.powf(self.exponent) - rank
        } else {
            0.0
        };
        let share = BASE_RATE + excess;
        (share / (1.0 - share)).ln()
    }
}

/// Returns the median distance of a photo from the others (local scaling, Zelnik-Manor and Perona,
/// 2004); 1 without others.
fn median_distance(distances: &[Vec<f64>], kept: &[usize], at: usize) -> f64 {
    let mut all: Vec<f64> =
        kept.iter().filter(|other| **other != at).map(|other| distances[at][*other]).collect();
    all.sort_by(f64::total_cmp);
    match all.len() {
        0 => 1.0,
        count => f64::midpoint(all[(count - 1) / 2], all[count / 2]).max(f64::EPSILON),
    }
}

/// Returns at most [`MAX_COMPARED`] evenly chosen members of a group.
fn spread(group: &[usize]) -> Vec<usize> {
    let count = group.len().min(MAX_COMPARED);
    (0..count).map(|i| group[i * group.len() / count]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Photos in rooms: photos of one room are at distance `near`, others at 1, with a small
    /// difference between any two pairs.
    fn look(rooms: &[usize], near: f64) -> PhotoLook {
        let count = rooms.len();
        let noise = |a: usize, b: usize| 0.001 * ((a.min(b) * 31 + a.max(b) * 17) % 97) as f64;
        let distance = |a: usize, b: usize| {
            if a == b { 0.0 } else { noise(a, b) + if rooms[a] == rooms[b] { near } else { 1.0 } }
        };
        let raw: Vec<Vec<f64>> = (0..count).map(|a| (0..count).map(|b| distance(a, b)).collect()).collect();
        PhotoLook::of_distances(&raw, &(0..count).collect::<Vec<_>>())
    }

    const WALK: [usize; 14] = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 0, 0];

    #[test]
    fn alike_photos_are_one_room_where_consecutive_photos_are_alike() {
        let look = look(&WALK, 0.3);
        assert!(look.log_odds(&[0], &[1]) > 0.5 && look.log_odds(&[0, 1], &[12, 13]) > 0.5);
        assert!(look.log_odds(&[0], &[5]) < -0.5 && look.log_odds(&[4, 5, 6], &[8, 9]) < -0.5);
        assert!(look.prior(true) > -0.2 && look.prior(false) < -1.0);
    }

    #[test]
    fn appearance_says_nothing_where_consecutive_photos_differ_like_others() {
        // No contrast, and one photo of each room.
        for look in [look(&WALK, 1.0), look(&[0, 1, 2, 3, 4, 5, 6, 7], 0.3)] {
            let pairs = (1..8).flat_map(|a| (0..a).map(move |b| (a, b)));
            let most = pairs.map(|(a, b)| look.log_odds(&[a], &[b]).abs()).fold(0.0, f64::max);
            assert!(most < 1.5, "{most}");
            assert!(look.prior(true) < -0.5, "{}", look.prior(true));
        }
    }

    #[test]
    fn one_photo_and_none_are_compared_with_nothing() {
        assert_eq!(look(&[], 0.3).exponent, 1.0);
        assert_eq!(look(&[0], 0.3).exponent, 1.0);
        assert!(look(&[0, 0], 0.3).log_odds(&[0], &[1]).is_finite());
    }
}
