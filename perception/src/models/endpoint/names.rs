//! Names of objects in the vocabulary of the packaged detector.
//!
//! A language model calls one thing "sofa" and the packaged detector calls it "couch". Scans with
//! both, and questions about them, need one name.

use crate::models::packaged::is_known_class;

/// Common names of the classes, by class.
const SYNONYMS: [(&str, &[&str]); 17] = [
    ("couch", &["sofa", "settee", "loveseat", "sofa bed"]),
    ("chair", &["armchair", "stool", "seat", "recliner"]),
    ("tv", &["television", "television set", "tv set", "monitor", "screen", "display"]),
    ("refrigerator", &["fridge", "freezer", "fridge freezer"]),
    ("potted plant", &["plant", "houseplant", "pot plant", "flowerpot", "plant pot"]),
    ("dining table", &["table", "kitchen table"]),
    ("oven", &["stove", "cooker", "range"]),
    ("sink", &["washbasin", "basin", "wash basin", "wash hand basin"]),
    ("toilet", &["wc", "lavatory", "toilet bowl"]),
    ("laptop", &["laptop computer", "notebook computer"]),
    ("cell phone", &["phone", "mobile phone", "smartphone"]),
    ("bicycle", &["bike", "exercise bike"]),
    ("suitcase", &["luggage", "trolley case"]),
    ("cup", &["mug", "teacup"]),
    ("wine glass", &["wineglass", "goblet"]),
    ("hair drier", &["hair dryer", "hairdryer", "blow dryer"]),
    ("remote", &["remote control", "tv remote"]),
];
/// Compounds that end with the name of another thing.
const COMPOUNDS: [&str; 9] = [
    "flower bed",
    "truck bed",
    "coffee table",
    "side table",
    "bedside table",
    "changing table",
    "massage table",
    "pool table",
    "car seat",
];

/// Returns the name of a class for a name that a model gave: in lower case and in the singular, with
/// the class of the detector where it means one ("Office chairs" is a `chair`).
pub(super) fn normalized(name: &str) -> String {
    let words = name.to_lowercase().replace(['-', '_'], " ");
    let name = singular(&words.split_whitespace().collect::<Vec<_>>().join(" "));
    let ends_with = |compound: &&str| {
        name.strip_suffix(*compound).is_some_and(|rest| rest.is_empty() || rest.ends_with(' '))
    };
    if COMPOUNDS.iter().any(ends_with) {
        return name;
    }
    // The last words name the thing, and those before describe it.
    let starts = std::iter::once(name.as_str()).chain(name.match_indices(' ').map(|(at, _)| &name[at + 1..]));
    starts.into_iter().find_map(class_of).map_or_else(|| name.clone(), str::to_owned)
}

fn class_of(name: &str) -> Option<&str> {
    if is_known_class(name) {
        return Some(name);
    }
    SYNONYMS.iter().find(|(_, names)| names.contains(&name)).map(|(class, _)| *class)
}

/// Returns the singular of the last word.
fn singular(name: &str) -> String {
    if class_of(name).is_some() || name.len() < 4 {
        return name.to_owned();
    }
    for (plural, one) in [
        ("shelves", "shelf"),
        ("knives", "knife"),
        ("ies", "y"),
        ("ches", "ch"),
        ("shes", "sh"),
        ("sses", "ss"),
        ("xes", "x"),
    ] {
        if let Some(stem) = name.strip_suffix(plural) {
            return format!("{stem}{one}");
        }
    }
    let is_plural = name.ends_with('s') && !["ss", "us", "is"].iter().any(|end| name.ends_with(end));
    if is_plural { name[..name.len() - 1].to_owned() } else { name.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_get_the_class_of_the_detector() {
        for (name, class) in [
            ("Sofa", "couch"),
            ("office chairs", "chair"),
            ("flat-screen television", "tv"),
            ("fridge", "refrigerator"),
            ("Houseplants", "potted plant"),
            ("book shelves", "book shelf"),
            ("wine glasses", "wine glass"),
            ("batteries", "battery"),
            ("hair dryer", "hair drier"),
        ] {
            assert_eq!(normalized(name), class, "{name}");
        }
    }

    #[test]
    fn other_things_keep_their_names() {
        for name in [
            "fire extinguisher",
            "coffee table",
            "low coffee table",
            "flower bed",
            "glass",
            "cactus",
            "wheelchair",
        ] {
            assert_eq!(normalized(name), name);
        }
    }
}
