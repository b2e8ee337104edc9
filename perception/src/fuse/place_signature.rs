//! Appearance of a part of the walk, for comparing places.

use std::collections::BTreeMap;

use crate::ingest::Sample;
use crate::observe::FrameObservation;
use crate::signal::{Appearance, Descriptor};

/// Weight of the difference of descriptors, relative to that of colours and edges.
const DESCRIPTOR_WEIGHT: f64 = 2.0;
/// Difference of descriptors (1 − cosine) at the boundary between one place and two. Smaller values
/// reduce the difference of the places, larger ones increase it.
const SAME_PLACE_DESCRIPTOR_DIFFERENCE: f64 = 0.05;

/// Colours, edges and the global descriptor of a place.
#[derive(Debug, Clone)]
pub(super) struct PlaceSignature {
    appearance: Appearance,
    descriptor: Option<Descriptor>,
}

impl PlaceSignature {
    /// Returns the difference of two places, 0 (same) to about 1.
    pub(super) fn difference(&self, other: &PlaceSignature) -> f64 {
        (self.distance(other) - DESCRIPTOR_WEIGHT * SAME_PLACE_DESCRIPTOR_DIFFERENCE).max(0.0)
    }

    /// Returns the distance of two signatures, for comparing pairs with each other.
    pub(super) fn distance(&self, other: &PlaceSignature) -> f64 {
        let both = self.descriptor.as_ref().zip(other.descriptor.as_ref());
        let described = both.and_then(|(a, b)| a.difference(b)).unwrap_or(SAME_PLACE_DESCRIPTOR_DIFFERENCE);
        self.appearance.difference(&other.appearance) + DESCRIPTOR_WEIGHT * described
    }

    /// Returns the mean of several signatures; `None` for none.
    pub(super) fn mean<'a>(all: impl Iterator<Item = &'a PlaceSignature> + Clone) -> Option<PlaceSignature> {
        let appearance = Appearance::mean(all.clone().map(|one| &one.appearance))?;
        Some(PlaceSignature {
            appearance,
            descriptor: Descriptor::mean(all.filter_map(|one| one.descriptor.as_ref())),
        })
    }
}

/// Global descriptors by frame id.
pub(super) struct FrameDescriptors<'a>(BTreeMap<&'a str, &'a Descriptor>);

impl<'a> FrameDescriptors<'a> {
    pub(super) fn of(observations: &BTreeMap<&'a str, &'a FrameObservation>) -> FrameDescriptors<'a> {
        FrameDescriptors(
            observations.iter().filter_map(|(id, one)| Some((*id, one.descriptor.as_ref()?))).collect(),
        )
    }

    /// Returns the mean signature of samples. The descriptor of a sample is that of its kept frame.
    pub(super) fn mean_signature<'s>(
        &self,
        samples: impl Iterator<Item = &'s Sample> + Clone,
    ) -> Option<PlaceSignature> {
        let appearance = Appearance::mean(samples.clone().map(|s| &s.appearance))?;
        let frames = samples.filter_map(|s| self.0.get(s.kept_frame.as_deref()?));
        Some(PlaceSignature { appearance, descriptor: Descriptor::mean(frames.copied()) })
    }
}
