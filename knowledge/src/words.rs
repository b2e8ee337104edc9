//! Normalises words of questions and documents, and holds the lexicon of rooms and objects.

use std::{collections::BTreeMap, sync::LazyLock};

use serde::Deserialize;

/// Names of room types and objects, and stop words, from `lexicon.json`.
#[derive(Debug)]
pub struct Lexicon {
    /// Synonyms of each room type.
    pub rooms: BTreeMap<String, Vec<String>>,
    /// Synonyms of each object category.
    pub objects: BTreeMap<String, Vec<String>>,
    /// Object categories that belong to each generic term, for example to "furniture".
    pub groups: BTreeMap<String, Vec<String>>,
    /// Words that name no subject.
    pub stop_words: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rooms: BTreeMap<String, Vec<String>>,
    objects: BTreeMap<String, Vec<String>>,
    groups: BTreeMap<String, Vec<String>>,
    stop_words: String,
}

/// Words of comparisons in questions.
pub(crate) const COMPARISONS: [&str; 17] = [
    "more",
    "fewer",
    "less",
    "most",
    "fewest",
    "bigger",
    "larger",
    "smaller",
    "biggest",
    "largest",
    "smallest",
    "brighter",
    "darker",
    "brightest",
    "darkest",
    "compare",
    "lighter",
];

/// Words of questions about a size or another quantity with a unit.
pub(crate) const SIZES: [&str; 22] = [
    "wide",
    "width",
    "tall",
    "height",
    "high",
    "long",
    "length",
    "deep",
    "depth",
    "big",
    "large",
    "size",
    "square",
    "temperature",
    "weigh",
    "weight",
    "heavy",
    "volume",
    "voltage",
    "capacity",
    "measure",
    "measurement",
];

/// Two-letter words that have a plural.
const SHORT_NOUNS: [&str; 4] = ["tv", "pc", "wc", "ac"];

/// The lexicon of this crate.
pub static LEXICON: LazyLock<Lexicon> = LazyLock::new(|| {
    // The file is part of the binary, and tests parse it.
    let file: File = serde_json::from_str(include_str!("lexicon.json")).expect("the lexicon is well-formed");
    Lexicon {
        rooms: file.rooms,
        objects: file.objects,
        groups: file.groups,
        stop_words: file.stop_words.split_whitespace().map(str::to_owned).collect(),
    }
});

/// Returns the lower-case words and numbers of a text, in order. Keeps a point or comma between
/// digits.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    let text = text.to_lowercase().replace('’', "'").replace('²', "2").replace('³', "3");
    let chars: Vec<char> = text.chars().collect();
    let mut out = vec![String::new()];
    for (i, c) in chars.iter().enumerate() {
        let is_digit = |at: Option<usize>| at.and_then(|at| chars.get(at)).is_some_and(char::is_ascii_digit);
        let inner = matches!(c, '.' | ',') && is_digit(i.checked_sub(1)) && is_digit(Some(i + 1));
        if c.is_alphanumeric() || inner {
            if let Some(last) = out.last_mut() {
                last.push(*c);
            }
        } else if out.last().is_some_and(|last| !last.is_empty()) {
            out.push(String::new());
        }
    }
    out.retain(|word| !word.is_empty());
    out
}

/// Returns the singular of a word.
pub fn singular(word: &str) -> String {
    let replace_suffix = |suffix: &str, replacement: &str| {
        let stem = word.strip_suffix(suffix).filter(|stem| stem.chars().count() >= 2)?;
        Some(format!("{stem}{replacement}"))
    };
    if let Some(short) = word.strip_suffix('s').filter(|short| SHORT_NOUNS.contains(short)) {
        return short.to_owned();
    }
    if word.chars().count() <= 3 || word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        return word.to_owned();
    }
    replace_suffix("elves", "elf")
        .or_else(|| replace_suffix("ies", "y"))
        .or_else(|| replace_suffix("ches", "ch"))
        .or_else(|| replace_suffix("shes", "sh"))
        .or_else(|| replace_suffix("sses", "ss"))
        .or_else(|| replace_suffix("xes", "x"))
        .or_else(|| replace_suffix("s", ""))
        .unwrap_or_else(|| word.to_owned())
}

/// Returns the words of a text in the singular.
pub(crate) fn stems(text: &str) -> Vec<String> {
    tokens(text).iter().map(|word| singular(word)).collect()
}

/// Whether a word is a stop word.
pub(crate) fn is_stop_word(word: &str) -> bool {
    LEXICON.stop_words.iter().any(|other| other == word || singular(other) == word)
}

/// Whether two words are equal, or `typed` may be `known` with one typo. Short words and first
/// letters must be equal, so that "cable" does not match "table".
pub(crate) fn is_same_or_typo(typed: &str, known: &str) -> bool {
    typed == known
        || (typed.chars().count() >= 6
            && known.chars().count() >= 6
            && typed.chars().next() == known.chars().next()
            && strsim::osa_distance(typed, known) == 1)
}

/// Removes the first occurrence of a phrase from `words`. Returns whether there was one.
pub(crate) fn remove_phrase(words: &mut Vec<String>, phrase: &[String]) -> bool {
    let fits =
        |window: &[String]| window.iter().zip(phrase).all(|(typed, known)| is_same_or_typo(typed, known));
    let found = (!phrase.is_empty()).then(|| words.windows(phrase.len()).position(fits)).flatten();
    if let Some(at) = found {
        words.drain(at..at + phrase.len());
    }
    found.is_some()
}

/// Removes every occurrence of these words from `words`. Returns whether there was one.
pub(crate) fn remove_any(words: &mut Vec<String>, list: &[&str]) -> bool {
    let before = words.len();
    words.retain(|word| !list.contains(&word.as_str()));
    words.len() < before
}
