//! Infers room types from furniture: naive Bayes with one vote per class and zone.
//!
//! The shares of rooms that have an object are coarse and written by hand. Missing objects say
//! nothing: models miss many, and a walk doesn't look everywhere.

use std::collections::BTreeMap;

use crate::fuse::{Fused, FusedHint};

/// Minimum posterior probability of a claim.
const MIN_POSTERIOR: f64 = 0.8;
/// Minimum probability that one of the distinctive objects is there.
const MIN_CERTAINTY: f64 = 0.6;
/// Maximum weight of one class, in nats.
const MAX_WEIGHT: f64 = 2.5;
/// Probability of finding an object that is there.
const DETECTION_RATE: f64 = 0.5;
/// Probability of claiming an object that is not there.
const FALSE_RATE: f64 = 0.02;
/// Share of rooms of a type that have an object which the table does not list.
const RARE: f64 = 0.01;

/// A room type with the share of such rooms among all rooms, and the objects that they have: in
/// nearly all, in half, in a tenth.
struct RoomModel {
    room: &'static str,
    prior: f64,
    usual: &'static [&'static str],
    frequent: &'static [&'static str],
    occasional: &'static [&'static str],
}

const MODELS: [RoomModel; 13] = [
    RoomModel {
        room: "bedroom",
        prior: 0.20,
        usual: &["bed"],
        frequent: &["wardrobe", "lamp", "book", "clock", "chair"],
        occasional: &[
            "tv",
            "laptop",
            "potted plant",
            "vase",
            "teddy bear",
            "suitcase",
            "couch",
            "cup",
            "bottle",
            "backpack",
            "desk",
            "bookcase",
        ],
    },
    RoomModel {
        room: "bathroom",
        prior: 0.15,
        usual: &["toilet", "sink"],
        frequent: &["bathtub", "washing machine"],
        occasional: &["potted plant", "bottle", "vase"],
    },
    RoomModel { room: "toilet", prior: 0.01, usual: &["toilet"], frequent: &["sink"], occasional: &[] },
    RoomModel {
        room: "kitchen",
        prior: 0.15,
        usual: &["oven", "refrigerator", "sink"],
        frequent: &["microwave", "dishwasher", "toaster", "bowl", "cup", "bottle", "dining table", "chair"],
        occasional: &["clock", "potted plant", "vase", "wine glass", "tv", "washing machine"],
    },
    RoomModel {
        room: "living room",
        prior: 0.15,
        usual: &["couch", "tv"],
        frequent: &["potted plant", "vase", "book", "bookcase", "lamp", "chair", "dining table", "clock"],
        occasional: &["cup", "bowl", "wine glass", "laptop", "bottle", "teddy bear", "desk"],
    },
    RoomModel {
        room: "dining room",
        prior: 0.04,
        usual: &["dining table", "chair"],
        frequent: &["vase", "bowl", "potted plant"],
        occasional: &["wine glass", "cup", "clock", "bottle", "book"],
    },
    RoomModel {
        room: "office",
        prior: 0.08,
        usual: &["chair", "desk", "keyboard"],
        frequent: &["laptop", "tv", "book", "bookcase", "printer", "potted plant", "clock", "cup"],
        occasional: &["dining table", "bottle", "couch", "backpack", "vase", "lamp"],
    },
    RoomModel {
        room: "meeting room",
        prior: 0.03,
        usual: &["chair", "dining table"],
        frequent: &["tv", "laptop"],
        occasional: &["clock", "potted plant", "bottle", "cup", "desk"],
    },
    RoomModel {
        room: "restaurant",
        prior: 0.03,
        usual: &["chair", "dining table", "cup"],
        frequent: &["bottle", "wine glass", "bowl", "potted plant"],
        occasional: &["vase", "oven", "refrigerator", "clock", "sink", "bench", "couch", "tv"],
    },
    RoomModel {
        room: "waiting room",
        prior: 0.03,
        usual: &["chair"],
        frequent: &["potted plant", "clock", "bench"],
        occasional: &["couch", "tv", "book", "vase", "laptop", "keyboard", "desk"],
    },
    RoomModel {
        room: "shop",
        prior: 0.04,
        usual: &[],
        frequent: &["bottle", "potted plant", "bookcase"],
        occasional: &[
            "refrigerator",
            "bowl",
            "book",
            "chair",
            "vase",
            "bench",
            "keyboard",
            "cup",
            "clock",
            "desk",
            "dining table",
        ],
    },
    RoomModel {
        room: "hallway",
        prior: 0.06,
        usual: &[],
        frequent: &[],
        occasional: &[
            "bench",
            "potted plant",
            "umbrella",
            "clock",
            "chair",
            "bicycle",
            "backpack",
            "vase",
            "wardrobe",
            "lamp",
        ],
    },
    RoomModel {
        room: "storage",
        prior: 0.03,
        usual: &[],
        frequent: &["bottle"],
        occasional: &[
            "suitcase",
            "bicycle",
            "refrigerator",
            "chair",
            "umbrella",
            "bowl",
            "wardrobe",
            "bookcase",
            "printer",
        ],
    },
];

/// Objects that few other rooms have, by room type. Without one of them nothing is claimed.
const DISTINCTIVE: [(&str, &[&str]); 5] = [
    ("bedroom", &["bed"]),
    ("bathroom", &["toilet", "bathtub"]),
    ("kitchen", &["oven", "refrigerator", "microwave", "dishwasher"]),
    ("living room", &["couch"]),
    ("office", &["keyboard", "laptop", "desk", "printer"]),
];

/// A room type that furniture suggests for a zone.
pub(super) struct Inferred<'a> {
    /// Room type.
    pub(super) room: &'static str,
    /// Posterior probability, 0 to 1, if the distinctive objects are there.
    pub(super) posterior: f64,
    /// Probability that one of the distinctive objects is there.
    pub(super) certainty: f64,
    /// Furniture that speaks for the type.
    pub(super) hints: Vec<&'a FusedHint>,
}

/// Returns the room types that the furniture of zones suggests, by zone number.
pub(super) fn rooms_by_furniture(fused: &Fused) -> BTreeMap<usize, Inferred<'_>> {
    let mut by_zone = BTreeMap::<usize, Vec<&FusedHint>>::new();
    for hint in fused.hints.iter().filter(|hint| hint.zone < fused.zones.len()) {
        by_zone.entry(hint.zone).or_default().push(hint);
    }
    by_zone.into_iter().filter_map(|(zone, hints)| Some((zone, infer(&hints)?))).collect()
}

fn infer<'a>(hints: &[&'a FusedHint]) -> Option<Inferred<'a>> {
    let posterior = posterior(hints);
    let (model, posterior) = MODELS
        .iter()
        .zip(posterior)
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .filter(|(_, p)| *p >= MIN_POSTERIOR)?;
    let (_, distinctive) = DISTINCTIVE.iter().find(|(room, _)| *room == model.room)?;
    let supports = |hint: &&&FusedHint| {
        model.usual.contains(&hint.label.as_str()) || model.frequent.contains(&hint.label.as_str())
    };
    let decisive = hints.iter().filter(|hint| distinctive.contains(&hint.label.as_str()));
    let certainty = 1.0 - decisive.map(|hint| 1.0 - hint.probability).product::<f64>();
    (certainty >= MIN_CERTAINTY).then(|| Inferred {
        room: model.room,
        posterior,
        certainty,
        hints: hints.iter().filter(supports).copied().collect(),
    })
}

/// Returns the posterior probability of each model.
fn posterior(hints: &[&FusedHint]) -> Vec<f64> {
    let mut log_odds: Vec<f64> = MODELS.iter().map(|model| model.prior.ln()).collect();
    let total: f64 = MODELS.iter().map(|model| model.prior).sum();
    let given = |share: f64| share * DETECTION_RATE + (1.0 - share) * FALSE_RATE;
    for hint in hints {
        let background: f64 =
            MODELS.iter().map(|model| model.prior / total * given(share(model, &hint.label))).sum();
        for (sum, model) in log_odds.iter_mut().zip(&MODELS) {
            let likelihood = given(share(model, &hint.label)) / background;
            // A sighting that is wrong says nothing.
            let weight = (hint.probability * likelihood + 1.0 - hint.probability).ln();
            *sum += weight.clamp(-MAX_WEIGHT, MAX_WEIGHT);
        }
    }
    let most = log_odds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let odds: Vec<f64> = log_odds.iter().map(|sum| (sum - most).exp()).collect();
    let total: f64 = odds.iter().sum();
    odds.into_iter().map(|odds| odds / total).collect()
}

/// Returns the share of rooms of a type that have an object.
fn share(model: &RoomModel, label: &str) -> f64 {
    if model.usual.contains(&label) {
        0.9
    } else if model.frequent.contains(&label) {
        0.5
    } else if model.occasional.contains(&label) {
        0.1
    } else {
        RARE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hint(label: &str, probability: f64) -> FusedHint {
        FusedHint { label: label.to_owned(), zone: 0, probability, sightings: Vec::new() }
    }

    fn inferred(labels: &[&str]) -> Option<&'static str> {
        let hints: Vec<FusedHint> = labels.iter().map(|label| hint(label, 0.95)).collect();
        infer(&hints.iter().collect::<Vec<_>>()).map(|inferred| inferred.room)
    }

    #[test]
    fn distinctive_objects_suggest_a_room() {
        assert_eq!(inferred(&["bed", "book"]), Some("bedroom"));
        assert_eq!(inferred(&["toilet", "sink"]), Some("bathroom"));
        assert_eq!(inferred(&["oven", "sink"]), Some("kitchen"));
        assert_eq!(inferred(&["refrigerator", "microwave", "chair"]), Some("kitchen"));
        assert_eq!(inferred(&["couch", "tv", "potted plant"]), Some("living room"));
        assert_eq!(inferred(&["keyboard", "chair", "laptop"]), Some("office"));
    }

    #[test]
    fn a_type_is_at_most_as_certain_as_the_objects_that_decide_it() {
        let certainty = |labels: &[(&str, f64)]| {
            let hints: Vec<FusedHint> = labels.iter().map(|(label, p)| hint(label, *p)).collect();
            infer(&hints.iter().collect::<Vec<_>>()).map(|inferred| (inferred.certainty * 100.0).round())
        };
        assert_eq!(certainty(&[("bed", 0.7), ("book", 0.95)]), Some(70.0));
        assert_eq!(certainty(&[("oven", 0.7), ("refrigerator", 0.8)]), Some(94.0));
    }

    #[test]
    fn common_or_contradicting_objects_suggest_nothing() {
        assert_eq!(inferred(&[]), None);
        assert_eq!(inferred(&["chair"]), None);
        assert_eq!(inferred(&["chair", "dining table", "potted plant", "vase"]), None);
        assert_eq!(inferred(&["bed", "toilet", "oven", "couch"]), None, "several rooms in one zone");
        assert_eq!(inferred(&["sink"]), None);
    }

    #[test]
    fn an_uncertain_sighting_weighs_less() {
        let of = |probability| posterior(&[&hint("toilet", probability)])[1];
        assert_eq!(MODELS[1].room, "bathroom");
        assert!(of(0.2) < of(0.6) && of(0.6) < of(0.95));
        assert!(infer(&[&hint("bed", 0.5), &hint("wardrobe", 0.9)]).is_none(), "no bed is likely enough");
    }

    #[test]
    fn posteriors_are_probabilities() {
        let hints = [hint("bed", 0.7), hint("tv", 0.9), hint("unknown", 0.5)];
        let posterior = posterior(&hints.iter().collect::<Vec<_>>());
        assert!((posterior.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(posterior.iter().all(|p| (0.0..=1.0).contains(p)));
    }
}
