//! Summarises the space in a few sentences, each with the claims that support it.

use domain::document::{AttributeName, Measurement, Object, Opening, Sentence, Text, TextKind, Zone};

/// Maximum number of quoted texts.
const MAX_QUOTED_TEXTS: usize = 8;
/// Maximum length of a quoted text, in characters.
const MAX_QUOTE_CHARS: usize = 60;

/// Writes the summary, from the whole space to its parts. Sentences without a claim are left out.
pub(super) fn summarise(
    zones: &[Zone],
    objects: &[Object],
    texts: &[Text],
    measurements: &[Measurement],
    openings: &[Opening],
) -> Vec<Sentence> {
    let mut out = overview(zones);
    out.extend(openings.iter().filter_map(|opening| opening_sentence(zones, opening)));
    for zone in zones {
        out.extend(light_sentence(zone));
        out.extend(objects_sentence(zone, objects));
    }
    let is_quoted = |text: &&Text| ![TextKind::Other, TextKind::Credential].contains(&text.kind);
    let quoted = texts.iter().filter(is_quoted).take(MAX_QUOTED_TEXTS);
    out.extend(quoted.map(|text| text_sentence(zones, text)));
    out.extend(measurements.iter().map(|measurement| measurement_sentence(zones, measurement)));
    out.retain(|sentence| !sentence.claim_ids.is_empty());
    out
}

/// Counts and names the zones.
fn overview(zones: &[Zone]) -> Vec<Sentence> {
    let first_claim =
        |z: &Zone| z.types.first().or(z.attributes.first().map(|a| &a.claim)).map(|c| c.id.clone());
    let claim_ids: Vec<String> = zones.iter().filter_map(first_claim).collect();
    let labels = join_names(&zones.iter().map(|z| z.label.clone()).collect::<Vec<_>>());
    let text = match zones.len() {
        0 => return Vec::new(),
        1 => format!("The media show one zone: {labels}."),
        n => format!("The media show {n} zones: {labels}."),
    };
    vec![Sentence { text, claim_ids }]
}

fn opening_sentence(zones: &[Zone], opening: &Opening) -> Option<Sentence> {
    let (from, to) = (zone_label(zones, &opening.from_zone_id)?, zone_label(zones, &opening.to_zone_id)?);
    let text = format!("The way goes from {from} to {to}.");
    Some(Sentence { text, claim_ids: vec![opening.claim.id.clone()] })
}

/// Describes light and main colours of a zone.
fn light_sentence(zone: &Zone) -> Option<Sentence> {
    let attribute = |name: AttributeName| zone.attributes.iter().find(|a| a.name == name).map(|a| &a.claim);
    let (light, colours) = (attribute(AttributeName::Light)?, attribute(AttributeName::DominantColours)?);
    let light_words = match light.value.as_str() {
        "normal" => "normally lit",
        other => other,
    };
    let colour_words = join_names(&colours.value.split(", ").map(str::to_owned).collect::<Vec<_>>());
    let text = format!("{} is {light_words}; its main colours are {colour_words}.", zone.label);
    Some(Sentence { text, claim_ids: vec![light.id.clone(), colours.id.clone()] })
}

/// Lists the objects of a zone.
fn objects_sentence(zone: &Zone, objects: &[Object]) -> Option<Sentence> {
    let inside: Vec<&Object> = objects.iter().filter(|o| o.zone_id.as_ref() == Some(&zone.id)).collect();
    if inside.is_empty() {
        return None;
    }
    let names: Vec<String> = inside.iter().map(|o| with_count(o)).collect();
    let text = format!("Seen in {}: {}.", zone.label, join_names(&names));
    Some(Sentence { text, claim_ids: inside.iter().map(|o| o.category.id.clone()).collect() })
}

fn text_sentence(zones: &[Zone], text: &Text) -> Sentence {
    let quoted: String = text.raw.chars().take(MAX_QUOTE_CHARS).collect();
    let place = place_phrase(zones, text.zone_id.as_ref());
    Sentence { text: format!("A text{place} reads “{quoted}”."), claim_ids: vec![text.claim.id.clone()] }
}

fn measurement_sentence(zones: &[Zone], measurement: &Measurement) -> Sentence {
    let place = place_phrase(zones, measurement.zone_id.as_ref());
    let verb = match measurement.method {
        domain::document::Method::Read => "read",
        domain::document::Method::Spoken => "said",
        _ => "given",
    };
    let text = format!("{} {} is {verb}{place}.", measurement.value, measurement.unit);
    Sentence { text, claim_ids: vec![measurement.claim.id.clone()] }
}

/// Returns the label of a zone.
fn zone_label<'a>(zones: &'a [Zone], id: &str) -> Option<&'a str> {
    zones.iter().find(|z| z.id == id).map(|z| z.label.as_str())
}

/// Returns " in LABEL" for a known zone, and an empty text otherwise.
fn place_phrase(zones: &[Zone], id: Option<&String>) -> String {
    id.and_then(|id| zone_label(zones, id)).map(|label| format!(" in {label}")).unwrap_or_default()
}

fn with_count(object: &Object) -> String {
    if object.count.best > 1 {
        format!("{} × {}", object.count.best, object.category.value)
    } else {
        object.category.value.clone()
    }
}

/// Joins items as "a", "a and b" or "a, b and c".
fn join_names(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}
