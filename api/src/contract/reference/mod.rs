//! The reference pages at `/docs`, rendered from the endpoint list and the OpenAPI document. They
//! need no scripts and load nothing from other hosts.

pub(crate) mod curl;
mod errors;
mod guide;
pub(crate) mod layout;
mod markdown;
mod operation;
mod schema;
mod serve;

use std::collections::BTreeMap;

use domain::{ApiErrorCode, FailureCode};
use maud::{Markup, html};
use serde_json::Value;

use crate::{
    contract::endpoint::Endpoint,
    http::error::{REFERENCE_PATH as PATH, error_path},
};

pub(crate) use serve::pages;

/// The style sheet of every page.
const STYLE: &str = include_str!("style.css");

/// Every page, by path.
#[derive(Debug)]
pub struct Reference {
    pages: BTreeMap<String, Page>,
}

/// A rendered page.
#[derive(Debug)]
struct Page {
    media_type: &'static str,
    text: String,
}

impl Page {
    fn html(markup: Markup) -> Self {
        Self { media_type: "text/html; charset=utf-8", text: markup.into_string() }
    }
}

impl Reference {
    /// Renders every page. `document` is the OpenAPI document of these endpoints; `api` is the
    /// public URL of the API, with its version.
    pub fn new(endpoints: &[Endpoint], document: &Value, api: &str) -> Self {
        let mut pages = BTreeMap::new();
        pages.insert(PATH.to_owned(), Page::html(main_page(endpoints, document, api)));
        pages.insert(format!("{PATH}/errors"), Page::html(errors::index()));
        let codes = ApiErrorCode::ALL.iter().map(|code| (code.as_str(), code.page()));
        for (code, text) in codes.chain(FailureCode::ALL.iter().map(|code| (code.as_str(), code.page()))) {
            pages.insert(error_path(code), Page::html(errors::page(code, text)));
        }
        pages.insert(
            format!("{PATH}/style.css"),
            Page { media_type: "text/css; charset=utf-8", text: STYLE.to_owned() },
        );
        Self { pages }
    }
}

/// Renders the main page: guide, operations and schemas.
fn main_page(endpoints: &[Endpoint], document: &Value, api: &str) -> Markup {
    let mut tags: Vec<&str> = Vec::new();
    for endpoint in endpoints {
        if !tags.contains(&endpoint.tag) {
            tags.push(endpoint.tag);
        }
    }
    // The console comes last, because clients of the API do not need it.
    tags.sort_by_key(|tag| *tag == "Console");
    let tagged = |tag: &str| endpoints.iter().filter(move |endpoint| endpoint.tag == tag).collect::<Vec<_>>();
    let title = document["info"]["title"].as_str().unwrap_or_default();
    let version = document["info"]["version"].as_str().unwrap_or_default();
    let schemas = document["components"]["schemas"].as_object();
    let contents = html! {
        ul {
            li { a href={ (PATH) "/introduction" } { "Guides" } }
            li { a href="#overview" { "Overview" } (guide::contents()) }
            @for tag in &tags {
                li {
                    a href={ "#tag-" (tag) } { (tag) }
                    ul { @for endpoint in tagged(tag) {
                        li { a href={ "#" (endpoint.operation) } { (endpoint.summary) } }
                    } }
                }
            }
            li { a href={ (PATH) "/errors" } { "Errors" } }
            li {
                a href="#schemas" { "Schemas" }
                ul { @for (name, _) in schemas.into_iter().flatten() {
                    li { a href={ "#" (schema::anchor(name)) } { (name) } }
                } }
            }
        }
    };
    let body = html! {
        header id="overview" {
            h1 { (title) }
            p { (markdown::inline(document["info"]["description"].as_str().unwrap_or_default())) }
            p.facts { "Version " (version) " · " a href={ (api) "/openapi.json" } { "openapi.json" } " · " code { (api) } }
        }
        (guide::text(api))
        @for tag in &tags {
            section id={ "tag-" (tag) } {
                h2 { (tag) }
                @for endpoint in tagged(tag) { (operation::section(endpoint, document, api)) }
            }
        }
        section id="schemas" {
            h2 { "Schemas" }
            @for (name, value) in schemas.into_iter().flatten() { (schema::section(name, value)) }
        }
    };
    layout::page(title, Some(contents), body)
}
