//! The JSON Schema of the Space Document, made from the schemas of `openapi.json`.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

/// Begin of a reference in `openapi.json`.
const COMPONENTS: &str = "#/components/schemas/";

/// Returns the schema as text. `openapi` is the OpenAPI document; `id` is the public URL of the schema.
pub fn text(openapi: &Value, id: &str) -> String {
    let schemas = &openapi["components"]["schemas"];
    let mut wanted = vec!["SpaceDocument".to_owned()];
    let mut definitions = Map::new();
    let mut seen = BTreeSet::new();
    while let Some(name) = wanted.pop() {
        if seen.insert(name.clone()) {
            let mut schema = schemas[&name].clone();
            local_references(&mut schema, &mut wanted);
            definitions.insert(name, schema);
        }
    }
    definitions.sort_keys();
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": id,
        "title": "Space Document",
        "$ref": "#/$defs/SpaceDocument",
        "$defs": definitions,
    });
    format!("{schema:#}\n")
}

/// Makes references point into this schema, and adds the names that they refer to.
fn local_references(schema: &mut Value, names: &mut Vec<String>) {
    match schema {
        Value::Object(fields) => {
            if let Some(name) =
                fields.get("$ref").and_then(|target| target.as_str()?.strip_prefix(COMPONENTS))
            {
                let name = name.to_owned();
                fields.insert("$ref".to_owned(), json!(format!("#/$defs/{name}")));
                names.push(name);
            }
            fields.values_mut().for_each(|value| local_references(value, names));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| local_references(item, names)),
        _ => {}
    }
}
