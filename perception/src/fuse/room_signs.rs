//! Finds signs that name the room they are in. They separate rooms that look alike and identify a
//! room on a later visit.

use std::collections::{BTreeMap, BTreeSet};

use crate::ingest::Ingested;
use crate::naming::name_on_room_sign;
use crate::observe::FrameObservation;

/// Minimum height of a line on a sign in the same room, as a share of the frame's width. Smaller
/// lines may be read through a door.
const NEARBY_MIN_HEIGHT_WIDTHS: f64 = 0.028;
/// Minimum confidence of a reading.
const MIN_CONFIDENCE: f64 = 0.8;
/// Rooms that often form one open space with a sign for each part.
const OPEN_PLAN_ROOMS: [&str; 3] = ["kitchen", "living room", "dining room"];

/// Room names on the signs of each frame.
pub(super) struct RoomSigns<'a>(BTreeMap<&'a str, BTreeSet<String>>);

impl<'a> RoomSigns<'a> {
    pub(super) fn of(
        ingested: &'a Ingested,
        observations: &BTreeMap<&str, &FrameObservation>,
    ) -> RoomSigns<'a> {
        let near = |frame: &'a domain::document::Frame| {
            let readings = &observations.get(frame.id.as_str())?.readings;
            let large = readings.iter().filter(|line| {
                line.confidence >= MIN_CONFIDENCE
                    && line.pixel_height >= NEARBY_MIN_HEIGHT_WIDTHS * f64::from(frame.width)
            });
            Some((frame.id.as_str(), large.filter_map(|line| name_on_room_sign(&line.text)).collect()))
        };
        RoomSigns(ingested.frames.iter().filter_map(near).collect())
    }

    /// Returns the names in any of these frames.
    pub(super) fn within(&self, frames: &[String]) -> BTreeSet<String> {
        frames.iter().filter_map(|frame| self.0.get(frame.as_str())).flatten().cloned().collect()
    }
}

/// Returns true if the signs name different rooms.
pub(super) fn name_different_rooms(a: &BTreeSet<String>, b: &BTreeSet<String>) -> bool {
    let open = || a.iter().chain(b).all(|name| OPEN_PLAN_ROOMS.contains(&name.as_str()));
    !a.is_empty() && !b.is_empty() && a.is_disjoint(b) && !open()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_signs_mean_different_rooms_except_in_open_plans() {
        let names = |list: &[&str]| list.iter().map(|&name| name.to_owned()).collect::<BTreeSet<_>>();
        assert!(name_different_rooms(&names(&["room 1"]), &names(&["room 2"])));
        assert!(name_different_rooms(&names(&["kitchen"]), &names(&["bathroom"])));
        assert!(!name_different_rooms(&names(&["kitchen"]), &names(&["living room"])));
        assert!(!name_different_rooms(&names(&["kitchen", "office"]), &names(&["office"])));
        assert!(!name_different_rooms(&names(&[]), &names(&["office"])));
    }
}
