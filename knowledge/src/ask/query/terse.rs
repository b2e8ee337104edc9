//! Writes terse questions in full: abbreviations, and units at their end.
//!
//! People who type in a hurry, and programs, ask "hall height ft" or "chairs qty". The table holds
//! abbreviations that are common in lists and messages; units are those of [`super::super::units`].

use std::collections::HashMap;
use std::sync::LazyLock;

use super::super::units;
use super::framing::FRAMING;

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Abbreviations and their full form.
    abbreviations: HashMap<String, String>,
    /// Endings of a question for yes or no, such as "y/n".
    whether: Vec<String>,
}

static FILE: LazyLock<File> = LazyLock::new(|| {
    // The file is part of the binary, and tests parse it.
    serde_json::from_str(include_str!("terse.json")).expect("the abbreviations are well-formed")
});

/// Maximum number of words of a question without a verb.
const MAX_WORDS: usize = 6;

/// Returns a part of a question in full.
pub(super) fn in_full(text: &str) -> String {
    let trimmed = text.trim().trim_end_matches(['?', '.', '!', ' ']);
    for end in &FILE.whether {
        let subject =
            trimmed.to_lowercase().ends_with(end.as_str()).then(|| &trimmed[..trimmed.len() - end.len()]);
        if let Some(subject) = subject.map(str::trim).filter(|subject| !subject.is_empty()) {
            return format!("is there {}?", expanded(subject));
        }
    }
    let text = expanded(text);
    with_unit(&text).unwrap_or(text)
}

/// Replaces abbreviations.
fn expanded(text: &str) -> String {
    let word = |word: &str| {
        match word {
            "+" => return "plus".to_owned(),
            "&" => return "and".to_owned(),
            _ => {}
        }
        let plain = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '²').to_lowercase();
        FILE.abbreviations
            .get(&plain)
            .map_or_else(|| word.to_owned(), |full| word.to_lowercase().replacen(&plain, full, 1))
    };
    text.split_whitespace().map(word).collect::<Vec<_>>().join(" ")
}

/// "Hall height ft" asks for feet. Returns `None` for a question in whole words.
fn with_unit(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let plain = |word: &&str| word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let in_words = words
        .iter()
        .map(plain)
        .any(|word| FRAMING.asking.contains(&word) || FRAMING.auxiliaries.contains(&word));
    if in_words || !(2..=MAX_WORDS).contains(&words.len()) {
        return None;
    }
    let from = (1..words.len()).rev().take(2).filter(|at| units::is_unit(&words[*at..].join(" "))).min()?;
    let subject = words[..from].join(" ");
    let preposition = subject.ends_with(" in");
    (!preposition).then(|| format!("{subject} in {}?", units::in_full(&words[from..].join(" "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terse_questions_are_written_in_full() {
        for (terse, full) in [
            ("shed width ft", "shed width in feet?"),
            ("attic area sq ft", "attic area in square feet?"),
            ("stools qty", "stools how many"),
            ("sauna y/n", "is there sauna?"),
            ("Fri closing hrs?", "friday closing hours?"),
            ("How long is the shed in m?", "How long is the shed in m?"),
            ("Is the shed 3 m long?", "Is the shed 3 m long?"),
            ("price of tea", "price of tea"),
        ] {
            assert_eq!(in_full(terse), full, "{terse}");
        }
    }
}
