//! Photos of real places: compares the claimed objects with those that people counted.
//!
//! - `object_precision`: share of the claimed objects (a class in a zone) whose class is in the
//!   place;
//! - `object_recall`: share of the classes that certainly are in a place, and that the models can
//!   detect, that were claimed there;
//! - `object_counts_right`: share of the correctly claimed classes whose count is in the range that
//!   people counted.

use std::{collections::BTreeMap, collections::BTreeSet, fs, path::Path};

use anyhow::Context;
use domain::document::SpaceDocument;
use serde::Deserialize;

use super::{document_metrics::count_unsupported, media::Media, metrics::Metrics};

/// Contents of a place, written by people who looked at the photos before any model did.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(super) struct Place {
    /// Name of the place, for reports.
    pub(super) name: String,
    /// For each class of objects that a model may know: the minimum, the most likely and the
    /// maximum count. A minimum of 0 marks a class that people would argue about (is a desk a
    /// dining table?): claiming it is right, and so is not claiming it.
    objects: BTreeMap<String, [u32; 3]>,
}

/// Photos of a place, and its contents.
pub(super) struct PhotographedPlace {
    pub(super) media: Media,
    pub(super) truth: Place,
}

impl PhotographedPlace {
    pub(super) fn open(folder: &Path) -> anyhow::Result<PhotographedPlace> {
        let truth = fs::read(folder.join("place.json")).context("place.json")?;
        Ok(PhotographedPlace { media: Media::new(folder, true), truth: serde_json::from_slice(&truth)? })
    }
}

/// Adds one place to the metrics. Returns the details behind them as text.
pub(super) fn measure(document: &SpaceDocument, truth: &Place, metrics: &mut Metrics) -> String {
    let mut counts = BTreeMap::<&str, u32>::new();
    for object in &document.objects {
        *counts.entry(&object.category.value).or_default() += object.count.best;
    }
    let is_there = |class: &str| truth.objects.contains_key(class);
    let right = document.objects.iter().filter(|object| is_there(&object.category.value)).count();
    metrics.share("object_precision", right, document.objects.len());

    let detectable: BTreeSet<&str> =
        document.runs.iter().flat_map(|run| &run.can_know).map(String::as_str).collect();
    let expected =
        |(class, [min, ..]): &(&String, &[u32; 3])| *min > 0 && detectable.contains(class.as_str());
    let (found, missed): (Vec<&str>, Vec<&str>) = truth
        .objects
        .iter()
        .filter(expected)
        .map(|(class, _)| class.as_str())
        .partition(|class| counts.contains_key(class));
    metrics.share("object_recall", found.len(), found.len() + missed.len());

    let claimed =
        || truth.objects.iter().filter_map(|(class, range)| Some((counts.get(class.as_str())?, range)));
    let counted = claimed().filter(|(count, [min, _, max])| (min..=max).contains(count)).count();
    metrics.share("object_counts_right", counted, claimed().count());
    metrics.count("places", 1);
    metrics.count("claims_without_evidence", count_unsupported(document));

    let describe = |class: &str| {
        let best =
            document.objects.iter().filter(|o| o.category.value == class).map(|o| o.category.confidence);
        format!("{} {class} ({:.2})", counts[class], best.fold(0.0, f64::max))
    };
    let list = |right: bool| {
        let classes = counts.keys().filter(|class| is_there(class) == right);
        classes.map(|class| describe(class)).collect::<Vec<_>>().join(", ")
    };
    format!("  right: {}\n  wrong: {}\n  missed: {}\n", list(true), list(false), missed.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_every_place_are_possible() {
        #[derive(Deserialize)]
        struct Collection {
            places: Vec<Place>,
        }
        let collection: Collection = serde_json::from_str(include_str!("../places.json")).unwrap();
        for Place { name, objects } in &collection.places {
            assert!(!objects.is_empty(), "{name}");
            for (class, [min, best, max]) in objects {
                assert!(min <= best && best <= max && *best > 0, "{name}: {class}");
            }
        }
        assert!(collection.places.len() >= 6);
    }
}
