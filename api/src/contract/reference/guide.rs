//! The guide at the top of the reference.

use maud::{Markup, html};

use super::markdown;

const TEXT: &str = include_str!("guide.md");

/// Returns the title and the Markdown of each section.
fn sections() -> impl Iterator<Item = (&'static str, &'static str)> {
    TEXT.split("## ").filter_map(|part| part.split_once('\n'))
}

fn anchor(title: &str) -> String {
    title.to_lowercase().replace(' ', "-")
}

/// Renders the table of contents.
pub(super) fn contents() -> Markup {
    html! { ul { @for (title, _) in sections() { li { a href={ "#" (anchor(title)) } { (title) } } } } }
}

/// Renders the guide; `api` is the URL of the API.
pub(super) fn text(api: &str) -> Markup {
    html! {
        @for (title, text) in sections() {
            section id=(anchor(title)) {
                h2 { (title) }
                (markdown::block(&text.replace("{api}", api)))
            }
        }
    }
}
