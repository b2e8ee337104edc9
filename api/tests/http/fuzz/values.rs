//! Generates JSON that matches a schema of the contract, or almost matches it.

use proptest::{prelude::*, string::string_regex};
use serde_json::{Map, Value, json};

use super::arbitrary;
use crate::contract_checks;

/// Maximum length of generated text if the schema allows more.
const MAX_GENERATED_LENGTH: u64 = 300;

/// Generates values that match a schema.
pub(super) fn matching(schema: &Value) -> BoxedStrategy<Value> {
    if let Some(reference) = schema["$ref"].as_str() {
        let pointer = reference.trim_start_matches('#');
        return matching(contract_checks::document().pointer(pointer).expect("references resolve"));
    }
    for alternatives in ["oneOf", "anyOf"] {
        if let Some(all) = schema[alternatives].as_array() {
            return prop::strategy::Union::new(all.iter().map(matching)).boxed();
        }
    }
    if let Some(parts) = schema["allOf"].as_array() {
        let parts: Vec<_> = parts.iter().map(matching).collect();
        return parts.prop_map(|parts| parts.into_iter().filter_map(fields_of).flatten().collect()).boxed();
    }
    if let Some(values) = schema["enum"].as_array() {
        return prop::sample::select(values.clone()).boxed();
    }
    match &schema["type"] {
        Value::Array(kinds) => {
            let one = |kind: &Value| {
                let mut schema = schema.clone();
                schema["type"] = kind.clone();
                matching(&schema)
            };
            prop::strategy::Union::new(kinds.iter().map(one)).boxed()
        }
        Value::String(kind) => typed(kind, schema),
        _ => arbitrary::json(),
    }
}

fn fields_of(value: Value) -> Option<Map<String, Value>> {
    if let Value::Object(fields) = value { Some(fields) } else { None }
}

fn typed(kind: &str, schema: &Value) -> BoxedStrategy<Value> {
    match kind {
        "string" => text(schema),
        "integer" => integer(schema),
        "number" => (-1e6..1e6f64).prop_map(Value::from).boxed(),
        "boolean" => any::<bool>().prop_map(Value::from).boxed(),
        "array" => {
            let min = schema["minItems"].as_u64().unwrap_or(0) as usize;
            prop::collection::vec(matching(&schema["items"]), min..=min + 3).prop_map(Value::from).boxed()
        }
        "object" => object(schema),
        _ => Just(Value::Null).boxed(),
    }
}

fn text(schema: &Value) -> BoxedStrategy<Value> {
    if let Some(pattern) = schema["pattern"].as_str() {
        let inner = pattern.trim_start_matches('^').trim_end_matches('$');
        if let Ok(strategy) = string_regex(inner) {
            return strategy.prop_map(Value::from).boxed();
        }
    }
    if schema["format"] == "date-time" {
        let times = ["2026-03-02T09:15:04.218Z", "2026-03-02T09:15:04Z", "2099-12-31T23:59:59.999Z"];
        return prop::sample::select(times.to_vec()).prop_map(Value::from).boxed();
    }
    let min = schema["minLength"].as_u64().unwrap_or(0);
    let max = schema["maxLength"]
        .as_u64()
        .unwrap_or(MAX_GENERATED_LENGTH)
        .clamp(min, MAX_GENERATED_LENGTH.max(min));
    let length = prop_oneof![3 => min..=max, 1 => Just(min), 1 => Just(max)];
    (length, "[a-zA-Zäß中 ]").prop_map(|(length, part)| part.repeat(length as usize).into()).boxed()
}

fn integer(schema: &Value) -> BoxedStrategy<Value> {
    let min = schema["minimum"].as_i64().unwrap_or(i64::MIN);
    let max = schema["maximum"].as_i64().unwrap_or(i64::MAX);
    prop_oneof![
        3 => (min..=max).prop_map(Value::from),
        1 => Just(json!(min)),
        1 => Just(json!(max)),
        2 => (min..=min.saturating_add(100).min(max)).prop_map(Value::from),
    ]
    .boxed()
}

fn object(schema: &Value) -> BoxedStrategy<Value> {
    let required = schema["required"].as_array().cloned().unwrap_or_default();
    let Some(properties) = schema["properties"].as_object() else {
        return Just(json!({})).boxed();
    };
    let fields: Vec<_> = properties
        .iter()
        .map(|(name, schema)| {
            let always = required.iter().any(|required| required == name);
            let value = matching(schema);
            let value = if always { value.prop_map(Some).boxed() } else { prop::option::of(value).boxed() };
            (Just(name.clone()), value)
        })
        .collect();
    fields
        .prop_map(|fields| fields.into_iter().filter_map(|(name, value)| Some((name, value?))).collect())
        .boxed()
}

/// Generates values that match a schema except for one change, at any depth.
pub(super) fn mutated(schema: &Value) -> BoxedStrategy<Value> {
    (matching(schema), any::<prop::sample::Index>(), 0..4u8, arbitrary::json(), arbitrary::text())
        .prop_map(|(mut value, place, change, other, name)| {
            let mut places = Vec::new();
            pointers(&value, String::new(), &mut places);
            let place = places[place.index(places.len())].clone();
            if let Some(part) = value.pointer_mut(&place) {
                match (change, part) {
                    (0, Value::Object(fields)) => drop(fields.insert(name, other)),
                    (1, Value::Object(fields)) => {
                        drop(fields.keys().next().cloned().map(|name| fields.remove(&name)))
                    }
                    (2, Value::Array(items)) => *items = vec![other; 600],
                    (_, part) => *part = other,
                }
            }
            value
        })
        .boxed()
}

/// Returns a JSON pointer to every part of a value, including the value itself.
fn pointers(value: &Value, here: String, all: &mut Vec<String>) {
    all.push(here.clone());
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                pointers(value, format!("{here}/{}", name.replace('~', "~0").replace('/', "~1")), all);
            }
        }
        Value::Array(items) => {
            for (i, value) in items.iter().enumerate() {
                pointers(value, format!("{here}/{i}"), all);
            }
        }
        _ => {}
    }
}
