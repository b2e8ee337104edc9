//! Decides which room a plate with a room name belongs to.
//!
//! A plate over or beside a door names the room behind the door. It grows as the camera approaches,
//! leaves the picture shortly before the passage and is not read afterwards. A plate that is read
//! well away from any passage, in separate views, may name the room that it hangs in. Any other
//! plate is only a text.

use domain::document::Evidence;
use domain::media::InputKind;

use crate::fuse::passages::Passage;
use crate::fuse::{Fused, FusedText};
use crate::naming::{Language, room_on_sign};

/// Longest time between the last reading of a plate and the passage of its door, in milliseconds.
const MAX_LEAD_MS: u64 = 4000;
/// Time after a passage in which a plate beside the door is not read, in milliseconds. Later, it
/// may be seen on the way back.
const UNREAD_AFTER_MS: u64 = 4000;
/// Time before the last reading in which the plate must not have been larger, in milliseconds.
const APPROACH_MS: u64 = 8000;
/// Height of the last reading as a share of the largest one of the approach.
const MIN_GROWTH: f64 = 0.9;
/// Minimum time between a passage and a reading away from it, in milliseconds.
const AWAY_MS: u64 = 2000;
/// Minimum time between two separate views, in milliseconds.
const SEPARATE_VIEWS_MS: u64 = 3000;
/// Vertical position (0 top to 1) above which a plate hangs over a door: the eye is below it even
/// from the other side of the room.
const OVERHEAD_MAX_Y: f64 = 0.33;
/// Ratio of letter heights from which one of two plates at a passage is the nearer one.
const NEARER_MIN_HEIGHT_RATIO: f64 = 1.3;

/// Relation of a plate to the zone that it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// It hangs in the zone.
    Inside,
    /// It hangs at the door through which the zone was entered.
    AtDoor,
}

/// A plate that names a zone.
pub(super) struct RoomSign<'a> {
    /// Number of the zone.
    pub(super) zone: usize,
    /// Room type.
    pub(super) room: &'static str,
    /// Relation of the plate to the zone.
    pub(super) place: Place,
    /// The text on the plate.
    pub(super) text: &'a FusedText,
}

/// Returns the plates that name a zone.
pub(super) fn room_signs<'a>(fused: &'a Fused, kind: InputKind, declared: &str) -> Vec<RoomSign<'a>> {
    let language = Language::of_tag(declared);
    let named: Vec<(&FusedText, &'static str)> =
        fused.texts.iter().filter_map(|text| Some((text, room_on_sign(&text.raw, language)?))).collect();
    let mut out: Vec<RoomSign> = Vec::new();
    for passage in &fused.passages {
        out.extend(plate_at_door(&named, passage));
    }
    let inside = |(text, room): &(&'a FusedText, &'static str)| {
        let zone = text.zone.filter(|zone| *zone < fused.zones.len())?;
        let away = match kind {
            InputKind::Video => is_read_away_from_passages(text, &fused.passages),
            InputKind::Frames => text.sightings.len() > 1,
        };
        let at_door = out.iter().any(|plate| std::ptr::eq(plate.text, *text));
        let fits = away && !at_door && !hangs_overhead(text);
        fits.then_some(RoomSign { zone, room, place: Place::Inside, text })
    };
    let mut inside: Vec<RoomSign> = named.iter().filter_map(inside).collect();
    // Two names in one zone: at least one of them belongs to a door.
    let names: Vec<(usize, &str)> = inside.iter().map(|plate| (plate.zone, plate.room)).collect();
    inside.retain(|plate| names.iter().all(|(zone, room)| *zone != plate.zone || *room == plate.room));
    out.extend(inside);
    out
}

/// Returns the plate at the door of a passage, unless two plates are equally near.
fn plate_at_door<'a>(named: &[(&'a FusedText, &'static str)], passage: &Passage) -> Option<RoomSign<'a>> {
    let mut leaving: Vec<(f64, &(&FusedText, &'static str))> = named
        .iter()
        .filter_map(|named| Some((height_when_leaving(&named.0.sightings, passage.t_ms)?, named)))
        .collect();
    leaving.sort_by(|a, b| b.0.total_cmp(&a.0));
    let (height, (text, room)) = leaving.first()?;
    let rival = leaving.iter().skip(1).find(|(_, (_, other))| other != room);
    let nearest = rival.is_none_or(|(other, _)| *height >= NEARER_MIN_HEIGHT_RATIO * other);
    nearest.then_some(RoomSign { zone: passage.to, room, place: Place::AtDoor, text })
}

/// Returns the height of a plate in its last reading before a passage, if it left the picture
/// there: it was growing, and it was not read just after the passage.
fn height_when_leaving(sightings: &[Evidence], passage_ms: u64) -> Option<f64> {
    let readings: Vec<(u64, f64)> =
        sightings.iter().filter_map(|seen| Some((seen.t_ms?, seen.bbox?.h))).collect();
    let (last, height) =
        readings.iter().copied().filter(|(t_ms, _)| *t_ms <= passage_ms).max_by_key(|(t_ms, _)| *t_ms)?;
    let soon = passage_ms - last <= MAX_LEAD_MS;
    let read_after = readings.iter().any(|(t, _)| *t > passage_ms && *t <= passage_ms + UNREAD_AFTER_MS);
    let approach = readings.iter().filter(|(t, _)| *t <= last && last - t <= APPROACH_MS);
    let largest = approach.map(|(_, height)| *height).fold(0.0, f64::max);
    (soon && !read_after && height >= MIN_GROWTH * largest).then_some(height)
}

/// Returns true if a text was read in two separate views, both away from any passage.
fn is_read_away_from_passages(text: &FusedText, passages: &[Passage]) -> bool {
    let away = |t_ms: &u64| passages.iter().all(|passage| passage.t_ms.abs_diff(*t_ms) >= AWAY_MS);
    let times: Vec<u64> = text.sightings.iter().filter_map(|seen| seen.t_ms).filter(away).collect();
    let (first, last) = (times.iter().min(), times.iter().max());
    first.zip(last).is_some_and(|(first, last)| last - first >= SEPARATE_VIEWS_MS)
}

/// Returns true if a text is near the upper border in every picture.
fn hangs_overhead(text: &FusedText) -> bool {
    let mut boxes = text.sightings.iter().filter_map(|seen| seen.bbox).peekable();
    boxes.peek().is_some() && boxes.all(|bbox| bbox.y + bbox.h / 2.0 < OVERHEAD_MAX_Y)
}

#[cfg(test)]
mod tests {
    use domain::document::BBox;

    use super::*;
    use crate::fuse::FusedZone;

    /// Builds a sign of a zone, read at these times in milliseconds with these heights.
    fn sign(raw: &str, zone: usize, readings: &[(u64, f64)]) -> FusedText {
        let sighting = |(t_ms, h): &(u64, f64)| Evidence {
            media_id: "med_video".to_owned(),
            frame_id: Some(format!("frm_{t_ms}")),
            t_ms: Some(*t_ms),
            ordinal: None,
            bbox: Some(BBox { x: 0.4, y: 0.5, w: 0.2, h: *h }),
            narration_id: None,
            score: 0.9,
        };
        FusedText {
            raw: raw.to_owned(),
            confidence: 0.9,
            zone: Some(zone),
            sightings: readings.iter().map(sighting).collect(),
            run_id: "run_text".to_owned(),
        }
    }

    fn named(texts: Vec<FusedText>, kind: InputKind) -> Vec<(usize, &'static str, Place)> {
        let zone = || FusedZone {
            intervals: Vec::new(),
            frame_ids: Vec::new(),
            best_frame_id: String::new(),
            coverage: 1.0,
        };
        let passage = Passage { t_ms: 20_000, from: 0, to: 1, doorway: true };
        let passages = if kind == InputKind::Video { vec![passage] } else { Vec::new() };
        let fused = Fused { zones: vec![zone(), zone()], passages, texts, ..Fused::default() };
        room_signs(&fused, kind, "en").iter().map(|p| (p.zone, p.room, p.place)).collect()
    }

    #[test]
    fn a_plate_that_leaves_the_picture_at_a_passage_names_the_next_room() {
        let video = InputKind::Video;
        let plate = |readings: &[(u64, f64)]| named(vec![sign("KITCHEN", 0, readings)], video);
        assert_eq!(plate(&[(15_000, 0.03), (18_000, 0.06)]), [(1, "kitchen", Place::AtDoor)]);
        assert_eq!(plate(&[(15_000, 0.03)]), [], "it left the picture long before");
        assert_eq!(plate(&[(16_000, 0.06), (18_000, 0.03)]), [], "it shrinks: the camera moves away");
        assert_eq!(plate(&[(18_500, 0.06), (21_500, 0.03)]), [], "it is read after the passage");
    }

    #[test]
    fn the_nearest_of_several_plates_names_the_next_room() {
        let nearest = |second: f64| {
            let texts = vec![sign("KITCHEN", 0, &[(18_000, 0.06)]), sign("OFFICE", 0, &[(18_500, second)])];
            named(texts, InputKind::Video)
        };
        assert_eq!(nearest(0.03), [(1, "kitchen", Place::AtDoor)]);
        assert_eq!(nearest(0.055), [], "equally near");
    }

    #[test]
    fn a_plate_that_stays_in_separate_views_may_name_its_own_room() {
        let video = InputKind::Video;
        let inside = [(0, "office", Place::Inside)];
        assert_eq!(named(vec![sign("OFFICE", 0, &[(4000, 0.05), (11_000, 0.05)])], video), inside);
        assert_eq!(named(vec![sign("OFFICE", 0, &[(4000, 0.05), (5000, 0.05)])], video), [], "one view");
        assert_eq!(
            named(vec![sign("OFFICE", 0, &[(4000, 0.05), (19_000, 0.02), (19_500, 0.01)])], video),
            [],
            "one away"
        );
        let two = vec![
            sign("OFFICE", 0, &[(4000, 0.05), (11_000, 0.05)]),
            sign("KITCHEN", 0, &[(4000, 0.05), (11_000, 0.05)]),
        ];
        assert_eq!(named(two, video), [], "two names in one room");
        let mut overhead = sign("OFFICE", 0, &[(4000, 0.05), (11_000, 0.05)]);
        overhead.sightings.iter_mut().for_each(|seen| seen.bbox.as_mut().unwrap().y = 0.1);
        assert_eq!(named(vec![overhead], video), [], "over a door");
    }

    #[test]
    fn a_plate_in_two_photos_of_a_zone_may_name_it() {
        let photos = InputKind::Frames;
        let inside = [(0, "office", Place::Inside)];
        assert_eq!(named(vec![sign("OFFICE", 0, &[(1, 0.05), (2, 0.05)])], photos), inside);
        assert_eq!(named(vec![sign("OFFICE", 0, &[(1, 0.05)])], photos), []);
        assert_eq!(named(vec![sign("EXIT", 0, &[(1, 0.05), (2, 0.05)])], photos), []);
    }
}
