//! Compares the claimed objects with those in the rooms.
//!
//! A claimed object is right if one of its class is visible in a frame that it names. Expected are
//! the classes that the models can detect, in each room where a kept frame shows one well; found
//! are those that the document has in a zone whose frames show that room.

use std::collections::BTreeSet;

use domain::document::SpaceDocument;

use super::{Details, frames::sample_of};
use walkgen::truth::{Sample, Truth};

/// Categories of the ground truth, for each class that a model can detect.
const CATEGORIES_OF_CLASS: [(&str, &[&str]); 14] = [
    ("bed", &["bed"]),
    ("bench", &["bench"]),
    ("book", &["bookshelf"]),
    ("chair", &["chair", "armchair"]),
    ("clock", &["clock"]),
    ("couch", &["sofa", "armchair"]),
    ("dining table", &["dining table", "round table", "desk", "coffee table"]),
    ("microwave", &[]),
    ("oven", &["stove"]),
    ("potted plant", &["plant"]),
    ("refrigerator", &["refrigerator"]),
    ("sink", &["washbasin", "sink"]),
    ("toilet", &["toilet"]),
    ("tv", &["television", "monitor"]),
];
/// Minimum share of the picture that an expected object fills.
const MIN_PICTURE_SHARE: f32 = 0.004;
/// Minimum visible share of an expected object.
const MIN_VISIBLE_SHARE: f32 = 0.5;

/// Counts of objects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Objects {
    /// Claimed objects that are right.
    pub right: usize,
    /// Claimed objects.
    pub claimed: usize,
    /// Expected classes in rooms that were found.
    pub found: usize,
    /// Expected classes in rooms.
    pub wanted: usize,
}

/// Returns whether an object of this category is of the model's class.
pub fn same_object(class: &str, category: &str) -> bool {
    class == category
        || CATEGORIES_OF_CLASS.iter().any(|(name, all)| *name == class && all.contains(&category))
}

/// Returns the classes of models for objects of this category.
pub fn classes_of(category: &str) -> impl Iterator<Item = &'static str> {
    CATEGORIES_OF_CLASS.iter().filter(move |(_, all)| all.contains(&category)).map(|(class, _)| *class)
}

pub(super) fn compare(document: &SpaceDocument, truth: &Truth, details: &mut Details) -> Objects {
    let shows = |sample: &Sample, class: &str| {
        let mut objects = sample.objects.iter().filter_map(|s| truth.objects.iter().find(|t| t.id == s.id));
        objects.any(|object| same_object(class, &object.category))
    };
    let mut out = Objects { claimed: document.objects.len(), ..Objects::default() };
    let mut found_classes = BTreeSet::new();
    for object in &document.objects {
        let class = object.category.value.as_str();
        let named = object.sightings.iter().filter_map(|e| e.frame_id.as_ref());
        let frames = named.filter_map(|id| document.frames.iter().find(|frame| frame.id == *id));
        let samples: Vec<&Sample> = frames.filter_map(|frame| sample_of(frame, truth)).collect();
        let right = samples.iter().any(|sample| shows(sample, class));
        out.right += usize::from(right);
        if right {
            found_classes.extend(samples.iter().map(|sample| (sample.view_room, class)));
        } else {
            details.wrong_objects.push(class.to_owned());
        }
    }
    let detectable: BTreeSet<&str> =
        document.runs.iter().flat_map(|run| &run.can_know).map(String::as_str).collect();
    let area = (truth.width * truth.height) as f32;
    let mut wanted = BTreeSet::new();
    for sample in document.frames.iter().filter_map(|frame| sample_of(frame, truth)) {
        for seen in &sample.objects {
            let Some(object) = truth.objects.iter().find(|t| t.id == seen.id) else { continue };
            let well = seen.pixels as f32 >= MIN_PICTURE_SHARE * area && seen.share >= MIN_VISIBLE_SHARE;
            // A category of two classes is expected as the first one.
            let class = CATEGORIES_OF_CLASS.iter().find(|(_, all)| all.contains(&object.category.as_str()));
            if let Some((class, _)) = class.filter(|(class, _)| well && detectable.contains(class)) {
                wanted.insert((object.room, *class, object.category.as_str()));
            }
        }
    }
    let found = |(room, _, category): &&(usize, &str, &str)| {
        found_classes.iter().any(|(view_room, class)| view_room == room && same_object(class, category))
    };
    out.wanted = wanted.len();
    out.found = wanted.iter().filter(found).count();
    let missed = wanted.iter().filter(|one| !found(one));
    details.missed_objects = missed.map(|(_, class, _)| (*class).to_owned()).collect();
    out
}
