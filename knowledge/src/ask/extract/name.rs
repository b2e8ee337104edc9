//! Names of people, firms and teams.

use std::sync::LazyLock;

use regex::Regex;

use super::{super::vocabulary::VOCABULARY, Value, pattern};
use crate::words::{is_stop_word, tokens};

/// Fit of words in capitals that the vocabulary knows.
const ORDINARY: f64 = 0.35;

/// Returns the names in a text. In speech and mixed case, names are capitalised words within the
/// sentence, or words after a title. A sign in capitals may state a name on any line of words.
pub(super) fn names(text: &str, read: bool) -> Vec<Value> {
    static TITLED: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(?:mr|mrs|ms|miss|mister|missus|dr|doctor|prof|professor|sir|lady|chef|captain|father|sister)\b\.?\s+(?:\p{Lu}\.\s*)*[\p{L}'-]+(?:\s+\p{Lu}[\p{L}'-]+)*",
        )
    });
    static PROPER: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"\p{Lu}[\p{L}'’-]*\p{Ll}[\p{L}'’-]*(?:\s+(?:(?:and|&|of|the|de|van|von)\s+)?\p{Lu}[\p{L}'’-]*\p{Ll}[\p{L}'’-]*)*",
        )
    });
    static LABELLED: LazyLock<Regex> = LazyLock::new(|| {
        pattern(
            r"(?i)\b(?:by|manager|owner|host|hosted by|head|director|contact|teacher|chef|name|ask for)\s*:?\s+([\p{L}'-]+(?:\s+[\p{L}'-]+){0,2})",
        )
    });
    static AGENT: LazyLock<Regex> = LazyLock::new(|| {
        pattern(r"\bby ((?:the|a|an|our|my|his|her|their) [\p{Ll}-]+(?: (?:called )?\p{Lu}?[\p{L}-]+)?)")
    });
    let mut out: Vec<Value> = TITLED.find_iter(text).map(|found| Value::of(found, 1.0)).collect();
    let shouted = !text.chars().any(char::is_lowercase);
    for found in PROPER.find_iter(text).filter(|_| !shouted) {
        let known = out.iter().any(|value| value.at < found.end() && found.start() < value.end);
        let begins = text[..found.start()].trim().is_empty();
        let single = !found.as_str().contains(' ');
        let ordinary =
            tokens(found.as_str()).iter().all(|word| is_stop_word(word)) || is_calendar(found.as_str());
        let uncertain = begins && single && !read;
        if !(known || ordinary || uncertain) {
            out.push(Value::of(found, if begins { 0.7 } else { 0.9 }));
        }
    }
    if !read {
        // "… by the council": who did something may have no name.
        let agents = AGENT.captures_iter(text).filter_map(|found| found.get(1));
        out.extend(agents.map(|found| Value::of(found, 0.6)));
    }
    if read && out.is_empty() {
        let labelled = LABELLED.captures_iter(text).filter_map(|found| found.get(1));
        let named = |text: &str| tokens(text).iter().any(|word| !is_ordinary(word));
        out.extend(labelled.filter(|found| named(found.as_str())).map(|found| Value::of(found, 0.8)));
    }
    if read && shouted && out.is_empty() {
        out = unknown_words(text);
        let words = tokens(text).len();
        let dated = tokens(text).iter().any(|word| super::clock::is_day_word(word));
        if out.is_empty() && !dated && !text.chars().any(|c| c.is_ascii_digit()) && (1..=4).contains(&words) {
            out.push(Value { shown: text.trim().to_owned(), at: 0, end: text.len(), fit: ORDINARY });
        }
    }
    out
}

/// Returns the runs of words in capitals that are no words of the vocabulary, with initials: "YOGA
/// WITH J. HOLT".
fn unknown_words(text: &str) -> Vec<Value> {
    static WORD: LazyLock<Regex> = LazyLock::new(|| pattern(r"\p{L}[\p{L}'’-]*\.?|\d+|[^\s\p{L}\d]"));
    let mut out: Vec<Value> = Vec::new();
    let mut run: Option<(usize, usize, bool)> = None;
    let mut close = |run: &mut Option<(usize, usize, bool)>| {
        if let Some((at, end, true)) = run.take() {
            out.push(Value { shown: text[at..end].trim_end_matches('.').to_owned(), at, end, fit: 0.8 });
        }
    };
    for found in WORD.find_iter(text) {
        let word = found.as_str().trim_end_matches('.').to_lowercase();
        let letters = word.chars().count();
        let initial = letters == 1 && found.as_str().ends_with('.');
        let unknown = letters > 2 && word.chars().all(char::is_alphabetic) && !is_ordinary(&word);
        if initial || unknown {
            let (at, _, named) = run.unwrap_or((found.start(), 0, false));
            run = Some((at, found.end(), named || unknown));
        } else {
            close(&mut run);
        }
    }
    close(&mut run);
    out
}

/// Whether a word is an ordinary word or a word of the calendar.
fn is_ordinary(word: &str) -> bool {
    is_stop_word(word)
        || VOCABULARY.knows_root(word)
        || super::clock::is_day(word)
        || super::clock::is_month(word)
        || domain::numbers::value(word).is_some()
}

fn is_calendar(text: &str) -> bool {
    tokens(text).iter().all(|word| super::clock::is_day(word) || super::clock::is_month(word))
}
