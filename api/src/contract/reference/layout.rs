//! What all pages share.

use maud::{DOCTYPE, Markup, html};

use super::PATH;

/// A page, with its contents beside it where it has any.
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
                a.skip href="#main" { "To the text" }
                @if let Some(contents) = contents { nav aria-label="Contents" { (contents) } }
                main id="main" { (body) }
            }
        }
    }
}
