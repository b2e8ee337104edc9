//! Renders the service's own Markdown as HTML.

use maud::{Markup, PreEscaped};
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, TagEnd, html};

use crate::http::error::error_path;

/// Renders a text with paragraphs, lists, tables and code.
pub(super) fn block(text: &str) -> Markup {
    render(text, |_| true)
}

/// Renders the text of one paragraph, without the `<p>` element.
pub(super) fn inline(text: &str) -> Markup {
    render(text, |event| !matches!(event, Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph)))
}

fn render(text: &str, keep: impl Fn(&Event<'_>) -> bool) -> Markup {
    let events = Parser::new_ext(text, Options::ENABLE_TABLES).filter(keep).map(|event| match event {
        // Embedded HTML is escaped.
        Event::Html(html) | Event::InlineHtml(html) => Event::Text(html),
        Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
            Event::Start(Tag::Link { link_type, dest_url: target(dest_url), title, id })
        }
        other => other,
    });
    let mut out = String::with_capacity(text.len() * 3 / 2);
    html::push_html(&mut out, events);
    PreEscaped(out)
}

/// Maps a link to another error's Markdown file to the path of its page.
fn target(link: CowStr<'_>) -> CowStr<'_> {
    match link.strip_suffix(".md") {
        Some(code) if !code.contains('/') => error_path(code).into(),
        _ => link,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_is_shown_and_pages_are_linked() {
        assert_eq!(inline("a `b` <script>").into_string(), "a <code>b</code> &lt;script&gt;");
        let linked = block("See [it](NOT_FOUND.md).").into_string();
        assert_eq!(linked, "<p>See <a href=\"/docs/errors/NOT_FOUND\">it</a>.</p>\n");
    }
}
