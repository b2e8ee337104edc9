//! Renders a file of `docs` as a page.

use maud::{Markup, PreEscaped, html};
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html as markdown};

use super::{DOCUMENT_SCHEMA, PATH, SitePage, links, path, summary::Entry};
use crate::contract::reference::layout;

/// Renders the file with this name.
pub(super) fn render(name: &str, text: &str, navigation: &[Entry]) -> SitePage {
    let mut page = SitePage {
        title: String::new(),
        html: String::new(),
        text: String::new(),
        anchors: Vec::new(),
        links: Vec::new(),
    };
    let events = events(name, text, &mut page);
    let mut body = String::with_capacity(text.len() * 3 / 2);
    markdown::push_html(&mut body, events.into_iter());
    let own = path(name);
    let contents = navigation_markup(navigation, &own);
    let body = html! { (search_form("")) (PreEscaped(body)) };
    page.html = layout::page(&page.title, Some(contents), body).into_string();
    page
}

/// Renders the table of contents; marks the page with this path.
pub(super) fn navigation_markup(navigation: &[Entry], own: &str) -> Markup {
    html! {
        ul {
            @for entry in navigation {
                @match &entry.path {
                    None => { li.part { (entry.title) } }
                    Some(path) => {
                        li { a href=(path) aria-current=[(path == own).then_some("page")] { (entry.title) } }
                    }
                }
            }
            li.part { "Reference" }
            li { a href=(PATH) { "API reference" } }
            li { a href={ (PATH) "/errors" } { "Errors" } }
            li { a href=(DOCUMENT_SCHEMA) { "JSON Schema" } }
        }
    }
}

/// Renders the search field with these words.
pub(super) fn search_form(words: &str) -> Markup {
    html! {
        form.search role="search" action={ (PATH) "/search" } method="get" {
            label { "Search " input type="search" name="q" value=(words) maxlength="100"; }
            " " button { "Search" }
        }
    }
}

/// Maps the events of a file: links lead to pages of the site, headings have anchors, embedded HTML is
/// escaped. Collects title, text, anchors and links of the page.
fn events<'a>(name: &str, text: &'a str, page: &mut SitePage) -> Vec<Event<'a>> {
    let mut out: Vec<Event<'a>> = Vec::new();
    let mut linked = Vec::new();
    let mut heading: Option<(usize, HeadingLevel, String)> = None;
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        if let Event::Text(part) | Event::Code(part) = &event {
            page.text.push_str(part);
            if let Some((_, _, title)) = &mut heading {
                title.push_str(part);
            }
        }
        match event {
            Event::Html(html) | Event::InlineHtml(html) => out.push(Event::Text(html)),
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let target = links::target(name, &dest_url);
                linked.push(target.is_some());
                let Some(target) = target else { continue };
                page.note_link(name, &target);
                out.push(Event::Start(Tag::Link { link_type, dest_url: target.into(), title, id }));
            }
            Event::End(TagEnd::Link) => {
                if linked.pop() == Some(true) {
                    out.push(Event::End(TagEnd::Link));
                }
            }
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                let target = links::target(name, &dest_url).unwrap_or_default();
                page.note_link(name, &target);
                out.push(Event::Start(Tag::Image { link_type, dest_url: target.into(), title, id }));
            }
            Event::Start(Tag::Heading { level, id, classes, attrs }) => {
                heading = Some((out.len(), level, String::new()));
                out.push(Event::Start(Tag::Heading { level, id, classes, attrs }));
            }
            Event::End(TagEnd::Heading(level)) => {
                out.push(Event::End(TagEnd::Heading(level)));
                let Some((start, level, title)) = heading.take() else { continue };
                if page.title.is_empty() {
                    page.title.clone_from(&title);
                }
                let anchor = page.unique(slug(&title));
                let id = Some(CowStr::from(anchor.clone()));
                out[start] = Event::Start(Tag::Heading { level, id, classes: Vec::new(), attrs: Vec::new() });
                page.anchors.push(anchor);
            }
            event @ (Event::End(_) | Event::SoftBreak | Event::HardBreak) => {
                page.text.push(' ');
                out.push(event);
            }
            other => out.push(other),
        }
    }
    out
}

impl SitePage {
    fn note_link(&mut self, file: &str, target: &str) {
        if let Some(anchor) = target.strip_prefix('#') {
            self.links.push(format!("{}#{anchor}", path(file)));
        } else if target.starts_with(PATH) {
            self.links.push(target.to_owned());
        }
    }

    /// Returns an anchor that no earlier heading has, numbered as on code hosts.
    fn unique(&self, slug: String) -> String {
        let taken = |anchor: &str| self.anchors.iter().any(|known| known == anchor);
        if !taken(&slug) {
            return slug;
        }
        (1..).map(|number| format!("{slug}-{number}")).find(|anchor| !taken(anchor)).unwrap_or(slug)
    }
}

/// Returns the anchor of a heading, as code hosts write it.
fn slug(title: &str) -> String {
    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
    title.to_lowercase().chars().filter(kept).map(|c| if c == ' ' { '-' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_have_anchors_links_lead_to_pages_and_html_is_shown() {
        let text = "# A `b` page\n\n## Part\n\n## Part\n\nSee [it](guides/asking.md#ask), [that](../README.md) <b>x</b>.";
        let page = render("a.md", text, &[]);
        assert_eq!(
            (page.title.as_str(), page.links.as_slice()),
            ("A b page", &["/docs/guides/asking#ask".to_owned()][..])
        );
        assert_eq!(page.anchors, ["a-b-page", "part", "part-1"]);
        for shown in
            ["<h1 id=\"a-b-page\">", "href=\"/docs/guides/asking#ask\"", " that &lt;b&gt;x", "id=\"part-1\""]
        {
            assert!(page.html.contains(shown), "{shown} is missing in {}", page.html);
        }
    }
}
