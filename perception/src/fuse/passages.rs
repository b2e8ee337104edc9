//! Passages: the moments at which the walk goes from one zone to another.

use serde::{Deserialize, Serialize};

use super::Visit;
use crate::signal::Doorway;

/// Longest time between a change of zone and the doorway that explains it, in milliseconds.
const SAME_PASSAGE_MS: u64 = 1500;

/// A change of zone on a walk through a video.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passage {
    /// Time in milliseconds.
    pub t_ms: u64,
    /// Number of the zone that is left.
    pub from: usize,
    /// Number of the zone that is entered.
    pub to: usize,
    /// True if the jambs of a doorway were seen to leave the picture. The time is then within about
    /// a second of the crossing; otherwise the picture only changed, up to two seconds before it.
    pub doorway: bool,
}

/// Returns the passages of a walk in order of time. A walk that goes on after a gap without usable
/// pictures has no passage there.
pub(super) fn passages(visits: &[Visit], doorways: &[Doorway]) -> Vec<Passage> {
    let changes = visits.windows(2).filter(|pair| pair[0].zone != pair[1].zone);
    let adjoining = changes.filter(|pair| pair[0].interval.end == pair[1].interval.start);
    let passage = |pair: &[Visit]| {
        let changed = pair[1].interval.start;
        let nearest = doorways.iter().min_by_key(|doorway| doorway.t_ms.abs_diff(changed));
        let doorway = nearest.filter(|doorway| doorway.t_ms.abs_diff(changed) <= SAME_PASSAGE_MS);
        Passage {
            t_ms: doorway.map_or(changed, |doorway| doorway.t_ms),
            from: pair[0].zone,
            to: pair[1].zone,
            doorway: doorway.is_some(),
        }
    };
    adjoining.map(passage).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::document::Interval;

    #[test]
    fn a_change_of_zone_is_a_passage_at_the_time_of_its_doorway() {
        let visit =
            |zone, start, end| Visit { zone, interval: Interval { start, end }, frame_ids: Vec::new() };
        let visits =
            [visit(0, 0, 5000), visit(1, 5000, 9000), visit(0, 9000, 12_000), visit(2, 14_000, 20_000)];
        let doorways = [Doorway { t_ms: 5400, log_odds: 3.0 }, Doorway { t_ms: 17_000, log_odds: 3.0 }];
        let passage = |t_ms, from, to, doorway| Passage { t_ms, from, to, doorway };
        assert_eq!(passages(&visits, &doorways), [passage(5400, 0, 1, true), passage(9000, 1, 0, false)]);
        assert_eq!(passages(&visits[..1], &doorways), []);
    }
}
