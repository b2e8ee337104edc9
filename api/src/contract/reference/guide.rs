//! What to read before the operations.

use maud::{Markup, html};

use super::markdown;

const TEXT: &str = include_str!("guide.md");

/// A part of the guide: its title, and its text in Markdown.
fn parts() -> impl Iterator<Item = (&'static str, &'static str)> {
    TEXT.split("## ").filter_map(|part| part.split_once('\n'))
}

fn anchor(title: &str) -> String {
    title.to_lowercase().replace(' ', "-")
}

/// Its titles, as links.
pub(super) fn contents() -> Markup {
    html! { ul { @for (title, _) in parts() { li { a href={ "#" (anchor(title)) } { (title) } } } } }
}

/// The guide; `api` is the address of the API.
pub(super) fn text(api: &str) -> Markup {
    html! {
        @for (title, text) in parts() {
            section id=(anchor(title)) {
                h2 { (title) }
                (markdown::block(&text.replace("{api}", api)))
            }
        }
    }
}
