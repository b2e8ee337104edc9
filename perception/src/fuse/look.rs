//! What a stretch of a walk looks like, so that stretches can be compared.

use std::collections::BTreeMap;

use crate::ingest::Sample;
use crate::observe::Seen;
use crate::signal::{Appearance, Descriptor};

/// How much a difference of descriptors weighs, beside one of colours and edges.
const WEIGHT: f64 = 2.0;
/// Descriptors of one place differ by less than this, those of two places by more: where they differ by just this much
/// the rest decides.
const EITHER: f64 = 0.05;

/// Colours and edges, and what a network makes of it.
#[derive(Debug, Clone)]
pub(super) struct Look {
    appearance: Appearance,
    descriptor: Option<Descriptor>,
}

impl Look {
    /// How different two looks are, 0 (same) to about 1.
    pub(super) fn difference(&self, other: &Look) -> f64 {
        let plain = self.appearance.difference(&other.appearance);
        let both = self.descriptor.as_ref().zip(other.descriptor.as_ref());
        let described =
            both.and_then(|(a, b)| a.difference(b)).map_or(0.0, |apart| WEIGHT * (apart - EITHER));
        (plain + described).max(0.0)
    }
}

/// What models made of the frames, for looks.
pub(super) struct Looks<'a>(BTreeMap<&'a str, &'a Descriptor>);

impl<'a> Looks<'a> {
    pub(super) fn of(seen: &BTreeMap<&'a str, &'a Seen>) -> Looks<'a> {
        Looks(seen.iter().filter_map(|(id, seen)| Some((*id, seen.descriptor.as_ref()?))).collect())
    }

    /// What these samples look like together; each is described by the frame that was kept of it.
    pub(super) fn together<'s>(&self, samples: impl Iterator<Item = &'s Sample> + Clone) -> Option<Look> {
        let appearance = Appearance::mean(samples.clone().map(|s| &s.appearance))?;
        let frames = samples.filter_map(|s| self.0.get(s.kept_frame.as_deref()?));
        Some(Look { appearance, descriptor: Descriptor::mean(frames.copied()) })
    }
}
