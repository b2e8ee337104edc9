//! Infers room types from objects: naive Bayes with one vote per class and zone.
//!
//! The shares of rooms that have an object are coarse and written by hand. Missing objects say
//! nothing: the detector misses many, and a walk doesn't look everywhere.

use std::collections::{BTreeMap, BTreeSet};

use crate::fuse::{Fused, FusedObject};

/// Minimum posterior probability of a claim.
const MIN_POSTERIOR: f64 = 0.85;
/// Maximum weight of one class, in nats.
const MAX_WEIGHT: f64 = 2.5;
/// Probability of finding an object that is there.
const DETECTION_RATE: f64 = 0.5;
/// Probability of finding a large, distinctive object that is there.
const DISTINCTIVE_DETECTION_RATE: f64 = 0.7;
/// Probability of claiming an object that is not there.
const FALSE_RATE: f64 = 0.02;
/// The same for an object with many sightings and a high score.
const WELL_SEEN_FALSE_RATE: f64 = 0.005;
/// Number of sightings from which an object is well seen.
const WELL_SEEN_MIN_SIGHTINGS: usize = 3;
/// Confidence from which an object is well seen.
const WELL_SEEN_MIN_CONFIDENCE: f64 = 0.93;
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
        frequent: &["book", "clock", "chair"],
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
        ],
    },
    RoomModel {
        room: "bathroom",
        prior: 0.15,
        usual: &["toilet", "sink"],
        frequent: &[],
        occasional: &["potted plant", "bottle", "vase"],
    },
    RoomModel { room: "toilet", prior: 0.01, usual: &["toilet"], frequent: &["sink"], occasional: &[] },
    RoomModel {
        room: "kitchen",
        prior: 0.15,
        usual: &["oven", "refrigerator", "sink"],
        frequent: &["microwave", "toaster", "bowl", "cup", "bottle", "dining table", "chair"],
        occasional: &["clock", "potted plant", "vase", "wine glass", "tv"],
    },
    RoomModel {
        room: "living room",
        prior: 0.15,
        usual: &["couch", "tv"],
        frequent: &["potted plant", "vase", "book", "chair", "dining table", "clock"],
        occasional: &["cup", "bowl", "wine glass", "laptop", "bottle", "teddy bear"],
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
        usual: &["chair", "keyboard"],
        frequent: &["laptop", "tv", "book", "potted plant", "clock", "cup"],
        occasional: &["dining table", "bottle", "couch", "backpack", "vase"],
    },
    RoomModel {
        room: "meeting room",
        prior: 0.03,
        usual: &["chair", "dining table"],
        frequent: &["tv", "laptop"],
        occasional: &["clock", "potted plant", "bottle", "cup"],
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
        occasional: &["couch", "tv", "book", "vase", "laptop", "keyboard"],
    },
    RoomModel {
        room: "shop",
        prior: 0.04,
        usual: &[],
        frequent: &["bottle", "potted plant"],
        occasional: &["refrigerator", "bowl", "book", "chair", "vase", "bench", "keyboard", "cup", "clock"],
    },
    RoomModel {
        room: "hallway",
        prior: 0.06,
        usual: &[],
        frequent: &[],
        occasional: &["bench", "potted plant", "umbrella", "clock", "chair", "bicycle", "backpack", "vase"],
    },
    RoomModel {
        room: "storage",
        prior: 0.03,
        usual: &[],
        frequent: &["bottle"],
        occasional: &["suitcase", "bicycle", "refrigerator", "chair", "umbrella", "bowl"],
    },
];

/// Objects that few other rooms have, by room type. Without one of them nothing is claimed.
const DISTINCTIVE: [(&str, &[&str]); 5] = [
    ("bedroom", &["bed"]),
    ("bathroom", &["toilet"]),
    ("kitchen", &["oven", "refrigerator", "microwave"]),
    ("living room", &["couch"]),
    ("office", &["keyboard", "laptop"]),
];

/// A room type that objects suggest for a zone.
pub(super) struct Inferred<'a> {
    /// Room type.
    pub(super) room: &'static str,
    /// Posterior probability, 0 to 1, if the distinctive objects are there.
    pub(super) posterior: f64,
    /// Probability that one of the distinctive objects is there.
    pub(super) certainty: f64,
    /// Objects that speak for the type.
    pub(super) objects: Vec<&'a FusedObject>,
}

/// Returns the room types that the objects of zones suggest, by zone number.
pub(super) fn rooms_by_objects(fused: &Fused) -> BTreeMap<usize, Inferred<'_>> {
    let mut by_zone = BTreeMap::<usize, Vec<&FusedObject>>::new();
    for object in &fused.objects {
        if let Some(zone) = object.zone.filter(|zone| *zone < fused.zones.len()) {
            by_zone.entry(zone).or_default().push(object);
        }
    }
    by_zone.into_iter().filter_map(|(zone, objects)| Some((zone, infer(&objects)?))).collect()
}

fn infer<'a>(objects: &[&'a FusedObject]) -> Option<Inferred<'a>> {
    let posterior = posterior(objects);
    let (model, posterior) = MODELS
        .iter()
        .zip(posterior)
        .max_by(|a, b| a.1.total_cmp(&b.1))
        .filter(|(_, p)| *p >= MIN_POSTERIOR)?;
    let (_, distinctive) = DISTINCTIVE.iter().find(|(room, _)| *room == model.room)?;
    let supports = |object: &&&FusedObject| {
        model.usual.contains(&object.label.as_str()) || model.frequent.contains(&object.label.as_str())
    };
    let decisive: Vec<f64> = objects
        .iter()
        .filter(|object| distinctive.contains(&object.label.as_str()))
        .map(|object| 1.0 - object.confidence)
        .collect();
    (!decisive.is_empty()).then(|| Inferred {
        room: model.room,
        posterior,
        certainty: 1.0 - decisive.iter().product::<f64>(),
        objects: objects.iter().filter(supports).copied().collect(),
    })
}

/// Returns the posterior probability of each model.
fn posterior(objects: &[&FusedObject]) -> Vec<f64> {
    let mut log_odds: Vec<f64> = MODELS.iter().map(|model| model.prior.ln()).collect();
    let mut seen = BTreeSet::new();
    for object in objects {
        if !seen.insert(object.label.as_str()) {
            continue;
        }
        let (found, wrong) = rates(object);
        let given = |share: f64| share * found + (1.0 - share) * wrong;
        let total: f64 = MODELS.iter().map(|model| model.prior).sum();
        let background: f64 =
            MODELS.iter().map(|model| model.prior / total * given(share(model, &object.label))).sum();
        for (sum, model) in log_odds.iter_mut().zip(&MODELS) {
            let weight = (given(share(model, &object.label)) / background).ln();
            *sum += weight.clamp(-MAX_WEIGHT, MAX_WEIGHT);
        }
    }
    let most = log_odds.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let odds: Vec<f64> = log_odds.iter().map(|sum| (sum - most).exp()).collect();
    let total: f64 = odds.iter().sum();
    odds.into_iter().map(|odds| odds / total).collect()
}

/// Returns the probabilities of finding an object of this class that is there, and one that is not.
fn rates(object: &FusedObject) -> (f64, f64) {
    let distinctive = DISTINCTIVE.iter().any(|(_, labels)| labels.contains(&object.label.as_str()));
    let well_seen =
        object.sightings.len() >= WELL_SEEN_MIN_SIGHTINGS && object.confidence >= WELL_SEEN_MIN_CONFIDENCE;
    (
        if distinctive { DISTINCTIVE_DETECTION_RATE } else { DETECTION_RATE },
        if well_seen { WELL_SEEN_FALSE_RATE } else { FALSE_RATE },
    )
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
    use domain::document::Evidence;

    use super::*;

    fn object(label: &str, sightings: usize) -> FusedObject {
        let seen = Evidence {
            media_id: "med_video".to_owned(),
            frame_id: Some("frm_00001".to_owned()),
            t_ms: None,
            ordinal: None,
            bbox: None,
            narration_id: None,
            score: 0.8,
        };
        FusedObject {
            label: label.to_owned(),
            confidence: 0.95,
            zone: Some(0),
            min: 1,
            best: 1,
            max: 1,
            sightings: vec![seen; sightings],
            run_id: "run_objects".to_owned(),
        }
    }

    fn inferred(labels: &[&str]) -> Option<&'static str> {
        let objects: Vec<FusedObject> = labels.iter().map(|label| object(label, 4)).collect();
        infer(&objects.iter().collect::<Vec<_>>()).map(|inferred| inferred.room)
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
            let objects: Vec<FusedObject> = labels
                .iter()
                .map(|(label, confidence)| FusedObject { confidence: *confidence, ..object(label, 4) })
                .collect();
            infer(&objects.iter().collect::<Vec<_>>()).map(|inferred| (inferred.certainty * 100.0).round())
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
    fn a_class_votes_once() {
        let one = [object("chair", 4)];
        let many: Vec<FusedObject> = (0..20).map(|_| object("chair", 4)).collect();
        assert_eq!(posterior(&one.iter().collect::<Vec<_>>()), posterior(&many.iter().collect::<Vec<_>>()));
    }

    #[test]
    fn posteriors_are_probabilities() {
        let objects = [object("bed", 1), object("tv", 5), object("unknown", 2)];
        let posterior = posterior(&objects.iter().collect::<Vec<_>>());
        assert!((posterior.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        assert!(posterior.iter().all(|p| (0.0..=1.0).contains(p)));
    }
}
