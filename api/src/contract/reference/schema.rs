//! Schemas of bodies, with links between component schemas.

use maud::{Markup, html};
use serde_json::Value;

use super::markdown;

/// Prefix of references to component schemas.
const NAMED: &str = "#/components/schemas/";

/// Returns the anchor of a component schema.
pub(super) fn anchor(name: &str) -> String {
    format!("schema-{name}")
}

/// Renders the section of a component schema.
pub(super) fn section(name: &str, value: &Value) -> Markup {
    html! {
        article.schema id=(anchor(name)) {
            h3 { a.anchor href={ "#" (anchor(name)) } { (name) } }
            p { (markdown::inline(value["description"].as_str().unwrap_or_default())) }
            (shape(value))
        }
    }
}

/// Renders the fields or alternatives of a schema, or the constraints of a value.
fn shape(value: &Value) -> Markup {
    if let Some(parts) = value["allOf"].as_array() {
        return html! { @for part in parts {
            @if part["$ref"].is_string() { p { "All fields of " (kind(part)) ", and:" } } @else { (shape(part)) }
        } };
    }
    if value["properties"].is_object() {
        return fields(value);
    }
    html! { p { (kind(value)) (rules(value)) } }
}

fn fields(value: &Value) -> Markup {
    let required = |name: &str| value["required"].as_array().is_some_and(|all| all.iter().any(|r| r == name));
    html! {
        dl { @for (name, field) in value["properties"].as_object().into_iter().flatten() {
            dt {
                code { (name) }
                span.kind { (kind(field)) @if required(name) { ", " b { "required" } } }
            }
            dd { (markdown::inline(description(field))) (rules(field)) }
        } }
        @if value["additionalProperties"] == false { p.facts { "Other fields are refused." } }
    }
}

/// Returns the description of a field; of its non-null alternative if it has none itself.
fn description(field: &Value) -> &str {
    let own = field["description"].as_str();
    let inner = || field["oneOf"].as_array()?.iter().find_map(|one| one["description"].as_str());
    own.or_else(inner).unwrap_or_default()
}

/// Renders the type of a value.
pub(super) fn kind(value: &Value) -> Markup {
    if let Some(name) = value["$ref"].as_str().and_then(|reference| reference.strip_prefix(NAMED)) {
        return html! { a href={ "#" (anchor(name)) } { (name) } };
    }
    if let Some(all) = value["oneOf"].as_array().or_else(|| value["anyOf"].as_array()) {
        return html! { @for (i, one) in all.iter().enumerate() { @if i > 0 { " or " } (kind(one)) } };
    }
    if value["type"] == "array" {
        return html! { "list of " (kind(&value["items"])) };
    }
    if let Some(values) = value["additionalProperties"].as_object() {
        return html! { "map to " (kind(&Value::Object(values.clone()))) };
    }
    let name = |kind: &Value| match (kind.as_str(), value["format"].as_str()) {
        (Some("string"), Some("date-time")) => "time (ISO 8601, UTC)".to_owned(),
        (Some("string"), Some("binary")) => "bytes".to_owned(),
        (Some(kind), _) => kind.to_owned(),
        (None, _) => "anything".to_owned(),
    };
    match &value["type"] {
        Value::Array(kinds) => html! { (kinds.iter().map(name).collect::<Vec<_>>().join(" or ")) },
        one => html! { (name(one)) },
    }
}

/// Renders the constraints of a value besides its type.
pub(super) fn rules(value: &Value) -> Markup {
    let constraint = |name: &str, text: &str| value.get(name).map(|bound| format!("{text} {bound}"));
    let bounds = [
        constraint("minimum", "at least"),
        constraint("maximum", "at most"),
        constraint("minLength", "characters: at least"),
        constraint("maxLength", "characters: at most"),
        constraint("minItems", "items: at least"),
        constraint("maxItems", "items: at most"),
        constraint("default", "default"),
    ];
    let bounds: Vec<_> = bounds.into_iter().flatten().collect();
    html! {
        @if let Some(values) = value["enum"].as_array() {
            span.rules { " One of " @for (i, one) in values.iter().enumerate() {
                @if i > 0 { ", " } code { (one.as_str().unwrap_or_default()) }
            } "." }
        }
        @if !bounds.is_empty() { span.rules { " " (bounds.join("; ")) "." } }
        @if let Some(pattern) = value["pattern"].as_str() {
            span.rules { " Pattern " code { (pattern) } "." }
        }
    }
}
