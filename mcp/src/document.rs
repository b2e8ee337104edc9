//! Parts of a Space Document as short items: what an agent needs, with the ids to look further.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

/// A part of a Space Document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Part {
    /// An overview: the summary, the number of items of each part, and the zones.
    #[default]
    Summary,
    /// Rooms and areas, with their types and attributes.
    Zones,
    /// Texts that were read, such as signs.
    Texts,
    /// Objects that were found, with their counts.
    Objects,
    /// What was said during the walk.
    Narration,
    /// Facts on boards: prices, opening hours, contacts, rules.
    Facts,
    /// Sizes that were read, spoken or measured.
    Measurements,
}

impl Part {
    const LISTS: [(&'static str, Self); 6] = [
        ("zones", Self::Zones),
        ("texts", Self::Texts),
        ("objects", Self::Objects),
        ("narration", Self::Narration),
        ("facts", Self::Facts),
        ("measurements", Self::Measurements),
    ];

    /// Returns the name of this part.
    pub(crate) fn name(self) -> &'static str {
        Self::LISTS.iter().find(|(_, part)| *part == self).map_or("summary", |(name, _)| name)
    }

    /// Returns the items of this part. With `zone_id`, only those in that zone.
    pub(crate) fn items(self, document: &Value, zone_id: Option<&str>) -> Vec<Value> {
        let Some((name, _)) = Self::LISTS.iter().find(|(_, part)| *part == self) else {
            return summary(document);
        };
        let in_zone = |item: &&Value| {
            let own = if self == Self::Zones { &item["id"] } else { &item["zone_id"] };
            zone_id.is_none_or(|zone| own == zone)
        };
        list(document, name).iter().filter(in_zone).map(|item| self.shown(item)).collect()
    }

    fn shown(self, item: &Value) -> Value {
        let claim = &item["claim"];
        match self {
            Self::Zones => json!({
                "id": item["id"], "label": item["label"], "best_frame_id": item["best_frame_id"],
                "types": list(item, "types").iter().map(|t| &t["value"]).collect::<Vec<_>>(),
                "attributes": list(item, "attributes").iter()
                    .map(|a| json!({ "name": a["name"], "value": a["claim"]["value"] })).collect::<Vec<_>>(),
                "coverage": item["coverage"],
            }),
            Self::Objects => json!({
                "id": item["id"], "category": item["category"]["value"], "zone_id": item["zone_id"],
                "count": item["count"], "confidence": item["category"]["confidence"],
                "condition": item["condition"]["value"], "frame_id": item["sightings"][0]["frame_id"],
            }),
            Self::Narration => json!({
                "id": item["id"], "text": item["text"], "zone_id": item["zone_id"],
                "start_ms": item["start_ms"], "end_ms": item["end_ms"],
            }),
            Self::Summary | Self::Texts | Self::Facts | Self::Measurements => {
                let mut shown = serde_json::Map::new();
                for field in ["id", "raw", "kind", "subject", "value", "unit", "negated", "zone_id"] {
                    if !item[field].is_null() {
                        shown.insert(field.to_owned(), item[field].clone());
                    }
                }
                shown.insert("confidence".to_owned(), claim["confidence"].clone());
                shown.insert("frame_id".to_owned(), claim["evidence"][0]["frame_id"].clone());
                Value::Object(shown)
            }
        }
    }
}

/// Maximum number of zones and of warnings in a summary, so that it leaves room for its sentences.
const MAX_SUMMARY_ZONES: usize = 24;
const MAX_SUMMARY_WARNINGS: usize = 5;

fn summary(document: &Value) -> Vec<Value> {
    let count = |name: &str| (name.to_owned(), json!(list(document, name).len()));
    let counts: serde_json::Map<_, _> =
        Part::LISTS.iter().map(|(name, _)| count(name)).chain([count("frames")]).collect();
    let mut items = vec![json!({ "items_of_each_part": counts, "language": document["language"] })];
    let sentences = list(document, "summary").iter();
    items.extend(sentences.map(|sentence| json!({ "summary": sentence["text"] })));
    let warnings = list(&document["quality"], "warnings").iter().take(MAX_SUMMARY_WARNINGS);
    items.extend(warnings.map(|warning| json!({ "warning": warning["message"] })));
    let zones = list(document, "zones");
    items.extend(zones.iter().take(MAX_SUMMARY_ZONES).map(|zone| {
        let types: Vec<_> = list(zone, "types").iter().map(|t| &t["value"]).collect();
        json!({ "zone_id": zone["id"], "label": zone["label"], "types": types })
    }));
    if zones.len() > MAX_SUMMARY_ZONES {
        items.push(json!({ "further_zones": zones.len() - MAX_SUMMARY_ZONES, "see": "part zones" }));
    }
    items
}

/// Returns a list of an object, or an empty one.
pub(crate) fn list<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    value[name].as_array().map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{tokens::estimate, untrusted::block};

    /// The document of an hour: 60 zones, 2,000 texts and objects, and 9,000 words of speech.
    fn hour() -> Value {
        let claim =
            json!({ "value": "kitchen", "confidence": 0.91, "evidence": [{ "frame_id": "frm_0003e8c1" }] });
        let zones: Vec<_> = (0..60)
            .map(|i| {
                json!({ "id": format!("zon_{i:08x}"), "label": format!("Meeting room {i}"), "types": [claim],
                        "best_frame_id": "frm_1", "coverage": 0.7, "attributes": [] })
            })
            .collect();
        let texts: Vec<_> = (0..2000)
            .map(|i| json!({ "id": format!("txt_{i:08x}"), "raw": format!("Room {i}"), "claim": claim }))
            .collect();
        let objects: Vec<_> = (0..2000)
            .map(|i| {
                json!({ "id": format!("obj_{i:08x}"), "category": claim, "count": { "min": 1, "best": 2, "max": 3 },
                        "sightings": [{ "frame_id": "frm_2" }] })
            })
            .collect();
        let narration: Vec<_> = (0..900)
            .map(|i| {
                json!({ "id": format!("nar_{i}"), "text": "and this is the next room on the left side",
                             "start_ms": i * 4000, "end_ms": i * 4000 + 3500 })
            })
            .collect();
        let sentences: Vec<_> = (0..12)
            .map(|i| json!({ "text": format!("On floor {i} there are five meeting rooms and one kitchen.") }))
            .collect();
        let warnings: Vec<_> =
            (0..40).map(|_| json!({ "message": "The light was too low to read texts here." })).collect();
        json!({ "language": "en", "zones": zones, "texts": texts, "objects": objects, "narration": narration,
                "facts": [], "measurements": [], "summary": sentences, "quality": { "warnings": warnings } })
    }

    #[test]
    fn the_summary_of_an_hour_has_at_most_2000_tokens_and_names_every_part() {
        let text = block("summary", &Part::Summary.items(&hour(), None), 0);
        assert!(estimate(&text) <= 2_000, "{}", estimate(&text));
        for shown in ["\"texts\":2000", "On floor 11", "Meeting room 0", "further_zones"] {
            assert!(text.contains(shown), "{shown} is missing in {text}");
        }
        assert!(!text.contains("Continue with offset"), "{text}");
    }

    #[test]
    fn parts_are_short_items_with_their_ids_and_can_be_limited_to_a_zone() {
        let document = hour();
        for (name, part) in Part::LISTS {
            let items = part.items(&document, None);
            assert_eq!(items.len(), list(&document, name).len());
            assert!(items.iter().all(|item| item["id"].is_string()), "{name}");
        }
        assert_eq!(Part::Zones.items(&document, Some("zon_00000003"))[0]["label"], "Meeting room 3");
        assert!(Part::Texts.items(&document, Some("zon_00000003")).is_empty());
    }
}
