//! The search in the documentation: pages that contain every word.

use maud::{Markup, html};

use super::{Site, SitePage, page};
use crate::contract::reference::layout;

/// Maximum number of words of a query.
const MAX_WORDS: usize = 8;
/// Maximum number of results.
const MAX_RESULTS: usize = 20;
/// Number of characters shown around the first match.
const EXCERPT_CHARS: usize = 160;

/// Renders the page with the results for these words.
pub(super) fn results(site: &Site, query: &str) -> Markup {
    let words: Vec<String> = query.split_whitespace().take(MAX_WORDS).map(str::to_lowercase).collect();
    let found = find(site, &words);
    let body = html! {
        (page::search_form(query))
        h1 { "Search" }
        @if !words.is_empty() && found.is_empty() { p { "No page contains all of these words." } }
        ul.results {
            @for (path, page) in found {
                li { a href=(path) { (page.title) } p { (excerpt(&page.text, &words)) } }
            }
        }
    };
    layout::page("Search", Some(page::navigation_markup(&site.navigation, "")), body)
}

/// Returns the pages with all words, those with the most matches first. A match in the title counts a hundred.
fn find<'a>(site: &'a Site, words: &[String]) -> Vec<(&'a str, &'a SitePage)> {
    if words.is_empty() {
        return Vec::new();
    }
    let mut found: Vec<_> = site
        .pages
        .iter()
        .filter_map(|(path, page)| Some((score(page, words)?, path.as_str(), page)))
        .collect();
    found.sort_by_key(|(score, path, _)| (std::cmp::Reverse(*score), *path));
    found.into_iter().take(MAX_RESULTS).map(|(_, path, page)| (path, page)).collect()
}

fn score(page: &SitePage, words: &[String]) -> Option<usize> {
    let (title, text) = (page.title.to_lowercase(), page.text.to_lowercase());
    words
        .iter()
        .map(|word| {
            let matches = text.matches(word.as_str()).count() + 100 * title.matches(word.as_str()).count();
            (matches > 0).then_some(matches)
        })
        .sum()
}

/// Returns the text around the first of these words.
fn excerpt(text: &str, words: &[String]) -> String {
    let characters: Vec<char> = text.chars().collect();
    let lower: String = characters.iter().map(|c| c.to_lowercase().next().unwrap_or(*c)).collect();
    let first = words.iter().filter_map(|word| lower.find(word.as_str())).min().unwrap_or(0);
    let at = lower[..first].chars().count();
    let start = at.saturating_sub(EXCERPT_CHARS / 2);
    let shown: String = characters.iter().skip(start).take(EXCERPT_CHARS).collect();
    format!("…{}…", shown.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_pages_with_all_words_titles_first() {
        let site = Site::new();
        let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let found = find(&site, &words("webhooks"));
        assert_eq!(found[0].0, "/docs/guides/webhooks", "{found:?}");
        assert!(find(&site, &words("webhooks nosuchwordanywhere")).is_empty());
        assert!(find(&site, &[]).is_empty());
        assert!(excerpt("Überall steht ein Wort im Text", &words("wort")).contains("Wort"));
    }
}
