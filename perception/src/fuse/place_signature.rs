//! What a stretch of a walk looks like, so that stretches can be compared.

use std::collections::BTreeMap;

use crate::ingest::Sample;
use crate::observe::FrameObservation;
use crate::signal::{Appearance, Descriptor};

/// How much a difference of descriptors weighs, beside one of colours and edges.
const DESCRIPTOR_WEIGHT: f64 = 2.0;
/// Descriptors of one place differ by less than this, those of two places by more: where they differ by just this much
/// the rest decides.
const SAME_PLACE_DESCRIPTOR_DIFFERENCE: f64 = 0.05;

/// Colours and edges, and what a network makes of it.
#[derive(Debug, Clone)]
pub(super) struct PlaceSignature {
    appearance: Appearance,
    descriptor: Option<Descriptor>,
}

impl PlaceSignature {
    /// How different two looks are, 0 (same) to about 1.
    pub(super) fn difference(&self, other: &PlaceSignature) -> f64 {
        let plain = self.appearance.difference(&other.appearance);
        let both = self.descriptor.as_ref().zip(other.descriptor.as_ref());
        let described = both
            .and_then(|(a, b)| a.difference(b))
            .map_or(0.0, |apart| DESCRIPTOR_WEIGHT * (apart - SAME_PLACE_DESCRIPTOR_DIFFERENCE));
        (plain + described).max(0.0)
    }
}

/// What models made of the frames, for looks.
pub(super) struct FrameDescriptors<'a>(BTreeMap<&'a str, &'a Descriptor>);

impl<'a> FrameDescriptors<'a> {
    pub(super) fn of(seen: &BTreeMap<&'a str, &'a FrameObservation>) -> FrameDescriptors<'a> {
        FrameDescriptors(
            seen.iter().filter_map(|(id, seen)| Some((*id, seen.descriptor.as_ref()?))).collect(),
        )
    }

    /// What these samples signature like together; each is described by the frame that was kept of it.
    pub(super) fn mean_signature<'s>(
        &self,
        samples: impl Iterator<Item = &'s Sample> + Clone,
    ) -> Option<PlaceSignature> {
        let appearance = Appearance::mean(samples.clone().map(|s| &s.appearance))?;
        let frames = samples.filter_map(|s| self.0.get(s.kept_frame.as_deref()?));
        Some(PlaceSignature { appearance, descriptor: Descriptor::mean(frames.copied()) })
    }
}
