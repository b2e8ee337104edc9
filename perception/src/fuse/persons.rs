//! Collects the frames that show persons.

use std::collections::BTreeMap;

use domain::document::Evidence;

use super::{FusedPersons, evidence, run_of};
use crate::ingest::Ingested;
use crate::observation::PERSON;
use crate::observe::FrameObservation;

/// Returns every sighting of a person, by zone. One frame is enough: somebody may pass the camera
/// once, and a wrong flag costs less than a missing one.
pub(super) fn persons(
    ingested: &Ingested,
    observations: &BTreeMap<&str, &FrameObservation>,
    zone_of: &BTreeMap<String, usize>,
) -> Vec<FusedPersons> {
    let mut by_zone = BTreeMap::<Option<usize>, Vec<Evidence>>::new();
    for frame in &ingested.frames {
        let Some(observation) = observations.get(frame.id.as_str()) else { continue };
        for person in observation.detections.iter().filter(|found| found.label == PERSON) {
            if let Some(base) = evidence(ingested, &frame.id, person.score) {
                let sightings = by_zone.entry(zone_of.get(&frame.id).copied()).or_default();
                sightings.push(Evidence { bbox: Some(person.bbox), ..base });
            }
        }
    }
    let persons = by_zone.into_iter().map(|(zone, sightings)| {
        let run_id = run_of(observations, &sightings, "run_objects");
        FusedPersons { zone, sightings, run_id }
    });
    persons.collect()
}
