//! Plates that say which room one is in: they tell rooms apart that look alike, and know one again.

use std::collections::{BTreeMap, BTreeSet};

use crate::ingest::Ingested;
use crate::naming::on_plate;
use crate::observe::Seen;

/// Lines this high, in widths of the frame, are near: not read through a door from the next room.
const NEAR: f64 = 0.028;
/// A reading that is less sure says nothing.
const SURE: f64 = 0.8;
/// Rooms that are often one space, with a plate for each part.
const OPEN: [&str; 3] = ["kitchen", "living room", "dining room"];

/// What the plates in a frame call the room.
pub(super) struct Plates<'a>(BTreeMap<&'a str, BTreeSet<String>>);

impl<'a> Plates<'a> {
    pub(super) fn of(ingested: &'a Ingested, seen: &BTreeMap<&str, &Seen>) -> Plates<'a> {
        let near = |frame: &'a domain::document::Frame| {
            let readings = &seen.get(frame.id.as_str())?.readings;
            let large = readings
                .iter()
                .filter(|line| line.confidence >= SURE && line.pixel_height >= NEAR * f64::from(frame.width));
            Some((frame.id.as_str(), large.filter_map(|line| on_plate(&line.text)).collect()))
        };
        Plates(ingested.frames.iter().filter_map(near).collect())
    }

    /// The names in any of these frames.
    pub(super) fn within(&self, frames: &[String]) -> BTreeSet<String> {
        frames.iter().filter_map(|frame| self.0.get(frame.as_str())).flatten().cloned().collect()
    }
}

/// Whether plates say that these are two rooms.
pub(super) fn tell_apart(a: &BTreeSet<String>, b: &BTreeSet<String>) -> bool {
    let open = || a.iter().chain(b).all(|name| OPEN.contains(&name.as_str()));
    !a.is_empty() && !b.is_empty() && a.is_disjoint(b) && !open()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_plate_is_another_room_unless_the_plan_is_open() {
        let names = |list: &[&str]| list.iter().map(|&name| name.to_owned()).collect::<BTreeSet<_>>();
        assert!(tell_apart(&names(&["room 1"]), &names(&["room 2"])));
        assert!(tell_apart(&names(&["kitchen"]), &names(&["bathroom"])));
        assert!(!tell_apart(&names(&["kitchen"]), &names(&["living room"])));
        assert!(!tell_apart(&names(&["kitchen", "office"]), &names(&["office"])));
        assert!(!tell_apart(&names(&[]), &names(&["office"])));
    }
}
