//! Decides whether two stretches of a walk show the same place.

use std::collections::{BTreeMap, BTreeSet};

use crate::ingest::{Ingested, View};
use crate::signal::align;

use super::place_signature::{FrameDescriptors, PlaceSignature};
use super::room_signs::RoomSigns;

/// Maximum number of frames of a stretch, evenly chosen, that are compared with another stretch.
const MAX_COMPARED_FRAMES: usize = 10;

/// A stretch of samples of similar appearance.
#[derive(Debug, Clone)]
pub(super) struct Stretch {
    /// Range of sample indices.
    pub samples: std::ops::Range<usize>,
    /// Mean signature of the samples.
    pub signature: PlaceSignature,
    /// Kept frames taken during the stretch, in order.
    pub frames: Vec<String>,
    /// Room names on signs.
    pub room_signs: BTreeSet<String>,
    /// Kept frames of any stretch that show the views of these samples.
    pub shown: Vec<String>,
}

impl Stretch {
    /// Describes a range of samples; `None` for an empty range.
    pub(super) fn of(
        ingested: &Ingested,
        descriptors: &FrameDescriptors<'_>,
        room_signs: &RoomSigns<'_>,
        samples: std::ops::Range<usize>,
    ) -> Option<Stretch> {
        let within = &ingested.samples[samples.clone()];
        let signature = descriptors
            .mean_signature(within.iter().filter(|s| s.usable))
            .or_else(|| descriptors.mean_signature(within.iter()))?;
        let kind = ingested.kind;
        let (from, to) = (within.first()?.position(kind), within.last()?.position(kind));
        let next = ingested.samples.get(samples.end).map_or(u64::MAX, |s| s.position(kind));
        let position = |f: &domain::document::Frame| match kind {
            domain::media::InputKind::Video => f.t_ms.unwrap_or_default(),
            domain::media::InputKind::Frames => f.ordinal.map(u64::from).unwrap_or_default(),
        };
        let start = if samples.start == 0 { 0 } else { from };
        let taken_within = |f: &&domain::document::Frame| (start..next.max(to + 1)).contains(&position(f));
        let frames: Vec<String> = ingested.frames.iter().filter(taken_within).map(|f| f.id.clone()).collect();
        let mut shown: Vec<String> = within.iter().filter_map(|s| s.kept_frame.clone()).collect();
        shown.sort();
        shown.dedup();
        // The last frame already shows the next room.
        let inside = frames.split_last().map_or(&[][..], |(_, inside)| inside);
        let room_signs = room_signs.within(inside);
        Some(Stretch { samples, signature, room_signs, frames, shown })
    }
}

/// Compares stretches by image features, and caches the comparisons.
pub(super) struct PlaceMatcher<'a> {
    views: BTreeMap<&'a str, &'a View>,
    known: BTreeMap<(String, String), usize>,
}

impl<'a> PlaceMatcher<'a> {
    pub(super) fn new(ingested: &'a Ingested) -> PlaceMatcher<'a> {
        let views = ingested.views.iter().map(|v| (v.frame_id.as_str(), v)).collect();
        PlaceMatcher { views, known: BTreeMap::new() }
    }

    /// Returns the largest number of features that a frame of one stretch shares with a frame of
    /// the other.
    pub(super) fn matches(&mut self, a: &Stretch, b: &Stretch) -> usize {
        let (a, b) = (evenly_chosen(&a.frames), evenly_chosen(&b.frames));
        let mut most = 0;
        for one in &a {
            for two in &b {
                most = most.max(self.shared(one, two));
            }
        }
        most
    }

    fn shared(&mut self, a: &str, b: &str) -> usize {
        let key = if a < b { (a.to_owned(), b.to_owned()) } else { (b.to_owned(), a.to_owned()) };
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let found = match (self.views.get(key.0.as_str()), self.views.get(key.1.as_str())) {
            (Some(a), Some(b)) => align(&a.features, &b.features).map_or(0, |found| found.inliers),
            _ => 0,
        };
        self.known.insert(key, found);
        found
    }
}

fn evenly_chosen(frames: &[String]) -> Vec<&str> {
    let count = frames.len().min(MAX_COMPARED_FRAMES);
    (0..count).map(|i| frames[i * frames.len() / count].as_str()).collect()
}
