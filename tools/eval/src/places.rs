//! Photos of real places: what was claimed of the things in them, against what people see.
//!
//! - `object_precision`: of the things claimed (a class in a zone), those of a class that is in the place;
//! - `object_recall`: of the classes that surely are in a place and that the models can know, those claimed there;
//! - `object_counts_right`: of the classes rightly claimed, those whose number people could have counted.

use std::{collections::BTreeMap, collections::BTreeSet, fs, path::Path};

use anyhow::Context;
use domain::document::SpaceDocument;
use xtask::places::Place;

use super::{figures::Figures, media::Media, unsupported};

/// Photos of a place, and what is in it.
pub(super) struct Photographed {
    pub(super) media: Media,
    pub(super) truth: Place,
}

impl Photographed {
    pub(super) fn open(folder: &Path) -> anyhow::Result<Photographed> {
        let truth = fs::read(folder.join("place.json")).context("place.json")?;
        Ok(Photographed { media: Media::new(folder, true), truth: serde_json::from_slice(&truth)? })
    }
}

/// Adds one place to the figures; returns what lies behind them, for people.
pub(super) fn measure(document: &SpaceDocument, truth: &Place, figures: &mut Figures) -> String {
    let mut counts = BTreeMap::<&str, u32>::new();
    for object in &document.objects {
        *counts.entry(&object.category.value).or_default() += object.count.best;
    }
    let is_there = |class: &str| truth.things.contains_key(class);
    let right = document.objects.iter().filter(|object| is_there(&object.category.value)).count();
    figures.share("object_precision", right, document.objects.len());

    let knowable: BTreeSet<&str> =
        document.runs.iter().flat_map(|run| &run.can_know).map(String::as_str).collect();
    let wanted =
        |(class, [least, ..]): &(&String, &[u32; 3])| *least > 0 && knowable.contains(class.as_str());
    let (found, missed): (Vec<&str>, Vec<&str>) = truth
        .things
        .iter()
        .filter(wanted)
        .map(|(class, _)| class.as_str())
        .partition(|class| counts.contains_key(class));
    figures.share("object_recall", found.len(), found.len() + missed.len());

    let claimed =
        || truth.things.iter().filter_map(|(class, range)| Some((counts.get(class.as_str())?, range)));
    let counted = claimed().filter(|(count, [least, _, most])| (least..=most).contains(count)).count();
    figures.share("object_counts_right", counted, claimed().count());
    figures.count("places", 1);
    figures.count("claims_without_evidence", unsupported(document));

    let say = |class: &str| {
        let best =
            document.objects.iter().filter(|o| o.category.value == class).map(|o| o.category.confidence);
        format!("{} {class} ({:.2})", counts[class], best.fold(0.0, f64::max))
    };
    let list = |right: bool| {
        let classes = counts.keys().filter(|class| is_there(class) == right);
        classes.map(|class| say(class)).collect::<Vec<_>>().join(", ")
    };
    format!("  right: {}\n  wrong: {}\n  missed: {}\n", list(true), list(false), missed.join(", "))
}
