//! Decides from looks whether a thing is still there.

use std::collections::BTreeMap;

use domain::document::BBox;

use super::locator::{LocatedPlace, PlaceLocator};

/// Probability below which it is no chance that a thing was missed in every look.
const MAX_MISS_PROBABILITY: f64 = 0.05;
/// Highest hit rate that is believed: frames of one walk are not independent.
const MAX_HIT_RATE: f64 = 0.8;
/// Minimum number of frames, beside the best, in which a thing that is reported was found.
const MIN_HITS: usize = 1;

/// A thing that one walk shows, with what the looks of both walks found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Presence {
    /// PlaceLocator and hits in its own walk, without the frame that shows it best.
    own: (usize, usize),
    /// PlaceLocator and hits in the other walk.
    other: (usize, usize),
}

/// Result for one thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Found again.
    Present,
    /// Looked at and not there.
    Absent,
    /// Not looked at often enough.
    Unverified,
}

impl Presence {
    /// Looks for a thing. `sightings` are its frames and boxes, the best first. `is_hit` tells whether
    /// a look shows it, or `None` if the look cannot tell; the flag is true for the walk that shows
    /// the thing.
    pub(super) fn of(
        sightings: &[(usize, BBox)],
        own: &PlaceLocator,
        other: &PlaceLocator,
        is_hit: impl Fn(bool, &LocatedPlace) -> Option<bool>,
    ) -> Self {
        let best = sightings.first().map(|(frame, _)| *frame);
        let counted = |looks: &PlaceLocator, same_walk: bool| {
            let mut found: BTreeMap<usize, bool> = BTreeMap::new();
            for (frame, bbox) in sightings {
                for look in looks.of(*frame, bbox) {
                    if let Some(hit) = is_hit(same_walk, &look) {
                        *found.entry(look.view).or_default() |= hit;
                    }
                }
            }
            if same_walk {
                best.and_then(|best| found.remove(&best));
            }
            (found.len(), found.values().filter(|hit| **hit).count())
        };
        Self { own: counted(own, true), other: counted(other, false) }
    }

    /// Returns the share of looks that find the thing, from its own walk (Beta prior of Jeffreys).
    fn hit_rate(&self) -> f64 {
        ((self.own.1 as f64 + 0.5) / (self.own.0 as f64 + 1.0)).min(MAX_HIT_RATE)
    }

    /// Returns the number of looks of the other walk that should find the thing.
    fn expected(&self) -> f64 {
        self.hit_rate() * self.other.0 as f64
    }

    /// Returns the verdict. `all` counts what the other walk finds again.
    pub(super) fn verdict(&self, all: &FoundAgain) -> Verdict {
        let (looks, hits) = self.other;
        if hits > 0 {
            return Verdict::Present;
        }
        let rate = self.hit_rate() * all.without(self);
        let missed = (1.0 - rate).powi(i32::try_from(looks).unwrap_or(i32::MAX));
        let established = self.own.1 >= MIN_HITS;
        if established && missed <= MAX_MISS_PROBABILITY { Verdict::Absent } else { Verdict::Unverified }
    }
}

/// How often a walk finds things again that it looked at. Another light or camera lowers it for all
/// things.
pub(super) struct FoundAgain {
    found: f64,
    expected: f64,
}

impl FoundAgain {
    /// Adds up all things. Starts at one look that finds its thing.
    pub(super) fn of<'p>(all: impl IntoIterator<Item = &'p Presence>) -> Self {
        let (found, expected) = all.into_iter().fold((1.0, 1.0), |(found, expected), one| {
            (found + one.other.1 as f64, expected + one.expected())
        });
        Self { found, expected }
    }

    /// Returns the rate relative to the things' own hit rates, 0 to 1, without one of the things:
    /// whether it is there must not depend on whether it was found.
    fn without(&self, one: &Presence) -> f64 {
        ((self.found - one.other.1 as f64) / (self.expected - one.expected())).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alone(thing: &Presence) -> Verdict {
        thing.verdict(&FoundAgain::of([thing]))
    }

    #[test]
    fn absence_needs_more_looks_the_less_often_a_thing_is_found() {
        let thing = |own, looks| Presence { own, other: (looks, 0) };
        assert_eq!(alone(&thing((6, 6), 2)), Verdict::Absent);
        assert_eq!(alone(&thing((6, 6), 1)), Verdict::Unverified);
        assert_eq!(alone(&thing((6, 3), 4)), Verdict::Unverified);
        assert_eq!(alone(&thing((6, 3), 5)), Verdict::Absent);
        assert_eq!(alone(&thing((0, 0), 9)), Verdict::Unverified, "found in one frame only");
        assert_eq!(alone(&Presence { own: (6, 6), other: (9, 1) }), Verdict::Present);
    }

    #[test]
    fn absence_needs_more_looks_in_a_walk_that_misses_much() {
        let rarely_found = || Presence { own: (6, 6), other: (10, 3) };
        let thing = Presence { own: (6, 6), other: (3, 0) };
        let all = FoundAgain::of([&rarely_found(), &rarely_found(), &thing]);
        assert!((all.without(&thing) - 7.0 / 17.0).abs() < 1e-9);
        assert_eq!((alone(&thing), thing.verdict(&all)), (Verdict::Absent, Verdict::Unverified));
    }
}
