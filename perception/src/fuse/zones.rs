//! Divides the space into zones.
//!
//! The walk is cut into stretches, rather too many: at doorways, and where the appearance changes.
//! Signed evidence (log-odds) then tells which stretches are one place, and the number of zones
//! follows from it ([`cluster`]):
//!
//! - shared image features that fit one alignment, one view kept for both, or a rare sign that both
//!   show: for one place;
//! - a doorway between two stretches, or signs that name two rooms: against;
//! - the appearance, as a weak cue: compared with the contrast that this space has at all, because
//!   white rooms look alike. In a video it joins only neighbours; photos calibrate it by their order
//!   (`photo_look.rs`). A missing match proves nothing.

use std::collections::BTreeMap;

use domain::document::{Provider, Run, Task};
use domain::media::InputKind;

use super::clusters::cluster;
use super::cut::cut;
use super::evidence::Evidence;
use super::overlaps::Overlaps;
use super::place_signature::{FrameDescriptors, PlaceSignature};
use super::places::Stretch;
use super::room_signs::{RoomSigns, name_different_rooms};
use super::visits::assemble;
use super::{FusedZone, Visit};
use crate::ingest::Ingested;
use crate::observe::FrameObservation;
use crate::settings::ZoneSettings;
use crate::{CancelFlag, PerceptionError};

/// Longest glance (a short look at another side of the same place), in milliseconds.
const MAX_GLANCE_MS: u64 = 4500;
/// Maximum difference between the places before and after a glance, as a share of `same_zone`, for
/// both to be one place.
const GLANCE_MAX_DIFFERENCE_SHARE: f64 = 0.5;
/// Maximum number of samples whose differences tell the contrast of a space.
const MAX_CONTRAST_SAMPLES: usize = 40;
/// Distance of samples that three quarters of all pairs don't exceed, in a space of usual contrast.
const USUAL_CONTRAST: f64 = 0.35;
/// Least contrast that is assumed, as a share of the usual one.
const MIN_CONTRAST: f64 = 0.3;

/// Returns the zones in order of first visit, and the walk through them.
///
/// # Errors
/// Returns [`PerceptionError::Cancelled`] if the flag is set.
pub(super) fn zones(
    ingested: &Ingested,
    observations: &BTreeMap<&str, &FrameObservation>,
    overlaps: &Overlaps,
    settings: &ZoneSettings,
    cancel: &CancelFlag,
) -> Result<(Vec<FusedZone>, Vec<Visit>), PerceptionError> {
    let (descriptors, room_signs) =
        (FrameDescriptors::of(observations), RoomSigns::of(ingested, observations));
    let cuts = cut(ingested, &descriptors, settings);
    cancel.check()?;
    let stretches: Vec<Stretch> =
        cuts.into_iter().filter_map(|cut| Stretch::of(ingested, &descriptors, &room_signs, cut)).collect();
    let contrast = contrast(ingested, &descriptors);
    let evidence = Evidence::of(ingested, observations, overlaps, &stretches, contrast, settings);
    let mut groups =
        cluster(stretches.len(), evidence.linked(), |a, b| evidence.log_odds(a, b), || cancel.check())?;
    merge_glances(ingested, &stretches, &mut groups, settings.same_zone * contrast);
    assign_frameless_groups(&stretches, &mut groups);
    Ok(assemble(ingested, &stretches, &groups))
}

/// Returns the zone of each frame.
pub(super) fn by_frame(zones: &[FusedZone]) -> BTreeMap<String, usize> {
    let each = |(number, zone): (usize, &FusedZone)| {
        zone.frame_ids.iter().map(|id| (id.clone(), number)).collect::<Vec<_>>()
    };
    zones.iter().enumerate().flat_map(each).collect()
}

/// Returns the contrast of a space as a share of the usual one: how much its pictures differ.
fn contrast(ingested: &Ingested, descriptors: &FrameDescriptors<'_>) -> f64 {
    let usable: Vec<&crate::ingest::Sample> = ingested.samples.iter().filter(|s| s.usable).collect();
    let count = usable.len().min(MAX_CONTRAST_SAMPLES);
    let chosen = (0..count).map(|i| usable[i * usable.len() / count]);
    let signatures: Vec<PlaceSignature> =
        chosen.filter_map(|sample| descriptors.mean_signature(std::iter::once(sample))).collect();
    let pairs =
        signatures.iter().enumerate().flat_map(|(i, a)| signatures[..i].iter().map(move |b| a.distance(b)));
    let mut distances: Vec<f64> = pairs.collect();
    distances.sort_by(f64::total_cmp);
    let upper = distances.get(distances.len() * 3 / 4).copied().unwrap_or(USUAL_CONTRAST);
    (upper / USUAL_CONTRAST).clamp(MIN_CONTRAST, 1.0)
}

/// Merges glances. A glance is a short stretch between two visits of one place that occurs nowhere
/// else. It shows another side of that place, because a visit of another room takes longer. The
/// stretches before and after count as one place if they are very similar.
fn merge_glances(ingested: &Ingested, stretches: &[Stretch], group: &mut [usize], same_zone: f64) {
    if ingested.kind != InputKind::Video {
        return;
    }
    let time = |at: usize| ingested.samples.get(at).and_then(|s| s.t_ms).unwrap_or_default();
    for i in 1..stretches.len().saturating_sub(1) {
        let (before, own, after) = (group[i - 1], group[i], group[i + 1]);
        let alone = group.iter().filter(|g| **g == own).count() == 1;
        let samples = &stretches[i].samples;
        let length = time(samples.end).saturating_sub(time(samples.start));
        let another = name_different_rooms(&stretches[i].room_signs, &stretches[i - 1].room_signs);
        let passed = stretches[i].doorway > 0.0 || stretches[i + 1].doorway > 0.0;
        if [before, after].contains(&own) || !alone || another || passed || length >= MAX_GLANCE_MS {
            continue;
        }
        let (earlier, later) = (&stretches[i - 1].signature, &stretches[i + 1].signature);
        if before == after || earlier.difference(later) < GLANCE_MAX_DIFFERENCE_SHARE * same_zone {
            group.iter_mut().filter(|g| [own, after].contains(*g)).for_each(|g| *g = before);
        }
    }
}

/// Adds a group without a frame to the group whose frame shows it, or to the most similar
/// neighbour.
fn assign_frameless_groups(stretches: &[Stretch], group: &mut [usize]) {
    let owner = |frame: &String, group: &[usize]| {
        stretches.iter().zip(group).find(|(s, _)| s.frames.contains(frame)).map(|(_, g)| *g)
    };
    for i in 0..stretches.len() {
        let own = group[i];
        let has_frame = stretches.iter().zip(group.iter()).any(|(s, g)| *g == own && !s.frames.is_empty());
        if has_frame {
            continue;
        }
        let shown = stretches[i].shown.iter().find_map(|frame| owner(frame, group));
        let near = [i.checked_sub(1), Some(i + 1)].into_iter().flatten().filter(|n| *n < stretches.len());
        let nearest = near.filter(|n| group[*n] != own).min_by(|a, b| {
            let difference = |other: usize| stretches[i].signature.difference(&stretches[other].signature);
            difference(*a).total_cmp(&difference(*b))
        });
        if let Some(other) = shown.or(nearest.map(|n| group[n])) {
            group.iter_mut().filter(|g| **g == own).for_each(|g| *g = other);
        }
    }
}

/// Builds the run of the zone detection.
pub(super) fn run(settings: &ZoneSettings) -> Run {
    let parameters = [
        ("min_seconds", settings.min_seconds.to_string()),
        ("window_seconds", settings.window_seconds.to_string()),
        ("boundary", settings.boundary.to_string()),
        ("same_zone", settings.same_zone.to_string()),
        ("place_matches", settings.place_matches.to_string()),
    ];
    let model = "doorways, changes of appearance; places by features, texts and signs";
    Run {
        parameters: parameters.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
        ..Run::new(Task::Zones, Provider::Signal, model, "4")
    }
}
