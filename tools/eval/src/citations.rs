//! Compares citations with the ground truth of the frames and times that they name.
//!
//! A citation is right in these cases:
//!
//! - a text, if it is a line that is visible in a frame that the citation names;
//! - a sentence of the narration, if it was said at that time;
//! - an object, if one of its class is visible in a frame that the citation names;
//! - a room type, if it is the type of the room in the frame.
//!
//! Claims that the ground truth doesn't know (light, colours) only have to exist.

use domain::document::{Basis, Evidence, SpaceDocument};
use eval::score::{distance, room_kind, same_object};
use knowledge::ask::Citation;
use walkgen::truth::{Sample, Truth};

/// Maximum time between a frame and the sample that it is compared with.
const MAX_SAMPLE_DISTANCE_MS: u64 = 250;
/// Tolerance between the times of a sentence and of its transcript.
const SPEECH_TOLERANCE_MS: u64 = 1000;
/// Maximum share of wrong letters in a text.
const MAX_TEXT_DISTANCE: f64 = 0.34;
/// Maximum share of wrong letters in a transcript.
const MAX_SPEECH_DISTANCE: f64 = 0.34;

/// Returns the number of right citations and the number of all citations.
pub(super) fn count_supported(document: &SpaceDocument, truth: &Truth, cited: &[Citation]) -> (usize, usize) {
    (cited.iter().filter(|citation| is_right(document, truth, citation)).count(), cited.len())
}

fn is_right(document: &SpaceDocument, truth: &Truth, citation: &Citation) -> bool {
    let exists = document.claims().any(|claim| claim.id == citation.claim_id)
        || document.narration.iter().any(|sentence| sentence.id == citation.claim_id);
    let id = &citation.claim_id;
    let value = citation.value.as_str();
    let samples = || citation.evidence.iter().filter_map(|e| sample_of(e, truth));
    if !exists || citation.evidence.is_empty() {
        return false;
    }
    if citation.basis == Basis::Spoken {
        return was_said(document, truth, citation);
    }
    if document.texts.iter().any(|text| text.claim.id == *id) {
        let reads = |sample: &Sample| sample.texts.iter().any(|seen| resembles_line(truth, seen.id, value));
        return samples().any(reads);
    }
    if document.objects.iter().any(|object| object.category.id == *id) {
        let has = |sample: &Sample| {
            let mut objects =
                sample.objects.iter().filter_map(|seen| truth.objects.iter().find(|t| t.id == seen.id));
            objects.any(|object| same_object(value, &object.category))
        };
        return samples().any(has);
    }
    if document.zones.iter().any(|zone| zone.types.iter().any(|claim| claim.id == *id)) {
        let is_of = |room: usize| {
            truth
                .rooms
                .get(room)
                .is_some_and(|room| room.kinds().any(|kind| room_kind(kind) == room_kind(value)))
        };
        return samples().any(|s| [s.room, s.view_room].into_iter().any(is_of));
    }
    true
}

/// Returns whether something similar was said at that time. Several sentences may have been
/// transcribed as one.
fn was_said(document: &SpaceDocument, truth: &Truth, citation: &Citation) -> bool {
    let named = citation.evidence.iter().filter_map(|e| e.narration_id.as_ref());
    let mut sentences = named.filter_map(|id| document.narration.iter().find(|sentence| sentence.id == *id));
    sentences.any(|sentence| {
        let near = |said: &&walkgen::truth::SpokenSentence| {
            said.start_ms <= sentence.end_ms + SPEECH_TOLERANCE_MS
                && sentence.start_ms <= said.end_ms + SPEECH_TOLERANCE_MS
        };
        let said = truth.narration.iter().filter(near);
        let near: Vec<&str> = said.flat_map(|said| said.text.split_inclusive(". ")).collect();
        let runs = (0..near.len()).flat_map(|from| (from + 1..=near.len()).map(move |to| (from, to)));
        runs.into_iter()
            .any(|(from, to)| distance(&near[from..to].join(" "), &sentence.text) <= MAX_SPEECH_DISTANCE)
    })
}

/// Returns whether `value` resembles a line, or all lines of its sign.
fn resembles_line(truth: &Truth, id: usize, value: &str) -> bool {
    let Some(line) = truth.texts.iter().find(|line| line.id == id) else { return false };
    let sign: String =
        truth.texts.iter().filter(|l| l.object == line.object).map(|l| l.text.as_str()).collect();
    distance(&line.text, value) <= MAX_TEXT_DISTANCE || distance(&sign, value) <= MAX_TEXT_DISTANCE
}

fn sample_of<'a>(evidence: &Evidence, truth: &'a Truth) -> Option<&'a Sample> {
    if truth.kind == "frames" {
        let ordinal = evidence.ordinal.map(u64::from)?;
        return truth.samples.iter().find(|sample| sample.ordinal == Some(ordinal));
    }
    let at = evidence.t_ms?;
    let nearest = truth.samples.iter().min_by_key(|sample| sample.t_ms.abs_diff(at))?;
    (nearest.t_ms.abs_diff(at) <= MAX_SAMPLE_DISTANCE_MS).then_some(nearest)
}
