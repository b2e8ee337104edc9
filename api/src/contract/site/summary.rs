//! The table of contents, `docs/SUMMARY.md`, in the format of mdBook.

use super::links;

/// A line of the table of contents: a part, or a page.
#[derive(Debug)]
pub(super) struct Entry {
    /// Title of the part or page.
    pub(super) title: String,
    /// Path of the page; `None` for a part.
    pub(super) path: Option<String>,
}

/// Parses the parts (`# Title`) and pages (`- [Title](file.md)`).
pub(super) fn entries(text: &str) -> Vec<Entry> {
    text.lines().skip(1).filter_map(entry).collect()
}

fn entry(line: &str) -> Option<Entry> {
    let line = line.trim();
    if let Some(part) = line.strip_prefix("# ") {
        return Some(Entry { title: part.to_owned(), path: None });
    }
    let (title, rest) = line.trim_start_matches("- ").strip_prefix('[')?.split_once("](")?;
    let path = links::target("SUMMARY.md", rest.strip_suffix(')')?)?;
    Some(Entry { title: title.to_owned(), path: Some(path) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_parts_and_pages() {
        let all = entries("# Summary\n\n[First](introduction.md)\n\n# Guides\n\n- [Ask](guides/asking.md)\n");
        let shown: Vec<_> = all.iter().map(|entry| (entry.title.as_str(), entry.path.as_deref())).collect();
        assert_eq!(
            shown,
            [("First", Some("/docs/introduction")), ("Guides", None), ("Ask", Some("/docs/guides/asking"))]
        );
    }
}
