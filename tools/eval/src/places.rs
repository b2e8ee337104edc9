//! Photos of real places: what was claimed of the objects in them, against what people see.
//!
//! - `object_precision`: of the objects claimed (a class in a zone), those of a class that is in the place;
//! - `object_recall`: of the classes that surely are in a place and that the models can know, those claimed there;
//! - `object_counts_right`: of the classes rightly claimed, those whose number people could have counted.

use std::{collections::BTreeMap, collections::BTreeSet, fs, path::Path};

use anyhow::Context;
use domain::document::SpaceDocument;
use serde::Deserialize;

use super::{media::Media, metrics::Metrics, run::count_unsupported};

/// Photos of a place, and what is in it.
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

/// Adds one place to the metrics; returns what lies behind them, for people.
pub(super) fn measure(document: &SpaceDocument, truth: &Place, metrics: &mut Metrics) -> String {
    let mut counts = BTreeMap::<&str, u32>::new();
    for object in &document.objects {
        *counts.entry(&object.category.value).or_default() += object.count.best;
    }
    let is_there = |class: &str| truth.objects.contains_key(class);
    let right = document.objects.iter().filter(|object| is_there(&object.category.value)).count();
    metrics.share("object_precision", right, document.objects.len());

    let knowable: BTreeSet<&str> =
        document.runs.iter().flat_map(|run| &run.can_know).map(String::as_str).collect();
    let wanted =
        |(class, [least, ..]): &(&String, &[u32; 3])| *least > 0 && knowable.contains(class.as_str());
    let (found, missed): (Vec<&str>, Vec<&str>) = truth
        .objects
        .iter()
        .filter(wanted)
        .map(|(class, _)| class.as_str())
        .partition(|class| counts.contains_key(class));
    metrics.share("object_recall", found.len(), found.len() + missed.len());

    let claimed =
        || truth.objects.iter().filter_map(|(class, range)| Some((counts.get(class.as_str())?, range)));
    let counted = claimed().filter(|(count, [least, _, most])| (least..=most).contains(count)).count();
    metrics.share("object_counts_right", counted, claimed().count());
    metrics.count("places", 1);
    metrics.count("claims_without_evidence", count_unsupported(document));

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
