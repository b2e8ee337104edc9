//! Lines of a skill's references: one fact for each line, with its claim and evidence.

use domain::document::{Claim, Evidence, SpaceDocument, Zone};
use serde_json::{Value, json};

/// Maximum number of pieces of evidence in a line. The document has all of them.
const MAX_EVIDENCE: usize = 3;

/// Returns the facts about a zone.
pub(super) fn of_zone(document: &SpaceDocument, zone: &Zone) -> Vec<Value> {
    let mut lines = vec![json!({
        "zone": zone.id, "label": zone.label, "best_frame": zone.best_frame_id, "coverage": zone.coverage,
        "visits": zone.intervals,
    })];
    lines.extend(zone.types.iter().map(|claim| fact("type", &claim.value, claim, json!({}))));
    for attribute in &zone.attributes {
        let more = json!({ "name": attribute.name });
        lines.push(fact("attribute", &attribute.claim.value, &attribute.claim, more));
    }
    for opening in &document.openings {
        if [&opening.from_zone_id, &opening.to_zone_id].contains(&&zone.id) {
            let more = json!({ "from": opening.from_zone_id, "to": opening.to_zone_id });
            lines.push(fact("opening", &opening.claim.value, &opening.claim, more));
        }
    }
    lines.extend(contents(document, Some(&zone.id)));
    lines
}

/// Returns the facts without a zone.
pub(super) fn unplaced(document: &SpaceDocument) -> Vec<Value> {
    contents(document, None)
}

/// Returns the limits of the scan: its quality, its warnings, and the classes its models can
/// detect.
pub(super) fn limits(document: &SpaceDocument) -> Vec<Value> {
    let quality = &document.quality;
    let mut lines = vec![json!({
        "blurred": quality.blurred, "dark": quality.dark, "uncovered": quality.uncovered,
    })];
    lines.extend(quality.warnings.iter().map(|w| json!({ "warning": w.code, "message": w.message })));
    let closed = document.runs.iter().filter(|run| !run.can_know.is_empty());
    lines.extend(closed.map(|run| json!({ "task": run.task, "can_only_know": run.can_know })));
    lines
}

fn contents(document: &SpaceDocument, zone: Option<&String>) -> Vec<Value> {
    let here = |of: &Option<String>| of.as_ref() == zone;
    let mut lines = Vec::new();
    for object in document.objects.iter().filter(|o| here(&o.zone_id)) {
        let more = json!({ "id": object.id, "count": object.count });
        lines.push(fact("thing", &object.category.value, &object.category, more));
        let condition = object.condition.iter();
        lines.extend(condition.map(|c| fact("condition", &c.value, c, json!({ "of": object.id }))));
    }
    for text in document.texts.iter().filter(|t| here(&t.zone_id)) {
        lines.push(fact("text", &text.raw, &text.claim, json!({ "kind": text.kind })));
    }
    for size in document.measurements.iter().filter(|m| here(&m.zone_id)) {
        let more = json!({ "number": size.value, "unit": size.unit, "method": size.method });
        lines.push(fact("measurement", &size.claim.value, &size.claim, more));
    }
    for segment in document.narration.iter().filter(|n| here(&n.zone_id)) {
        lines.push(json!({
            "said": segment.text, "claim": segment.id, "confidence": segment.confidence,
            "start_ms": segment.start_ms, "end_ms": segment.end_ms,
        }));
    }
    lines
}

fn fact(kind: &str, value: &str, claim: &Claim, more: Value) -> Value {
    let mut line = json!({
        kind: value, "claim": claim.id, "basis": claim.basis, "confidence": claim.confidence,
        "seen": claim.evidence.iter().take(MAX_EVIDENCE).map(place).collect::<Vec<_>>(),
    });
    if let (Some(line), Value::Object(more)) = (line.as_object_mut(), more) {
        line.extend(more);
    }
    line
}

fn place(evidence: &Evidence) -> Value {
    let mut place = serde_json::Map::new();
    let mut add = |name: &str, value: Option<Value>| {
        place.extend(value.map(|value| (name.to_owned(), value)));
    };
    add("frame", evidence.frame_id.clone().map(Value::from));
    add("narration", evidence.narration_id.clone().map(Value::from));
    add("t_ms", evidence.t_ms.map(Value::from));
    add("photo", evidence.ordinal.map(Value::from));
    Value::Object(place)
}
