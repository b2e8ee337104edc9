//! Describes a stretch of a walk, for comparing it with others.

use std::collections::BTreeSet;

use crate::ingest::Ingested;

use super::cut::Cut;
use super::place_signature::{FrameDescriptors, PlaceSignature};
use super::room_signs::RoomSigns;

/// A stretch of samples of similar appearance.
#[derive(Debug, Clone)]
pub(super) struct Stretch {
    /// Range of sample indices.
    pub samples: std::ops::Range<usize>,
    /// Log-odds of the doorway through which the stretch is entered; 0 without one.
    pub doorway: f64,
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
        Cut { samples, doorway }: Cut,
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
        Some(Stretch { samples, doorway, signature, room_signs, frames, shown })
    }
}
