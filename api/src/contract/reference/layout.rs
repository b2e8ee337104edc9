//! The layout that all pages share.

use maud::{DOCTYPE, Markup, html};

use crate::http::error::REFERENCE_PATH as PATH;

/// Renders a page, with a table of contents beside it if there is one.
pub(crate) fn page(title: &str, contents: Option<Markup>, body: Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                link rel="stylesheet" href={ (PATH) "/style.css" };
            }
            body class=[contents.is_none().then_some("narrow")] {
                a.skip href="#main" { "Skip to content" }
                @if let Some(contents) = contents { nav aria-label="Contents" { (contents) } }
                main id="main" { (body) }
            }
        }
    }
}
