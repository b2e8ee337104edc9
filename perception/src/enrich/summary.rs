//! The space in a few sentences, each with the claims it rests on.

use domain::document::{AttributeName, Measurement, Object, Opening, Sentence, Text, TextKind, Zone};

/// Signs that are quoted, at most.
const QUOTED: usize = 8;
/// Letters of a sign that are quoted, at most.
const QUOTE_LENGTH: usize = 60;

/// The sentences, from the whole to the parts. What has no claim is not said.
pub(super) fn summary(
    zones: &[Zone],
    objects: &[Object],
    texts: &[Text],
    measurements: &[Measurement],
    openings: &[Opening],
) -> Vec<Sentence> {
    let mut out = Vec::new();
    let mut say = |text: String, claim_ids: Vec<String>| {
        if !claim_ids.is_empty() {
            out.push(Sentence { text, claim_ids });
        }
    };
    let first_claim =
        |z: &Zone| z.types.first().or(z.attributes.first().map(|a| &a.claim)).map(|c| c.id.clone());
    let cited: Vec<String> = zones.iter().filter_map(first_claim).collect();
    let labels = list(&zones.iter().map(|z| z.label.clone()).collect::<Vec<_>>());
    match zones.len() {
        0 => {}
        1 => say(format!("The media show one zone: {labels}."), cited),
        n => say(format!("The media show {n} zones: {labels}."), cited),
    }
    let label = |id: &String| zones.iter().find(|z| z.id == *id).map(|z| z.label.clone());
    for opening in openings {
        if let (Some(from), Some(to)) = (label(&opening.from_zone_id), label(&opening.to_zone_id)) {
            say(format!("The way goes from {from} to {to}."), vec![opening.claim.id.clone()]);
        }
    }
    for zone in zones {
        let attribute =
            |name: AttributeName| zone.attributes.iter().find(|a| a.name == name).map(|a| &a.claim);
        if let (Some(light), Some(colours)) =
            (attribute(AttributeName::Light), attribute(AttributeName::DominantColours))
        {
            let light_words = match light.value.as_str() {
                "normal" => "normally lit".to_owned(),
                other => other.to_owned(),
            };
            let colour_words = list(&colours.value.split(", ").map(str::to_owned).collect::<Vec<_>>());
            let text = format!("{} is {light_words}; its main colours are {colour_words}.", zone.label);
            say(text, vec![light.id.clone(), colours.id.clone()]);
        }
        let things: Vec<&Object> = objects.iter().filter(|o| o.zone_id.as_ref() == Some(&zone.id)).collect();
        if !things.is_empty() {
            let names: Vec<String> = things.iter().map(|o| counted(o)).collect();
            let text = format!("Seen in {}: {}.", zone.label, list(&names));
            say(text, things.iter().map(|o| o.category.id.clone()).collect());
        }
    }
    for text in texts.iter().filter(|t| t.kind != TextKind::Other).take(QUOTED) {
        let quoted: String = text.raw.chars().take(QUOTE_LENGTH).collect();
        let place = text.zone_id.as_ref().and_then(label).map(|l| format!(" in {l}")).unwrap_or_default();
        say(format!("A text{place} reads “{quoted}”."), vec![text.claim.id.clone()]);
    }
    for measurement in measurements {
        let place =
            measurement.zone_id.as_ref().and_then(label).map(|l| format!(" in {l}")).unwrap_or_default();
        let how = match measurement.method {
            domain::document::Method::Read => "read",
            domain::document::Method::Spoken => "said",
            _ => "given",
        };
        let text = format!("{} {} is {how}{place}.", measurement.value, measurement.unit);
        say(text, vec![measurement.claim.id.clone()]);
    }
    out
}

fn counted(object: &Object) -> String {
    if object.count.best > 1 {
        format!("{} × {}", object.count.best, object.category.value)
    } else {
        object.category.value.clone()
    }
}

/// "a", "a and b", "a, b and c".
fn list(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [rest @ .., last] => format!("{} and {last}", rest.join(", ")),
    }
}
