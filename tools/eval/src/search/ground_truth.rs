//! What is true of a space, in the names that documents use.

use std::collections::BTreeMap;

use domain::space::NewSpace;
use walkgen::truth::{LARGE, Truth};

/// What walks call differently.
const NAMES: [(&str, &str); 5] = [
    ("sofa", "couch"),
    ("television", "tv"),
    ("plant", "potted plant"),
    ("washbasin", "sink"),
    ("round table", "dining table"),
];

/// What is true of a space.
#[derive(Debug, Clone, Default)]
pub(super) struct GroundTruth {
    pub(super) space_type: String,
    /// Types of its rooms, one for each room, and what stands in each.
    pub(super) rooms: Vec<(String, Vec<String>)>,
    /// How many there are of each thing.
    pub(super) things: BTreeMap<String, u32>,
    /// Lines that can be read in it.
    pub(super) lines: Vec<String>,
    /// Everything that is written or said of it, in lower case.
    pub(super) words: String,
}

impl GroundTruth {
    /// Of a walk: the rooms that it went to with what stands in them, what was large enough to be read, what was said.
    pub(super) fn of_walk(truth: &Truth, new: &NewSpace) -> Self {
        let visited =
            truth.rooms.iter().filter(|room| truth.visits.iter().any(|visit| visit.room == room.id));
        let name = |name: &String| {
            NAMES.iter().find(|(theirs, _)| theirs == name).map_or(name.as_str(), |(_, ours)| ours).to_owned()
        };
        let mut out = Self { space_type: new.space_type.clone(), ..Self::default() };
        for room in visited {
            for (thing, number) in &room.inventory {
                *out.things.entry(name(thing)).or_default() += *number as u32;
            }
            let stands: Vec<String> = room.inventory.iter().map(|(thing, _)| name(thing)).collect();
            out.rooms.extend(room.kinds().map(|kind| (kind.to_owned(), stands.clone())));
        }
        let read =
            truth.texts.iter().filter(|line| line.max_height_px >= LARGE).map(|line| line.text.clone());
        out.lines = read.collect();
        let said = truth.narration.iter().map(|words| &words.text);
        out.words = joined([&new.name].into_iter().chain(&out.lines).chain(said));
        out
    }

    /// How many rooms are of this type.
    pub(super) fn rooms_of(&self, kind: &str) -> usize {
        self.rooms.iter().filter(|(other, _)| other == kind).count()
    }
}

/// Texts in lower case, kept apart.
pub(super) fn joined<'a>(texts: impl Iterator<Item = &'a String>) -> String {
    texts.map(|text| text.to_lowercase()).collect::<Vec<_>>().join(" | ")
}
