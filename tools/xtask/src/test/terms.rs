//! Refuses the replaced terms of `terms.toml` in the tracked files of the repository.

use std::{
    collections::BTreeMap,
    fmt::Write,
    path::{Path, PathBuf},
    str::FromStr,
};

use anyhow::{Context, Result, bail};
use proc_macro2::{TokenStream, TokenTree};
use serde::Deserialize;

use crate::system::{command, output_of};

/// Files that name the terms on purpose, as the end of their path.
const LISTS: [&str; 3] = ["terms.toml", "typos.toml", "xtask/src/test/terms.rs"];
/// Endings of files whose text is read for phrases.
const TEXTS: [&str; 6] = ["rs", "md", "toml", "py", "sh", "yml"];

/// The content of `terms.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Terms {
    name: Vec<Rule>,
    phrase: Vec<Rule>,
    file: Vec<Rule>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    #[serde(alias = "names", alias = "phrases", alias = "files")]
    terms: Vec<String>,
    /// Replacement, for the message.
    #[serde(rename = "use")]
    instead: String,
    #[serde(default)]
    within: Vec<String>,
    #[serde(default)]
    except: Vec<String>,
}

impl Rule {
    fn applies_to(&self, path: &str) -> bool {
        let below = |folders: &[String]| folders.iter().any(|folder| path.starts_with(folder.as_str()));
        (self.within.is_empty() || below(&self.within)) && !below(&self.except)
    }
}

/// One use of a replaced term.
#[derive(Debug, PartialEq, Eq)]
struct Hit {
    term: String,
    place: String,
    instead: String,
}

/// Scans every tracked file.
///
/// # Errors
/// Returns an error that lists the uses if there are any.
pub(super) fn check(workspace: &Path) -> Result<()> {
    let terms: Terms = toml::from_str(&std::fs::read_to_string(workspace.join("terms.toml"))?)?;
    let tracked = output_of(command("git").args(["ls-files", "-z"]).current_dir(workspace))?;
    let mut hits = Vec::new();
    let exempt = |path: &str| LISTS.iter().any(|file| path.ends_with(*file));
    for path in tracked.split('\0').filter(|path| !path.is_empty() && !exempt(path)) {
        hits.extend(terms.in_path(path));
        let file: PathBuf = workspace.join(path);
        let extension = file.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        // A file that was deleted and not yet committed is still listed.
        if TEXTS.contains(&extension) && file.is_file() {
            let text = std::fs::read_to_string(&file).with_context(|| format!("cannot read {path}"))?;
            hits.extend(terms.in_text(path, &text));
        }
    }
    if hits.is_empty() { Ok(()) } else { bail!("{}", report(&hits)) }
}

/// Lists the hits and counts them by term.
fn report(hits: &[Hit]) -> String {
    let mut text = "replaced terms are used:\n".to_owned();
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for Hit { term, place, instead } in hits {
        *counts.entry(term).or_default() += 1;
        let _ = writeln!(text, "  {place}: `{term}`, write {instead}");
    }
    for (term, count) in counts {
        let _ = writeln!(text, "{count:>6} {term}");
    }
    let _ = write!(text, "{:>6} in all", hits.len());
    text
}

impl Terms {
    fn in_path(&self, path: &str) -> Vec<Hit> {
        let slashed = format!("/{path}/");
        hits_of(&self.file, path, |term| slashed.contains(&format!("/{term}/")).then(|| path.to_owned()))
    }

    fn in_text(&self, path: &str, text: &str) -> Vec<Hit> {
        let mut hits = Vec::new();
        if path.ends_with(".rs")
            && let Ok(tokens) = TokenStream::from_str(text)
        {
            let mut names = Vec::new();
            collect_names(tokens, &mut names);
            for (name, line) in names {
                let place = || format!("{path}:{line}");
                hits.extend(hits_of(&self.name, path, |term| (name == term).then(place)));
            }
        }
        let prose = Prose::of(text);
        for rule in self.phrase.iter().filter(|rule| rule.applies_to(path)) {
            for term in &rule.terms {
                let lines = prose.find(&term.to_lowercase());
                hits.extend(lines.into_iter().map(|line| Hit {
                    term: term.clone(),
                    place: format!("{path}:{line}"),
                    instead: rule.instead.clone(),
                }));
            }
        }
        hits
    }
}

fn hits_of(rules: &[Rule], path: &str, matches: impl Fn(&str) -> Option<String>) -> Vec<Hit> {
    let rules = rules.iter().filter(|rule| rule.applies_to(path));
    let pairs = rules.flat_map(|rule| rule.terms.iter().map(move |term| (rule, term)));
    let hits = pairs.filter_map(|(rule, term)| {
        let place = matches(term)?;
        Some(Hit { term: term.clone(), place, instead: rule.instead.clone() })
    });
    hits.collect()
}

/// Collects the identifiers of Rust code, outside comments and strings, with their lines.
fn collect_names(tokens: TokenStream, names: &mut Vec<(String, usize)>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => collect_names(group.stream(), names),
            TokenTree::Ident(name) => names.push((name.to_string(), name.span().start().line)),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// A text as one lower-case line without comment signs, so that phrases are found across line
/// breaks.
struct Prose {
    text: String,
    /// Where each line starts.
    starts: Vec<usize>,
}

impl Prose {
    fn of(text: &str) -> Self {
        let mut prose = Self { text: String::new(), starts: Vec::new() };
        for line in text.lines() {
            prose.starts.push(prose.text.len());
            let line = line.trim();
            let words = line.trim_start_matches(['/', '!', '#', '>', '*']).trim();
            prose.text.push_str(&words.to_lowercase());
            prose.text.push(' ');
        }
        prose
    }

    /// Returns the lines on which `phrase` starts, as whole words or in the plural.
    fn find(&self, phrase: &str) -> Vec<usize> {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let found = self.text.match_indices(phrase).filter(|(at, _)| {
            let before = self.text[..*at].chars().next_back();
            let rest = &self.text[at + phrase.len()..];
            let ends = |rest: &str| !rest.chars().next().is_some_and(is_word);
            let plural = ["s", "es"].iter().filter_map(|ending| rest.strip_prefix(ending)).any(ends);
            !before.is_some_and(is_word) && (ends(rest) || plural)
        });
        found.map(|(at, _)| self.starts.partition_point(|start| *start <= at)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms() -> Terms {
        toml::from_str(
            r#"
            [[name]]
            names = ["Parts", "told"]
            use = "Dependencies"
            except = ["api/src/http"]
            [[name]]
            names = ["pieces"]
            use = "partial readings"
            within = ["perception"]
            [[phrase]]
            phrases = ["signed address", "by what"]
            use = "signed URL"
            [[file]]
            files = ["edge.rs", "src/target"]
            use = "middleware.rs"
            "#,
        )
        .unwrap()
    }

    fn places(hits: &[Hit]) -> Vec<(&str, &str)> {
        hits.iter().map(|hit| (hit.term.as_str(), hit.place.as_str())).collect()
    }

    #[test]
    fn refuses_names_in_code_only() {
        let code = "// Parts of a room.\n/// The parts told.\nstruct Parts {\n    told: &'static str,\n}\n\
                    const A: &str = \"Parts\"; let x = vec![Parts::new()];";
        let hits = terms().in_text("api/src/a.rs", code);
        assert_eq!(
            places(&hits),
            [("Parts", "api/src/a.rs:3"), ("told", "api/src/a.rs:4"), ("Parts", "api/src/a.rs:6")]
        );
        assert_eq!(terms().in_text("api/src/http/a.rs", code), []);
    }

    #[test]
    fn limits_rules_to_folders() {
        let code = "let pieces = 1;";
        assert_eq!(terms().in_text("api/src/a.rs", code), []);
        assert_eq!(
            places(&terms().in_text("perception/src/a.rs", code)),
            [("pieces", "perception/src/a.rs:1")]
        );
    }

    #[test]
    fn finds_phrases_across_lines_and_in_the_plural() {
        let text = "Text.\n/// Two Signed\n/// addresses, found by\n/// what is there. unsigned addresses, hereby whatnot\n";
        let hits = terms().in_text("docs/a.md", text);
        assert_eq!(places(&hits), [("signed address", "docs/a.md:2"), ("by what", "docs/a.md:3")]);
    }

    #[test]
    fn refuses_files_and_folders() {
        let hits = |path: &str| terms().in_path(path).len();
        assert_eq!(
            [hits("api/src/edge.rs"), hits("outbound/src/target/mod.rs"), hits("api/src/ledge.rs")],
            [1, 1, 0]
        );
    }

    #[test]
    fn counts_by_term() {
        let hits = terms().in_text("api/a.rs", "told(told, Parts)");
        let report = report(&hits);
        assert!(report.ends_with("     1 Parts\n     2 told\n     3 in all"), "{report}");
    }
}
