//! Ground truth of a space, with the class names of the documents.

use std::collections::BTreeMap;

use domain::space::NewSpace;
use walkgen::truth::{MIN_REQUIRED_PX, Truth};

/// Categories of walks whose class in a document has another name.
const CLASS_OF_CATEGORY: [(&str, &str); 5] = [
    ("sofa", "couch"),
    ("television", "tv"),
    ("plant", "potted plant"),
    ("washbasin", "sink"),
    ("round table", "dining table"),
];

/// The ground truth of a space.
#[derive(Debug, Clone, Default)]
pub(super) struct GroundTruth {
    pub(super) space_type: String,
    /// Type of each room, and the classes of the objects in it.
    pub(super) rooms: Vec<(String, Vec<String>)>,
    /// Count of the objects of each class.
    pub(super) objects: BTreeMap<String, u32>,
    /// Readable lines of text.
    pub(super) lines: Vec<String>,
    /// Everything that is written or said about the space, in lower case.
    pub(super) words: String,
}

impl GroundTruth {
    /// Returns the ground truth of a walk: visited rooms, their objects, readable texts and the
    /// narration.
    pub(super) fn of_walk(truth: &Truth, new: &NewSpace) -> Self {
        let visited =
            truth.rooms.iter().filter(|room| truth.visits.iter().any(|visit| visit.room == room.id));
        let name = |name: &String| {
            CLASS_OF_CATEGORY
                .iter()
                .find(|(category, _)| category == name)
                .map_or(name.as_str(), |(_, class)| class)
                .to_owned()
        };
        let mut out = Self { space_type: new.space_type.clone(), ..Self::default() };
        for room in visited {
            for (object, number) in &room.inventory {
                *out.objects.entry(name(object)).or_default() += *number as u32;
            }
            let classes: Vec<String> = room.inventory.iter().map(|(object, _)| name(object)).collect();
            out.rooms.extend(room.kinds().map(|kind| (kind.to_owned(), classes.clone())));
        }
        let read = truth
            .texts
            .iter()
            .filter(|line| line.max_height_px >= MIN_REQUIRED_PX)
            .map(|line| line.text.clone());
        out.lines = read.collect();
        let said = truth.narration.iter().map(|words| &words.text);
        out.words = join([&new.name].into_iter().chain(&out.lines).chain(said));
        out
    }

    /// Counts the rooms of a type.
    pub(super) fn rooms_of(&self, kind: &str) -> usize {
        self.rooms.iter().filter(|(other, _)| other == kind).count()
    }
}

/// Joins texts in lower case, with separators.
pub(super) fn join<'a>(texts: impl Iterator<Item = &'a String>) -> String {
    texts.map(|text| text.to_lowercase()).collect::<Vec<_>>().join(" | ")
}
