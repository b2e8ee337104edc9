//! The documentation of `docs` as a site below `/docs`, beside the reference: rendered when the process
//! first serves a page of it, without scripts.

mod links;
mod page;
mod search;
mod serve;
mod summary;

use std::collections::BTreeMap;

use rust_embed::RustEmbed;

pub(crate) use serve::pages;

use crate::http::error::REFERENCE_PATH as PATH;

/// Path of the JSON Schema of the Space Document. It stays the same while the schema only grows.
pub(crate) const DOCUMENT_SCHEMA: &str = "/docs/space-document.schema.json";

/// The files of the folder `docs`, without the pages of errors, which the reference has.
#[derive(RustEmbed)]
#[folder = "../docs"]
#[include = "*.md"]
#[include = "guides/*.md"]
#[include = "adr/*.md"]
#[include = "images/*.jpg"]
#[include = "images/*.png"]
#[include = "images/eval/*.jpg"]
#[exclude = "errors/*"]
struct Files;

/// Every page, by path.
#[derive(Debug)]
pub(crate) struct Site {
    pages: BTreeMap<String, SitePage>,
    navigation: Vec<summary::Entry>,
}

/// A rendered page.
#[derive(Debug)]
struct SitePage {
    /// Its first heading.
    title: String,
    /// The whole page.
    html: String,
    /// Its text, for the search.
    text: String,
    /// Ids of its headings.
    anchors: Vec<String>,
    /// Links to other pages of the service.
    links: Vec<String>,
}

impl Site {
    /// Renders every page.
    pub(crate) fn new() -> Self {
        let navigation = summary::entries(&file("SUMMARY.md"));
        let names = Files::iter().filter(|name| name.ends_with(".md") && name != "SUMMARY.md");
        let pages = names.map(|name| (path(&name), page::render(&name, &file(&name), &navigation))).collect();
        Self { pages, navigation }
    }
}

/// Returns the text of a file; empty if there is none.
fn file(name: &str) -> String {
    Files::get(name).map(|file| String::from_utf8_lossy(&file.data).into_owned()).unwrap_or_default()
}

/// Returns the path of the page of a file in `docs`.
fn path(name: &str) -> String {
    format!("{PATH}/{}", name.strip_suffix(".md").unwrap_or(name))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use domain::{ApiErrorCode, FailureCode};

    use super::*;
    use crate::http::error::error_path;

    #[test]
    fn every_link_leads_to_a_page_and_every_anchor_to_a_heading() {
        let site = Site::new();
        let mut known: BTreeSet<String> =
            [PATH.to_owned(), format!("{PATH}/errors"), DOCUMENT_SCHEMA.to_owned()].into();
        known.extend(ApiErrorCode::ALL.iter().map(|code| error_path(code.as_str())));
        known.extend(FailureCode::ALL.iter().map(|code| error_path(code.as_str())));
        known
            .extend(Files::iter().filter(|name| !name.ends_with(".md")).map(|name| format!("{PATH}/{name}")));
        let mut dead = Vec::new();
        let mut count = 0;
        for (path, page) in &site.pages {
            for link in &page.links {
                count += 1;
                let (target, anchor) =
                    link.split_once('#').map_or((link.as_str(), None), |(t, a)| (t, Some(a)));
                let found = match site.pages.get(target) {
                    Some(page) => {
                        anchor.is_none_or(|anchor| page.anchors.iter().any(|known| known == anchor))
                    }
                    None => known.contains(target),
                };
                if !found {
                    dead.push(format!("{path} → {link}"));
                }
            }
        }
        assert_eq!(dead, Vec::<String>::new());
        assert!(count > 30, "{count} links");
    }

    #[test]
    fn the_table_of_contents_has_every_guide_and_only_pages() {
        let site = Site::new();
        let listed: BTreeSet<_> = site.navigation.iter().filter_map(|entry| entry.path.clone()).collect();
        for path in &listed {
            assert!(
                site.pages.contains_key(path) || path == PATH || path.starts_with("/docs/errors"),
                "{path}"
            );
        }
        for path in site.pages.keys().filter(|path| !path.starts_with("/docs/adr/")) {
            assert!(listed.contains(path), "SUMMARY.md lacks {path}");
        }
        assert!(site.pages.contains_key("/docs/introduction"));
    }
}
