//! Common English words with their parts of speech and synonyms: an extract of WordNet
//! (`wordnet/README.md`).
//!
//! The vocabulary of this crate goes before it. The extract tells a slip from a word, a verb from a
//! noun, and adds synonyms that nobody thought of.

use std::{collections::HashMap, sync::LazyLock};

use crate::words::singular;

/// Maximum number of synonyms of a word.
const MAX_SYNONYMS: usize = 8;

/// A part of speech.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speech {
    Noun,
    Verb,
    Adjective,
    Adverb,
}

struct Entry {
    /// Letters of the parts of speech, the most frequent first.
    speech: &'static str,
    synonyms: &'static str,
}

// The file is part of the binary, and a test parses it.
static WORDS: LazyLock<HashMap<&'static str, Entry>> = LazyLock::new(|| {
    let entry = |line: &'static str| {
        let mut cells = line.split('\t');
        let word = cells.next()?;
        Some((word, Entry { speech: cells.next()?, synonyms: cells.next().unwrap_or_default() }))
    };
    include_str!("wordnet/english.tsv").lines().filter_map(entry).collect()
});

/// Returns the entry of a word or of the word that it is inflected from.
fn entry(word: &str) -> Option<&'static Entry> {
    let stem = |end: &str, with: &str| {
        let stem = word.strip_suffix(end).filter(|stem| stem.len() >= 3)?;
        WORDS.get(format!("{stem}{with}").as_str())
    };
    let doubled = |end: &str| {
        let stem = word.strip_suffix(end).filter(|stem| stem.len() >= 4)?;
        let last = stem.chars().next_back()?;
        WORDS.get(stem.strip_suffix(last).filter(|short| short.ends_with(last))?)
    };
    WORDS
        .get(word)
        .or_else(|| WORDS.get(singular(word).as_str()))
        .or_else(|| stem("ed", "").or_else(|| stem("ed", "e")).or_else(|| stem("ied", "y")))
        .or_else(|| stem("ing", "").or_else(|| stem("ing", "e")).or_else(|| stem("es", "")))
        .or_else(|| doubled("ed").or_else(|| doubled("ing")))
        .or_else(|| {
            let compared = stem("er", "").or_else(|| stem("er", "e")).or_else(|| stem("est", ""));
            compared.filter(|entry| entry.speech.contains('a'))
        })
}

/// Whether a word, or the word that it is inflected from, is a common English word.
pub(super) fn knows(word: &str) -> bool {
    entry(word).is_some()
}

/// Returns the most frequent part of speech of a word; `None` for an unknown word.
pub(super) fn main_speech(word: &str) -> Option<Speech> {
    let adverb = !WORDS.contains_key(word) && word.len() > 4 && word.ends_with("ly");
    let first = if adverb { 'r' } else { entry(word)?.speech.chars().next()? };
    Some(match first {
        'v' => Speech::Verb,
        'a' => Speech::Adjective,
        'r' => Speech::Adverb,
        _ => Speech::Noun,
    })
}

/// Whether a word is often a verb.
pub(super) fn may_be_verb(word: &str) -> bool {
    entry(word).is_some_and(|entry| entry.speech.contains('v'))
}

/// Returns the synonyms of a word in the singular.
pub(super) fn synonyms(word: &str) -> impl Iterator<Item = &'static str> {
    let found = WORDS.get(word).or_else(|| WORDS.get(singular(word).as_str()));
    found.into_iter().flat_map(|entry| entry.synonyms.split('|').take(MAX_SYNONYMS)).filter(|s| !s.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_parts_of_speech_and_synonyms() {
        assert_eq!(main_speech("kitchen"), Some(Speech::Noun));
        assert_eq!(main_speech("enquire"), Some(Speech::Verb));
        assert_eq!(main_speech("respectfully"), Some(Speech::Adverb));
        assert_eq!(main_speech("qwrtzp"), None);
        assert!(may_be_verb("replaced") && !may_be_verb("sofa"));
        assert!(synonyms("sofa").any(|word| word == "couch"));
        assert!(knows("stopped") && knows("curtains") && !knows("curtian"));
    }
}
