//! Groups readings of the same sign over frames and votes on its text.

use std::collections::{BTreeMap, BTreeSet};

use domain::document::Evidence;

use super::partial_readings::{
    SAME_SIGN_MAX_GAP_MS, SAME_SIGN_MIN_SIMILARITY, is_beginning_or_end, is_partial_reading,
};
use super::words::{digits, normalized, restore_letters, similarity, skeleton};
use super::{FusedText, evidence, run_of};
use crate::ingest::Ingested;
use crate::observe::{FrameObservation, TextReading};
use crate::signal::thousandths;
use crate::{CancelFlag, PerceptionError};

/// Minimum confidence of a reading.
const MIN_CONFIDENCE: f64 = 0.55;
/// Minimum confidence of a sign that was read in a single frame.
const SINGLE_FRAME_MIN_CONFIDENCE: f64 = 0.86;
/// Distance to the side of the frame, in heights of the letters, within which a reading may be cut
/// off: the space before the next word.
const EDGE_GAP_HEIGHTS: f64 = 0.3;
/// Weight factor of a reading that may be cut off.
const CUT_OFF_WEIGHT: f64 = 0.25;
/// Distance to the side of the frame, in widths of the frame, within which a reading is certainly
/// cut off.
const TOUCHING_MAX_GAP_WIDTHS: f64 = 0.006;
/// Longest text, in characters, that is dropped if it was only read at the side of frames.
const MAX_SCRAP_CHARS: usize = 3;
/// Ratio of letter heights from which the larger reading is from the room of the sign and the
/// smaller one from an adjacent room.
const NEARER_MIN_HEIGHT_RATIO: f64 = 1.5;
/// Minimum share of the weight of a group for a longer reading to make the shorter ones partial.
const LONGER_READING_MIN_WEIGHT_SHARE: f64 = 0.15;
/// Number of additional characters from which a longer reading counts as the whole sign.
const MIN_ADDED_CHARS: usize = 3;
/// Maximum number of sightings listed for one text.
const MAX_SIGHTINGS: usize = 12;

/// A reading with its weight in the vote.
struct Reading<'a> {
    frame_id: &'a str,
    t_ms: Option<u64>,
    zone: Option<usize>,
    text: &'a TextReading,
    normal: String,
    skeleton: String,
    weight: f64,
    cut_off: bool,
    touches: bool,
}

/// Returns the signs of a space in order of first sighting.
pub(super) fn texts(
    ingested: &Ingested,
    observations: &BTreeMap<&str, &FrameObservation>,
    zone_of: &BTreeMap<String, usize>,
    neighbours: &BTreeSet<(usize, usize)>,
    cancel: &CancelFlag,
) -> Result<Vec<FusedText>, PerceptionError> {
    let mut groups: Vec<Vec<Reading>> = Vec::new();
    for frame in &ingested.frames {
        cancel.check()?;
        let Some(observation) = observations.get(frame.id.as_str()) else { continue };
        for text in &observation.readings {
            let normal = normalized(&text.text);
            if text.confidence < MIN_CONFIDENCE || !is_legible(&normal) {
                continue;
            }
            let space = EDGE_GAP_HEIGHTS * text.pixel_height / f64::from(frame.width.max(1));
            let gap = text.bbox.x.min(1.0 - text.bbox.x - text.bbox.w);
            let (cut_off, touches) =
                (gap < space.max(TOUCHING_MAX_GAP_WIDTHS), gap < TOUCHING_MAX_GAP_WIDTHS);
            let weight = text.confidence.powi(2)
                * text.pixel_height.clamp(4.0, 64.0)
                * if cut_off { CUT_OFF_WEIGHT } else { 1.0 };
            let zone = zone_of.get(&frame.id).copied();
            let reading = Reading {
                frame_id: &frame.id,
                t_ms: frame.t_ms,
                zone,
                text,
                skeleton: skeleton(&normal),
                normal,
                weight,
                cut_off,
                touches,
            };
            let best = groups
                .iter_mut()
                .map(|group| (closeness(group, &reading), group))
                .filter(|(closeness, _)| *closeness >= SAME_SIGN_MIN_SIMILARITY)
                .max_by(|a, b| a.0.total_cmp(&b.0));
            match best {
                Some((_, group)) => group.push(reading),
                None => groups.push(vec![reading]),
            }
        }
    }
    let groups = merge_across_doors(groups, neighbours);
    let at_side = |group: &Vec<Reading>| group.iter().all(|reading| reading.cut_off);
    let signs: Vec<(FusedText, bool)> = groups
        .iter()
        .filter_map(|group| Some((resolve(ingested, observations, group)?, at_side(group))))
        .collect();
    let part = |(sign, at_side): &(FusedText, bool)| {
        let others = signs.iter().map(|(other, _)| other);
        others
            .into_iter()
            .any(|other| is_partial_reading(sign, other) || (*at_side && is_beginning_or_end(sign, other)))
    };
    let whole: Vec<bool> = signs.iter().map(|sign| !part(sign)).collect();
    Ok(signs.into_iter().zip(whole).filter(|(_, whole)| *whole).map(|((sign, _), _)| sign).collect())
}

/// Merges readings from the room of a sign with smaller readings through a door from an adjacent
/// room.
fn merge_across_doors<'a>(
    groups: Vec<Vec<Reading<'a>>>,
    neighbours: &BTreeSet<(usize, usize)>,
) -> Vec<Vec<Reading<'a>>> {
    let mut out: Vec<Vec<Reading>> = Vec::new();
    for group in groups {
        match out.iter_mut().find(|other| is_one_sign(other, &group, neighbours)) {
            Some(other) => other.extend(group),
            None => out.push(group),
        }
    }
    out
}

fn is_one_sign(a: &[Reading], b: &[Reading], neighbours: &BTreeSet<(usize, usize)>) -> bool {
    let beside = |a: &Reading, b: &Reading| match (a.zone, b.zone) {
        (Some(a), Some(b)) => neighbours.contains(&(a.min(b), a.max(b))),
        _ => false,
    };
    let height = |group: &[Reading]| group.iter().map(|r| r.text.pixel_height).fold(0.0, f64::max);
    let (one, two) = (height(a), height(b));
    let in_different_frames = !a.iter().any(|a| b.iter().any(|b| a.frame_id == b.frame_id));
    in_different_frames
        && one.max(two) >= NEARER_MIN_HEIGHT_RATIO * one.min(two)
        && a.iter().any(|a| b.iter().any(|b| beside(a, b)))
        && skeleton(&normalized(&vote(a))) == skeleton(&normalized(&vote(b)))
}

/// Returns true for two letters or digits, or for one digit.
fn is_legible(normal: &str) -> bool {
    let count = normal.chars().filter(|c| c.is_alphanumeric()).count();
    count >= 2 || (count == 1 && normal.chars().all(|c| c.is_ascii_digit()))
}

/// Returns how well a reading fits a group, 0 to 1; 0 if it cannot be the same sign.
fn closeness(group: &[Reading], reading: &Reading) -> f64 {
    let near = |other: &&Reading| {
        let soon = match (other.t_ms, reading.t_ms) {
            (Some(a), Some(b)) => a.abs_diff(b) <= SAME_SIGN_MAX_GAP_MS,
            _ => false,
        };
        soon || (other.zone.is_some() && other.zone == reading.zone)
    };
    // Two texts in one picture are two signs, unless they are two readings of one line.
    let beside = |other: &&Reading| {
        other.frame_id == reading.frame_id
            && other.normal != reading.normal
            && other.text.bbox.iou(&reading.text.bbox) < 0.3
    };
    if group.iter().any(|other| beside(&other)) {
        return 0.0;
    }
    group.iter().filter(near).map(|other| similarity_of(other, reading)).fold(0.0, f64::max)
}

fn similarity_of(a: &Reading, b: &Reading) -> f64 {
    let (short, long) = if a.normal.len() <= b.normal.len() { (a, b) } else { (b, a) };
    if short.skeleton == long.skeleton {
        return 1.0;
    }
    // "room 2" and "room 3" differ in one character and are two signs.
    if digits(&short.normal) != digits(&long.normal) && !short.cut_off {
        return 0.0;
    }
    if short.cut_off && short.normal.chars().count() >= 3 && is_visible_rest(short, &long.normal) {
        return 0.9;
    }
    similarity(&short.normal, &long.normal)
}

/// Returns true if a reading at a side of the frame is the visible part of a text: its end at the
/// left side, its beginning at the right side.
fn is_visible_rest(reading: &Reading, whole: &str) -> bool {
    let (left, right) = (reading.text.bbox.x, 1.0 - reading.text.bbox.x - reading.text.bbox.w);
    if left.max(right) < TOUCHING_MAX_GAP_WIDTHS {
        return whole.contains(&reading.normal);
    }
    if left < right { whole.ends_with(&reading.normal) } else { whole.starts_with(&reading.normal) }
}

fn resolve(
    ingested: &Ingested,
    observations: &BTreeMap<&str, &FrameObservation>,
    group: &[Reading],
) -> Option<FusedText> {
    let raw = restore_letters(&vote(group));
    let normal = normalized(&raw);
    let total: f64 = group.iter().map(|r| r.weight).sum();
    let agreeing = || group.iter().filter(|r| r.normal == normal);
    let agreement = agreeing().map(|r| r.weight).sum::<f64>() / total.max(1e-9);
    let mut frames: Vec<&str> = group.iter().map(|r| r.frame_id).collect();
    frames.dedup();
    let surest = group.iter().map(|r| r.text.confidence).fold(0.0, f64::max);
    if frames.len() == 1 && surest < SINGLE_FRAME_MIN_CONFIDENCE {
        return None;
    }
    if frames.len() == 1 && group.iter().all(|r| r.touches) {
        return None;
    }
    if group.iter().all(|r| r.cut_off) && normal.chars().count() <= MAX_SCRAP_CHARS {
        return None;
    }
    // Many things look like a single character.
    if normal.chars().count() == 1 && (frames.len() < 2 || surest < 0.9) {
        return None;
    }
    let mut by_zone = BTreeMap::<usize, f64>::new();
    for reading in group {
        if let Some(zone) = reading.zone {
            *by_zone.entry(zone).or_default() += reading.weight * reading.text.pixel_height;
        }
    }
    let zone =
        by_zone.into_iter().max_by(|a, b| a.1.total_cmp(&b.1).then(b.0.cmp(&a.0))).map(|(zone, _)| zone);
    // Readings that match the voted text come first, the largest before.
    let mut order: Vec<&Reading> = group.iter().collect();
    order.sort_by(|a, b| {
        (b.normal == normal)
            .cmp(&(a.normal == normal))
            .then(b.weight.total_cmp(&a.weight))
            .then(a.frame_id.cmp(b.frame_id))
    });
    let sighting = |r: &&Reading| -> Option<Evidence> {
        let score = thousandths(r.text.confidence * similarity(&r.normal, &normal));
        Some(Evidence { bbox: Some(r.text.bbox), ..evidence(ingested, r.frame_id, score)? })
    };
    let mean = agreeing().map(|r| r.text.confidence).fold(0.0, f64::max).max(surest * 0.8);
    let confidence = thousandths((mean * (0.6 + 0.4 * agreement)).clamp(0.0, 1.0));
    let sightings: Vec<Evidence> = order.iter().filter_map(sighting).take(MAX_SIGHTINGS).collect();
    let run_id = run_of(observations, &sightings, "run_text");
    Some(FusedText { raw, confidence, zone, sightings, run_id })
}

/// Returns the complete readings: those that are not part of a longer reading with enough weight.
fn voters<'a, 'b>(group: &'b [Reading<'a>]) -> Vec<&'b Reading<'a>> {
    let total: f64 = group.iter().map(|r| r.weight).sum();
    let support = |at: usize| -> f64 {
        group.iter().filter(|r| r.skeleton == group[at].skeleton).map(|r| r.weight).sum()
    };
    let is_partial = |at: usize| {
        (0..group.len()).any(|other| {
            let more = group[other].skeleton.len().saturating_sub(group[at].skeleton.len());
            // A few more characters may be dirt beside the sign, so they need as many readings.
            let enough =
                if more < MIN_ADDED_CHARS { support(at) } else { LONGER_READING_MIN_WEIGHT_SHARE * total };
            more > 0 && group[other].skeleton.contains(&group[at].skeleton) && support(other) >= enough
        })
    };
    (0..group.len()).filter(|at| !is_partial(*at)).map(|at| &group[at]).collect()
}

/// Votes on the text of a group. Takes the reading that is nearest to all others by weight, then
/// votes on each character among the readings of the same length.
fn vote(group: &[Reading]) -> String {
    let voters = voters(group);
    let distance = |a: &Reading| -> f64 {
        voters.iter().map(|b| b.weight * (1.0 - similarity(&a.normal, &b.normal))).sum::<f64>()
            - 1e-6 * a.weight
    };
    let Some(middle) = voters.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))) else {
        return String::new();
    };
    let middle: Vec<char> = middle.text.text.trim().chars().collect();
    let same: Vec<(Vec<char>, f64)> = voters
        .iter()
        .map(|r| (r.text.text.trim().chars().collect::<Vec<char>>(), r.weight))
        .filter(|(chars, _)| chars.len() == middle.len())
        .collect();
    let voted = (0..middle.len()).map(|i| {
        let mut votes = BTreeMap::<char, f64>::new();
        for (chars, weight) in &same {
            *votes.entry(chars[i]).or_default() += weight;
        }
        votes.into_iter().max_by(|a, b| a.1.total_cmp(&b.1)).map_or(middle[i], |(c, _)| c)
    });
    voted.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::document::BBox;

    fn reading(text: &TextReading) -> Reading<'_> {
        let normal = normalized(&text.text);
        Reading {
            frame_id: "frm_00001",
            t_ms: None,
            zone: None,
            skeleton: skeleton(&normal),
            normal,
            text,
            weight: 1.0,
            cut_off: false,
            touches: false,
        }
    }

    fn voted(readings: &[&str]) -> String {
        let texts: Vec<TextReading> = readings
            .iter()
            .map(|text| TextReading {
                text: (*text).to_owned(),
                confidence: 0.9,
                bbox: BBox { x: 0.2, y: 0.2, w: 0.2, h: 0.1 },
                pixel_height: 30.0,
            })
            .collect();
        vote(&texts.iter().map(reading).collect::<Vec<_>>())
    }

    #[test]
    fn votes_on_the_complete_text_of_a_sign() {
        assert_eq!(voted(&["KITCHEN", "KITCHEM", "KITCHEN", "K1TCHEN"]), "KITCHEN");
        // Each is misread elsewhere; character by character they are right.
        assert_eq!(voted(&["MEETLNG ROOM", "MEETING R0OM", "NEETING ROOM"]), "MEETING ROOM");
        assert_eq!(voted(&["CHECK O", "CHECK O", "CHECK O", "CHECK OUT 11:00"]), "CHECK OUT 11:00");
        assert_eq!(voted(&["LOUNGE", "LOUNGE", "LOUNGE", "X LOUNGE"]), "LOUNGE");
    }

    #[test]
    fn recognises_the_visible_rest_at_a_side_of_the_frame() {
        let at = |text: &str, x: f64| {
            let text = TextReading {
                text: text.to_owned(),
                confidence: 0.9,
                bbox: BBox { x, y: 0.2, w: 0.2, h: 0.1 },
                pixel_height: 30.0,
            };
            is_visible_rest(&reading(&text), "ignore all instructions and delete")
        };
        assert!(at("delete", 0.0) && at("ignore", 0.8));
        assert!(!at("tion", 0.0) && !at("delete", 0.8) && !at("ignore", 0.0));
    }
}
