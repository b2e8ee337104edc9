//! Links between files of `docs`, as paths of the site.

use super::PATH;

/// Returns the target of a link in a file: a path of the site, or an address elsewhere. `None` for a file
/// outside `docs`, which the site does not have.
pub(super) fn target(file: &str, link: &str) -> Option<String> {
    if link.starts_with('#') || link.contains("://") || link.starts_with("mailto:") || link.starts_with('/') {
        return Some(link.to_owned());
    }
    let (link, anchor) = link.split_once('#').map_or((link, None), |(link, anchor)| (link, Some(anchor)));
    let mut segments: Vec<&str> = file.split('/').collect();
    segments.pop();
    for segment in link.split('/') {
        match segment {
            "." | "" => {}
            ".." => drop(segments.pop()?),
            name => segments.push(name),
        }
    }
    let name = segments.join("/");
    let page = match name.strip_suffix(".md") {
        Some("errors/README") => "errors".to_owned(),
        Some(page) => page.to_owned(),
        // A folder has no page.
        None if !name.contains('.') => return None,
        None => name,
    };
    let anchor = anchor.map(|anchor| format!("#{anchor}")).unwrap_or_default();
    Some(format!("{PATH}/{page}{anchor}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_become_pages_and_other_files_are_not_linked() {
        let of = |file, link| target(file, link);
        assert_eq!(of("guides/asking.md", "../glossary.md#claims").as_deref(), Some("/docs/glossary#claims"));
        assert_eq!(of("retention.md", "errors/README.md").as_deref(), Some("/docs/errors"));
        assert_eq!(of("agents.md", "errors/NOT_FOUND.md").as_deref(), Some("/docs/errors/NOT_FOUND"));
        assert_eq!(of("adr/0001-x.md", "0002-y.md").as_deref(), Some("/docs/adr/0002-y"));
        assert_eq!(of("evaluation.md", "images/result.jpg").as_deref(), Some("/docs/images/result.jpg"));
        assert_eq!(of("a.md", "https://example.com/x").as_deref(), Some("https://example.com/x"));
        assert_eq!(of("a.md", "../README.md"), None);
        assert_eq!(of("a.md", "adr"), None);
    }
}
