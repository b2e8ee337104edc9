//! The section of one operation: parameters, body, command, responses and errors.

use domain::ApiErrorCode;
use maud::{Markup, html};
use serde_json::Value;

use super::{curl, markdown, schema};
use crate::{
    contract::endpoint::{Access, Endpoint},
    http::error::error_path,
};

/// Maximum length of an example that is shown unfolded, in bytes.
const LONG_EXAMPLE: usize = 1200;

/// Renders the section of an operation. Its anchor is the operation id.
pub(super) fn section(endpoint: &Endpoint, document: &Value, api: &str) -> Markup {
    let method = endpoint.method.as_str().to_lowercase();
    let operation = &document["paths"][endpoint.path.as_str()][method.as_str()];
    let description = operation["description"].as_str().unwrap_or_default();
    html! {
        article id=(endpoint.operation) {
            h3 { a.anchor href={ "#" (endpoint.operation) } { (endpoint.summary) } }
            p.path {
                span class={ "method " (method) } { (endpoint.method.as_str()) }
                " " code { (with_line_breaks(endpoint.path.as_str())) }
            }
            @if !description.is_empty() { p { (markdown::inline(description)) } }
            p.facts { (access_label(endpoint.access)) " · " code { (endpoint.operation) } }
            (parameters(&operation["parameters"]))
            (body(&operation["requestBody"]))
            h4 { "Call" }
            pre { code { (curl::command(endpoint, api)) } }
            (responses(endpoint, &operation["responses"]))
            (errors(&endpoint.all_errors()))
        }
    }
}

/// Renders a path with line-break opportunities after its slashes.
fn with_line_breaks(path: &str) -> Markup {
    html! { @for part in path.split_inclusive('/') { (part) wbr; } }
}

fn access_label(access: Access) -> Markup {
    match access {
        Access::Public => html! { "Public" },
        Access::Signed => html! { "Requires a signed URL or link" },
        Access::OwnPages => html! { "Accepted from the service’s own pages only" },
        Access::Session => html! { "Requires a console session" },
        Access::Key(None) => html! { "Requires an API key" },
        Access::Key(Some(scope)) => html! { "Requires an API key with the scope " code { (scope.as_str()) } },
    }
}

fn parameters(parameters: &Value) -> Markup {
    let Some(parameters) = parameters.as_array().filter(|all| !all.is_empty()) else { return html! {} };
    html! {
        h4 { "Parameters" }
        dl { @for parameter in parameters {
            dt {
                code { (parameter["name"].as_str().unwrap_or_default()) }
                span.kind { (parameter["in"].as_str().unwrap_or_default()) ", " (schema::kind(&parameter["schema"])) }
            }
            dd {
                (markdown::inline(parameter["description"].as_str().unwrap_or_default()))
                (schema::rules(&parameter["schema"]))
            }
        } }
    }
}

fn body(body: &Value) -> Markup {
    let Some(content) = body["content"].as_object() else { return html! {} };
    let first = content.values().next().unwrap_or(&Value::Null);
    html! {
        h4 { "Body" @if body["required"] != true { " (optional)" } }
        p {
            @for (i, name) in content.keys().enumerate() { @if i > 0 { ", " } code { (name) } }
            ": " (schema::kind(&first["schema"]))
        }
        (example(first))
    }
}

fn responses(endpoint: &Endpoint, responses: &Value) -> Markup {
    let mut statuses: Vec<u16> = endpoint.responses.iter().map(|response| response.status).collect();
    statuses.dedup();
    html! {
        h4 { "Responses" }
        @for status in statuses {
            @let response = &responses[status.to_string()];
            p {
                span.status { (status) } " " (markdown::inline(response["description"].as_str().unwrap_or_default()))
                @for (name, content) in response["content"].as_object().into_iter().flatten() {
                    " " code { (name) } ": " (schema::kind(&content["schema"]))
                }
            }
            @for content in response["content"].as_object().into_iter().flatten().map(|(_, content)| content) {
                (example(content))
            }
        }
    }
}

/// Renders an example: JSON indented, text verbatim.
fn example(content: &Value) -> Markup {
    let value = &content["examples"]["usual"]["value"];
    let text = match value {
        Value::Null => return html! {},
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    };
    if text.len() > LONG_EXAMPLE {
        return html! { details { summary { "Example" } pre { code { (text) } } } };
    }
    html! { pre { code { (text) } } }
}

fn errors(codes: &[ApiErrorCode]) -> Markup {
    html! {
        h4 { "Errors" }
        ul.errors { @for code in codes {
            li { span.status { (code.status()) } " " a href=(error_path(code.as_str())) { (code.as_str()) } }
        } }
    }
}
